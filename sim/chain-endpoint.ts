/**
 * A node's own view of the simulated chain: the chain port over an endpoint that is polled, lags, and fails.
 * It tells finalized things alone, so nothing it said is ever taken back; each transaction once, oldest first.
 * Source: protocol 03 A.10.3 R3-R8, C.2; 01 §13.2 (chain poll); DESIGN section 4 (ours).
 */
import type { ChainObservation } from "../core/index.ts";
import type { ChainPort } from "../core/ports/chain.ts";
import type { Cluster } from "./chain/cluster.ts";
import type { ConfirmedTransaction } from "./chain/confirmed-transaction.ts";
import type { Clock } from "./clock.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import type { FaultLedger } from "./faults.ts";
import type { Stream } from "./random.ts";
import { chance, openStream } from "./random.ts";

/** Between two looks at the chain. Source: protocol 01 §13.2. */
export const CHAIN_POLL_MS = 10_000;

/** How an endpoint behaves. Chances are millionths of a request. */
export interface EndpointConditions {
  readonly latency: Distribution;
  /** A request is answered with an error. */
  readonly failure: number;
  /** The endpoint is so many slots behind. */
  readonly lagSlots: bigint;
}

export const healthyEndpoint: EndpointConditions = {
  latency: { type: "uniform", least: 30, most: 120 },
  failure: 0,
  lagSlots: 0n,
};

/** The chain as endpoints share it. */
export interface ChainTime {
  readonly cluster: Cluster;
  /** Brings the chain to the slot that the clock shows. */
  catchUp(): Promise<void>;
  /** Takes a transaction for the next slot. */
  submit(wire: Uint8Array): ReturnType<Cluster["submit"]>;
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

interface Endpoint {
  readonly options: EndpointOptions;
  readonly stream: Stream;
  /** Watched addresses, and the newest transaction of each that was told. */
  readonly watched: Map<string, string | undefined>;
  /** Accounts that were asked for as of a slot the endpoint does not have yet. */
  waiting: { readonly address: string; readonly slot: bigint }[];
  requests: number;
  open: boolean;
}

/** The kinds of decision about one request; each has its own number, so none shifts another. */
const KINDS = 2;
const LATENCY = 0;
const FAILURE = 1;

/** Opens a node's endpoint. `life` tells one process of the node from the next. */
export function openEndpoint(options: EndpointOptions, life: number): ChainPort {
  const stream = openStream(options.seed, `node/${options.node}/chain/${life}`);
  const endpoint: Endpoint = { options, stream, watched: new Map(), waiting: [], requests: 0, open: true };
  pollForEver(endpoint);
  return {
    watch(address) {
      if (endpoint.watched.has(address)) return;
      endpoint.watched.set(address, undefined);
      request(endpoint, () => tellTransactions(endpoint, address));
    },
    unwatch: (address) => void endpoint.watched.delete(address),
    read: (address, slot) => request(endpoint, () => tellAccount(endpoint, address, slot)),
    submit(signature, bytes) {
      const failed = () => options.observe({ type: "refused", signature, reason: "the endpoint failed" });
      request(endpoint, () => submit(endpoint, signature, bytes), failed);
    },
    close(done) {
      endpoint.open = false;
      options.clock.after(0, done);
    },
  };
}

/** A request on its way to the endpoint: it takes time, and may fail. */
function request(endpoint: Endpoint, served: () => void, failed = () => unavailable(endpoint)): void {
  const { options, stream } = endpoint;
  const n = KINDS * endpoint.requests++;
  const conditions = options.conditions();
  options.clock.after(sample(conditions.latency, stream, n + LATENCY), async () => {
    if (!endpoint.open) return;
    await options.time.catchUp();
    if (!chance(stream, n + FAILURE, conditions.failure)) return served();
    options.faults.count("chain-failure", true);
    failed();
  });
}

function unavailable({ options }: Endpoint): void {
  options.observe({ type: "unavailable", reason: "the endpoint failed" });
}

/** One look at the chain after another, whatever comes of each. */
function pollForEver(endpoint: Endpoint): void {
  if (!endpoint.open) return;
  request(endpoint, () => poll(endpoint));
  endpoint.options.clock.after(CHAIN_POLL_MS, () => pollForEver(endpoint));
}

function poll(endpoint: Endpoint): void {
  const { options } = endpoint;
  const { blockhash, slot } = options.time.cluster.latestBlockhash("finalized");
  // A blockhash that is not the newest is still one: an endpoint that lags shows none it has not seen.
  if (options.conditions().lagSlots === 0n) options.observe({ type: "slot", slot, blockhash });
  for (const address of [...endpoint.watched.keys()]) tellTransactions(endpoint, address);
  const asked = endpoint.waiting;
  endpoint.waiting = [];
  for (const { address, slot: asOf } of asked) tellAccount(endpoint, address, asOf);
}

function tellTransactions(endpoint: Endpoint, address: string): void {
  if (!endpoint.watched.has(address)) return;
  const { options } = endpoint;
  const told = endpoint.watched.get(address);
  const query = { commitment: "finalized", ...(told !== undefined && { until: told }) } as const;
  const found = options.time.cluster.signaturesForAddress(address, query);
  const seen = found.filter((transaction) => transaction.slot <= viewedSlot(endpoint));
  if (seen.length < found.length) options.faults.count("chain-lag", true);
  for (const transaction of seen.toReversed()) {
    endpoint.watched.set(address, transaction.signature);
    options.observe(observationOf(address, transaction));
  }
}

function tellAccount(endpoint: Endpoint, address: string, asOf: bigint): void {
  const { options } = endpoint;
  const slot = viewedSlot(endpoint);
  if (slot < asOf) {
    endpoint.waiting.push({ address, slot: asOf });
    return;
  }
  const found = options.time.cluster.account(address, "finalized");
  const account = found === undefined ? null : { owner: found.owner, lamports: found.lamports, data: found.data };
  options.observe({ type: "account", address, slot: options.time.cluster.slot("finalized"), account });
}

function submit(endpoint: Endpoint, signature: string, bytes: Uint8Array): void {
  const { options } = endpoint;
  const taken = options.time.submit(bytes);
  if (taken.ok) options.observe({ type: "submitted", signature });
  else options.observe({ type: "refused", signature, reason: taken.error });
}

/** The newest slot this endpoint knows of. */
function viewedSlot({ options }: Endpoint): bigint {
  const newest = options.time.cluster.slot("finalized");
  const { lagSlots } = options.conditions();
  return newest > lagSlots ? newest - lagSlots : 0n;
}

function observationOf(address: string, transaction: ConfirmedTransaction): ChainObservation {
  const { signature, slot, err, logs, wire } = transaction;
  const commitment = "finalized";
  return { type: "transaction", address, signature, slot, commitment, succeeded: err === null, wire, logs };
}
