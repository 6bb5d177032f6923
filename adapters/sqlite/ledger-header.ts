/**
 * What a ledger's files say of themselves before SQLite opens them, which might write: a file that is not ours stays as
 * it is, and so does one that SQLite would take for shorter than it was.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { checkpointsIn } from "./checkpoint-file.ts";
import type { LedgerFailure } from "./ledger-failure.ts";
import { foreignLog, logDefect, startOf } from "./log-frames.ts";
import { APPLICATION_ID, LEDGER_VERSION } from "./schema.ts";

/** Where an SQLite file says what it is. Source: SQLite, "Database File Format" §1.3. */
const HEADER_BYTES = 100;
const HEADER_MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
/** How a rollback journal begins, and where it counts the pages there were. Source: the SQLite file format, §3. */
const JOURNAL_MAGIC = Buffer.from("d9d505f920a163d7", "hex");
const JOURNAL_PAGES_AT = 16;

const ADVICE = "Copy a backup in its place, or keep what can be read with ofs-node repair";

/** Reads the header without SQLite, which might write: a file that is not ours stays as it is. */
export function lookAt(path: string): LedgerFailure | undefined {
  const header = readStart(path, HEADER_BYTES);
  const [checkpoint] = checkpointsIn(dirname(path));
  // The making of it was cut short, which SQLite will undo. No checkpoint is made before a ledger is.
  if (wasEmpty(`${path}-journal`)) return checkpoint === undefined ? undefined : emptied(path, checkpoint);
  if (header.length === 0) return emptied(path, checkpoint);
  const ours =
    header.length === HEADER_BYTES &&
    header.subarray(0, HEADER_MAGIC.length).equals(HEADER_MAGIC) &&
    header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;
  if (!ours) return { code: "foreign", reason: `${path} is not a ledger of this program` };
  return tooNew(path, header.readUInt32BE(USER_VERSION_AT)) ?? putBeside(path) ?? cutShort(path);
}

/** Nothing yet; unless something lies beside it that comes only after rows. */
function emptied(path: string, checkpoint: string | undefined): LedgerFailure | undefined {
  const log = `${path}-wal`;
  const trace = readStart(log, 1).length > 0 ? log : checkpoint;
  if (trace === undefined) return undefined;
  const what = existsSync(path) ? "it is empty" : "it was removed";
  const advice = `Put it back, or a backup; to begin a new ledger all the same, move ${trace} elsewhere first`;
  return { code: "damaged", reason: `${path} is damaged: ${what}, and ${trace} says that it held rows. ${advice}` };
}

/** A backup that was put in the place of a file whose log stayed: SQLite would write that log into the backup. */
function putBeside(path: string): LedgerFailure | undefined {
  const log = foreignLog(path);
  if (log === undefined) return undefined;
  const reason = `${log} is of another file: ${path} is a copy, or was closed in order, and has no log`;
  return { code: "damaged", reason: `${reason}. Move ${log} elsewhere, and ${path} is opened as it is` };
}

/** A log that SQLite would take for shorter than it was. */
function cutShort(path: string): LedgerFailure | undefined {
  const defect = logDefect(path);
  if (defect === undefined) return undefined;
  return { code: "damaged", reason: `${path} is damaged: ${defect}. ${ADVICE}` };
}

/** Whether a journal tells of a file that held no page before. */
function wasEmpty(journal: string): boolean {
  const header = readStart(journal, JOURNAL_PAGES_AT + 4);
  const whole =
    header.length === JOURNAL_PAGES_AT + 4 && header.subarray(0, JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC);
  return whole && header.readUInt32BE(JOURNAL_PAGES_AT) === 0;
}

/** The first bytes of a file; none when it does not exist. */
function readStart(path: string, length: number): Buffer {
  return existsSync(path) ? startOf(path, length) : Buffer.alloc(0);
}

export function tooNew(path: string, version: number): LedgerFailure | undefined {
  if (version <= LEDGER_VERSION) return undefined;
  return { code: "newer", reason: `${path} was written by a later version of this program (ledger ${version})` };
}
