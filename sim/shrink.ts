/**
 * Makes a run that breaks a law smaller and keeps the law broken: without faults, actions, attackers, nodes, roles and
 * time that it does not need, until nothing more can be left out. What is tried is a function of the run alone, so the
 * same run always shrinks to the same. Source: DESIGN section 5 "Failure"; Zeller, Hildebrandt, "Simplifying and
 * isolating failure-inducing input" (2002).
 */
import { senselessAction } from "./action-kinds.ts";
import { senselessFault, spanOf } from "./fault-kinds.ts";
import { healthyLink } from "./links.ts";
import type { RunReport } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { senseless } from "./scenario.ts";

/** A run that broke a law. */
export interface Broken {
  readonly scenario: Scenario;
  readonly report: RunReport;
}

/** What a shrinker may do. */
export interface ShrinkOptions {
  /** Plays a scenario with the options of the run that broke. */
  readonly play: (scenario: Scenario) => Promise<RunReport>;
  /** Runs that are tried at most. */
  readonly tries: number;
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

interface Search {
  readonly options: ShrinkOptions;
  readonly law: string;
  broken: Broken;
  tried: number;
}

/** The smallest run that the tries find in which the first law that the run broke is broken. */
export async function shrink(broken: Broken, options: ShrinkOptions): Promise<Shrunk> {
  const [violation] = broken.report.violations;
  if (violation === undefined) throw new RangeError(`${broken.scenario.name} broke no law`);
  const search: Search = { options, law: violation.check, broken, tried: 0 };
  for (let before = ""; before !== textOf(search.broken); ) {
    before = textOf(search.broken);
    for (const pass of passes) await pass(search);
  }
  return { broken: search.broken, tried: search.tried, whole: search.tried < options.tries };
}

type Pass = (search: Search) => Promise<void>;

const passes: readonly Pass[] = [
  // What comes after the violation cannot have caused it.
  (search) => attempt(search, cutOff(search.broken)),
  (search) => fewer(search, "faults"),
  (search) => fewer(search, "actions"),
  (search) => fewer(search, "safety"),
  fewerNodes,
  ...(["gossipOnly", "confirmed", "older", "participants"] as const).map(
    (member): Pass =>
      (search) =>
        fewer(search, member),
  ),
  (search) => attempt(search, { ...search.broken.scenario, conditions: healthyLink }),
  rarerAttacks,
  shorterFaults,
];

/** Without the items of a list that are not needed, by ever smaller pieces. */
async function fewer<K extends ListMember>(search: Search, member: K): Promise<void> {
  const length = () => search.broken.scenario[member].length;
  for (let size = Math.max(1, length()); size >= 1; size = Math.floor(size / 2)) {
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

type ListMember = "faults" | "actions" | "safety" | "gossipOnly" | "confirmed" | "older" | "participants";

/** The last node is left out; who talked to it talks to the first, and faults that name it are gone. */
async function fewerNodes(search: Search): Promise<void> {
  while (search.broken.scenario.nodes > 1 && !isSpent(search)) {
    const { scenario } = search.broken;
    const nodes = scenario.nodes - 1;
    await attempt(search, withNodes(scenario, nodes));
    if (search.broken.scenario.nodes > nodes) return;
  }
}

function withNodes(scenario: Scenario, nodes: number): Scenario {
  const isThere = (node: number) => node < nodes;
  const { actions, faults, gossipOnly, confirmed, older } = scenario;
  return {
    ...scenario,
    ...{ nodes, nodesMin: Math.min(scenario.nodesMin, nodes) },
    ...{ gossipOnly: gossipOnly.filter(isThere), confirmed: confirmed.filter(isThere), older: older.filter(isThere) },
    actions: actions
      .map((action) => (action.via === undefined || isThere(action.via) ? action : { ...action, via: 0 }))
      .filter((action) => senselessAction(action, "", nodes) === undefined),
    faults: faults.filter((fault) => senselessFault(fault, nodes) === undefined),
  };
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
    return "until" in fault && half > 0 ? { ...fault, until: from + half } : undefined;
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

/** Nothing begins after the violation, and the world is left alone then. */
function cutOff({ scenario, report }: Broken): Scenario {
  const end = report.violations[0]?.time ?? scenario.lasts;
  const actions = scenario.actions.filter(({ at }) => at <= end);
  const faults = scenario.faults.filter((fault) => spanOf(fault).from <= end);
  const lasts = Math.max(end, ...faults.map((fault) => spanOf(fault).until));
  return { ...scenario, actions, faults, lasts: Math.min(scenario.lasts, lasts) };
}

/** Takes a scenario in place of the one that broke, if it breaks the same law. */
async function attempt(search: Search, scenario: Scenario): Promise<void> {
  if (isSpent(search) || senseless(scenario) !== undefined) return;
  if (textOf({ scenario }) === textOf(search.broken)) return;
  search.tried += 1;
  const report = await search.options.play(scenario);
  if (report.violations[0]?.check !== search.law) return;
  search.broken = { scenario, report };
  search.options.smaller?.(search.broken, search.tried);
}

function isSpent({ tried, options }: Search): boolean {
  return tried >= options.tries;
}

/** Equal for equal scenarios. */
function textOf({ scenario }: Pick<Broken, "scenario">): string {
  return JSON.stringify(scenario, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}
