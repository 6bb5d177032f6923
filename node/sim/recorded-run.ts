/**
 * A run that leaves a recording, a page, both or neither. A page is made from a recording; where none was asked for,
 * one lies beside the page while the run goes on.
 */
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
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

/** Runs a scenario; `ended` is told when that is over and files are written. */
export async function runRecorded(
  scenario: Scenario,
  options: RunOptions,
  backends: Backends,
  { record, report }: KeptFiles,
  ended: () => void = () => undefined,
): Promise<RunResult> {
  if (report !== undefined) await writeOut(report, "");
  const file = record ?? (report === undefined ? undefined : `${report}.recording`);
  const recording = file === undefined ? undefined : createRecordingFile(file);
  try {
    const result = await runScenario(
      scenario,
      { ...options, ...(recording && { record: recording.writer }) },
      backends,
    );
    ended();
    recording?.writer.close(runNotes(scenario, result), result.report.events);
    if (report !== undefined && file !== undefined) await writeReport(report, file, await travelPageScript());
    return result;
  } finally {
    if (record === undefined) recording?.remove();
    else recording?.close();
  }
}
