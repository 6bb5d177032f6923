/**
 * A run that leaves a recording, a page, both or neither. A page is made from a recording; where none was asked for,
 * one lies beside the page while the run goes on.
 */
import type { Run, RunResult } from "../../sim/run.ts";
import { openRun } from "../../sim/run.ts";
import { nextTurn } from "../../sim/runtime.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { Backends, RunOptions } from "../../sim/setup.ts";
import { runNotes } from "../../sim/travel/run-notes.ts";
import { writeOut } from "./out-file.ts";
import { travelPageScript } from "./page-script.ts";
import { createRecordingFile } from "./recording-file.ts";
import { writeReport } from "./report-page.ts";

/** The files that a run leaves. */
export interface KeptFiles {
  readonly record?: string | undefined;
  readonly report?: string | undefined;
}

/** Events between two turns of others, such as a signal. Source: DESIGN "Work at once". */
const SLICE_EVENTS = 64;
/** What a page says of a run that somebody ended. */
const INTERRUPTED = "It was interrupted; nothing was broken until then.";

/**
 * Runs a scenario, to its end or until somebody wants it to end; `ended` is told when that is over and files are
 * written. They hold what the run came to.
 */
export async function runRecorded(
  scenario: Scenario,
  options: RunOptions,
  backends: Backends,
  { record, report }: KeptFiles,
  stop: AbortSignal,
  ended: () => void = () => undefined,
): Promise<RunResult & { readonly interrupted: boolean }> {
  if (report !== undefined) await writeOut(report, "");
  const file = record ?? (report === undefined ? undefined : recordingBeside(report));
  const recording = file === undefined ? undefined : createRecordingFile(file);
  try {
    const recorded = { ...options, ...(recording && { record: recording.writer }) };
    const result = await runUntilStopped(scenario, recorded, backends, stop);
    ended();
    const notes = runNotes(scenario, result);
    recording?.writer.close(result.interrupted ? { ...notes, verdict: INTERRUPTED } : notes, result.report.events);
    if (report !== undefined && file !== undefined) await writeReport(report, file, await travelPageScript());
    return result;
  } finally {
    if (record === undefined) recording?.remove();
    else recording?.close();
  }
}

/** Where the recording lies of which a page is made, as long as that takes: under a name that nobody else gives. */
export function recordingBeside(report: string): string {
  return `${report}.${process.pid}.recording`;
}

async function runUntilStopped(
  scenario: Scenario,
  options: RunOptions,
  backends: Backends,
  stop: AbortSignal,
): Promise<RunResult & { readonly interrupted: boolean }> {
  const run = await openRun(scenario, options, backends);
  try {
    const why = await goOnUntil(run, stop);
    return { ...run.result(), interrupted: why !== "over" };
  } finally {
    await run.close();
  }
}

/** Goes on to the end, to where `enough` says, or until somebody wants it to end; answers what it was. */
export async function goOnUntil(
  run: Pick<Run, "goOn">,
  stop: AbortSignal,
  enough: () => boolean = () => false,
): Promise<"over" | "enough" | "stopped"> {
  while (!stop.aborted) {
    let ran = 0;
    let isEnough = false;
    const over = await run.goOn(() => {
      ran += 1;
      isEnough = enough();
      return isEnough || ran >= SLICE_EVENTS || stop.aborted;
    });
    if (over) return "over";
    if (isEnough) return "enough";
    await nextTurn();
  }
  return "stopped";
}
