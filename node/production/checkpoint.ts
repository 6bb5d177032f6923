/**
 * The checkpoint of a production node. A start begins with the one that the ledger names and takes in what changed
 * since; another is made beside the running node whenever enough has changed, and one at a stop. Whatever is wrong
 * with one costs time only: it is dropped, with a line, and the rows are read. Source: CONVERGENCE "Durability".
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { LedgerChanges } from "../../adapters/sqlite/changes.ts";
import { dropCheckpoints, readCheckpoint, writeCheckpoint } from "../../adapters/sqlite/checkpoint-file.ts";
import type { HeldDriver, NodeConfiguration, NodeDriver, Result } from "../../core/index.ts";
import { checkpointOf, err, marketplace, ok, openCatchUp, openCheckpoint, rowsOf } from "../../core/index.ts";
import type { PagesPort } from "../../core/ports/pages.ts";
import type { StorePort } from "../../core/ports/store.ts";
import type { CheckpointMaker } from "./checkpoint-maker.ts";
import { openCheckpointMaker } from "./checkpoint-maker.ts";
import { changesBehind, rulesOfSoftware } from "./checkpoint-parts.ts";
import type { Line } from "./logs.ts";

/**
 * Rows that are packed anew at a stop, some 300,000 statements: beyond, it would take minutes.
 * Source: DESIGN "Work at once".
 */
const ROWS_MAX = 1_000_000;
/** Rows that change between two checkpoints of a small ledger: some 1,500 statements. Source: DESIGN "Work at once". */
const EVERY = 3_000;
/**
 * Of a large one, what part of its rows: what a start reads beside the checkpoint grows with it, and what is written
 * for each row with its inverse. Source: DESIGN "Measured values".
 */
const EVERY_PART = 12;
/** Of how many rows one may have changed for which no stop packs all others again. Source: DESIGN "Measured values". */
const STOP_PART = 100;

/** What a node begins with, and what it leaves behind. */
export interface CheckpointKeeper {
  /** What a driver begins with: a checkpoint and a store whose first load is empty, or the store as it is. */
  begin(store: StorePort, configuration: NodeConfiguration, bootSeed: Uint8Array): Promise<Begun>;
  /** Makes checkpoints of what this driver has written, from now on. */
  watch(driver: NodeDriver): void;
  /** The node is ready. */
  ready(): void;
  /** What the node holds cannot be read any more: no checkpoint is made of it. */
  forget(): void;
  /** Writes a last one; the ledger is still open, and nothing comes in any more. */
  close(): Promise<void>;
}

interface Begun {
  readonly store: StorePort;
  readonly bootSeed: Uint8Array;
  readonly from?: HeldDriver;
}

interface KeeperOptions {
  readonly ledger: string;
  readonly changes: LedgerChanges;
  /** Whether the rows are wanted: a recording of a life begins with them. */
  readonly rowsOnly: boolean;
  readonly every: number | "off" | undefined;
  /** Where sealed rows of the memory that is begun with lie. */
  readonly pages: PagesPort | undefined;
  readonly log: ((line: Line) => void) | undefined;
  /** Whether the node need not start any more; never unless said. */
  readonly isTold?: () => boolean;
}

/** Keeps the checkpoints of an open ledger. */
export function openCheckpointKeeper({
  ledger,
  changes,
  rowsOnly,
  every = EVERY,
  pages,
  log: writeLog,
  isTold = () => false,
}: KeeperOptions): CheckpointKeeper {
  const log = (event: string, fields: Line["fields"], level: Line["level"] = "info") =>
    writeLog?.({ module: "node", level, event, fields });
  let begunWith: NodeConfiguration | undefined;
  let driver: NodeDriver | undefined;
  let maker: CheckpointMaker | undefined;
  let wasReady = false;
  const termsOf = ({ profile }: NodeConfiguration) => ({
    ...{ network: marketplace, crypto: openNativeCrypto(), rowsMax: ROWS_MAX, rules: rulesOfSoftware(profile), pages },
  });

  /** The memory that the named checkpoint and what changed since come to; nothing for who need not start any more. */
  async function begunFrom(configuration: NodeConfiguration): Promise<Result<Caught, string> | undefined> {
    const named = changes.named();
    if (named === undefined) return undefined;
    const defect = changes.defect();
    if (defect !== undefined) return err(defect);
    const read = readCheckpoint(ledger, named);
    if (!read.ok) return read;
    const opened = openCheckpoint(read.value, termsOf(configuration), configuration);
    if (!opened.ok) return opened;
    const catchUp = openCatchUp(opened.value, termsOf(configuration), configuration);
    const pages = await changesBehind(async (place) => {
      await nextRound();
      return isTold() ? err("") : changes.behind(place, "all");
    }, named.place);
    if (!pages.ok) return isTold() ? undefined : pages;
    for (const page of pages.value.pages) {
      if (isTold()) return undefined;
      const taken = catchUp.take(page);
      if (!taken.ok) return taken;
      await nextRound();
    }
    return ok({ from: catchUp.held(), changed: pages.value.keys });
  }

  function drop(): void {
    changes.name(undefined);
    dropCheckpoints(ledger);
  }

  return {
    async begin(store, configuration, bootSeed) {
      begunWith = configuration;
      dropCheckpoints(ledger, changes.named());
      const begun = rowsOnly ? undefined : await begunFrom(configuration);
      if (begun?.ok === false) {
        drop();
        log("checkpoint dropped, reading the ledger row by row", { reason: begun.error }, "warn");
      }
      const changed = begun?.ok === true ? begun.value.changed : new Set<string>();
      maker = openCheckpointMaker({ ledger, changes, every, part: EVERY_PART, changed, configuration, log });
      if (begun?.ok !== true) return { store: maker.watched(store), bootSeed };
      log("begun with a checkpoint", { rows_since: changed.size });
      return { store: maker.watched(loadedOnce(store)), bootSeed, from: { ...begun.value.from, bootSeed } };
    },
    watch(node) {
      driver = node;
      maker?.watch(node);
    },
    ready() {
      wasReady = true;
      maker?.ready();
    },
    forget() {
      driver = undefined;
    },
    async close() {
      await maker?.close();
      if (driver === undefined || begunWith === undefined || !wasReady) return;
      const named = changes.named();
      // Who began with the rows does not know how many of them changed.
      if (!rowsOnly && named !== undefined && (maker?.behind() ?? 0) * STOP_PART <= named.rows) return;
      const made = checkpointOf(driver, termsOf(begunWith));
      const [place, rows] = [changes.newest(), rowsOf(marketplace, driver.view)];
      const written = made.ok ? writeCheckpoint(ledger, { place, rows, sections: made.value }) : made;
      const isNamed = written.ok ? changes.name(written.value) : written;
      if (written.ok && isNamed.ok) log("checkpoint written", { bytes: written.value.bytes });
      else log("no checkpoint written", { reason: isNamed.ok ? "" : isNamed.error }, "warn");
      dropCheckpoints(ledger, changes.named());
    },
  };
}

interface Caught {
  readonly from: HeldDriver;
  /** The rows that changed since the checkpoint. */
  readonly changed: ReadonlySet<string>;
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
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
