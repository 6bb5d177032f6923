/**
 * Stryker's vitest runner, as this product's tests need it: native modules are not safe in worker threads, hence one
 * process, and one for all files, since loading the product costs more than most tests. The judges of the mutated file
 * run in their order and the first failure ends the run. Tests that already fail on the instrumented product (they read
 * sources, say) judge nothing. Not here: which tests judge what (judges.ts).
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { StrykerOptions } from "@stryker-mutator/api/core";
import type { Injector, PluginContext } from "@stryker-mutator/api/plugin";
import { commonTokens, PluginKind, tokens } from "@stryker-mutator/api/plugin";
import type {
  DryRunOptions,
  DryRunResult,
  MutantRunOptions,
  MutantRunResult,
  TestResult,
  TestRunner,
} from "@stryker-mutator/api/test-runner";
import { DryRunStatus, MutantRunStatus, TestStatus } from "@stryker-mutator/api/test-runner";
import { strykerPlugins as vitestPlugins } from "@stryker-mutator/vitest-runner";
import type { TestSpecification, Vitest } from "vitest/node";
import type { Breadth } from "./judges.ts";
import { judgesOfStatic, mirrorTests, NEVER_NAMED } from "./judges.ts";

/** What `npm run mutate` tells the runner, as Stryker's options carry it. */
export interface JudgesOptions {
  /** Every test file that judges any of the mutated files, relative to the repository. */
  readonly tests: readonly string[];
  readonly breadth: Breadth;
}

/** Empties what Stryker counts between two test files of one process. */
const COVERAGE_SETUP = "test/mutation/coverage-setup.ts";

/** Kept in the sandbox, because Stryker starts the runner anew after a time-out. */
const TIMES_FILE = "mutation-times.json";

/** Written by the watchdog when it ends a process. */
const HUNG_FILE = "mutation-hung";

/** How much more than its tests took a mutant may compute, and what loading the product may compute besides. */
const WORK_FACTOR = 3;
const LOADING_MS_MAX = 60_000;

/** Milliseconds without work after which a process waits for what never comes; its tests' own processes need some. */
const IDLE_MS_MAX = 60_000;

/** The tests that judge, with what each took on the product as it is. */
type Times = Readonly<Record<string, number>>;

/** What the runner is built on does not say in its types. */
type VitestRunner = TestRunner & { readonly ctx: Vitest };

export class JudgesRunner implements TestRunner {
  readonly #inner: VitestRunner;
  readonly #options: JudgesOptions;
  #times: Times = {};
  readonly #fileMs = new Map<string, number>();
  /** The mirror of what is mutated now. */
  #mirror: ReadonlySet<string> = new Set();

  constructor(inner: TestRunner, options: JudgesOptions) {
    this.#inner = inner as VitestRunner;
    this.#options = options;
  }

  capabilities() {
    return this.#inner.capabilities();
  }

  async init(): Promise<void> {
    await this.#inner.init?.();
    const { ctx } = this.#inner;
    for (const config of [ctx.config, ...ctx.projects.map((project) => project.config)]) {
      config.pool = "forks";
      config.isolate = false;
      config.maxWorkers = 1;
      config.include = [...this.#options.tests];
      config.setupFiles = [join(process.cwd(), COVERAGE_SETUP), ...config.setupFiles];
    }
    ctx.config.sequence.sequencer = this.#sequencer();
    const start = ctx.start.bind(ctx);
    ctx.start = (files) => {
      for (const { config } of ctx.projects) config.testNamePattern ??= NEVER_NAMED;
      return start(files);
    };
    if (existsSync(TIMES_FILE)) this.#know(JSON.parse(readFileSync(TIMES_FILE, "utf8")) as Times);
  }

  /** Runs every judge once; a failure here says nothing about a mutant, so that test is left out. */
  async dryRun(options: DryRunOptions): Promise<DryRunResult> {
    this.#bail(0);
    this.#inner.ctx.provide("watchdog", null);
    const result = await this.#inner.dryRun(options);
    if (result.status !== DryRunStatus.Complete) return result;
    const sound = result.tests.filter(({ status }) => status === TestStatus.Success);
    for (const { id, failureMessage } of result.tests.filter(isFailure)) {
      console.log(`left out: ${id}: ${failureMessage.split("\n")[0]}`);
    }
    this.#know(Object.fromEntries(sound.map(({ id, timeSpentMs }) => [id, timeSpentMs])));
    writeFileSync(TIMES_FILE, JSON.stringify(this.#times));
    const kept = (id: string) => this.#times[id] !== undefined;
    const perTest = Object.entries(result.mutantCoverage?.perTest ?? {}).filter(([id]) => kept(id));
    const mutantCoverage = { static: result.mutantCoverage?.static ?? {}, perTest: Object.fromEntries(perTest) };
    return { ...result, tests: sound, mutantCoverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const file = relative(process.cwd(), options.sandboxFileName).replaceAll("\\", "/");
    this.#mirror = new Set(mirrorTests(file, this.#options.tests));
    const testFilter = options.testFilter ?? this.#judgingStatic(file);
    this.#bail(1);
    const marker = join(process.cwd(), HUNG_FILE);
    rmSync(marker, { force: true });
    this.#inner.ctx.provide("watchdog", { ...this.#limits(testFilter), marker });
    // A process that is ended from outside is an error to vitest, which it throws.
    const result = await this.#inner.mutantRun({ ...options, testFilter }).catch((error: unknown) => {
      if (!existsSync(marker)) throw error;
      return { status: MutantRunStatus.Timeout } as const;
    });
    if (existsSync(marker)) return { status: MutantRunStatus.Timeout, reason: readFileSync(marker, "utf8") };
    // vitest fails a run that left an error behind, and so would the commit that holds the mutant.
    if (result.status === MutantRunStatus.Error) return killed(result.errorMessage);
    const unloaded = this.#inner.ctx.state.getFiles().find(({ result: ended }) => ended?.state === "fail");
    if (result.status !== MutantRunStatus.Survived || unloaded === undefined) return result;
    // A file that does not load has no tests, and Stryker sees none that failed.
    return killed(`${unloaded.name}: ${unloaded.result?.errors?.[0]?.message}`);
  }

  async dispose(): Promise<void> {
    await this.#inner.dispose?.();
  }

  #bail(failures: number): void {
    const { ctx } = this.#inner;
    for (const config of [ctx.config, ...ctx.projects.map((project) => project.config)]) config.bail = failures;
  }

  /** Tests took this long on the product as it is, by the wall clock, and so computed at most as long. */
  #limits(tests: readonly string[]): { readonly workMs: number; readonly idleMs: number } {
    const tookMs = tests.reduce((sum, id) => sum + (this.#times[id] ?? 0), 0);
    return { workMs: WORK_FACTOR * tookMs + LOADING_MS_MAX, idleMs: IDLE_MS_MAX };
  }

  #judgingStatic(file: string): string[] {
    const judges = new Set(judgesOfStatic(file, this.#options.tests, this.#options.breadth));
    const all = Object.keys(this.#times);
    const chosen = all.filter((id) => judges.has(fileOf(id)));
    return chosen.length > 0 ? chosen : all;
  }

  /** Files in the order of judging: mirrors first, and among equals what takes least. */
  #sequencer() {
    const rank = (spec: TestSpecification): readonly [number, number] => {
      const file = relative(process.cwd(), spec.moduleId).replaceAll("\\", "/");
      return [this.#mirror.has(file) ? 0 : 1, this.#fileMs.get(file) ?? 0];
    };
    return class {
      async shard(specs: TestSpecification[]): Promise<TestSpecification[]> {
        return specs;
      }
      async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
        const ranked = specs.map((spec) => ({ spec, rank: rank(spec) }));
        ranked.sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]);
        return ranked.map(({ spec }) => spec);
      }
    };
  }

  #know(times: Times): void {
    this.#times = times;
    this.#fileMs.clear();
    for (const [id, ms] of Object.entries(times)) {
      this.#fileMs.set(fileOf(id), (this.#fileMs.get(fileOf(id)) ?? 0) + ms);
    }
  }
}

function killed(failureMessage: string): MutantRunResult {
  return { status: MutantRunStatus.Killed, killedBy: [], failureMessage, nrOfTests: 0 };
}

function isFailure(test: TestResult): test is TestResult & { readonly failureMessage: string } {
  return test.status === TestStatus.Failed;
}

function fileOf(testId: string): string {
  return testId.split("#")[0] ?? "";
}

/** Stryker's name for this runner. */
export const JUDGES_RUNNER = "judges";

createJudgesRunner.inject = tokens(commonTokens.injector);
function createJudgesRunner(injector: Injector<PluginContext>): JudgesRunner {
  const [plugin] = vitestPlugins;
  if (plugin === undefined) throw new Error("Stryker's vitest runner holds no plugin");
  const options = injector.resolve(commonTokens.options) as StrykerOptions & { readonly judges: JudgesOptions };
  return new JudgesRunner(injector.injectFunction(plugin.factory), options.judges);
}

export const judgesRunner = { kind: PluginKind.TestRunner, name: JUDGES_RUNNER, factory: createJudgesRunner };
