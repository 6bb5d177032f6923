/**
 * Mutation testing of the on-chain program: small wrong changes of its C sources, drawn by seed, compiled as the
 * program is, and tried against its suites. A mutant whose program has the same bytes as the original, or as a mutant
 * before it, is not counted; one that the compiler refuses neither; one marked equivalent is counted apart.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildProgram, programPath } from "../../../adapters/chain/program/build.ts";
import type { CSource } from "./c-source.ts";
import { readSource } from "./c-source.ts";
import { equivalentsOf } from "./equivalents.ts";
import type { Judges } from "./judges.ts";
import { openJudges } from "./judges.ts";
import type { Mutant } from "./mutants.ts";
import { drawn, mutantsOf, mutated } from "./mutants.ts";
import { recordingsOf } from "./record.ts";
import type { Verdicts } from "./verdicts.ts";
import { hashOf, hashOfFiles, hashOfTests, openVerdicts } from "./verdicts.ts";

export interface MutateProgramOptions {
  readonly seed: number;
  /** How many mutants count; all when absent. */
  readonly sample?: number;
  /** Only mutants of these files, by name. */
  readonly files?: readonly string[];
  /** Whether earlier verdicts are left alone. */
  readonly fresh?: boolean;
  /** Hears of each mutant as it is judged. */
  readonly onJudged?: (judged: Judged, count: number) => void;
}

export type Verdict =
  | { readonly type: "killed"; readonly by: string }
  | { readonly type: "survived" }
  | { readonly type: "equivalent"; readonly reason: string };

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

export interface ProgramMutation {
  /** Mutants there are in all, counted ones and others. */
  readonly mutants: number;
  readonly judged: readonly Judged[];
  /** Killed of those that are killed or survived, 0 to 1. */
  readonly score: number;
}

const folder = dirname(programPath);
const NOT_COMPILED = "not compiled";
const SURVIVED = "survived";

/** Draws mutants until `sample` of them were tried, and says what became of each. */
export async function mutateProgram(options: MutateProgramOptions): Promise<ProgramMutation> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".c"));
  const sources = names.map((name) => readSource(name, readFileSync(join(folder, name), "utf8")));
  const mutants = mutantsOf(sources);
  const marked = new Map(sources.flatMap((source) => [...equivalentsOf(source, mutants)]));
  const wanted = mutants.filter(({ file }) => options.files?.includes(file) ?? true);
  const bench = openBench(sources, options.fresh === true);
  const judged: Judged[] = [];
  const seen = new Set([hashOf(new Uint8Array(readFileSync(programPath)))]);
  let tried = 0;
  try {
    for (const mutant of drawn(wanted, options.seed)) {
      if (tried >= (options.sample ?? Number.POSITIVE_INFINITY)) break;
      const reason = marked.get(mutant.id);
      const verdict = reason === undefined ? await bench.judge(mutant, seen) : equivalent(reason);
      if (verdict === undefined) continue;
      if (verdict.type !== "equivalent") tried += 1;
      judged.push({ mutant, verdict });
      options.onJudged?.({ mutant, verdict }, tried);
    }
  } finally {
    bench.close();
  }
  const killed = judged.filter(({ verdict }) => verdict.type === "killed").length;
  return { mutants: wanted.length, judged, score: tried === 0 ? 1 : killed / tried };
}

function equivalent(reason: string): Verdict {
  return { type: "equivalent", reason };
}

/** Compiles and tries mutants, and remembers. */
function openBench(sources: readonly CSource[], fresh: boolean) {
  const verdicts = openVerdicts(fresh);
  const all = hashOf(...sources.flatMap(({ file, text }) => [file, text]));
  const scratch = mkdtempSync(join(tmpdir(), "program-mutants-"));
  cpSync(folder, scratch, { recursive: true });
  let judges: (Judges & { readonly asked: string }) | undefined;
  return {
    /** Nothing when the mutant is not counted: refused by the compiler, or no program of its own. */
    judge: async (mutant: Mutant, seen: Set<string>): Promise<Verdict | undefined> => {
      const source = sources.find(({ file }) => file === mutant.file);
      if (source === undefined) throw new Error(`no source ${mutant.file}`);
      const compile = () => compiled(scratch, source, mutant);
      const program = programOf(verdicts, hashOf(all, mutant.id), compile);
      if (program.hash === NOT_COMPILED || seen.has(program.hash)) return undefined;
      seen.add(program.hash);
      judges ??= await checkedJudges();
      const key = hashOf(program.hash, judges.asked);
      const known = verdicts.get(key);
      if (known !== undefined) return verdictOf(known);
      const bytes = program.bytes ?? compile() ?? new Uint8Array(0);
      const found = (await judges.judge(bytes)) ?? SURVIVED;
      verdicts.set(key, found);
      return verdictOf(found);
    },
    close: () => {
      judges?.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Judges by the suites' recordings, which the program as it is must repeat. */
async function checkedJudges(): Promise<Judges & { readonly asked: string }> {
  const folder = await recordingsOf(hashOfTests());
  const judges = openJudges(folder);
  const different = await judges.judge(new Uint8Array(readFileSync(programPath)));
  if (different === null) return { ...judges, asked: hashOfFiles(folder) };
  judges.close();
  throw new Error(`the program itself does not repeat its recording: ${different}`);
}

function verdictOf(found: string): Verdict {
  return found === SURVIVED ? { type: "survived" } : { type: "killed", by: found };
}

/** The hash of a mutant's program, remembered or compiled now. */
function programOf(verdicts: Verdicts, key: string, compile: () => Uint8Array | undefined) {
  const known = verdicts.get(key);
  if (known !== undefined) return { hash: known, bytes: undefined };
  const bytes = compile();
  const hash = bytes === undefined ? NOT_COMPILED : hashOf(bytes);
  verdicts.set(key, hash);
  return { hash, bytes };
}

/** The mutant's program; nothing when the compiler or the linker refuses it. Its warnings are no refusals. */
function compiled(scratch: string, source: CSource, mutant: Mutant): Uint8Array | undefined {
  const path = join(scratch, source.file);
  writeFileSync(path, mutated(source, mutant));
  try {
    return buildProgram(scratch, "-w");
  } catch {
    return undefined;
  } finally {
    writeFileSync(path, source.text);
  }
}
