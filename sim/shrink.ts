/**
 * Makes a run that breaks a law smaller and keeps the law broken: without faults, actions, attackers, nodes, people,
 * roles, parts of what actions and faults hold and time that it does not need, until nothing more can be left out. What
 * is tried is a function of the run alone, so the same run always shrinks to the same. Source: DESIGN section 5
 * "Failure"; Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input" (2002).
 */
import { toHex } from "../core/index.ts";
import { spanOf } from "./fault-kinds.ts";
import { healthyLink } from "./links.ts";
import type { RunReport } from "./report.ts";
import { sha256 } from "./runtime.ts";
import type { Scenario } from "./scenario.ts";
import { senseless } from "./scenario.ts";
import type { RunBound } from "./setup.ts";
import { contentsOf, lesserOf, peopleOf, textOf, withContent, withoutNodes, withoutPeople } from "./shrink-parts.ts";
import { closer, instantsOf } from "./shrink-time.ts";

/** A run that broke a law. */
export interface Broken {
  readonly scenario: Scenario;
  readonly report: RunReport;
}

/** What a shrinker may do. */
export interface ShrinkOptions {
  /** Plays a scenario with the options of the run that broke, as far as that may be of use. */
  readonly play: (scenario: Scenario, until: RunBound) => Promise<RunReport>;
  /** Runs that are tried at most. */
  readonly tries: number;
  /** Waited for before each run, so that others have their turn; whether the search is to end there. */
  readonly pause?: (() => Promise<boolean>) | undefined;
  /** Told whenever something was left out. */
  readonly smaller?: (broken: Broken, tried: number) => void;
}

/** What is left, and how many runs that took. */
export interface Shrunk {
  readonly broken: Broken;
  readonly tried: number;
  /** Whether everything was tried; otherwise something may still be left out. */
  readonly whole: boolean;
}

/** How close things may come to each other in time, and how short they may get: what is left is to be read. */
const STEP_MS = 1_000;
/**
 * How long the world goes on, where it did, after what begins and ends in it: a run that ended with its violation would
 * not come to it under other code, where everything is a few milliseconds later.
 */
const REST_MS = 5_000;
/** Gaps that are tried between all things at once, before any one of them is looked at. */
const GAPS_MS = [STEP_MS, 8 * STEP_MS, 64 * STEP_MS];
/**
 * How much later than before the law may break in what is tried, and how many more events that may take: a run without
 * the part that mattered would go on to its end and come right, which takes most of the time. Source: DESIGN "Measured
 * values".
 */
const LATER_MS = 2_000;
const LATER_PARTS = 4;
const TIMES_EVENTS = 2;
const MORE_EVENTS = 1_000;

interface Search {
  readonly options: ShrinkOptions;
  readonly law: string;
  /** What was tried in vain: the last round over all passes costs no run. */
  readonly vain: Set<string>;
  readonly nameOf: (code: object) => string;
  broken: Broken;
  tried: number;
  isEnded: boolean;
}

/** The smallest run that the tries find in which the first law that the run broke is broken. */
export async function shrink(broken: Broken, options: ShrinkOptions): Promise<Shrunk> {
  const [violation] = broken.report.violations;
  if (violation === undefined) throw new RangeError(`${broken.scenario.name} broke no law`);
  // What tests play of a scenario is no part of its run, and must not outlast what is left.
  const { excerpt: _, ...scenario } = broken.scenario;
  const search: Search = {
    ...{ options, law: violation.check, broken: { ...broken, scenario }, tried: 0, isEnded: false },
    ...{ vain: new Set(), nameOf: openNames() },
  };
  for (let pieces = 1; !isSpent(search); ) {
    const before = search.broken;
    const isFinest = pieces >= longestOf(before.scenario);
    for (const pass of isFinest ? [...passes, ...finePasses] : passes) await pass(search, pieces);
    if (search.broken !== before) continue;
    if (isFinest) break;
    pieces *= 2;
  }
  return { broken: search.broken, tried: search.tried, whole: !isSpent(search) };
}

/** Leaves out as many things at once as there are in one of so many pieces, or more. */
type Pass = (search: Search, pieces: number) => Promise<void>;

const lists = ["gossipOnly", "confirmed", "older", "fileMakers", "participants", "lookupTables"] as const;

/** What makes every later run cheaper comes first, and everywhere large pieces come before small ones anywhere. */
const passes: readonly Pass[] = [
  // What comes after the violation cannot have caused it.
  (search) => attempt(search, cutOff(search.broken)),
  fewerNodes,
  (search, pieces) => fewer(search, "faults", pieces),
  quicker,
  fewerPeople,
  (search, pieces) => fewer(search, "actions", pieces),
  (search, pieces) => fewer(search, "safety", pieces),
  ...lists.map(
    (member): Pass =>
      (search, pieces) =>
        fewer(search, member, pieces),
  ),
  (search) => attempt(search, { ...search.broken.scenario, conditions: healthyLink }),
];

/** Many runs for little: once nothing whole can be left out any more. */
const finePasses: readonly Pass[] = [rarerAttacks, shorterFaults, lessContent, sooner];

function longestOf(scenario: Scenario): number {
  const { nodes, safety, actions, faults } = scenario;
  return Math.max(nodes, safety.length, actions.length, faults.length, peopleOf(scenario).length);
}

/** Without the items of a list that are not needed, by ever smaller pieces. */
async function fewer<K extends ListMember>(search: Search, member: K, pieces: number): Promise<void> {
  const length = () => search.broken.scenario[member].length;
  for (const size of sizesOf(length(), pieces)) {
    for (let from = 0; from < length(); ) {
      const before = length();
      const { scenario } = search.broken;
      const left = (scenario[member] as readonly unknown[]).filter((_, place) => place < from || place >= from + size);
      await attempt(search, { ...scenario, [member]: left });
      // What follows a piece that was left out has taken its place.
      if (length() === before) from += size;
      if (isSpent(search)) return;
    }
  }
}

type ListMember = "faults" | "actions" | "safety" | (typeof lists)[number];

/** How many of so many are left out at once: all of them, a half, and so on to one of so many pieces. */
function sizesOf(length: number, pieces: number): readonly number[] {
  const sizes: number[] = [];
  for (let parts = 1; parts <= pieces && parts <= length; parts *= 2) sizes.push(Math.floor(length / parts));
  return sizes;
}

/** Without nodes that are not needed, by ever smaller pieces, the last ones first. */
async function fewerNodes(search: Search, pieces: number): Promise<void> {
  const nodes = () => search.broken.scenario.nodes;
  for (const size of sizesOf(nodes() - 1, pieces)) {
    for (let from = nodes() - size; from >= 0 && !isSpent(search); from -= size) {
      if (nodes() > size) await attempt(search, withoutNodes(search.broken.scenario, from, size));
    }
  }
}

/** Without people who are not needed, with all that they do, by ever smaller pieces. */
async function fewerPeople(search: Search, pieces: number): Promise<void> {
  const people = () => peopleOf(search.broken.scenario);
  for (const size of sizesOf(people().length, pieces)) {
    for (let from = 0; from < people().length && !isSpent(search); ) {
      const before = people().length;
      await attempt(search, withoutPeople(search.broken.scenario, people().slice(from, from + size)));
      if (people().length === before) from += size;
    }
  }
}

/** Without parts of what actions and faults say; whoever says the same says less of it too. */
async function lessContent(search: Search): Promise<void> {
  const tried = new Set<string>();
  const next = () => contentsOf(search.broken.scenario).find((content) => !tried.has(textOf(content)));
  for (let content = next(); content !== undefined && !isSpent(search); content = next()) {
    tried.add(textOf(content));
    for (const lesser of lesserOf(content)) {
      const { scenario } = search.broken;
      await attempt(search, withContent(scenario, content, lesser));
      // What is left of it is another value, with parts of its own.
      if (search.broken.scenario !== scenario) break;
    }
  }
}

/** Everything happens sooner after what comes before it. */
async function quicker(search: Search): Promise<void> {
  for (const gap of GAPS_MS) {
    const { scenario } = search.broken;
    await attempt(search, closer(scenario, gap));
    if (search.broken.scenario !== scenario) return;
  }
}

/** Things happen sooner after each other, one after the other, and the world is left alone sooner. */
async function sooner(search: Search): Promise<void> {
  const gapAt = (place: number) => {
    const instants = instantsOf(search.broken.scenario);
    return (instants[place] ?? 0) - (instants[place - 1] ?? 0);
  };
  for (let place = 1; place < instantsOf(search.broken.scenario).length; place++) {
    for (let gap = STEP_MS; gap < gapAt(place) && !isSpent(search); gap *= 8) {
      await attempt(search, closer(search.broken.scenario, gap, place));
    }
  }
  const last = instantsOf(search.broken.scenario).at(-1) ?? 0;
  for (let rest = REST_MS; last + rest < search.broken.scenario.lasts && !isSpent(search); rest *= 4) {
    await attempt(search, { ...search.broken.scenario, lasts: last + rest });
  }
}

/** Attackers act once where that is enough. */
async function rarerAttacks(search: Search): Promise<void> {
  await eachFault(search, (fault) =>
    fault.kind === "attacker" && fault.times > 1 ? { ...fault, times: Math.floor(fault.times / 2) } : undefined,
  );
}

/** What lasts ends earlier. */
async function shorterFaults(search: Search): Promise<void> {
  await eachFault(search, (fault) => {
    const { from, until } = spanOf(fault);
    const half = Math.floor((until - from) / 2);
    return "until" in fault && half >= STEP_MS ? { ...fault, until: from + half } : undefined;
  });
}

type Fault = Scenario["faults"][number];

async function eachFault(search: Search, changed: (fault: Fault) => Fault | undefined): Promise<void> {
  for (let place = 0; place < search.broken.scenario.faults.length; place++) {
    for (let goesOn = true; goesOn && !isSpent(search); ) {
      const { scenario } = search.broken;
      const fault = scenario.faults[place];
      const other = fault && changed(fault);
      if (other === undefined) break;
      await attempt(search, { ...scenario, faults: scenario.faults.with(place, other) });
      goesOn = search.broken.scenario !== scenario;
    }
  }
}

/** Nothing begins after the violation, and the world is left alone soon. */
function cutOff({ scenario, report }: Broken): Scenario {
  const end = report.violations[0]?.time ?? scenario.lasts;
  const actions = scenario.actions.filter(({ at }) => at <= end);
  const faults = scenario.faults.filter((fault) => spanOf(fault).from <= end);
  const lasts = Math.max(end, ...faults.map((fault) => spanOf(fault).until));
  return { ...scenario, actions, faults, lasts: Math.min(scenario.lasts, lasts + REST_MS) };
}

/** Takes a scenario in place of the one that broke, if it breaks the same law. */
async function attempt(search: Search, scenario: Scenario): Promise<void> {
  if (isSpent(search) || senseless(scenario) !== undefined) return;
  if (textOf(scenario) === textOf(search.broken.scenario)) return;
  const key = keyOf(scenario, search.nameOf);
  if (search.vain.has(key)) return;
  search.isEnded = (await search.options.pause?.()) === true;
  if (search.isEnded) return;
  search.tried += 1;
  const report = await search.options.play(scenario, boundOf(search.broken.report));
  if (report.violations[0]?.check !== search.law) {
    search.vain.add(key);
    return;
  }
  search.broken = { scenario, report };
  search.options.smaller?.(search.broken, search.tried);
}

/** How far a run may go that is to break what the report says. */
function boundOf({ violations: [violation], events }: RunReport): RunBound {
  const time = violation?.time ?? 0;
  return { time: time + Math.floor(time / LATER_PARTS) + LATER_MS, events: TIMES_EVENTS * events + MORE_EVENTS };
}

function isSpent({ tried, options, isEnded }: Search): boolean {
  return isEnded || tried >= options.tries;
}

/** Equal for equal scenarios; code is equal to itself alone. */
function keyOf(scenario: Scenario, nameOf: (code: object) => string): string {
  const text = JSON.stringify(scenario, (_, inner: unknown) => {
    if (typeof inner === "bigint") return `${inner}`;
    return typeof inner === "function" ? nameOf(inner) : inner;
  });
  return toHex(sha256(Buffer.from(text)));
}

function openNames(): (code: object) => string {
  const names = new Map<object, string>();
  return (code) => {
    const name = names.get(code) ?? `code ${names.size}`;
    names.set(code, name);
    return name;
  };
}
