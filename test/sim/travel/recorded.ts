/**
 * Recordings in memory: a run that is recorded, and a reader of what it left.
 */
import { crc32 } from "node:zlib";
import { openBackends } from "../../../sim/backends.ts";
import type { RunResult } from "../../../sim/run.ts";
import { runScenario } from "../../../sim/run.ts";
import type { Scenario } from "../../../sim/scenario.ts";
import type { RunOptions } from "../../../sim/setup.ts";
import type { RunNotes } from "../../../sim/travel/format.ts";
import type { TravelRecording } from "../../../sim/travel/recording-reader.ts";
import { openTravelRecording } from "../../../sim/travel/recording-reader.ts";
import type { RecordingWriter } from "../../../sim/travel/recording-writer.ts";
import { createRecordingWriter } from "../../../sim/travel/recording-writer.ts";
import { runNotes } from "../../../sim/travel/run-notes.ts";

/** Of three nodes to which nothing happened. */
export const NOTES: RunNotes = {
  ...{ title: "by hand", description: "", faults: [], violations: [], story: [], figures: [], faultCounts: [] },
  ...{
    ending: { columns: [], rows: [] },
    nodes: [0, 1, 2].map((node) => ({ name: `node ${node}`, gossipOnly: false })),
  },
};

/** A writer into memory, and all that it wrote. */
export function memoryRecording(): { readonly writer: RecordingWriter; readonly bytes: () => Buffer } {
  const parts: Uint8Array[] = [];
  const writer = createRecordingWriter({ write: (bytes) => void parts.push(Uint8Array.from(bytes)), crc32 });
  return { writer, bytes: () => Buffer.concat(parts) };
}

export function readRecording(bytes: Uint8Array): TravelRecording {
  const read = (at: number, length: number) => Uint8Array.from(bytes.subarray(at, at + length));
  return openTravelRecording({ size: bytes.length, read, crc32 });
}

export interface Recorded {
  readonly result: RunResult;
  readonly bytes: Buffer;
  readonly recording: TravelRecording;
}

/** A run with its recording. */
export async function record(scenario: Scenario, options: RunOptions, backends = openBackends()): Promise<Recorded> {
  const { writer, bytes } = memoryRecording();
  const result = await runScenario(scenario, { ...options, record: writer }, backends);
  writer.close(runNotes(scenario, result), result.report.events);
  return { result, bytes: bytes(), recording: readRecording(bytes()) };
}

/** What a node held after an event, by table and key. */
export function rowsAt(recording: TravelRecording, node: number, event: number): ReadonlyMap<string, string> {
  const { rows } = recording.stateAt(node, event);
  return new Map(
    [...rows.values()].map(({ table, key, text }) => [`${table} ${recording.text(key)}`, recording.text(text)]),
  );
}
