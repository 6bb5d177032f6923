/**
 * Snapshots: signed announcements of files that hold a node's replicated state. A file is an optimisation,
 * never a source of truth. Source: OFS-1300; protocol 05 §6.2, §6.3.
 */

import type { Brand } from "../../kernel/brand.ts";
import type { Infer, Schema } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { list } from "../../kernel/schema-composites.ts";
import { byteArray, enumeration, text, u32, u64 } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** Locations of one file. Source: protocol 05 §14.23. */
export const LOCATIONS_MAX = 8;

/** Announcements of one producer that the set keeps. Source: protocol 05 §14.23. */
export const ANNOUNCEMENTS_PER_PRODUCER_MAX = 4;

/** Printable ASCII of at most 2,048 bytes; an http or https scheme, then an authority without `@`. */
const LOCATION_BYTES = /^[\x21-\x7e]{1,2048}$/;
const LOCATION_HEAD = /^https?:\/\/[^/?#@]+(?:[/?#]|$)/;

export type Location = Brand<string, "Location">;
/** Where a file is served. Source: protocol 05 §6.2. */
export const Location: Schema<Location> = text("location", "an http or https address", (received) =>
  LOCATION_BYTES.test(received) && LOCATION_HEAD.test(received) ? (received as Location) : undefined,
);

/** How a file is compressed. Source: protocol 05 §6.2. */
export const Compression = enumeration("None", "Zstd", "Gzip");
export type Compression = Infer<typeof Compression>;

/** Signed by the producer; of all it announced the set keeps the newest few. Source: protocol 05 §6.3, §6.14. */
export const SnapshotAnnounce = signed("openfiat/snapshot/SnapshotAnnounce/v1", {
  outer: "metadata",
  signer: "producer",
  key: "producer_public_key",
  time: "created_at",
  creates: "snapshot",
  register: () => "",
  rank: (payload) => payload.slot,
  depth: ANNOUNCEMENTS_PER_PRODUCER_MAX,
  event: "CheckpointCreated",
  ofs: 1300,
  priority: 5,
  fields: {
    id: Text,
    snapshot_version: u32,
    protocol_version: u32,
    slot: u64,
    created_at: EpochMillis,
    state_root: byteArray(32),
    size_bytes: u64,
    compression: Compression,
    locations: sized(list(Location), { items: LOCATIONS_MAX }),
    producer: PeerId,
    producer_public_key: PublicKey,
  },
});
export type SnapshotAnnounce = Payload<typeof SnapshotAnnounce>;

/** What everybody may read of an announcement: all of it. Source: protocol 05 §6.2. */
export const SnapshotMetadata = SnapshotAnnounce.payload;
export type SnapshotMetadata = Infer<typeof SnapshotMetadata>;
