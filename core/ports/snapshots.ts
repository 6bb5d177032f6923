/**
 * The snapshot port: files of state, kept where others fetch them, and fetched from where others keep theirs.
 * core/ports/README.md says which suite each adapter passes. Source: protocol 05 §6.5, §6.7, §6.9, §6.12.
 */

import type { SnapshotFetched, SnapshotWritten } from "../inputs.ts";

/** Bytes of one file at most, compressed, and of the archive inside. Source: protocol 05 §6.5 (8), §6.7, §6.9 (7). */
export const FILE_BYTES_MAX = 536_870_912;

/** Keeps, serves and fetches snapshot files. */
export interface SnapshotPort {
  /** Keeps an archive and drops older ones; one `written` follows, once it would survive power loss. */
  write(id: string, archive: Uint8Array): void;
  /** Fetches from a location; one `fetched` follows. Gives up on more bytes than `sizeBytes`. */
  fetch(id: string, location: string, sizeBytes: bigint): void;
  /** Gives up what is in hand, without a word. */
  close(done: () => void): void;
}

/** What the port tells its node. */
export interface SnapshotEvents {
  readonly written: (id: string, outcome: SnapshotWritten) => void;
  readonly fetched: (id: string, location: string, outcome: SnapshotFetched) => void;
}
