/**
 * Usage: npm run mutate -- PATH… [--changed REVISION] [--sample N] [--seed S] [--quick | --all-tests] [--fresh]
 *        [--break N] [--out DIR]
 * Plants small bugs into the product below PATH (core, adapters, sim or something in them) and says which of them no
 * test notices. Writes `index.html` and `survivors.txt` to `reports/mutation`, or to the folder of `--out`.
 * `adapters/chain/program` is the program in C, which has a runner of its own and a table, `program.md`.
 * Exit codes: 0 done, 1 score below `--break`, 2 bad usage.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { changedSince, filesBelow, MUTATED_FOLDERS, testFiles } from "./files.ts";
import type { Options } from "./options.ts";
import { optionsOf, USAGE } from "./options.ts";
import type { Shown } from "./report.ts";
import { missedLines, mutationPage, scoreLine, scoreOf } from "./report.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** Sources of the program in C. */
const PROGRAM = "adapters/chain/program";

/** The seed of random cases unless the environment names one: a mutant must meet the same cases every time. */
const CASES_SEED = "20261122";

const asked = optionsOf(process.argv.slice(2));
if (typeof asked === "string") refuse(asked);
else if (asked.paths.some(isProgram)) await mutateTheProgram(asked);
else await mutate(asked);

async function mutate(options: Options): Promise<void> {
  // Native modules write to the error stream otherwise, a line for every account; before anything is loaded.
  process.env.RUST_LOG = "off";
  process.env.OFS_PROFILE ??= "quick";
  process.env.OFS_SEED ??= CASES_SEED;
  const found = filesOf(options);
  if (typeof found === "string") return refuse(found);
  const { mutantsOf, draw } = await import("./draw.ts");
  const { judge } = await import("./stryker.ts");
  const all = await mutantsOf(root, found);
  const mutants = options.sample === undefined ? all : draw(all, options.sample, options.seed);
  console.log(`${mutants.length} of ${all.length} mutants in ${found.length} files${drawn(options)}`);
  const run = { root, mutants, tests: testFiles(root), breadth: options.breadth, fresh: options.fresh };
  show(options, await judge(run));
}

/** The folder of the program, or one of its sources; the TypeScript that builds it is mutated like any other. */
function isProgram(path: string): boolean {
  return path === PROGRAM || (path.startsWith(`${PROGRAM}/`) && !path.endsWith(".ts"));
}

/** The program has mutants and judges of its own. */
async function mutateTheProgram({ paths, sample, seed, fresh, breakBelow, out }: Options): Promise<void> {
  const strange = paths.find((path) => !isProgram(path));
  if (strange !== undefined) return refuse(`${strange} is not of ${PROGRAM}, which is mutated by itself`);
  const files = paths.filter((path) => path !== PROGRAM).map((path) => basename(path));
  const { mutateProgram } = await import("./program/mutate-program.ts");
  const { judgedLine, tableOf } = await import("./program/table.ts");
  const drawn = sample === undefined ? {} : { sample };
  const onJudged = (judged: Parameters<typeof judgedLine>[0], count: number) => {
    console.error(`${count} ${judgedLine(judged)}`);
  };
  const result = await mutateProgram({ seed, fresh, ...drawn, ...(files.length === 0 ? {} : { files }), onJudged });
  const folder = resolve(root, out);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "program.md"), `${tableOf(result)}\n`);
  console.log(`${tableOf(result)}\n\n${join(folder, "program.md")}`);
  process.exitCode = breakBelow !== undefined && result.score * 100 < breakBelow ? 1 : 0;
}

function filesOf({ paths, changed }: Options): readonly string[] | string {
  const files = filesBelow(root, paths.length > 0 ? paths : MUTATED_FOLDERS);
  return typeof files === "string" || changed === undefined ? files : changedSince(root, changed, files);
}

function drawn({ sample, seed }: Options): string {
  return sample === undefined ? "" : `, drawn by seed ${seed}`;
}

function show(options: Options, judged: readonly Shown[]): void {
  const title = `Mutants of ${options.paths.join(", ") || `what differs from ${options.changed}`}${drawn(options)}`;
  const lines = missedLines(judged, root);
  const folder = resolve(root, options.out);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), mutationPage(title, judged, root));
  writeFileSync(join(folder, "survivors.txt"), [title, scoreLine(judged), ...lines, ""].join("\n"));
  for (const line of lines) console.log(line);
  console.log(`\n${scoreLine(judged)}. ${join(folder, "index.html")}`);
  const { percent } = scoreOf(judged);
  process.exitCode = options.breakBelow !== undefined && percent < options.breakBelow ? 1 : 0;
}

function refuse(line: string): void {
  console.error(`${line}. ${USAGE}`);
  process.exitCode = 2;
}
