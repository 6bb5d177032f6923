/**
 * The table of announcements; and this node's own: the slot of its last import, the file that it makes, the file
 * that it takes, what it knows of producers' stakes, and how old its newest statement is.
 * Source: protocol 05 §6.2, §13.6; CONVERGENCE "Roots".
 */

import type { Infer } from "../../kernel/schema.ts";
import { option, struct } from "../../kernel/schema-composites.ts";
import { bool, u64 } from "../../kernel/schema-scalars.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { Reader, RecordCodec } from "../../kernel/table.ts";
import { inMemory, table } from "../../kernel/table.ts";
import { EpochMillis, Text } from "../../kernel/values.ts";
import type { Encoded, StateCursor, StatementCursor } from "./contents.ts";
import type { SnapshotMetadata as Metadata } from "./schema.ts";
import { SnapshotMetadata } from "./schema.ts";

/** Digits of an identity by which announcements are parted. Source: DESIGN "Formats". */
const PART_DIGITS = 2;
const PARTS = 256;
/** How far one round begins from the one before: parts over the golden ratio, so that rounds spread evenly. */
const ROUND_PARTS = 159n;
/** The one value of an order of all. */
const EVERY = "all";

/** Announcements by their identity. */
export const Snapshots = table<Metadata>("snapshots", SnapshotMetadata, {
  root: "state",
  indexes: {
    id: (row) => [row.id],
    producer: (row) => [row.producer],
    /** In parts, so that each can be gone through in its round. */
    part: (_, identity) => [identity.slice(0, PART_DIGITS)],
  },
  orders: {
    /** The highest slot last. */
    slots: { under: () => [EVERY], rank: ({ slot }) => slot.toString().padStart(20, "0") },
  },
});

/** The identities of so many announcements of the highest slots, the highest first. */
export function highestAnnounced(reader: Reader, most: number): readonly string[] {
  return reader.ordered(Snapshots, "slots", EVERY).slice(-most).reverse();
}

/** So many announcements at most, of other parts first each round: nobody chooses which. */
export function announcedInTurn(reader: Reader, round: bigint, most: number): readonly string[] {
  const found: string[] = [];
  for (let part = 0n; part < PARTS && found.length < most; part++) {
    const digits = ((round * ROUND_PARTS + part) % BigInt(PARTS)).toString(16).padStart(PART_DIGITS, "0");
    found.push(...reader.find(Snapshots, "part", digits, most - found.length));
  }
  return found;
}

const SLOT_BYTES = 8;

/** Eight bytes, the least significant first. Source: protocol 05 §6.2. */
const slotCodec: RecordCodec<bigint> = {
  encode(slot, writer) {
    for (let shift = 0n; shift < 64n; shift += 8n) writer.byte(Number((slot >> shift) & 255n));
  },
  read: (reader) => reader.raw(SLOT_BYTES).reduceRight((slot, byte) => (slot << 8n) | BigInt(byte), 0n),
};

/** The slot of the newest snapshot that was imported here, under the key `local`; producing one sets none. */
export const Checkpoints = table<bigint>("snapshot_checkpoint", slotCodec, { root: "local", durable: true });
export const CHECKPOINT = "local";

/** A file that is being encoded: the parts that are done, and of one part how far it is. */
export interface Encoding {
  readonly phase: "encoding";
  readonly id: string;
  readonly slot: bigint;
  readonly created_at: EpochMillis;
  readonly parts: readonly Encoded[];
  readonly part: number;
  readonly names: readonly string[];
  readonly at: number;
  readonly count: number;
  readonly chunks: readonly Uint8Array[];
  /** Of all parts so far. */
  readonly bytes: number;
}

/** A file that was ordered. */
interface Writing {
  readonly phase: "writing";
  readonly id: string;
  readonly slot: bigint;
  readonly created_at: EpochMillis;
  readonly state_root: Uint8Array;
}
export type Production = Encoding | Writing;

/** One row: the file that this node is making. A restart gives it up. */
export const Productions = table<Production>("snapshot_production", inMemory<Production>(), { root: "local" });
export const PRODUCTION = "own";

/** Where a search for a file stands: the file asked for, and what comes after it. */
export interface Search {
  /** Until when files are asked for before the next search. */
  readonly until: EpochMillis;
  readonly candidate: Metadata;
  readonly location: string;
  readonly locations: readonly string[];
  readonly candidates: readonly Metadata[];
}
interface Fetching extends Search {
  readonly phase: "fetching";
}

/** A file that came and is being verified, entry by entry; nothing of it counts before all of it was. */
export interface Verifying extends Search {
  readonly phase: "verifying";
  readonly state: Uint8Array;
  readonly stateCursor: StateCursor;
  readonly statements: Uint8Array;
  readonly statementCursor: StatementCursor;
  /** Statements that verified, as lists of a page each. */
  readonly verified: readonly (readonly Statement[])[];
  /** The last ones so far, no key at a family's beginning: names, keys and identities must ascend. */
  readonly last: { readonly family: string; readonly key: Uint8Array | null; readonly identity: string };
  readonly entries: number;
  readonly leftOut: number;
}
/** It counts; what peers hold beside it is still to be asked for. */
interface Imported {
  readonly phase: "imported";
}
export type Import = Fetching | Verifying | Imported;

/** One row: the file that this node is taking. A restart gives it up. */
export const Imports = table<Import>("snapshot_import", inMemory<Import>(), { root: "local" });
export const IMPORT = "own";

/**
 * The newest date of what others signed, and whether it was older than H since the last import. Source: CONVERGENCE
 * "Snapshots".
 */
const Freshness = struct("SnapshotFreshness", { newest: EpochMillis, behind: bool });
export type Freshness = Infer<typeof Freshness>;
/** One row. */
export const Freshnesses = table<Freshness>("snapshot_freshness", Freshness, {
  root: "local",
  checkpoint: Freshness,
});
export const FRESHNESS = "own";

/** The stake account of a producer, and its amount when it was last read. Source: protocol 05 §6.10. */
const ProviderStake = struct("ProviderStake", { address: Text, amount: option(u64), read_at: EpochMillis });
export type ProviderStake = Infer<typeof ProviderStake>;
/** Stakes by the key of their producer. */
export const ProviderStakes = table<ProviderStake>("provider_stakes", ProviderStake, {
  root: "local",
  indexes: { address: (row) => [row.address] },
});

/** What the chain asks of producers: the configuration's address, and its minimum when it was read. */
const StakeFloor = struct("ProviderStakeFloor", { address: Text, minimum: option(u64) });
/** One row. */
export const StakeFloors = table<Infer<typeof StakeFloor>>("provider_stake_floor", StakeFloor, { root: "local" });
export const FLOOR = "chain";
