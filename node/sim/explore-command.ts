/**
 * `ofs-sim explore SCOPE`: walks every state of a small world. 0 when all were met and no law is broken, 1 when one is,
 * 2 when a bound was met first, 130 when it was interrupted; then it says how far it came. Source: DESIGN section 6.
 */
import { join } from "node:path";
import { explore, openScope } from "../../sim/explore/explore.ts";
import type { Scope } from "../../sim/explore/scope.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import type { WalkSeen } from "../../sim/explore/walk.ts";
import type { WalkData, WalkVerdict } from "../../sim/explore/walk-file.ts";
import { replayWalk, WALK_FORMAT, walkLines, walkOf, walkText } from "../../sim/explore/walk-file.ts";
import { nextTurn } from "../../sim/runtime.ts";
import type { JobPlace } from "./job-places.ts";
import { writeOut } from "./out-file.ts";
import { openProgressLine } from "./progress-line.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

export interface ExploreChoices extends JobPlace {
  /** Every scope, beside each other. */
  readonly all: boolean;
  readonly list: boolean;
  readonly states: number;
  readonly minutes: number;
  readonly reduced: boolean;
  readonly repros: string;
  readonly json: boolean;
}

const MIB = 1_048_576;
const [BOUND_MET, INTERRUPTED] = [2, 130];
export const SECONDS_PER_MINUTE = 60;

/** Answers the exit code. */
export async function exploreCommand(
  name: string | undefined,
  choices: ExploreChoices,
  around: Surroundings,
): Promise<number> {
  const scope = scopeOf(name);
  const backends = await around.backends();
  const started = around.wallMs();
  const elapsed = () => (around.wallMs() - started) / 1_000;
  const line = openProgressLine(around);
  let before = 0;
  const progress = (now: WalkSeen) =>
    line.show((seconds) => {
      const text = progressText(now, (now.states - before) / seconds, elapsed());
      before = now.states;
      return text;
    });
  const seen = await explore(scope, backends, {
    ...{ states: choices.states, reduced: choices.reduced, elapsed },
    seconds: choices.minutes * SECONDS_PER_MINUTE,
    isStopped: () => around.stop.aborted,
    pause: nextTurn,
    progress,
  });
  line.clear();
  const file = await writtenWalk(scope, choices, seen);
  const interrupted = around.stop.aborted;
  const figures = { ...figuresOf(seen), seconds: Number(elapsed().toFixed(1)) };
  if (choices.json) {
    const found = seen.broken && { check: seen.broken.check, message: seen.broken.message, repro: file };
    around.out(`${JSON.stringify({ scope: scope.name, ...figures, found: found ?? null })}\n`);
  } else for (const line of told(scope, seen, { ...figures, interrupted }, file)) around.out(`${line}\n`);
  if (seen.broken !== undefined) return 1;
  return seen.complete ? 0 : interrupted ? INTERRUPTED : BOUND_MET;
}

/** Prints the scopes, one line each. */
export function listScopes(around: Pick<Surroundings, "out">): number {
  const wide = Math.max(...scopes.map((scope) => scope.name.length));
  for (const scope of scopes) around.out(`${scope.name.padEnd(wide)}  ${scope.description}\n`);
  return 0;
}

/** The scope of a name; bad usage where there is none. */
export function scopeOf(name: string | undefined): Scope {
  const names = scopes.map((scope) => scope.name).join(", ");
  if (name === undefined) throw new UsageError(`Say which scope: one of ${names}.`);
  const scope = scopes.find((each) => each.name === name);
  if (scope === undefined) throw new UsageError(`There is no scope "${name}". One of: ${names}.`);
  return scope;
}

/** Whether a text is a way through a scope. */
export function isWalk(content: string): boolean {
  return content.includes(`"${WALK_FORMAT}"`);
}

/** Takes a way again that broke a law, and says what became of that; 1 as long as any law is broken. */
export async function replayWalkFile(
  file: string,
  content: string,
  { json = false }: { readonly json?: boolean },
  around: Surroundings,
): Promise<number> {
  const read = walkOf(content);
  if (!read.ok) throw new UsageError(`${file}: ${read.error}.`);
  const walk = read.value;
  const verdict = replayWalk(walk, await openScope(scopeOf(walk.scope), await around.backends()));
  if (json) around.out(`${JSON.stringify({ scope: walk.scope, steps: walk.steps.length, ...verdict })}\n`);
  else {
    around.out(`${walk.scope}\n${walkLines(walk).join("\n")}\n`);
    if (verdict.broken !== undefined) around.out(`${verdict.broken.check}: ${verdict.broken.message}\n`);
    around.out(`replayed: ${verdictText(walk, verdict)}\n`);
  }
  return verdict.broken === undefined ? 0 : 1;
}

function verdictText({ found }: WalkData, verdict: WalkVerdict): string {
  switch (verdict.verdict) {
    case "same":
      return "the same violation";
    case "same-law":
      return `${found.check} is broken, otherwise than before: other code runs`;
    case "other-law":
      return `another law is broken than ${found.check}`;
    default:
      return `${found.check} is not broken any more${verdict.stuck === undefined ? "" : `: ${verdict.stuck}`}`;
  }
}

type Explored = Awaited<ReturnType<typeof explore>>;

/** The figures of a walk. */
export function figuresOf(seen: Explored) {
  const { states, transitions, finals, depth, complete, bytes } = seen;
  const { steps, nodeValues } = seen.opened.world.counts();
  const memory_mib = memoryMib();
  return { states, transitions, finals, depth, complete, steps, nodeValues, table_bytes: bytes, memory_mib };
}

async function writtenWalk(scope: Scope, { repros }: ExploreChoices, seen: Explored): Promise<string | undefined> {
  if (seen.broken === undefined) return undefined;
  const file = join(repros, `${scope.name}-${seen.broken.check}.walk.json`);
  await writeOut(file, walkText(scope.name, seen.opened, seen.broken));
  return file;
}

function told(
  scope: Scope,
  seen: Explored,
  {
    steps,
    nodeValues,
    memory_mib,
    seconds,
    interrupted,
  }: ReturnType<typeof figuresOf> & { readonly seconds: number; readonly interrupted: boolean },
  file: string | undefined,
): readonly string[] {
  const { states, transitions, finals, depth, complete, broken } = seen;
  const rate = Math.round(states / Math.max(seconds, 0.1));
  const lines = [
    `${scope.name}: ${scope.description}`,
    `${states} states, ${transitions} transitions, ${finals} final, ${depth} moves deep`,
    `${steps} distinct core steps, ${nodeValues} values of nodes; ${memory_mib} MiB`,
    `${seconds} s, ${rate} states a second`,
  ];
  if (broken !== undefined) {
    const walk = walkOf(walkText(scope.name, seen.opened, broken));
    const way = walk.ok ? walkLines(walk.value) : [];
    return [...lines, `${broken.check}: ${broken.message}`, ...way, `repro: ${file}`];
  }
  if (complete) return [...lines, "complete: every state was met, and no law is broken"];
  const end = interrupted ? "interrupted" : "a bound was met";
  return [...lines, `not complete: ${end} ${depth} moves on; no law is broken in any state that was met`];
}

/** How far a walk is; `rate` is that since the last line. */
function progressText({ states, depth }: WalkSeen, rate: number, seconds: number): string {
  const parts = [`${states} states`, `${depth} moves deep`, `${Math.round(rate)} states a second`];
  return [...parts, `${memoryMib()} MiB`, `${Math.round(seconds)} s`].join(", ");
}

function memoryMib(): number {
  return Math.round(process.memoryUsage.rss() / MIB);
}
