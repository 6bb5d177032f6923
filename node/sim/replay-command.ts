/**
 * `ofs-sim resume FILE` and `ofs-sim replay FILE`: a held run goes on, and a run that broke a law is played again.
 */
import { isRecording } from "../../adapters/recording/reader.ts";
import { clockText } from "../../sim/clock-text.ts";
import { restoreRun } from "../../sim/held-run.ts";
import { reportJson } from "../../sim/report.ts";
import type { ReplayVerdict, Repro } from "../../sim/repro.ts";
import { optionsOf, reproOf, verdictOn } from "../../sim/repro.ts";
import { isSession, SESSION_FILE_BYTES } from "../../sim/serve/session-file.ts";
import { readBounded, readText } from "./bounded-file.ts";
import { isWalk, replayWalkFile } from "./explore-command.ts";
import { checkKind } from "./kept-kinds.ts";
import { checkApart } from "./out-file.ts";
import { goOnUntil, runRecorded } from "./recorded-run.ts";
import { replayRecording, reportRecording } from "./replay-recording.ts";
import { replaySessionFile } from "./replay-session.ts";
import type { RunChoices } from "./run-command.ts";
import { backendsOf, brokenLines, conclude, showing, toldInterrupted } from "./run-command.ts";
import { SCENARIO_BYTES_MAX } from "./scenario-file.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

/** Largest held run that is read, in bytes. Source: DESIGN "Simulated world". */
export const HELD_BYTES_MAX = 2_147_483_647;

/** Goes on with a held run to its end; answers the exit code. */
export async function resumeCommand(
  file: string,
  choices: Pick<RunChoices, "json">,
  around: Surroundings,
): Promise<number> {
  checkKind(file, "resume");
  const bytes = await readBounded(file, HELD_BYTES_MAX);
  const restored = await restoreRun(bytes, (parity) => backendsFor(parity, around));
  if (!restored.ok) throw new UsageError(`${file}: ${restored.error}.`);
  const { value: run } = restored;
  const { world, scenario } = run;
  if (!choices.json) {
    around.out(`${scenario.name}, on from event ${world.trace.events()} at ${clockText(world.loop.now())}\n\n`);
    world.onTold(({ time, text }) => around.out(`${clockText(time)}  ${text}\n`));
  }
  let why: Awaited<ReturnType<typeof goOnUntil>>;
  try {
    why = await goOnUntil(run, around.stop);
  } finally {
    await run.close();
  }
  const result = run.result();
  if (why === "stopped") return toldInterrupted(result, [], choices.json, around);
  if (choices.json) around.out(`${reportJson(result.report)}\n`);
  else conclude(result, around, brokenLines(result.report));
  return result.report.violations.length === 0 ? 0 : 1;
}

/** The run that a file holds; bad usage where it holds none. */
export async function readRepro(file: string): Promise<Repro> {
  return reproIn(file, await readText(file, SCENARIO_BYTES_MAX));
}

/** What follows the format may be anything in another version of it. */
function reproIn(file: string, content: string): Repro {
  const [, format, number] = /^\s*\{\s*"format"\s*:\s*"(ofs-(?:repro|session|walk))\/(\d{1,9})"/.exec(content) ?? [];
  if (format !== undefined && number !== "1")
    throw new UsageError(`${file}: format: ${format}/${number} is of another version; ${format}/1 is read.`);
  const read = reproOf(content);
  if (!read.ok) throw new UsageError(`${file}: ${read.error}.`);
  return read.value;
}

export type ReplayChoices = Pick<RunChoices, "json" | "report"> & { readonly identity?: string };

/** Plays a run again that broke a law, and says what became of that; 1 as long as any law is broken. */
export async function replayCommand(file: string, choices: ReplayChoices, around: Surroundings): Promise<number> {
  const { report, identity } = choices;
  await checkApart([
    ["what is replayed", file],
    ["--identity", identity],
    ["--report", report],
  ]);
  if (isRecording(file)) {
    if (report === undefined) return replayRecording(file, choices, around);
    return await reportRecording(file, { ...choices, report }, around);
  }
  checkKind(file, "replay");
  if (identity !== undefined)
    throw new UsageError(`--identity is for what a node recorded, and ${file} is no such file.`);
  const content = await readText(file, SESSION_FILE_BYTES);
  if (isSession(content)) {
    if (report !== undefined)
      throw new UsageError("--report shows runs of scenarios; this is a session of a served network.");
    return replaySessionFile(file, content, choices, around);
  }
  if (isWalk(content)) {
    if (report !== undefined) throw new UsageError("--report shows runs of scenarios; this is a way in a scope.");
    return replayWalkFile(file, content, choices, around);
  }
  const repro = reproIn(file, content);
  const result = await playAgain(repro, choices, around);
  if (result.interrupted) return toldInterrupted(result, [], choices.json, around);
  const verdict = verdictOn(repro, result.report);
  if (choices.json) around.out(`{"verdict":"${verdict}",${reportJson(result.report).slice(1)}\n`);
  else conclude(result, around, [...brokenLines(result.report), verdictText[verdict](repro)]);
  return result.report.violations.length === 0 ? 0 : 1;
}

async function playAgain(
  repro: Repro,
  choices: Pick<RunChoices, "json" | "report">,
  around: Surroundings,
): ReturnType<typeof runRecorded> {
  const shown = showing(choices, around);
  const options = { ...optionsOf(repro), ...shown.options };
  const backends = await backendsFor(repro.parity, around);
  return await runRecorded(repro.scenario, options, backends, { report: choices.report }, around.stop, shown.clear);
}

const verdictText: Readonly<Record<ReplayVerdict, (repro: Repro) => string>> = {
  same: ({ found }) => `replayed: the same violation at the same event ${found.event}`,
  "same-law": ({ found }) =>
    `replayed: ${found.check} is broken, otherwise than at event ${found.event}: other code runs`,
  "other-law": ({ found }) => `replayed: another law is broken than ${found.check}`,
  gone: ({ found }) => `replayed: ${found.check} is not broken any more`,
};

async function backendsFor(parity: boolean, around: Surroundings): ReturnType<typeof backendsOf> {
  return await backendsOf(parity ? { parity: "reference" } : {}, around);
}
