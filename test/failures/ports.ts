/**
 * Every method of every port that the core is opened with, and each way in which it can answer that it failed. A new
 * method or a new failure without a row does not compile. Source: core/ports; DESIGN L10 (ours).
 */
import type { Effect, Fact, SnapshotFailure } from "../../core/inputs.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { GatewayPort } from "../../core/ports/gateway.ts";
import type { ApiPort } from "../../core/ports/http.ts";
import type { SnapshotPort } from "../../core/ports/snapshots.ts";
import type { StoreFailure, StorePort } from "../../core/ports/store.ts";
import type { TransportPort } from "../../core/ports/transport.ts";
import type { DiskConditions } from "../../sim/disk.ts";

interface Ports {
  readonly chain: ChainPort;
  readonly crypto: CryptoPort;
  readonly gateway: GatewayPort;
  readonly http: ApiPort;
  readonly snapshots: SnapshotPort;
  readonly store: StorePort;
  readonly transport: TransportPort;
}

/** What a call that failed answers, or what makes a disk fail it, by the failure. */
type Answers = Readonly<Record<string, (order: never) => Fact | Partial<DiskConditions>>>;
/** How a method fails, or why it cannot. */
type Row = string | Answers;
type Rows = { readonly [P in keyof Ports]: { readonly [M in keyof Ports[P]]: Row } };

type Order<T extends Effect["type"]> = Extract<Effect, { readonly type: T }>;

const unavailable = (): Fact => ({
  type: "chain.observed",
  observation: { type: "unavailable", reason: "nobody answers" },
});
const unsent = ({ to, request }: Order<"message.send">, reason: string): Fact => {
  return { type: "message.failed", to, request, reason };
};
const unwritten =
  (code: SnapshotFailure) =>
  ({ id }: Order<"snapshot.write">): Fact => {
    return { type: "snapshot.written", id, outcome: { ok: false, code, reason: "planned" } };
  };
const unfetched =
  (code: SnapshotFailure) =>
  ({ id, location }: Order<"snapshot.fetch">): Fact => {
    return { type: "snapshot.fetched", id, location, outcome: { ok: false, code, reason: "planned" } };
  };

const ALWAYS = 1_000_000;
/** A store that is closed answers so to a process that ends, and to no other. */
type Refusal = Exclude<StoreFailure["code"], "closed">;
const commitFailures: { readonly [C in Refusal]: () => Partial<DiskConditions> } = {
  full: () => ({ full: ALWAYS }),
  broken: () => ({ torn: ALWAYS }),
};
const fileFailures = <T>(make: (code: SnapshotFailure) => T): Readonly<Record<SnapshotFailure, T>> => ({
  NETWORK_ERROR: make("NETWORK_ERROR"),
  DATABASE_ERROR: make("DATABASE_ERROR"),
  RESOURCE_ALREADY_EXISTS: make("RESOURCE_ALREADY_EXISTS"),
  UNSUPPORTED_OPERATION: make("UNSUPPORTED_OPERATION"),
  SNAPSHOT_VERIFICATION_FAILED: make("SNAPSHOT_VERIFICATION_FAILED"),
});
const CLOSED = "it is called when the process ends, and ends with it";
const AT_ONCE = "it answers at once, and is right";

export const ports: Rows = {
  chain: {
    watch: "it goes on asking by itself; a watch is never given up",
    unwatch: "nothing is awaited of it",
    read: { unavailable },
    check: { unavailable },
    submit: {
      refused: ({ signature }: Order<"chain.submit">): Fact => {
        return { type: "chain.observed", observation: { type: "refused", signature, reason: "planned" } };
      },
      unavailable,
    },
    close: CLOSED,
  },
  crypto: { sha256: AT_ONCE, verify: AT_ONCE, sign: AT_ONCE, publicKey: AT_ONCE, isCurvePoint: AT_ONCE },
  gateway: {
    deliver: {
      "not taken": ({ dispatch }: Order<"notification.deliver">): Fact => {
        return { type: "notification.delivered", dispatch, delivered: false };
      },
    },
    close: CLOSED,
  },
  http: { address: AT_ONCE, reply: "nobody hears of a client that left", publish: "as of a client", close: CLOSED },
  snapshots: { write: fileFailures(unwritten), fetch: fileFailures(unfetched), close: CLOSED },
  store: { commit: commitFailures, load: { broken: () => ({ unreadable: ALWAYS }) }, close: CLOSED },
  transport: {
    addresses: AT_ONCE,
    dial: {
      unreachable: ({ address }: Order<"peer.dial">): Fact => ({
        type: "peer.unreachable",
        address,
        reason: "planned",
      }),
    },
    disconnect: "nothing is awaited of it",
    send: {
      timeout: (order: Order<"message.send">): Fact => unsent(order, "timeout"),
      "not connected": (order: Order<"message.send">): Fact => unsent(order, "not connected"),
    },
    reply: "who asked hears of it",
    close: CLOSED,
  },
};

/** The effects that order what a port does. */
export const orderedBy: Readonly<Partial<Record<Effect["type"], string>>> = {
  "chain.read": "chain.read",
  "chain.check": "chain.check",
  "chain.submit": "chain.submit",
  "notification.deliver": "gateway.deliver",
  "snapshot.write": "snapshots.write",
  "snapshot.fetch": "snapshots.fetch",
  "peer.dial": "transport.dial",
  "message.send": "transport.send",
};

export interface Failure {
  /** As `store.commit`. */
  readonly method: string;
  readonly name: string;
  readonly answer: (order: never) => Fact | Partial<DiskConditions>;
}

/** Every failure of every method. */
export const failures: readonly Failure[] = Object.entries(ports).flatMap(([port, rows]) =>
  Object.entries(rows as Readonly<Record<string, Row>>).flatMap(([method, row]) =>
    typeof row === "string"
      ? []
      : Object.entries(row).map(([name, answer]) => ({ method: `${port}.${method}`, name, answer })),
  ),
);
