/**
 * A node's own view of the simulated chain: the chain port over an endpoint that is polled, and that lags, fails, is
 * slow to no end, refuses when asked too often, follows another branch, or lies.
 * Source: protocol 03 A.10.3 R3-R8, C.2; 01 §13.2 (chain poll); DESIGN section 4.
 */
import type { ChainObservation, Commitment } from "../core/index.ts";
import type { ChainPort } from "../core/ports/chain.ts";
import type { ChainView } from "./chain/chain-view.ts";
import type { Cluster } from "./chain/cluster.ts";
import { observationOf } from "./chain/confirmed-transaction.ts";
import type { Clock, Part } from "./clock.ts";
import { sample } from "./distributions.ts";
import type { EndpointConditions } from "./endpoint-conditions.ts";
import { forgedVerdict, lieAbout } from "./endpoint-lies.ts";
import type { FaultKind, FaultLedger } from "./faults.ts";
import type { Stream } from "./random.ts";
import { chance, openStream } from "./random.ts";

/** Between two looks at the chain. Source: protocol 01 §13.2. */
export const CHAIN_POLL_MS = 10_000;
/** Silence after which a request has failed. Source: protocol 03 C.2. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The chain as endpoints share it. */
export interface ChainTime {
  readonly cluster: Cluster;
  /** Brings the chain to the slot that the clock shows. */
  catchUp(): Promise<void>;
  /** Takes a transaction for the next slot. */
  submit(wire: Uint8Array): ReturnType<Cluster["submit"]>;
  /** The rival branch that lives now. */
  rival(): number | undefined;
  /** Somebody was answered from it. */
  lookedAtRival(): void;
  /** Somebody looked at what is final. */
  lookedAtFinal(): void;
}

export interface EndpointOptions {
  readonly node: number;
  readonly seed: bigint;
  readonly clock: Clock;
  readonly faults: FaultLedger;
  readonly time: ChainTime;
  /** Asked at every request: faults change it while the node runs. */
  readonly conditions: () => EndpointConditions;
}

/** Tells a process of the node what its endpoint says. */
export type Observe = (observation: ChainObservation) => void;

/** The endpoint of a node, for one process of it after another. */
export interface NodeEndpoint {
  /** The port of a new process. */
  open(observe: Observe): ChainPort;
  /** The port of the process that a held world had. */
  reopen(observe: Observe): ChainPort;
}

/** What was told of a watched address. */
interface Watched {
  readonly commitment: Commitment;
  /** The newest transaction told as final; nothing before it changes. */
  final: string | undefined;
  /** Others that were told: where and how far they stood. */
  readonly told: Map<string, { readonly slot: bigint; readonly commitment: Commitment }>;
  /** What the endpoint showed of the account itself. */
  shown: ShownAccount | undefined;
}

type ShownAccount = Extract<ChainObservation, { readonly type: "account" }>["account"];

/** What a node asks of its endpoint. */
type Question =
  | { readonly type: "poll" }
  | { readonly type: "transactions"; readonly address: string }
  | {
      readonly type: "account";
      readonly address: string;
      readonly slot: bigint;
      readonly commitment: Commitment;
    }
  | { readonly type: "status"; readonly signature: string }
  | { readonly type: "submit"; readonly signature: string; readonly bytes: Uint8Array };

/** What is due between a process, counted from 0, and its endpoint. */
type EndpointDue =
  | { readonly kind: "poll"; readonly life: number }
  | { readonly kind: "unanswered"; readonly life: number; readonly question: Question }
  | {
      readonly kind: "reached";
      readonly life: number;
      readonly question: Question;
      /** The decision's number, and the fault that keeps it from being served. */
      readonly n: number;
      readonly refusal: FaultKind | undefined;
    }
  | { readonly kind: "closed"; readonly life: number };

/** What is remembered for the node's last process. */
interface HeldEndpoint {
  life: number;
  open: boolean;
  watched: Map<string, Watched>;
  /** Accounts that were asked for as of a slot the endpoint does not have yet. */
  waiting: Extract<Question, { readonly type: "account" }>[];
  requests: number;
  told: number;
  /** The second that requests are counted in, and how many it had. */
  second: number;
  inSecond: number;
}

interface Endpoint {
  readonly options: EndpointOptions;
  readonly held: HeldEndpoint;
  readonly after: Part<HeldEndpoint, EndpointDue>["after"];
  stream: Stream;
  observe: Observe;
  readonly closings: Map<number, () => void>;
}

/** The kinds of decision about one request; each has its own number, so none shifts another. */
const KINDS = 8;
const [LATENCY, FAILURE, TIMEOUT, SIDE, REPEAT] = [0, 1, 2, 3, 4];
/** Decisions about what is told: whether it is a lie, and which; whether it is all. */
const LIES = 4;
const [FORGED, WITHHELD] = [2, 3];

/** The endpoint of a node; `open` gives it to a process. */
export function openNodeEndpoint(options: EndpointOptions): NodeEndpoint {
  const name = `node/${options.node}/chain`;
  const fresh = (): HeldEndpoint => ({ ...forProcess(), life: -1, open: false });
  const { held, after } = options.clock.part(name, fresh, (due: EndpointDue) => carryOut(endpoint, due));
  const unheard = { observe: () => undefined, stream: openStream(options.seed, name) };
  const endpoint: Endpoint = { options, held, after, ...unheard, closings: new Map() };
  return {
    open(observe) {
      Object.assign(held, forProcess(), { life: held.life + 1, open: true });
      const port = portOf(endpoint, observe);
      pollForEver(endpoint);
      return port;
    },
    reopen: (observe) => portOf(endpoint, observe),
  };
}

function forProcess(): Omit<HeldEndpoint, "life" | "open"> {
  return { watched: new Map(), waiting: [], requests: 0, told: 0, second: 0, inSecond: 0 };
}

function portOf(endpoint: Endpoint, observe: Observe): ChainPort {
  const { held, options } = endpoint;
  const { life } = held;
  endpoint.observe = observe;
  endpoint.stream = openStream(options.seed, `node/${options.node}/chain/${life}`);
  return {
    watch(address, commitment = "finalized") {
      held.watched.set(address, { commitment, final: undefined, told: new Map(), shown: undefined });
      request(endpoint, { type: "transactions", address });
    },
    unwatch: (address) => void held.watched.delete(address),
    read: (address, slot, commitment = "finalized") =>
      request(endpoint, { type: "account", address, slot, commitment }),
    check: (signature) => request(endpoint, { type: "status", signature }),
    submit: (signature, bytes) => request(endpoint, { type: "submit", signature, bytes }),
    close(done) {
      if (held.life === life) held.open = false;
      endpoint.closings.set(life, done);
      endpoint.after(0, { kind: "closed", life });
    },
  };
}

/** A request on its way to the endpoint: it takes time, and may fail in several ways. */
function request(endpoint: Endpoint, question: Question): void {
  const { options, stream, held } = endpoint;
  const n = KINDS * held.requests++;
  const conditions = options.conditions();
  const refused = refusal(endpoint, conditions, n);
  const { life } = held;
  if (refused === "chain-timeout") {
    return endpoint.after(REQUEST_TIMEOUT_MS, { kind: "unanswered", life, question });
  }
  const delay = sample(conditions.latency, stream, n + LATENCY);
  endpoint.after(delay, { kind: "reached", life, question, n, refusal: refused });
}

function carryOut(endpoint: Endpoint, due: EndpointDue): void | Promise<void> {
  if (due.kind === "closed") return endpoint.closings.get(due.life)?.();
  const { held } = endpoint;
  if (!held.open || held.life !== due.life) return;
  switch (due.kind) {
    case "poll":
      return pollForEver(endpoint);
    case "unanswered":
      return fail(endpoint, due.question, "the endpoint did not answer");
    case "reached":
      return reach(endpoint, due);
  }
}

async function reach(endpoint: Endpoint, due: Extract<EndpointDue, { kind: "reached" }>): Promise<void> {
  const { question, n } = due;
  await endpoint.options.time.catchUp();
  if (due.refusal === undefined) return serve(endpoint, viewFor(endpoint, n), question, n);
  const reason = due.refusal === "chain-failure" ? "the endpoint failed" : "the endpoint was asked too often";
  fail(endpoint, question, reason);
}

function serve(endpoint: Endpoint, view: ChainView, question: Question, n: number): void {
  switch (question.type) {
    case "poll":
      return poll(endpoint, view);
    case "transactions":
      return tellTransactions(endpoint, view, question.address);
    case "account":
      return tellAccount(endpoint, view, question);
    case "status":
      return tellStatus(endpoint, view, question.signature);
    case "submit":
      return submit(endpoint, question, n);
  }
}

function fail(endpoint: Endpoint, question: Question, reason: string): void {
  if (question.type !== "submit") return tell(endpoint, { type: "unavailable", reason });
  tell(endpoint, { type: "refused", signature: question.signature, reason: "the endpoint failed" });
}

/** Which fault keeps a request from being served. */
function refusal(endpoint: Endpoint, conditions: EndpointConditions, n: number): FaultKind | undefined {
  const { options, stream, held } = endpoint;
  const second = Math.floor(options.clock.now() / 1_000);
  held.inSecond = second === held.second ? held.inSecond + 1 : 1;
  held.second = second;
  const { requestsPerSecond } = conditions;
  const kind = chance(stream, n + TIMEOUT, conditions.timeout)
    ? "chain-timeout"
    : chance(stream, n + FAILURE, conditions.failure)
      ? "chain-failure"
      : requestsPerSecond !== null && held.inSecond > requestsPerSecond
        ? "chain-rate-limit"
        : undefined;
  if (kind !== undefined) options.faults.count(kind, true);
  return kind;
}

/** The branch that answers. */
function viewFor({ options, stream }: Endpoint, n: number): ChainView {
  const { cluster } = options.time;
  const rival = options.time.rival();
  const { follows } = options.conditions();
  if (rival === undefined || follows === "main") return cluster;
  const other = follows === "rival" || chance(stream, n + SIDE, 500_000);
  if (follows === "either") options.faults.count("chain-contradiction", other);
  if (!other) return cluster;
  options.time.lookedAtRival();
  return cluster.on(rival);
}

/** What the node hears, which need not be what is so. */
function tell(endpoint: Endpoint, observation: ChainObservation): void {
  endpoint.observe(answerOf(endpoint, observation));
}

/** What the endpoint makes of an observation. */
function answerOf(endpoint: Endpoint, observation: ChainObservation): ChainObservation {
  const { options, stream, held } = endpoint;
  const n = LIES * held.told++;
  const { lie, withhold, forge } = options.conditions();
  if (lie === 0 && withhold === 0 && forge === 0) return observation;
  const lies = openStream(options.seed, `${stream.name}/lies`);
  const lied = chance(lies, n, lie) ? lieAbout(observation, lies, n + 1) : observation;
  const told = chance(lies, n + FORGED, forge) ? forgedVerdict(lied, accountsOf(options.time)) : lied;
  if (told !== observation) options.faults.count("chain-lie", true);
  if (told.type !== "transaction" || !chance(lies, n + WITHHELD, withhold)) return told;
  options.faults.count("chain-failure", true);
  const { loaded: _, inner: __, ...rest } = told;
  return { ...rest, logs: [] };
}

/** One look at the chain after another, whatever comes of each. */
function pollForEver(endpoint: Endpoint): void {
  request(endpoint, { type: "poll" });
  endpoint.after(CHAIN_POLL_MS, { kind: "poll", life: endpoint.held.life });
}

function poll(endpoint: Endpoint, view: ChainView): void {
  const { options } = endpoint;
  const { blockhash, slot } = view.latestBlockhash("finalized");
  options.time.lookedAtFinal();
  // A blockhash that is not the newest is still one: an endpoint that lags shows none it has not seen.
  if (options.conditions().lagSlots === 0n) tell(endpoint, { type: "slot", slot, blockhash });
  const { held } = endpoint;
  const watched = [...held.watched.keys()];
  for (const address of watched) tellTransactions(endpoint, view, address);
  for (const address of watched) sweepAccount(endpoint, view, address);
  const asked = held.waiting;
  held.waiting = [];
  for (const one of asked) tellAccount(endpoint, view, one);
}

/** Tells what is new on a watched address: new to it, further than before, or moved by a fork. */
function tellTransactions(endpoint: Endpoint, view: ChainView, address: string): void {
  const watched = endpoint.held.watched.get(address);
  if (watched === undefined) return;
  const query = { commitment: watched.commitment, ...(watched.final !== undefined && { until: watched.final }) };
  const found = view.signaturesForAddress(address, query);
  const newest = viewedSlot(endpoint, view, watched.commitment);
  const seen = found.filter((transaction) => transaction.slot <= newest);
  if (seen.length < found.length) endpoint.options.faults.count("chain-lag", true);
  const final = viewedSlot(endpoint, view, "finalized");
  for (const [signature, { slot }] of watched.told) if (slot <= final) watched.told.delete(signature);
  for (const transaction of seen.toReversed()) {
    const { signature, slot } = transaction;
    const commitment = slot <= final ? "finalized" : "confirmed";
    const before = watched.told.get(signature);
    if (commitment === "finalized") watched.final = signature;
    else if (before?.slot === slot) continue;
    else watched.told.set(signature, { slot, commitment });
    tell(endpoint, observationOf(address, transaction, commitment));
  }
}

/**
 * Tells a watched account where it is shown differently from before: what a lie hid of its transactions is found so.
 * An endpoint that lags does not show how it was.
 */
function sweepAccount(endpoint: Endpoint, view: ChainView, address: string): void {
  const watched = endpoint.held.watched.get(address);
  if (watched === undefined || endpoint.options.conditions().lagSlots > 0n) return;
  const { commitment } = watched;
  const answer = answerOf(endpoint, accountIn(view, address, commitment));
  if (answer.type !== "account" || isSameAccount(answer.account, watched.shown)) return;
  watched.shown = answer.account;
  if (answer.account !== null) endpoint.observe(answer);
}

/** Tells where a transaction stands now. */
function tellStatus(endpoint: Endpoint, view: ChainView, signature: string): void {
  const confirmed = viewedSlot(endpoint, view, "confirmed");
  const finalized = viewedSlot(endpoint, view, "finalized");
  const found = view.transaction(signature, "confirmed");
  if (found === undefined || found.slot > confirmed) {
    return tell(endpoint, { type: "absent", signature, confirmed, finalized });
  }
  tell(endpoint, observationOf(null, found, found.slot <= finalized ? "finalized" : "confirmed"));
}

function tellAccount(endpoint: Endpoint, view: ChainView, asked: HeldEndpoint["waiting"][number]): void {
  const { address, commitment } = asked;
  if (viewedSlot(endpoint, view, commitment) < asked.slot) {
    endpoint.held.waiting.push(asked);
    return;
  }
  tell(endpoint, accountIn(view, address, commitment));
}

function accountIn(view: ChainView, address: string, commitment: Commitment): ChainObservation {
  const found = view.account(address, commitment);
  const account = found === undefined ? null : { owner: found.owner, lamports: found.lamports, data: found.data };
  return { type: "account", address, slot: view.slot(commitment), commitment, account };
}

function isSameAccount(one: ShownAccount, other: ShownAccount | undefined): boolean {
  if (one === null || other === null || other === undefined) return one === (other ?? null);
  return one.owner === other.owner && one.lamports === other.lamports && Buffer.compare(one.data, other.data) === 0;
}

function submit(endpoint: Endpoint, question: Extract<Question, { readonly type: "submit" }>, n: number): void {
  const { options, stream } = endpoint;
  const { signature, bytes } = question;
  const taken = options.time.submit(bytes);
  if (chance(stream, n + REPEAT, options.conditions().repeat)) {
    const again = options.time.submit(bytes);
    options.faults.count("chain-duplicate", taken.ok && again.ok);
  }
  if (taken.ok) tell(endpoint, { type: "submitted", signature });
  else tell(endpoint, { type: "refused", signature, reason: taken.error });
}

/** What the chain holds at an address by now. */
function accountsOf({ cluster }: ChainTime): (address: string) => ReturnType<ChainView["account"]> {
  return (address) => cluster.account(address, "confirmed");
}

/** The newest slot at a level that this endpoint knows of. */
function viewedSlot({ options }: Endpoint, view: ChainView, commitment: Commitment): bigint {
  const newest = view.slot(commitment);
  const { lagSlots } = options.conditions();
  return newest > lagSlots ? newest - lagSlots : 0n;
}
