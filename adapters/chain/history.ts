/**
 * Watching addresses: what touched them, oldest first, once each. Every endpoint's list is read, so none can hide a
 * transaction; each transaction is asked of every endpoint, so none can make one up. What the endpoints do not agree
 * about yet is kept and asked again; one that is slow is not waited for. Addresses with news come first, then new ones,
 * then the rest in turn.
 * Source: protocol 03 A.10.3 R3, R7, R8; C9.
 */
import type { ChainObservation, Commitment } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { Alarm } from "./alarms.ts";
import type { Endpoint } from "./endpoint.ts";
import { slotNumber } from "./head.ts";
import type { ListReaders } from "./list-readers.ts";
import { openListReaders } from "./list-readers.ts";
import { paced, whenEnough } from "./pace.ts";
import { liarsOf } from "./quorum.ts";
import type { SeenTransaction } from "./seen-transaction.ts";
import { askTransaction, observationOf } from "./seen-transaction.ts";
import type { Cursor } from "./signature-pages.ts";
import { moveOver, nextPage, openCursor, PAGE } from "./signature-pages.ts";
import type { Tasks } from "./tasks.ts";
import type { Telling } from "./transaction-agreement.ts";
import { agreementOf, isWhole } from "./transaction-agreement.ts";
import { tellTail } from "./unfinalized.ts";

/** Watched addresses at most. Source: DESIGN L10. */
export const WATCHES_MAX = 100_000;
/**
 * Addresses asked in turn at every poll, besides those with news: what accounts show is read in batches, so this finds
 * only what left them as they were. Source: DESIGN "Work at once".
 */
export const SWEEP = 4;
/** Addresses settled at once. Source: DESIGN "Work at once". */
const WORKERS = 4;
/** Told signatures kept for an address, so that no endpoint's list makes them news again. Source: DESIGN L10. */
const TOLD_MAX = 4_096;
/** Times that a transaction is asked for before later ones stop waiting for it. Source: DESIGN "Waiting times". */
const PATIENCE = 6;
/** After that, it is asked for every so many polls. Source: DESIGN "Waiting times". */
const SELDOM = 8;

export interface HistoryOptions {
  readonly endpoints: readonly Endpoint[];
  readonly crypto: CryptoPort;
  readonly tasks: Tasks;
  readonly tell: (observation: ChainObservation) => void;
  readonly alarm: Alarm;
  readonly page?: number;
}

export interface History {
  /** Watching again begins anew. */
  watch(address: string, commitment: Commitment): void;
  unwatch(address: string): void;
  /** Something touched the address. */
  news(address: string): void;
  /** Asks the next addresses in turn. */
  sweep(): void;
}

/** A listed transaction that was not told yet. */
interface Candidate {
  readonly slot: bigint;
  /** Places of the endpoints that listed it. */
  readonly listedBy: Set<number>;
  /** What endpoints said for good, by place. */
  readonly tellings: Map<number, SeenTransaction>;
  tries: number;
}

interface Watched {
  readonly address: string;
  readonly commitment: Commitment;
  readonly cursors: readonly Cursor[];
  readonly candidates: Map<string, Candidate>;
  readonly told: Set<string>;
  /** Told as confirmed, and where. */
  readonly toldSlots: Map<string, bigint>;
  /** Places of the endpoints that are to be read, and of those that have more. */
  readonly unread: Set<number>;
  readonly more: Set<number>;
  /** Whether an endpoint's list was read. */
  read: boolean;
}

/** What reading a page came to: whether it brought candidates, and what there is beyond it. */
interface Found {
  readonly brought: boolean;
  readonly more: boolean;
  readonly isWalking: boolean;
}

const NOTHING: Found = { brought: false, more: false, isWalking: false };

interface Follower {
  readonly options: HistoryOptions;
  /** Longest unasked first. */
  readonly watched: Map<string, Watched>;
  /** The endpoints as readers ask them, of whom there are only so many. */
  readonly listed: readonly Endpoint[];
  readonly readers: ListReaders;
  /** Addresses of which lists were read. */
  readonly due: Set<string>;
  /** Addresses with candidates that were not settled. */
  readonly unsettled: Set<string>;
  readonly asking: Set<string>;
  workers: number;
}

export function openHistory(options: HistoryOptions): History {
  const follower: Follower = {
    options: { ...options, endpoints: options.endpoints.map(paced) },
    listed: options.endpoints,
    readers: openListReaders(options.endpoints.length, options.tasks, (...asked) => read(follower, ...asked)),
    watched: new Map(),
    due: new Set(),
    unsettled: new Set(),
    asking: new Set(),
    workers: 0,
  };
  return {
    watch(address, commitment) {
      if (!follower.watched.has(address) && follower.watched.size >= WATCHES_MAX) return;
      const cursors = options.endpoints.map(openCursor);
      const nothing = { candidates: new Map(), told: new Set<string>(), toldSlots: new Map() };
      const unasked = { unread: new Set<number>(), more: new Set<number>(), read: false };
      follower.watched.set(address, { address, commitment, cursors, ...nothing, ...unasked });
      ask(follower, address);
    },
    unwatch(address) {
      follower.watched.delete(address);
      follower.due.delete(address);
      follower.readers.drop(address);
      follower.unsettled.delete(address);
    },
    news: (address) => ask(follower, address),
    sweep() {
      follower.readers.sweep();
      const inTurn: string[] = [];
      for (const address of follower.watched.keys()) {
        if (inTurn.length >= SWEEP) break;
        inTurn.push(address);
      }
      // Once each: a reader that begins at once would take the second mention for news.
      for (const address of new Set([...follower.unsettled, ...inTurn])) ask(follower, address);
    },
  };
}

/** Reads the lists of all endpoints, each in its own time; with enough of them, what they list is settled. */
function ask(follower: Follower, address: string): void {
  const watched = follower.watched.get(address);
  if (watched === undefined) return;
  // Asked now, so the last one in turn.
  follower.watched.delete(address);
  follower.watched.set(address, watched);
  for (const place of follower.options.endpoints.keys()) readAt(follower, watched, place);
}

function readAt({ readers }: Follower, watched: Watched, place: number): void {
  watched.unread.add(place);
  readers.ask(place, watched.address);
}

/** Reads one page at an endpoint; answers whether its list goes on further back. */
async function read(follower: Follower, place: number, address: string): Promise<boolean> {
  const { endpoints, page = PAGE } = follower.options;
  const watched = follower.watched.get(address);
  const endpoint = follower.listed[place];
  if (watched === undefined || endpoint === undefined) return false;
  watched.more.delete(place);
  const found = await readOn(endpoint, place, watched, page);
  if (follower.watched.get(address) !== watched) return false;
  const liars = liarsOf(endpoints.length);
  const wasWaited = watched.unread.size > liars && watched.unread.delete(place);
  watched.unread.delete(place);
  if (found.more) watched.more.add(place);
  // Whoever is waited for goes on once what all of them listed is settled.
  if (watched.unread.size > liars) return found.isWalking;
  if (found.brought || wasWaited) settleSoon(follower, address);
  else if (found.more) readAt(follower, watched, place);
  return found.isWalking;
}

function settleSoon(follower: Follower, address: string): void {
  follower.due.add(address);
  if (follower.workers >= WORKERS) return;
  follower.workers += 1;
  follower.options.tasks.run(() => work(follower));
}

/** Takes addresses that are due until there is none; it ends as it sees that, or one that comes due is missed. */
async function work(follower: Follower): Promise<void> {
  try {
    for (let watched = next(follower); watched !== undefined; watched = next(follower)) {
      const { address } = watched;
      follower.asking.add(address);
      const isThrough = await settleAll(follower, watched).finally(() => follower.asking.delete(address));
      if (follower.watched.get(address) !== watched) continue;
      if (isThrough) for (const place of watched.more) readAt(follower, watched, place);
      // Before it was read once, and while what was told can still be undone, it is asked at every poll.
      const settled = watched.candidates.size === 0 && watched.toldSlots.size === 0 && watched.read;
      if (!settled) follower.unsettled.add(address);
      else follower.unsettled.delete(address);
    }
  } finally {
    follower.workers -= 1;
  }
}

/** The next watched address that is due and that nobody is asking for. */
function next({ options, watched, due, asking }: Follower): Watched | undefined {
  if (options.tasks.closed()) return undefined;
  for (const address of due) {
    if (asking.has(address)) continue;
    due.delete(address);
    const found = watched.get(address);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Tells what is agreed; answers whether nothing has to wait. */
async function settleAll(follower: Follower, watched: Watched): Promise<boolean> {
  const inOrder = [...watched.candidates].sort(([, a], [, b]) => (a.slot === b.slot ? 0 : a.slot < b.slot ? -1 : 1));
  for (const [signature, candidate] of inOrder) {
    if (follower.watched.get(watched.address) !== watched || follower.options.tasks.closed()) return false;
    if (!(await settle(follower, watched, signature, candidate))) return false;
  }
  if (watched.commitment === "confirmed" && watched.more.size === 0) await lookAhead(follower, watched);
  return true;
}

/** Tells what is confirmed of an address. */
function lookAhead(follower: Follower, watched: Watched): Promise<void> {
  const { address, toldSlots, told, cursors } = watched;
  const isWatched = () => follower.watched.get(address) === watched;
  const tell = (observation: ChainObservation) => isWatched() && follower.options.tell(observation);
  return tellTail(
    { ...follower.options, tell },
    {
      ...{ address, toldSlots },
      isFinal: (signature) => told.has(signature) || !isWatched(),
      newestFinal: (place) => cursors[place]?.newest,
    },
  );
}

/** Takes one page of an endpoint's list as candidates. */
async function readOn(endpoint: Endpoint, place: number, watched: Watched, page: number): Promise<Found> {
  const cursor = watched.cursors[place];
  if (cursor === undefined) return NOTHING;
  // What one endpoint listed and nobody confirms keeps nothing but its own list waiting.
  const open = [...watched.candidates.values()].filter(({ listedBy }) => listedBy.has(place)).length;
  if (open >= page) return NOTHING;
  const found = await nextPage(endpoint, watched.address, cursor, page);
  if (!found.ok) return NOTHING;
  if (found.value.isWalking) return { ...NOTHING, isWalking: true };
  watched.read = true;
  let brought = false;
  for (const { signature, slot, failed } of found.value.listed) {
    if (failed || watched.told.has(signature)) continue;
    const known = watched.candidates.get(signature);
    brought ||= known === undefined;
    if (known !== undefined) known.listedBy.add(place);
    else watched.candidates.set(signature, { slot, listedBy: new Set([place]), tellings: new Map(), tries: 0 });
  }
  moveOver(cursor, found.value.listed);
  return { brought, more: found.value.more, isWalking: false };
}

/** Asks about one transaction; false when later ones have to wait for it. */
async function settle(follower: Follower, watched: Watched, signature: string, candidate: Candidate): Promise<boolean> {
  const { endpoints, alarm } = follower.options;
  candidate.tries += 1;
  if (candidate.tries > PATIENCE && candidate.tries % SELDOM !== 0) return true;
  const asked = endpoints.map((endpoint, place) => tellingOf(follower.options, endpoint, place, signature, candidate));
  const tellings = await whenEnough(asked, { type: "waits" }, isWhole);
  if (follower.watched.get(watched.address) !== watched) return false;
  const agreement = agreementOf(tellings);
  const blame = (answer: string | undefined, votes = agreement.votes) => {
    for (const [place, vote] of votes.entries()) {
      if (vote.type === "answers" && vote.answer !== answer) alarm("transaction", endpoints[place]?.name ?? "");
    }
  };
  if (agreement.type === "waiting") {
    if (candidate.tries < PATIENCE) return false;
    // Late is who shows it in time; who lists it for ever and never shows it keeps a decision from everybody.
    for (const [place, telling] of tellings.entries()) {
      if (telling.type === "waits" && telling.denies === true) alarm("transaction", endpoints[place]?.name ?? "");
    }
    return true;
  }
  if (agreement.type === "contradicted") {
    blame(undefined);
    return true;
  }
  const { answer } = agreement;
  // Whoever speaks later is judged by it too.
  follower.options.tasks.run(async () => blame(answer, agreementOf(await Promise.all(asked)).votes));
  watched.candidates.delete(signature);
  if (agreement.seen === null) return true;
  remember(watched, signature);
  follower.options.tell(observationOf(agreement.seen, signature, watched.address, "finalized"));
  return true;
}

function remember({ told }: Watched, signature: string): void {
  told.add(signature);
  if (told.size <= TOLD_MAX) return;
  for (const oldest of told) {
    told.delete(oldest);
    return;
  }
}

async function tellingOf(
  { crypto }: HistoryOptions,
  endpoint: Endpoint,
  place: number,
  signature: string,
  candidate: Candidate,
): Promise<Telling> {
  const before = candidate.tellings.get(place);
  if (before !== undefined) return { type: "told", seen: before };
  const told = await askTransaction(endpoint, crypto, signature, "finalized");
  if (!told.ok) return { type: endpoint.isOut() ? "mute" : "waits" };
  if (told.value === null) return absence(endpoint, place, candidate);
  candidate.tellings.set(place, told.value);
  return { type: "told", seen: told.value };
}

/** What it means that an endpoint does not hold a transaction: it may be late, or keep nothing that old. */
async function absence(endpoint: Endpoint, place: number, candidate: Candidate): Promise<Telling> {
  // It listed the transaction itself: one machine of several behind one address is late.
  if (candidate.listedBy.has(place)) return { type: "waits", denies: true };
  if (endpoint.slot < candidate.slot) return { type: "waits" };
  const first = await endpoint.ask((connection) => connection.getFirstAvailableBlock());
  if (!first.ok) return { type: endpoint.isOut() ? "mute" : "waits" };
  return slotNumber(first.value) > candidate.slot ? { type: "mute" } : { type: "told", seen: null };
}
