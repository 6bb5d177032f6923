/**
 * A job: what is to be run, as plain data that any machine with the same code makes the same of. Its id is a function
 * of what it says, so that a job that is handed out twice has one result. Source: DESIGN section 8 "work over many
 * machines".
 */
import { createHash } from "node:crypto";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";

/** What is run, with what, and by which code. */
export interface Job {
  readonly kind: string;
  /** The number of a seed or run, in decimal, or a name; unlike that of every other job with the same options. */
  readonly name: string;
  /** The JSON of a scenario; nothing where the code itself has the world. */
  readonly scenario?: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A job on its way: with the hash of the code that is to run it, and one of its scenario. */
export interface SentJob extends Job {
  readonly code: string;
  readonly scenarioHash?: string;
}

/** Characters of a scenario's JSON that one job may carry: the window of jobs that wait is held in Redis whole. */
export const SCENARIO_LENGTH_MAX = 1_048_576;
/** Hexadecimal digits of an id: finding two jobs with one takes 2^64 trials. */
const ID_LENGTH = 32;

/** A job as it is sent. */
export function sentJob(job: Job, code: string): SentJob {
  const { scenario } = job;
  return { ...job, code, ...(scenario !== undefined && { scenarioHash: sha256(scenario) }) };
}

/** The id of a job: the same for the same job. */
export function idOf({ kind, name, scenarioHash = "", options, code }: SentJob): string {
  return sha256(JSON.stringify([kind, name, scenarioHash, options, code])).slice(0, ID_LENGTH);
}

/** Why a job is not run here: it is another's, or nobody can run it. */
export interface Refusal {
  readonly reason: string;
  readonly isForOthers: boolean;
}

/** The job that was sent to this code; or why it is not run. */
export function receivedJob(data: unknown, code: string): Result<Job, Refusal> {
  const { kind, name, scenario, scenarioHash, options, code: theirs } = (data ?? {}) as Partial<SentJob>;
  if (typeof kind !== "string" || typeof name !== "string" || typeof options !== "object" || options === null)
    return err({ reason: "it is no job", isForOthers: false });
  if (theirs !== code)
    return err({ reason: `it is for other code, ${String(theirs).slice(0, 12)}`, isForOthers: true });
  if (scenario === undefined ? scenarioHash !== undefined : sha256(scenario) !== scenarioHash)
    return err({ reason: "its scenario is not the one that was sent", isForOthers: false });
  return ok({ kind, name, options, ...(scenario !== undefined && { scenario }) });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
