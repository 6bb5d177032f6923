/**
 * Reads what a recorder wrote. Files come from anywhere: whatever the bytes are, they give inputs or one line about
 * what is wrong with them. Source: DESIGN section 6 (`replay`).
 */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Input, Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import { BytesDefect, byteSource, bytesLeft, takeAny } from "./byte-source.ts";
import type { ToldConfiguration } from "./recorder.ts";
import { FRAME_HEAD, HASH_BYTES, MAGIC, PARTS_MAX, partPath } from "./recorder.ts";
import { takeInput } from "./step-encoding.ts";

/** Bytes of a part that is read. Source: DESIGN L10. */
const READ_BYTES = 1 << 29;

/** What a recording of every version begins with. */
const BEGINNING = MAGIC.subarray(0, MAGIC.indexOf("/") + 1);

/** An input as it was recorded, and the bytes that say where the node was after it. */
export interface RecordedInput {
  readonly input: Input;
  readonly hash: Uint8Array;
}

export interface Recording {
  readonly redacted: boolean;
  readonly configuration: ToldConfiguration;
  /** In order. Throws `BytesDefect`, one line, at what is damaged. */
  readonly inputs: Iterable<RecordedInput>;
  /** Whether what was read so far ended in the middle of an input, as a process leaves it that is killed. */
  readonly cut: () => boolean;
}

/** Whether a file begins as a recording of any version does. A pipe is none, and nothing is taken from it. */
export function isRecording(path: string): boolean {
  try {
    return statSync(path).isFile() && beginningOf(path).equals(BEGINNING);
  } catch {
    return false;
  }
}

function beginningOf(path: string): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a recording at its first part; one line when it is none, or damaged. */
export function openRecording(path: string): Result<Recording, string> {
  try {
    const { redacted, configuration } = partOf(path, 0);
    const end = { cut: false };
    const inputs = { [Symbol.iterator]: () => inputsOf(path, end) };
    return ok({ redacted, configuration, inputs, cut: () => end.cut });
  } catch (error) {
    return err(`${path}: ${(error as Error).message}`);
  }
}

function* inputsOf(path: string, end: { cut: boolean }): Generator<RecordedInput> {
  for (let part = 0; part < PARTS_MAX && existsSync(partPath(path, part)); part++) {
    if (end.cut) throw new BytesDefect(`part ${part - 1} ends in the middle of an input, and part ${part} goes on`);
    const { frames, cut } = partOf(path, part);
    end.cut = cut;
    for (const frame of frames) {
      const source = byteSource(frame.subarray(HASH_BYTES));
      const input = takeInput(source);
      if (bytesLeft(source) > 0) throw new BytesDefect("an input is longer than it says");
      yield { input, hash: frame.subarray(0, HASH_BYTES) };
    }
  }
}

function partOf(path: string, part: number) {
  const file = partPath(path, part);
  const found = statSync(file);
  if (!found.isFile()) throw new BytesDefect("it is no file");
  if (found.size > READ_BYTES) throw new BytesDefect("it is larger than any recording");
  const bytes = readFileSync(file);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new BytesDefect(
      bytes.subarray(0, BEGINNING.length).equals(BEGINNING)
        ? "it was recorded by another version"
        : "it is no recording of this program",
    );
  const { frames: all, cut } = framesOf(bytes);
  const [first, ...frames] = all;
  if (first === undefined) throw new BytesDefect("it ends before it says what it is");
  const head = takeAny(byteSource(first));
  if (!isObject(head) || !isObject(head.configuration) || head.part !== part)
    throw new BytesDefect(`it is not part ${part} of a recording`);
  const configuration = head.configuration as unknown as ToldConfiguration;
  return { redacted: head.redacted === true, configuration, frames, cut };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** The frames of a part. A process that was killed leaves the last one short. */
function framesOf(bytes: Buffer): { readonly frames: readonly Buffer[]; readonly cut: boolean } {
  const frames: Buffer[] = [];
  let at = MAGIC.length;
  while (at + FRAME_HEAD <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const start = at + FRAME_HEAD;
    const told = (bytes.readUInt32BE(at + 4) ^ 0xffff_ffff) >>> 0;
    const frame = bytes.subarray(start, start + length);
    if (told === length && frame.length < length) return { frames, cut: true };
    if (told !== length || crc32(frame) !== bytes.readUInt32BE(at + 8))
      throw new BytesDefect(`it is damaged at byte ${at}, after ${Math.max(frames.length - 1, 0)} inputs of this part`);
    frames.push(frame);
    at = start + length;
  }
  return { frames, cut: at < bytes.length };
}
