/**
 * A node's life as a file: every input that its core took, and with each the hash of everything so far, so that the
 * core can be run through it again and be found to do the same.
 *
 *   file   = "ofs-record/1\n" ‖ frames
 *   frame  = length of the last, u32 BE ‖ its complement ‖ CRC-32 of what follows, u32 BE ‖ what follows
 *   first  = what the file is: which part, whether redacted, the node's configuration without its secret key
 *   others = 8 bytes that say where the node was ‖ the input (step-encoding.ts), of which a redacted one tells little
 *   H(0)   = SHA-256("ofs-record/1\n")
 *   H(k+1) = SHA-256(H(k) ‖ S(64k+1) ‖ … ‖ S(64k+64))     links of 64 inputs, or of fewer that are large
 *   S      = input ‖ effects, local changes and roots
 *
 * The 8 bytes are the first of H behind the last input of a link, and else the CRC-32 of all S so far and their number:
 * they name the first input that differs as well as a hash of each would, for less.
 *
 * A file that is large enough is followed by the next part, FILE.1, FILE.2 and so on; after the last one the recording
 * ends. What a node recorded before it was started again is kept as FILE.before. Source: DESIGN section 6 (`--record`).
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Change, Effect, Input, NodeConfiguration, RootTexts } from "../../core/index.ts";
import { tables } from "../../core/index.ts";
import type { ByteSink } from "./byte-sink.ts";
import { createByteSink, putAny, putBig, putNumber, putRaw, putText } from "./byte-sink.ts";
import { putInput, putOutcome } from "./step-encoding.ts";

export const MAGIC = Buffer.from("ofs-record/1\n", "latin1");
/** Bytes of a part, after which the next begins. Source: DESIGN "Work at once". */
const PART_BYTES = 64 << 20;
/** Parts of a recording: beyond, it ends. Source: DESIGN L10. */
export const PARTS_MAX = 16;
/** Bytes before what a frame holds. Source: DESIGN "Formats". */
export const FRAME_HEAD = 12;
/** Inputs of a link, and bytes after which it ends sooner. Source: DESIGN "Measured values". */
const LINK_INPUTS = 64;
const LINK_BYTES = 1 << 18;
/** Bytes of a hash that stand beside each input. Source: DESIGN "Formats". */
export const HASH_BYTES = 8;
/** What waits is written when it has so many bytes, or is so many milliseconds old. Source: DESIGN "Work at once". */
const HELD_BYTES = 1 << 16;
const HELD_MS = 200;

/** What a node is told at its start, without what is nobody else's. */
export type ToldConfiguration = Omit<NodeConfiguration, "secretKey">;

export interface RecorderOptions {
  readonly path: string;
  readonly configuration: NodeConfiguration;
  /** Leaves out what inputs say: kinds, lengths, instants and hashes stay. */
  readonly redacted: boolean;
  /** Told once, in one line, when nothing is recorded any more though the node goes on. */
  readonly ended: (reason: string) => void;
  readonly partBytes?: number;
}

export interface Recorder {
  observe(input: Input, changes: readonly Change[], effects: readonly Effect[], roots: () => RootTexts): void;
  close(): void;
}

/** The next part of a recording. */
export function partPath(path: string, part: number): string {
  return part === 0 ? path : `${path}.${part}`;
}

/** Begins a recording; throws what the system says when its file cannot be made. */
export function openRecorder(options: RecorderOptions): Recorder {
  const { path, redacted, ended, partBytes = PART_BYTES } = options;
  const { secretKey: _, ...configuration } = options.configuration;
  const chain = createChain();
  const out = createByteSink(2 * HELD_BYTES);
  keepBefore(path);
  let part = 0;
  let written = 0;
  let file: number | undefined = begin();
  let due: NodeJS.Timeout | undefined;

  function begin(): number {
    const made = openSync(partPath(path, part), "wx", 0o600);
    out.buffer.set(MAGIC);
    out.length = MAGIC.length;
    const start = beginFrame(out);
    putAny(out, { part, redacted, configuration: told(configuration) });
    endFrame(out, start);
    writeHeld(made);
    written = out.length;
    out.length = 0;
    return made;
  }

  /** All of it: a disk that fills up may take less at a time than it is given. */
  function writeHeld(to: number): void {
    writeFileSync(to, out.buffer.subarray(0, out.length));
  }

  function flush(): void {
    if (file === undefined || out.length === 0) return;
    try {
      writeHeld(file);
      written += out.length;
      out.length = 0;
      if (written >= partBytes) next(file);
    } catch (error) {
      if (file !== undefined) closeSync(file);
      stop(`it cannot be written: ${(error as Error).message}`);
    }
  }

  function flushDue(): void {
    due = undefined;
    flush();
  }

  function next(full: number): void {
    closeSync(full);
    file = undefined;
    part += 1;
    if (part === PARTS_MAX) stop(`it has ${PARTS_MAX} parts`);
    else file = begin();
  }

  function stop(reason: string): void {
    file = undefined;
    ended(reason);
  }

  return {
    observe(input, changes, effects, roots) {
      if (file === undefined) return;
      const start = beginFrame(out);
      const { bytes, where } = chain.add(input, changes, effects, roots);
      putRaw(out, where);
      if (redacted) putRedacted(out, input, bytes.length);
      else putRaw(out, bytes);
      endFrame(out, start);
      if (out.length >= HELD_BYTES) flush();
      due ??= setTimeout(flushDue, HELD_MS).unref();
    },
    close() {
      clearTimeout(due);
      flush();
      if (file === undefined) return;
      try {
        fsyncSync(file);
      } catch (error) {
        ended(`it may not survive a loss of power: ${(error as Error).message}`);
      }
      closeSync(file);
      file = undefined;
    },
  };
}

/** The hash of a life so far; the same for who records and who plays it again. */
export function createChain() {
  const sink = createByteSink(LINK_BYTES);
  const local = new Map(tables.flatMap((table) => (table.root === "local" ? [[table.name, table] as const] : [])));
  const where = Buffer.alloc(HASH_BYTES);
  let last = createHash("sha256").update(MAGIC).digest();
  let [crc, count, linked] = [0, 0, 0];
  const hashed = () => createHash("sha256").update(last).update(sink.buffer.subarray(0, sink.length)).digest();
  return {
    /** Takes a step; answers the bytes of its input, and where the node is, both until the next one. */
    add(input: Input, changes: readonly Change[], effects: readonly Effect[], roots: () => RootTexts) {
      if (linked === 0) sink.length = 0;
      const start = sink.length;
      putInput(sink, input);
      const end = sink.length;
      const own = changes.flatMap(({ table: name, key, record }) => {
        const table = local.get(name);
        return table === undefined ? [] : [{ table, key, record }];
      });
      putOutcome(sink, { effects, local: own, roots: own.length < changes.length ? roots() : null });
      crc = crc32(sink.buffer.subarray(start, sink.length), crc);
      count += 1;
      linked += 1;
      where.writeUInt32BE(crc);
      where.writeUInt32BE(count >>> 0, 4);
      if (linked === LINK_INPUTS || sink.length >= LINK_BYTES) {
        last = hashed();
        linked = 0;
        where.set(last.subarray(0, HASH_BYTES));
      }
      return { bytes: sink.buffer.subarray(start, end), where };
    },
    head: () => (linked === 0 ? last : hashed()).toString("hex"),
  };
}

/** Without members that are undefined: they would come back as null. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, told(member)]])),
  );
}

function putRedacted(sink: ByteSink, { type, now, number }: Input, length: number): void {
  putBig(sink, now);
  putNumber(sink, number);
  putText(sink, type);
  putNumber(sink, length);
}

/** What was recorded before is one life: it is kept, and what had been kept goes. */
function keepBefore(path: string): void {
  if (!existsSync(path)) return;
  for (let part = 0; part < PARTS_MAX; part++) {
    const [from, to] = [partPath(path, part), partPath(`${path}.before`, part)];
    rmSync(to, { force: true });
    if (existsSync(from)) renameSync(from, to);
  }
}

const NO_HEAD = new Uint8Array(FRAME_HEAD);

/** The head is known when the rest is. */
function beginFrame(sink: ByteSink): number {
  const start = sink.length;
  putRaw(sink, NO_HEAD);
  return start;
}

function endFrame({ buffer, length }: ByteSink, start: number): void {
  const body = start + FRAME_HEAD;
  buffer.writeUInt32BE(length - body, start);
  buffer.writeUInt32BE(((length - body) ^ 0xffff_ffff) >>> 0, start + 4);
  buffer.writeUInt32BE(crc32(buffer.subarray(body, length)), start + 8);
}
