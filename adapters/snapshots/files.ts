/**
 * The snapshot port over a directory and HTTP. One file is written and one fetched at a time, beside the node's own
 * work: compression runs in the background. Source: protocol 05 §6.5, §6.11, §14.22, §14.28.
 */
import { lookup as systemLookup } from "node:dns";
import type { SnapshotEvents, SnapshotPort } from "../../core/ports/snapshots.ts";
import type { Lookup } from "../gateway/addresses.ts";
import { keepFile } from "./directory.ts";
import { download } from "./download.ts";

/** From the order of a download to its end, in milliseconds. Source: protocol 05 §6.11. */
export const DOWNLOAD_MS_MAX = 300_000;

/** Where files are kept and how others are fetched. */
export interface SnapshotFilesOptions {
  readonly directory: string;
  readonly events: SnapshotEvents;
  /** Whether files are fetched from loopback and link-local addresses as well. */
  readonly allowLocal: boolean;
  /** How host names are resolved; the system's resolver unless said. */
  readonly lookup?: Lookup;
  readonly timeoutMs?: number;
}

/** Opens the snapshot port over a directory and HTTP. */
export function openSnapshotFiles(options: SnapshotFilesOptions): SnapshotPort {
  const { directory, events, allowLocal, lookup = systemLookup, timeoutMs = DOWNLOAD_MS_MAX } = options;
  const closed = new AbortController();
  const open = () => !closed.signal.aborted;
  let writing: Promise<unknown> = Promise.resolve();
  let fetching: Promise<unknown> = Promise.resolve();
  return {
    write(id, archive) {
      writing = writing.then(async () => {
        const outcome = open() ? await keepFile(directory, id, archive) : undefined;
        if (outcome !== undefined && open()) events.written(id, outcome);
      });
    },
    fetch(id, location, sizeBytes) {
      fetching = fetching.then(async () => {
        if (!open()) return;
        const outcome = await download(location, sizeBytes, { allowLocal, lookup, timeoutMs }, closed.signal);
        if (open()) events.fetched(id, location, outcome);
      });
    },
    close(done) {
      closed.abort();
      // A file that is half-written is finished or removed; a download ends at once.
      void Promise.all([writing, fetching]).then(() => done());
    },
  };
}
