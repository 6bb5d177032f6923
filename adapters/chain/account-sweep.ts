/**
 * Watching accounts themselves, a hundred in one request: what changed is told, however its transactions are hidden,
 * and what touched it is looked at at once. What the endpoints do not agree about keeps its turn, and an alarm names
 * whom the others contradict: a list that is silent is no reason to be.
 * Source: protocol 03 A.10.3 R3, R4, R8; DESIGN "A decision cannot be hidden".
 */
import { PublicKey } from "@solana/web3.js";
import type { ChainAccountBytes, ChainObservation, Commitment, Result } from "../../core/index.ts";
import { err } from "../../core/index.ts";
import { accountText, bytesOf, CONTRADICTIONS, TRIES_MAX } from "./account-reads.ts";
import type { Alarm } from "./alarms.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Failure } from "./failures.ts";
import { EndpointError } from "./failures.ts";
import { slotNumber } from "./head.ts";
import { paced, whenEnough } from "./pace.ts";
import type { Vote } from "./quorum.ts";
import { verdictOf } from "./quorum.ts";
import type { Tasks } from "./tasks.ts";

/** Accounts of one request. Source: Solana's JSON-RPC (getMultipleAccounts). */
export const BATCH = 100;
/** Requests of one poll to each endpoint: one a second. Source: DESIGN "Work at once". */
export const BATCHES_PER_POLL = 10;

export interface AccountSweepOptions {
  readonly endpoints: readonly Endpoint[];
  readonly tasks: Tasks;
  readonly tell: (observation: ChainObservation) => void;
  /** An account changed. */
  readonly changed: (address: string) => void;
  readonly alarm: Alarm;
}

export interface AccountSweep {
  watch(address: string, commitment: Commitment): void;
  unwatch(address: string): void;
  /** Reads the next accounts in turn. */
  sweep(): void;
}

interface Watched {
  readonly commitment: Commitment;
  /** What was told last; undefined before anything was. */
  told: string | undefined;
  /** What endpoints show that do not agree. */
  disputed: Disputed | undefined;
}

/** What different endpoints showed of an account, by place, the newest slot of that, and how often it was so. */
interface Disputed {
  readonly texts: string;
  readonly slot: bigint;
  looks: number;
}

/** What one endpoint says of a batch: of which slot, and each account in order. */
interface Batch {
  readonly slot: bigint;
  readonly accounts: readonly (ChainAccountBytes | null)[];
  /** One text for each, to compare by. */
  readonly texts: readonly string[];
}
type Answers = readonly Result<Batch, Failure>[];

export function openAccountSweep(given: AccountSweepOptions): AccountSweep {
  // Batches are asked for one after the other: only one that is slow has several unanswered.
  const options = { ...given, endpoints: given.endpoints.map(paced) };
  /** Longest unread first. */
  const watched = new Map<string, Watched>();
  let reading = false;
  const take = (): readonly string[] => {
    const [first] = watched.values();
    const batch: string[] = [];
    for (const [address, { commitment }] of watched) {
      if (batch.length >= BATCH) break;
      if (commitment === first?.commitment) batch.push(address);
    }
    for (const address of batch) {
      const held = watched.get(address);
      watched.delete(address);
      if (held !== undefined) watched.set(address, held);
    }
    return batch;
  };
  return {
    watch: (address, commitment) => void watched.set(address, { commitment, told: undefined, disputed: undefined }),
    unwatch: (address) => void watched.delete(address),
    sweep() {
      if (reading || watched.size === 0) return;
      reading = true;
      const batches = Math.min(BATCHES_PER_POLL, Math.ceil(watched.size / BATCH));
      options.tasks.run(async () => {
        try {
          for (let n = 0; n < batches && !options.tasks.closed(); n += 1) await readBatch(options, watched, take());
        } finally {
          reading = false;
        }
      });
    },
  };
}

async function readBatch(
  options: AccountSweepOptions,
  watched: Map<string, Watched>,
  batch: readonly string[],
): Promise<void> {
  const commitment = watched.get(batch[0] ?? "")?.commitment;
  if (commitment === undefined) return;
  const asked = options.endpoints.map((endpoint) => ask(endpoint, batch, commitment));
  const verdictAt = (answers: Answers, place: number) => verdictOf(votesAbout(options.endpoints, answers, place));
  const isEnough = (answers: Answers) => batch.every((_, place) => verdictAt(answers, place).type === "agreed");
  const answers = await whenEnough(asked, err({ type: "busy" }), isEnough);
  // Whoever speaks later is judged too.
  options.tasks.run(async () => blameAll(options, watched, batch, await Promise.all(asked)));
  for (const [place, address] of batch.entries()) {
    const verdict = verdictAt(answers, place);
    const held = watched.get(address);
    if (verdict.type !== "agreed" || held === undefined || held.told === verdict.answer) continue;
    const told = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    const agreeing = told.filter(({ texts }) => texts[place] === verdict.answer);
    const slot = agreeing.reduce((least, each) => (each.slot < least ? each.slot : least), agreeing[0]?.slot ?? 0n);
    if (held.told !== undefined) options.changed(address);
    held.told = verdict.answer;
    const account = agreeing[0]?.accounts[place] ?? null;
    if (account !== null) options.tell({ type: "account", address, slot, commitment, account });
  }
}

/** What each endpoint says of the account at a place of a batch. */
function votesAbout(endpoints: readonly Endpoint[], answers: Answers, place: number): readonly Vote[] {
  return answers.map((answer, which): Vote => {
    if (answer.ok) return { type: "answers", answer: answer.value.texts[place] ?? "" };
    return { type: endpoints[which]?.isOut() === true ? "mute" : "waits" };
  });
}

function blameAll(
  options: AccountSweepOptions,
  watched: ReadonlyMap<string, Watched>,
  batch: readonly string[],
  answers: Answers,
): void {
  for (const [place, address] of batch.entries()) {
    const held = watched.get(address);
    if (held !== undefined) blame(options, held, answers, votesAbout(options.endpoints, answers, place));
  }
}

/**
 * Names who is contradicted, once an account has been shown differently so often that it is no coincidence, and by
 * endpoints that had reached what the others showed; who does not get there in ten minutes is not only late.
 */
function blame(
  { endpoints, alarm }: AccountSweepOptions,
  held: Watched,
  answers: Answers,
  votes: readonly Vote[],
): void {
  const shown = votes.map((vote) => (vote.type === "answers" ? vote.answer : ""));
  const isDisputed = new Set(shown.filter((text) => text !== "")).size > 1;
  if (!isDisputed || held.commitment !== "finalized") {
    held.disputed = undefined;
    return;
  }
  const texts = JSON.stringify(shown);
  const slots = answers.flatMap((answer) => (answer.ok ? [answer.value.slot] : []));
  if (held.disputed?.texts !== texts) {
    const slot = slots.reduce((most, each) => (each > most ? each : most), 0n);
    held.disputed = { texts, slot, looks: 0 };
  }
  const { disputed } = held;
  disputed.looks += 1;
  const isReached = slots.every((slot) => slot >= disputed.slot);
  if (disputed.looks < (isReached ? CONTRADICTIONS : TRIES_MAX)) return;
  const verdict = verdictOf(votes);
  for (const [place, vote] of votes.entries()) {
    const isBelieved = verdict.type === "agreed" && vote.type === "answers" && vote.answer === verdict.answer;
    if (vote.type === "answers" && !isBelieved) alarm("account", endpoints[place]?.name ?? "");
  }
}

async function ask(
  endpoint: Endpoint,
  batch: readonly string[],
  commitment: Commitment,
): Promise<Result<Batch, Failure>> {
  const keys = batch.map((address) => new PublicKey(address));
  return endpoint.ask(async (connection) => {
    const { context, value } = await connection.getMultipleAccountsInfoAndContext(keys, { commitment });
    // An account that is left out is not one that does not exist.
    if (value.length !== keys.length) throw new EndpointError({ type: "nonsense" });
    const accounts = value.map((account) => account && bytesOf(account));
    return { slot: slotNumber(context.slot), accounts, texts: accounts.map(accountText) };
  });
}
