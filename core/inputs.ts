/**
 * What happens to a node, and what it asks of the outside. Inputs are facts in the past tense; effects
 * are orders in the imperative. A recorded list of inputs replays a node exactly.
 * Source: DESIGN section 3 "Inputs".
 */

import type { EpochMillis, PeerId, PublicKey, Signature } from "./kernel/values.ts";

/** Ties an answer to the call or the message that asked; made by the adapter, opaque here. */
export type ReplyHandle = string;
/** Ties the answer of a peer to the message that asked; made by the core. */
export type RequestNumber = number;

/** Ties what became of a delivery to its dispatch; made by the core. */
export type DispatchKey = string;

/** Timers by name; core/ports/README.md says what each is for. */
export type TimerName =
  | "announce"
  | "recover"
  | "reconcile"
  | "redial"
  | "chain-retry"
  | "governance"
  | "content"
  | "notification-sweep"
  | "heartbeat"
  | "challenge"
  | "snapshot-production"
  | "snapshot-bootstrap"
  | "snapshot-page"
  | "provider-stakes"
  | "store-retry"
  | "attach"
  | "seal"
  | "sweep";

/** How far a chain observation can still be undone. */
export type Commitment = "confirmed" | "finalized";

/** An account of the chain as an endpoint showed it. */
export interface ChainAccountBytes {
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

/** An instruction that a program invoked while a transaction ran; accounts by address. */
export interface InvokedInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** What this node saw on the chain through its own endpoints. */
export type ChainObservation =
  | { readonly type: "slot"; readonly slot: bigint; readonly blockhash: string }
  | {
      readonly type: "transaction";
      /** The watched address that led to it; null when the node asked for the transaction itself. */
      readonly address: string | null;
      readonly signature: string;
      readonly slot: bigint;
      readonly commitment: Commitment;
      readonly succeeded: boolean;
      /** The whole transaction as it was signed. */
      readonly wire: Uint8Array;
      readonly logs: readonly string[];
      /**
       * Addresses that lookups of a version 0 message loaded: all writable ones, then all read-only ones. Absent when
       * the endpoint does not tell them: unknown, which is not empty.
       */
      readonly loaded?: readonly string[];
      /** What programs invoked, in order. Absent when the endpoint does not tell them or the logs. */
      readonly inner?: readonly InvokedInstruction[];
    }
  /** The chain does not hold a transaction that was asked for, as of these slots of the two levels. */
  | { readonly type: "absent"; readonly signature: string; readonly confirmed: bigint; readonly finalized: bigint }
  | {
      readonly type: "account";
      readonly address: string;
      /** The slot as of which the account was read. */
      readonly slot: bigint;
      /** The level at which it was read; finalized when absent. */
      readonly commitment?: Commitment;
      readonly account: ChainAccountBytes | null;
    }
  | { readonly type: "submitted"; readonly signature: string }
  | { readonly type: "refused"; readonly signature: string; readonly reason: string }
  | { readonly type: "unavailable"; readonly reason: string }
  /** An endpoint said what others do not say; it was not believed, or nobody was. */
  | { readonly type: "disagreement"; readonly about: ChainSubject; readonly endpoint: string };

/** What endpoints can contradict each other about. */
export type ChainSubject = "slot" | "blockhash" | "transaction" | "account";

/** A record as the store keeps it. */
export interface StoredRow {
  readonly table: string;
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** What happened outside, in the past tense. */
export type Fact =
  | { readonly type: "started"; readonly bootSeed: Uint8Array }
  /** One page of the store; `last` ends loading. Nothing else is stepped before. */
  | { readonly type: "store.loaded"; readonly rows: readonly StoredRow[]; readonly last: boolean }
  /** A JSON-RPC body, alone or a batch. */
  | { readonly type: "rpc.called"; readonly replyTo: ReplyHandle; readonly body: string }
  | {
      readonly type: "message.received";
      readonly from: PeerId;
      readonly replyTo: ReplyHandle;
      readonly bytes: Uint8Array;
    }
  | {
      readonly type: "message.answered";
      readonly from: PeerId;
      readonly request: RequestNumber;
      readonly bytes: Uint8Array;
    }
  | { readonly type: "message.failed"; readonly to: PeerId; readonly request: RequestNumber; readonly reason: string }
  | { readonly type: "peer.connected"; readonly peer: PeerId; readonly address: string | null }
  | { readonly type: "peer.disconnected"; readonly peer: PeerId }
  /** A dial led to no connection. */
  | { readonly type: "peer.unreachable"; readonly address: string; readonly reason: string }
  /** A ping of the transport's own was answered after so many milliseconds. */
  | { readonly type: "peer.measured"; readonly peer: PeerId; readonly latency_ms: number }
  /** Over a link that this node dialled, its peer said where it sees this node. */
  | { readonly type: "peer.observed"; readonly peer: PeerId; readonly address: string }
  | { readonly type: "chain.observed"; readonly observation: ChainObservation }
  /** A gateway took a notification, or could not be given it. */
  | { readonly type: "notification.delivered"; readonly dispatch: DispatchKey; readonly delivered: boolean }
  /** A snapshot file is safe on this node's disk, or was not written. */
  | { readonly type: "snapshot.written"; readonly id: string; readonly outcome: SnapshotWritten }
  /** A snapshot file came from where it was asked for, or did not. */
  | {
      readonly type: "snapshot.fetched";
      readonly id: string;
      readonly location: string;
      readonly outcome: SnapshotFetched;
    }
  | { readonly type: "timer.fired"; readonly timer: TimerName };

/** A fact, when it happened, and its number since the node started, counted by the driver. */
export type Input = Fact & { readonly now: EpochMillis; readonly number: number };

/** One notification for one gateway, signed by this node. Ordered again after a restart: a key in hand is one order. */
export interface NotificationDelivery {
  readonly type: "notification.deliver";
  readonly dispatch: DispatchKey;
  /** Whatever its provider registered: a URL, or anything else. */
  readonly endpoint: string;
  readonly body: Uint8Array;
  /** This node, and its signature over the SHA-256 of the body. */
  readonly node: PeerId;
  readonly signature: Signature;
}

/** What became of a file to write: how many bytes it has as others fetch it. */
export type SnapshotWritten =
  | { readonly ok: true; readonly sizeBytes: number }
  | { readonly ok: false; readonly code: SnapshotFailure; readonly reason: string };
/** What became of a file to fetch: its bytes as they came, counted, and the archive inside. */
export type SnapshotFetched =
  | { readonly ok: true; readonly sizeBytes: number; readonly archive: Uint8Array }
  | { readonly ok: false; readonly code: SnapshotFailure; readonly reason: string };
/** Registered codes that files come to. Source: protocol 05 §6.5, §6.7, §6.9. */
export type SnapshotFailure =
  | "NETWORK_ERROR"
  | "DATABASE_ERROR"
  | "RESOURCE_ALREADY_EXISTS"
  | "UNSUPPORTED_OPERATION"
  | "SNAPSHOT_VERIFICATION_FAILED";

/** How much a log line matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a step asks of the outside; it is carried out when the step is durable. */
export type Effect =
  /** The whole JSON-RPC answer; `null` when a batch of notifications asks for no body. */
  | { readonly type: "rpc.reply"; readonly replyTo: ReplyHandle; readonly body: string | null }
  /** `own`: a send through this node's RPC; `gossip`: a change that a peer brought, for `/ws?scope=all` alone. */
  | { readonly type: "ws.publish"; readonly source: "own" | "gossip"; readonly message: string }
  | { readonly type: "message.send"; readonly to: PeerId; readonly request: RequestNumber; readonly bytes: Uint8Array }
  | { readonly type: "message.reply"; readonly replyTo: ReplyHandle; readonly bytes: Uint8Array }
  | { readonly type: "peer.dial"; readonly address: string }
  | { readonly type: "peer.disconnect"; readonly peer: PeerId }
  | { readonly type: "chain.submit"; readonly signature: string; readonly bytes: Uint8Array }
  /**
   * Observe every transaction that touches an address, from the beginning of its history: at `commitment` (finalized
   * when absent), and then again as finalized. Watching again begins anew.
   */
  | { readonly type: "chain.watch"; readonly address: string; readonly commitment?: Commitment }
  | { readonly type: "chain.unwatch"; readonly address: string }
  /** Read an account as of a slot not older than `slot`, at `commitment` (finalized when absent). */
  | {
      readonly type: "chain.read";
      readonly address: string;
      readonly slot: bigint;
      readonly commitment?: Commitment;
    }
  /** Tell a transaction again at the level that it has, or that the chain does not hold it. */
  | { readonly type: "chain.check"; readonly signature: string }
  | NotificationDelivery
  /** Compress an archive, keep it under its name, and drop older files. */
  | { readonly type: "snapshot.write"; readonly id: string; readonly archive: Uint8Array }
  /** Fetch a compressed archive of exactly so many bytes. */
  | { readonly type: "snapshot.fetch"; readonly id: string; readonly location: string; readonly sizeBytes: bigint }
  | { readonly type: "timer.set"; readonly timer: TimerName; readonly at: EpochMillis }
  | {
      readonly type: "log";
      readonly level: LogLevel;
      readonly event: string;
      readonly fields: Readonly<Record<string, string | number>>;
    };

/** What a node is told once, at its start. Everything that changes the fold is in the profile. */
export interface NodeConfiguration {
  readonly profile: NetworkProfile;
  /** The node's own key: transport identity and gossip origin. */
  readonly secretKey: Uint8Array;
  readonly publicKey: PublicKey;
  readonly peerId: PeerId;
  /** Whether this node has a chain endpoint of its own. Source: protocol 03 C.2. */
  readonly chain: "RpcConnected" | "GossipOnly";
  /** The level from which a transaction counts; finalized unless said. Source: protocol 03 A.10.3 R3. */
  readonly chainCommitment?: Commitment;
  readonly announcedAddresses: readonly string[];
  readonly entrypoints: readonly string[];
  /** Roles that this node announces (protocol 01 §5.5). */
  readonly roles: readonly string[];
  readonly version: string;
  /** How this node signs its own records; bare unless said. Source: DESIGN §7 #14. */
  readonly signOwn?: "bare" | "tagged";
  /** How long content stays held, in days, 30 at least and unless said. Source: protocol 02 G.7. */
  readonly retentionDays?: number | "archival";
  /** What this node registers about itself. Source: protocol 05 §1.10. */
  readonly listing?: NodeListing;
  /** Whether and how this node makes and takes snapshots; without it, it does neither. Source: protocol 05 §6. */
  readonly snapshots?: SnapshotChoices;
}

export interface SnapshotChoices {
  /** Between two files of its own, in milliseconds; none are made without it, or without URLs in the listing. */
  readonly produceEveryMs?: number;
  /** Between two searches for a file of others, in milliseconds; half a minute unless said (protocol 05 §6.11). */
  readonly searchEveryMs?: number;
  /** Keys whose files a node without a checkpoint takes, beside the pinned ones. Source: protocol 05 §6.10. */
  readonly anchors?: readonly PublicKey[];
}

/** How a service shows itself; texts may be absent. Source: protocol 05 §1.2. */
export interface Branding {
  readonly name: string | null;
  readonly description: string | null;
  readonly logo: string | null;
  readonly website: string | null;
}

/** How long content stays held at least, in days. Source: protocol 02 G.7. */
export const RETENTION_DAYS = 30;

/** A node's own entries in the registry; without the URL of one, that entry is not made. Source: protocol 05 §1.10. */
export interface NodeListing {
  /** Where anybody may call this node. */
  readonly publicRpcUrl?: string;
  /** Under which its snapshots are fetched. */
  readonly snapshotUrls?: readonly string[];
  readonly producesSnapshots?: boolean;
  readonly branding?: Branding;
  /** Where rewards go; the node's own key unless said. */
  readonly payoutWallet?: string;
}

/** Everything on which nodes of one network must agree. Source: CONVERGENCE "Profile". */
export interface NetworkProfile {
  readonly name: string;
  /** Whether rules and answers are the reference node's, without our strict extras and added members. */
  readonly parity: boolean;
  readonly escrowProgram: string;
  readonly stakingProgram: string;
  readonly mints: readonly NamedMint[];
  /** Mints that have a price and in which no trade settles. Source: protocol 05 §2.4. */
  readonly pricedOnly?: readonly NamedMint[];
  /** Rules that the network takes up at a date. Source: CONVERGENCE "Profile". */
  readonly amendments?: readonly Amendment[];
}

/** A rule by the name that the software has for it, and the first date of statements for which it holds. */
export interface Amendment {
  readonly rule: string;
  readonly from: EpochMillis;
}

/** A mint and what it is called. */
export interface NamedMint {
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
}
