/**
 * `ofs-sim explore --all`: every scope is a job, so that processes or machines walk them beside each other; a line for
 * each, in the order of the list. Source: DESIGN sections 5.1, 6.
 */
import { join } from "node:path";
import { explore } from "../../sim/explore/explore.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import { walkText } from "../../sim/explore/walk-file.ts";
import { nextTurn } from "../../sim/runtime.ts";
import type { Job } from "../queue/job.ts";
import type { ExploreChoices } from "./explore-command.ts";
import { figuresOf, SECONDS_PER_MINUTE, scopeOf } from "./explore-command.ts";
import { inOrder } from "./in-order.ts";
import { checkJobPlace, runJobsAt } from "./job-places.ts";
import { writeOut } from "./out-file.ts";
import type { Surroundings } from "./surroundings.ts";

/** The kind of these jobs. */
export const SCOPE_KIND = "scope";

/** What bounds the walk of a scope. */
type ScopeOptions = Pick<ExploreChoices, "states" | "minutes" | "reduced">;

/** What came of a walk, as plain data. */
interface ScopeResult extends Omit<ReturnType<typeof figuresOf>, "memory_mib"> {
  readonly scope: string;
  /** The law that was broken, and the way there as a file holds it. */
  readonly found: { readonly check: string; readonly message: string; readonly walk: string } | null;
}

const [DEFECT, INTERRUPTED] = [70, 130];

/** Runs the job of a scope. */
export async function runScopeJob({ name, options }: Job, around: Surroundings): Promise<ScopeResult> {
  const { states, minutes, reduced } = options as unknown as ScopeOptions;
  const scope = scopeOf(name);
  const started = around.wallMs();
  const seen = await explore(scope, await around.backends(), {
    ...{ states, reduced, seconds: minutes * SECONDS_PER_MINUTE },
    elapsed: () => (around.wallMs() - started) / 1_000,
    isStopped: () => around.stop.aborted,
    pause: nextTurn,
    progress: () => undefined,
  });
  const { memory_mib: _, ...figures } = figuresOf(seen);
  const { broken } = seen;
  if (broken === undefined) return { scope: name, ...figures, found: null };
  const { check, message } = broken;
  return { scope: name, ...figures, found: { check, message, walk: walkText(name, seen.opened, broken) } };
}

/** Answers the exit code: 1 when a law is broken, else 70 for a lost walk, 130 for an interruption, 2 for a bound. */
export async function exploreAll(choices: ExploreChoices, around: Surroundings): Promise<number> {
  await checkJobPlace(choices);
  const { states, minutes, reduced, json } = choices;
  const options = { states, minutes, reduced };
  const jobs: readonly Job[] = scopes.map(({ name }) => ({ kind: SCOPE_KIND, name, options }));
  const results: ScopeResult[] = [];
  const lost: string[] = [];
  const print = (line: string) => (json ? undefined : around.out(`${line}\n`));
  const takes = inOrder<() => void>(0n, (take) => take());
  const placeOf = ({ name }: Job) => BigInt(jobs.findIndex((job) => job.name === name));
  const { cause } = await runJobsAt(jobs.values(), choices, around, {
    done: (job, result) =>
      takes.put(placeOf(job), () => {
        results.push(result as ScopeResult);
        print(lineOf(result as ScopeResult));
      }),
    lost: (job, reason) =>
      takes.put(placeOf(job), () => {
        lost.push(job.name);
        print(`${job.name}: ${reason}`);
      }),
  });
  takes.flush();
  for (const { scope, found } of results) {
    if (found === null) continue;
    const file = join(choices.repros, `${scope}-${found.check}.walk.json`);
    await writeOut(file, found.walk);
    print(`repro: ${file}`);
  }
  if (json) around.out(`${JSON.stringify({ scopes: results, lost })}\n`);
  return concluded(results, lost, jobs.length, { cause, print });
}

interface Ending {
  readonly cause: Error | undefined;
  readonly print: (line: string) => void;
}

function concluded(
  results: readonly ScopeResult[],
  lost: readonly string[],
  all: number,
  { cause, print }: Ending,
): number {
  const broken = results.filter(({ found }) => found !== null).length;
  const complete = results.filter((one) => one.complete).length;
  const isWhole = results.length + lost.length === all;
  const end = !isWhole ? "STOPPED" : complete < all ? "BOUND" : "OK";
  const verdict = broken > 0 ? "FAILED" : lost.length > 0 ? "LOST" : end;
  print(
    `${verdict} explore scopes=${results.length} of=${all} complete=${complete} broken=${broken} lost=${lost.length}`,
  );
  if (cause !== undefined) throw cause;
  if (broken > 0) return 1;
  if (lost.length > 0) return DEFECT;
  if (!isWhole) return INTERRUPTED;
  return complete === all ? 0 : 2;
}

function lineOf({ scope, states, depth, complete, steps, found }: ScopeResult): string {
  const end =
    found !== null ? `${found.check}: ${found.message}` : complete ? "complete" : "not complete: a bound was met";
  return `${scope}: ${states} states, ${depth} moves deep, ${steps} distinct core steps; ${end}`;
}
