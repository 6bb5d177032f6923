/**
 * Recordings as files: written while a run goes on, and read where a byte is asked for.
 */
import { closeSync, fstatSync, openSync, readSync, statSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { makeFolder } from "../../adapters/folders/make-folder.ts";
import { RecordingDefect } from "../../sim/travel/format.ts";
import type { TravelRecording } from "../../sim/travel/recording-reader.ts";
import { openTravelRecording } from "../../sim/travel/recording-reader.ts";
import type { RecordingWriter } from "../../sim/travel/recording-writer.ts";
import { createRecordingWriter } from "../../sim/travel/recording-writer.ts";
import { checkFile, unreadable } from "./bounded-file.ts";
import { UsageError } from "./usage.ts";

/** A recording that is being written. */
export interface OpenRecordingFile {
  readonly writer: RecordingWriter;
  close(): void;
  /** Gives it up: nothing is left of it. */
  remove(): void;
}

/** Begins a recording; bad usage where the file cannot be written. */
export function createRecordingFile(file: string): OpenRecordingFile {
  let descriptor: number;
  try {
    makeFolder(dirname(file));
    descriptor = openSync(file, "w");
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}.`);
  }
  const write = (bytes: Uint8Array): void => {
    for (let done = 0; done < bytes.length; ) done += writeAt(file, descriptor, bytes.subarray(done));
  };
  const close = () => closeSync(descriptor);
  return {
    writer: createRecordingWriter({ write, crc32 }),
    close,
    remove() {
      close();
      unlinkSync(file);
    },
  };
}

function writeAt(file: string, descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}.`);
  }
}

/** Does something with a recording; bad usage where the file holds none or is damaged. */
export function withRecording<T>(file: string, use: (recording: TravelRecording) => T): T {
  let descriptor: number;
  try {
    const found = statSync(file);
    checkFile(file, found, Number.MAX_SAFE_INTEGER);
    if (found.isDirectory()) throw new UsageError(`${file} is a folder.`);
    // It is read here and there.
    if (!found.isFile()) throw new UsageError(`${file} is a pipe, and no file.`);
    descriptor = openSync(file, "r");
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(file, error);
  }
  const read = (at: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(length);
    const got = readSync(descriptor, bytes, 0, length, at);
    if (got < length) throw new RecordingDefect("it ends early");
    return bytes;
  };
  try {
    return use(openTravelRecording({ size: fstatSync(descriptor).size, read, crc32 }));
  } catch (error) {
    if (error instanceof RecordingDefect) throw new UsageError(`${file}: ${error.message}.`);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
