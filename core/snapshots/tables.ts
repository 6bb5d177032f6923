/**
 * The table of announcements, and the slot of the last import, which is this node's own.
 * Source: protocol 05 §6.2, §13.6; CONVERGENCE "Roots" (ours).
 */

import type { RecordCodec } from "../kernel/table.ts";
import { table } from "../kernel/table.ts";
import type { SnapshotMetadata as Metadata } from "./schema.ts";
import { SnapshotMetadata } from "./schema.ts";

/** Announcements by their identity. */
export const Snapshots = table<Metadata>("snapshots", SnapshotMetadata, {
  root: "state",
  indexes: { id: (row) => [row.id], producer: (row) => [row.producer] },
});

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
