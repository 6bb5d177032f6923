/**
 * The checkpoint of a production node: read before its ledger is opened, so that it starts without reading the rows,
 * and written once the ledger is closed. Whatever is wrong with one costs time only: it is dropped, with a line, and
 * the rows are read. Source: CONVERGENCE "Durability".
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { dropCheckpoint, readCheckpoint, writeCheckpoint } from "../../adapters/sqlite/checkpoint-file.ts";
import type { HeldDriver, NodeConfiguration, NodeDriver } from "../../core/index.ts";
import { checkpointOf, checkpointRules, marketplace, ok, openCheckpoint } from "../../core/index.ts";
import type { StorePort } from "../../core/ports/store.ts";
import type { Line } from "./logs.ts";
import { packageVersion } from "./usage.ts";

/**
 * Rows that are packed anew at a stop, some 300,000 statements: beyond, it would take minutes.
 * Source: DESIGN "Work at once".
 */
const ROWS_MAX = 1_000_000;

/** What a node begins with, and what it leaves behind. */
export interface CheckpointKeeper {
  /** What a driver begins with: a checkpoint and a store whose first load is empty, or the store as it is. */
  begin(
    store: StorePort,
    configuration: NodeConfiguration,
    bootSeed: Uint8Array,
  ): { readonly store: StorePort; readonly bootSeed: Uint8Array; readonly from?: HeldDriver };
  /** Writes one of a node whose ledger was closed. */
  write(driver: NodeDriver | undefined): void;
}

interface KeeperOptions {
  readonly ledger: string;
  /** Whether the rows are wanted: a recording of a life begins with them. */
  readonly rowsOnly: boolean;
  readonly log: ((line: Line) => void) | undefined;
}

/** Reads the checkpoint of a ledger that nobody has opened yet. */
export function openCheckpointKeeper({ ledger, rowsOnly, log: writeLog }: KeeperOptions): CheckpointKeeper {
  let begunWith: NodeConfiguration | undefined;
  const read = rowsOnly ? undefined : readCheckpoint(ledger);
  const log = (event: string, fields: Line["fields"], level: Line["level"] = "info") =>
    writeLog?.({ module: "node", level, event, fields });
  const termsOf = ({ profile }: NodeConfiguration) => ({
    ...{ network: marketplace, crypto: openNativeCrypto(), rowsMax: ROWS_MAX },
    rules: checkpointRules(softwareOf(), profile),
  });
  return {
    begin(store, configuration, bootSeed) {
      begunWith = configuration;
      if (read === undefined) return { store, bootSeed };
      const begun = read.ok ? openCheckpoint(read.value, termsOf(configuration), configuration) : read;
      if (begun.ok) {
        log("begun with a checkpoint", {});
        return { store: loadedOnce(store), bootSeed, from: { ...begun.value, bootSeed } };
      }
      dropCheckpoint(ledger);
      log("checkpoint dropped, reading the ledger row by row", { reason: begun.error }, "warn");
      return { store, bootSeed };
    },
    write(driver) {
      if (driver === undefined || begunWith === undefined) return;
      const made = checkpointOf(driver, termsOf(begunWith));
      const written = made.ok ? writeCheckpoint(ledger, made.value) : made;
      if (written.ok) return log("checkpoint written", { bytes: written.value });
      dropCheckpoint(ledger);
      log("no checkpoint written: the next start reads the ledger row by row", { reason: written.error }, "warn");
    },
  };
}

/** The version of this software; where it runs from its sources, a hash of those by which rows are folded as well. */
function softwareOf(): string {
  if (!import.meta.filename.endsWith(".ts")) return packageVersion();
  const core = join(import.meta.dirname, "..", "..", "core");
  const hash = createHash("sha256");
  for (const file of readdirSync(core, { recursive: true, encoding: "utf8" }).sort((a, b) => (a < b ? -1 : 1)))
    if (file.endsWith(".ts")) hash.update(`${file}\n`).update(readFileSync(join(core, file)));
  return `${packageVersion()} ${hash.digest("hex")}`;
}

/** A store whose rows are known: the first load brings none, later ones bring all. */
function loadedOnce(store: StorePort): StorePort {
  let isKnown = true;
  return {
    commit: store.commit,
    close: store.close,
    load(give) {
      if (!isKnown) return store.load(give);
      isKnown = false;
      setImmediate(() => give(ok({ rows: [], last: true })));
    },
  };
}
