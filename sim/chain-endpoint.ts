/**
 * A node's own view of the simulated chain: the chain port over an endpoint that is polled, and that lags, fails, is
 * slow to no end, refuses when asked too often, follows another branch, or lies.
 * Source: protocol 03 A.10.3 R3-R8, C.2; 01 §13.2 (chain poll); DESIGN section 4.
 */
import type { ChainObservation, Commitment } from "../core/index.ts";
import type { ChainPort } from "../core/ports/chain.ts";
import type { ChainView } from "./chain/chain-view.ts";
import type { Cluster } from "./chain/cluster.ts";
import type { ConfirmedTransaction } from "./chain/confirmed-transaction.ts";
import type { Clock } from "./clock.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import { lieAbout } from "./endpoint-lies.ts";
import type { FaultKind, FaultLedger } from "./faults.ts";
import type { Stream } from "./random.ts";
import { chance, openStream } from "./random.ts";

/** Between two looks at the chain. Source: protocol 01 §13.2. */
export const CHAIN_POLL_MS = 10_000;
/** Silence after which a request has failed. Source: protocol 03 C.2. */
const REQUEST_TIMEOUT_MS = 10_000;

/** How an endpoint behaves. Chances are millionths of a request. */
export interface EndpointConditions {
  readonly latency: Distribution;
  /** A request is answered with an error. */
  readonly failure: number;
  /** A request is never answered. */
  readonly timeout: number;
  /** Requests in a second, beyond which it refuses; null takes all. */
  readonly requestsPerSecond: number | null;
  /** The endpoint is so many slots behind. */
  readonly lagSlots: bigint;
  /** The branch it follows while the chain is forked; `either` answers now from one, now from the other. */
  readonly follows: "main" | "rival" | "either";
  /** An observation is a lie. */
  readonly lie: number;
  /** A transaction is handed on twice. */
  readonly repeat: number;
}

/** An endpoint that fails at nothing. */
export const healthyEndpoint: EndpointConditions = {
  latency: { type: "uniform", least: 30, most: 120 },
  failure: 0,
  timeout: 0,
  requestsPerSecond: null,
  lagSlots: 0n,
  follows: "main",
  lie: 0,
  repeat: 0,
};

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
  readonly observe: (observation: ChainObservation) => void;
}

/** What was told of a watched address. */
interface Watched {
  readonly commitment: Commitment;
  /** The newest transaction told as final; nothing before it changes. */
  final: string | undefined;
  /** Others that were told: where and how far they stood. */
  readonly told: Map<string, { readonly slot: bigint; readonly commitment: Commitment }>;
}

interface Endpoint {
  readonly options: EndpointOptions;
  readonly stream: Stream;
  readonly watched: Map<string, Watched>;
  /** Accounts that were asked for as of a slot the endpoint does not have yet. */
  waiting: { readonly address: string; readonly slot: bigint; readonly commitment: Commitment }[];
  requests: number;
  told: number;
  /** The second that requests are counted in, and how many it had. */
  second: number;
  inSecond: number;
  open: boolean;
}

/** The kinds of decision about one request; each has its own number, so none shifts another. */
const KINDS = 8;
const [LATENCY, FAILURE, TIMEOUT, SIDE, REPEAT] = [0, 1, 2, 3, 4];
/** Decisions about what is told: whether it is a lie, and which. */
const LIES = 4;

/** Opens a node's endpoint. `life` tells one process of the node from the next. */
export function openEndpoint(options: EndpointOptions, life: number): ChainPort {
  const stream = openStream(options.seed, `node/${options.node}/chain/${life}`);
  const counts = { requests: 0, told: 0, second: 0, inSecond: 0 };
  const endpoint: Endpoint = { options, stream, watched: new Map(), waiting: [], ...counts, open: true };
  pollForEver(endpoint);
  return {
    watch(address, commitment = "finalized") {
      endpoint.watched.set(address, { commitment, final: undefined, told: new Map() });
      request(endpoint, (view) => tellTransactions(endpoint, view, address));
    },
    unwatch: (address) => void endpoint.watched.delete(address),
    read: (address, slot, commitment = "finalized") =>
      request(endpoint, (view) => tellAccount(endpoint, view, { address, slot, commitment })),
    check: (signature) => request(endpoint, (view) => tellStatus(endpoint, view, signature)),
    submit(signature, bytes) {
      const failed = () => tell(endpoint, { type: "refused", signature, reason: "the endpoint failed" });
      request(endpoint, (_, n) => submit(endpoint, signature, bytes, n), failed);
    },
    close(done) {
      endpoint.open = false;
      options.clock.after(0, done);
    },
  };
}

/** A request on its way to the endpoint: it takes time, and may fail in several ways. */
function request(
  endpoint: Endpoint,
  served: (view: ChainView, n: number) => void,
  failed: (reason: string) => void = (reason) => tell(endpoint, { type: "unavailable", reason }),
): void {
  const { options, stream } = endpoint;
  const n = KINDS * endpoint.requests++;
  const conditions = options.conditions();
  const kind = refusal(endpoint, conditions, n);
  if (kind === "chain-timeout") {
    return options.clock.after(REQUEST_TIMEOUT_MS, () => {
      if (endpoint.open) failed("the endpoint did not answer");
    });
  }
  options.clock.after(sample(conditions.latency, stream, n + LATENCY), async () => {
    if (!endpoint.open) return;
    await options.time.catchUp();
    if (kind === undefined) return served(viewFor(endpoint, n), n);
    failed(kind === "chain-failure" ? "the endpoint failed" : "the endpoint was asked too often");
  });
}

/** Which fault keeps a request from being served. */
function refusal(endpoint: Endpoint, conditions: EndpointConditions, n: number): FaultKind | undefined {
  const { options, stream } = endpoint;
  const second = Math.floor(options.clock.now() / 1_000);
  endpoint.inSecond = second === endpoint.second ? endpoint.inSecond + 1 : 1;
  endpoint.second = second;
  const { requestsPerSecond } = conditions;
  const kind = chance(stream, n + TIMEOUT, conditions.timeout)
    ? "chain-timeout"
    : chance(stream, n + FAILURE, conditions.failure)
      ? "chain-failure"
      : requestsPerSecond !== null && endpoint.inSecond > requestsPerSecond
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
  const { options, stream } = endpoint;
  const n = LIES * endpoint.told++;
  const { lie } = options.conditions();
  if (lie === 0) return options.observe(observation);
  const lies = openStream(options.seed, `${stream.name}/lies`);
  const told = chance(lies, n, lie) ? lieAbout(observation, lies, n + 1) : observation;
  if (told !== observation) options.faults.count("chain-lie", true);
  options.observe(told);
}

/** One look at the chain after another, whatever comes of each. */
function pollForEver(endpoint: Endpoint): void {
  if (!endpoint.open) return;
  request(endpoint, (view) => poll(endpoint, view));
  endpoint.options.clock.after(CHAIN_POLL_MS, () => pollForEver(endpoint));
}

function poll(endpoint: Endpoint, view: ChainView): void {
  const { options } = endpoint;
  const { blockhash, slot } = view.latestBlockhash("finalized");
  options.time.lookedAtFinal();
  // A blockhash that is not the newest is still one: an endpoint that lags shows none it has not seen.
  if (options.conditions().lagSlots === 0n) tell(endpoint, { type: "slot", slot, blockhash });
  for (const address of [...endpoint.watched.keys()]) tellTransactions(endpoint, view, address);
  const asked = endpoint.waiting;
  endpoint.waiting = [];
  for (const one of asked) tellAccount(endpoint, view, one);
}

/** Tells what is new on a watched address: new to it, further than before, or moved by a fork. */
function tellTransactions(endpoint: Endpoint, view: ChainView, address: string): void {
  const watched = endpoint.watched.get(address);
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

function tellAccount(endpoint: Endpoint, view: ChainView, asked: Endpoint["waiting"][number]): void {
  const { address, commitment } = asked;
  if (viewedSlot(endpoint, view, commitment) < asked.slot) {
    endpoint.waiting.push(asked);
    return;
  }
  const found = view.account(address, commitment);
  const account = found === undefined ? null : { owner: found.owner, lamports: found.lamports, data: found.data };
  tell(endpoint, { type: "account", address, slot: view.slot(commitment), commitment, account });
}

function submit(endpoint: Endpoint, signature: string, bytes: Uint8Array, n: number): void {
  const { options, stream } = endpoint;
  const taken = options.time.submit(bytes);
  if (chance(stream, n + REPEAT, options.conditions().repeat)) {
    const again = options.time.submit(bytes);
    options.faults.count("chain-duplicate", taken.ok && again.ok);
  }
  if (taken.ok) tell(endpoint, { type: "submitted", signature });
  else tell(endpoint, { type: "refused", signature, reason: taken.error });
}

/** The newest slot at a level that this endpoint knows of. */
function viewedSlot({ options }: Endpoint, view: ChainView, commitment: Commitment): bigint {
  const newest = view.slot(commitment);
  const { lagSlots } = options.conditions();
  return newest > lagSlots ? newest - lagSlots : 0n;
}

function observationOf(
  address: string | null,
  transaction: ConfirmedTransaction,
  commitment: Commitment,
): ChainObservation {
  const { signature, slot, err, logs, wire } = transaction;
  return { type: "transaction", address, signature, slot, commitment, succeeded: err === null, wire, logs };
}
