/**
 * What SQLite does not say of the log beside a file. It takes the log for cut short at the first frame that does not
 * check, as a power loss leaves one; of a frame that changed on the disk later that is silent, and what was committed
 * after it is gone. Every commit is on the disk before the next begins, so a frame that does not check before two
 * further commits was whole once.
 * Nor does it ask whose a log is: one that was left behind is written into whatever file is put beside it.
 * Not here: a change within the last commit, which looks like one that power loss cut short; a log that lost its end.
 * Source: SQLite, "Database File Format" §1.3.3 (file format version numbers), §4 (the write-ahead log).
 */
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

/** Lengths of the log's header and of a frame's, and of what of each its checksum is over. */
const [HEADER_BYTES, FRAME_BYTES] = [32, 24];
const [HEADER_SUMMED, FRAME_SUMMED] = [24, 8];
/** The last bit says that checksums are over big-endian words. */
const MAGIC = 0x377f0682;
/** Where the file says how large its pages are; 1 stands for 65,536. */
const PAGE_SIZE_AT = 16;
/** Where the file says whether it is written through a log, and what it says when it is not. */
const WRITE_VERSION_AT = 18;
const WITHOUT_LOG = 1;
/** Where a frame says how many pages the file has after its commit, if it ends one; salts; checksum. */
const [COMMIT_AT, SALTS_AT, SUM_AT] = [4, 8, 16];
const HEADER_SALTS_AT = 16;

type Sum = readonly [number, number];

interface Frame {
  /** Whether it belongs to the log, and follows the frame before it. */
  readonly good: boolean;
  readonly commits: boolean;
}

/** What is wrong with the log of a file so that commits would be lost, if that can be told. Nobody may have it open. */
export function logDefect(path: string): string | undefined {
  const log = `${path}-wal`;
  if (!existsSync(log)) return undefined;
  const pageBytes = pageBytesOf(path);
  if (pageBytes === undefined) return undefined;
  const begun = startOf(log, HEADER_BYTES);
  const bad = firstLost(framesOf(log, pageBytes));
  // Where another process holds the file, its log may have begun anew meanwhile.
  if (bad === undefined || !begun.equals(startOf(log, HEADER_BYTES))) return undefined;
  return `${bad === 0 ? "the header" : `frame ${bad}`} of ${log} has changed, and commits after it would be lost`;
}

/**
 * The log beside a file that has none of its own, where opening the file would write it in: a ledger says so from its
 * orderly end on, after its log is gone, and so does every copy of one, which may have been put beside another's log.
 */
export function foreignLog(path: string): string | undefined {
  const log = `${path}-wal`;
  const pageBytes = existsSync(path) && existsSync(log) ? pageBytesOf(path) : undefined;
  if (pageBytes === undefined || startOf(path, WRITE_VERSION_AT + 1).at(-1) !== WITHOUT_LOG) return undefined;
  for (const { good, commits } of framesOf(log, pageBytes)) {
    if (!good) return undefined;
    if (commits) return log;
  }
  return undefined;
}

/** The first frame that does not check, where two commits in a row after it do, or one after its own. */
function firstLost(frames: Iterable<Frame>): number | undefined {
  let [at, run] = [0, 0];
  let bad: number | undefined;
  for (const { good, commits } of frames) {
    if (!good) {
      run = bad === undefined && commits ? 1 : 0;
      bad ??= at;
    } else if (bad !== undefined && commits) run += 1;
    if (run >= 2) return bad;
    at += 1;
  }
  return undefined;
}

/** The header as frame 0, then every frame. */
function* framesOf(log: string, pageBytes: number): Generator<Frame> {
  const handle = openSync(log, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(handle, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return;
    const magic = header.readUInt32BE(0);
    const isOurs = (magic & ~1) >>> 0 === MAGIC;
    const big = isOurs ? (magic & 1) === 1 : endianness() === "BE";
    // What a frame goes on from is said by the one before it, and where that has changed, comes of it.
    let before = [sumAt(header, HEADER_BYTES - 8), summed([0, 0], header.subarray(0, HEADER_SUMMED), big)];
    const whole = isOurs && isSame(before[0], before[1]);
    yield { good: whole, commits: false };
    // Of a header that changed, the salts are those of the first frame.
    let salts = whole ? header.subarray(HEADER_SALTS_AT, HEADER_SALTS_AT + 8) : undefined;
    const frame = Buffer.alloc(FRAME_BYTES + pageBytes);
    for (
      let from = HEADER_BYTES;
      readSync(handle, frame, 0, frame.length, from) === frame.length;
      from += frame.length
    ) {
      salts ??= Buffer.from(frame.subarray(SALTS_AT, SALTS_AT + 8));
      const own = sumAt(frame, SUM_AT);
      const page = frame.subarray(FRAME_BYTES);
      const sums = before.map((sum) => summed(summed(sum, frame.subarray(0, FRAME_SUMMED), big), page, big));
      const follows = sums.find((sum) => isSame(sum, own));
      const good = follows !== undefined && frame.subarray(SALTS_AT, SALTS_AT + 8).equals(salts);
      yield { good, commits: frame.readUInt32BE(COMMIT_AT) !== 0 };
      before = follows === undefined ? [own, sums[0] ?? own] : [own];
    }
  } finally {
    closeSync(handle);
  }
}

function pageBytesOf(path: string): number | undefined {
  const bytes = startOf(path, PAGE_SIZE_AT + 2);
  const size = bytes.length === PAGE_SIZE_AT + 2 ? bytes.readUInt16BE(PAGE_SIZE_AT) : 0;
  return size === 1 ? 65_536 : size >= 512 ? size : undefined;
}

/** The first bytes of a file that exists. */
export function startOf(path: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const handle = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(handle, bytes, 0, length, 0));
  } finally {
    closeSync(handle);
  }
}

function sumAt(bytes: Buffer, at: number): Sum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

function isSame(one: Sum | undefined, other: Sum | undefined): boolean {
  return one?.[0] === other?.[0] && one?.[1] === other?.[1];
}

/** Goes on with a checksum over words of four bytes, two at a time. */
function summed([first, second]: Sum, bytes: Buffer, big: boolean): Sum {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (big ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
    b = (b + (big ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}
