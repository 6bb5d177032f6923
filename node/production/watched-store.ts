/**
 * The store of a production node, watched: a ledger that does not load ends the process instead of being asked
 * for ever. The line says which file, which table and which row, and what to do. Source: protocol 05 §11.2, §11.3.
 */
import { join, resolve } from "node:path";
import { LEDGER_FILE } from "../../adapters/sqlite/ledger.ts";
import type { StoreFailure, StorePort } from "../../core/ports/store.ts";

/**
 * The same store; `failed` is told once, with one line, when it does not load. Nobody hears of a load that a stop ends.
 */
export function watchedStore(store: StorePort, directory: string, failed: (line: string) => void): StorePort {
  let told = false;
  return {
    commit: store.commit,
    close: store.close,
    load(give) {
      store.load((result) => {
        if (!result.ok && result.error.code === "closed") return;
        if (!result.ok && !told) {
          told = true;
          failed(loadFailureLine(directory, result.error));
        }
        give(result);
      });
    },
  };
}

/** One line for an operator. */
export function loadFailureLine(directory: string, failure: StoreFailure): string {
  const file = join(resolve(directory), LEDGER_FILE);
  if (failure.code !== "broken")
    return `${file} does not load: ${failure.code}. Free space on its disk and start again.`;
  return (
    `${file} does not load: ${failure.reason}. Copy a backup in its place, or keep what can be read with ` +
    `ofs-node repair --ledger ${directory} --out NEWDIR.`
  );
}
