/**
 * What Stryker loads of ours: the runner that judges, the list of what is never mutated, and the draw, which turns away
 * every mutant that the seed did not draw, although Stryker makes it because it stands inside one that was drawn.
 */
import type { Checker, CheckResult } from "@stryker-mutator/api/check";
import { CheckStatus } from "@stryker-mutator/api/check";
import type { Mutant, MutantResult, StrykerOptions } from "@stryker-mutator/api/core";
import { commonTokens, declareClassPlugin, declareValuePlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";
import type { Reporter } from "@stryker-mutator/api/report";
import { candidateOf, keyOf } from "./draw.ts";
import { judgedOf } from "./judged.ts";
import { judgesRunner } from "./judges-runner.ts";
import { prose } from "./prose.ts";

export const LINES_REPORTER = "lines";
export const PROSE_IGNORER = "prose";
export const DRAW_CHECKER = "draw";

/** Why a mutant outside the draw is not run; the report leaves these out. */
export const NOT_DRAWN = "not drawn";

/** What `npm run mutate` tells the draw. */
export interface DrawOptions {
  readonly root: string;
  /** The mutants to run, as `keyOf` names them. */
  readonly keys: readonly string[];
}

class Draw implements Checker {
  static readonly inject = tokens(commonTokens.options);
  readonly #keys: ReadonlySet<string>;
  readonly #root: string;

  constructor(options: StrykerOptions) {
    const { keys, root } = drawOf(options);
    this.#keys = new Set(keys);
    this.#root = root;
  }

  async init(): Promise<void> {}

  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#answer(mutant)]));
  }

  #answer(mutant: Mutant): CheckResult {
    const drawn = this.#keys.has(keyOf(candidateOf(mutant, this.#root)));
    return drawn ? { status: CheckStatus.Passed } : { status: CheckStatus.CompileError, reason: NOT_DRAWN };
  }
}

function drawOf(options: StrykerOptions): DrawOptions {
  return (options as StrykerOptions & { readonly draw: DrawOptions }).draw;
}

/** Says what became of each mutant the moment it is known. */
class Lines implements Reporter {
  static readonly inject = tokens(commonTokens.options);
  readonly #count: number;
  #done = 0;

  constructor(options: StrykerOptions) {
    this.#count = drawOf(options).keys.length;
  }

  onMutantTested(result: MutantResult): void {
    if (result.status === "Ignored" || result.status === "CompileError") return;
    this.#done += 1;
    const { file, start, mutator, verdict, killedBy } = judgedOf(result, process.cwd());
    const by = killedBy === "" ? "" : ` by ${killedBy.replaceAll("\n", " ")}`;
    console.log(`${this.#done}/${this.#count} ${verdict}: ${file}:${start.line}:${start.column} ${mutator}${by}`);
  }
}

export const strykerPlugins = [
  judgesRunner,
  declareValuePlugin(PluginKind.Ignore, PROSE_IGNORER, prose),
  declareClassPlugin(PluginKind.Checker, DRAW_CHECKER, Draw),
  declareClassPlugin(PluginKind.Reporter, LINES_REPORTER, Lines),
];

/** Stryker refuses options that no plugin knows. */
export const strykerValidationSchema = {
  type: "object",
  properties: { judges: { type: "object" }, draw: { type: "object" }, vitest: { type: "object" } },
};
