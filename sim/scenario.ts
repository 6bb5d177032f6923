/**
 * Scenarios: situations as data. Who does what and when, what breaks meanwhile, what must hold throughout, and what
 * must come true once everything works again. Source: DESIGN section 5 "Everything is data", "Phases".
 */

import type { Action } from "./action-kinds.ts";
import { senselessAction } from "./action-kinds.ts";
import type { ExecutorName } from "./chain/executor.ts";
import { EndingData, LivenessData, SafetyData } from "./check-kinds.ts";
import type { MakeChecker } from "./checker.ts";
import { clockText } from "./clock-text.ts";
import { checked } from "./data/plain.ts";
import type { Ending } from "./endings.ts";
import { senselessFault, spanOf } from "./fault-kinds.ts";
import type { FaultPlan } from "./fault-plans.ts";
import { FaultData } from "./fault-plans.ts";
import type { LinkConditions } from "./links.ts";
import { healthyLink } from "./links.ts";
import type { LivenessCheck } from "./liveness.ts";
import type { StoryLine, World } from "./world.ts";

/** Where a chain comes from; `none` leaves every node gossip-only. */
export type ChainChoice = ExecutorName | "none";

/** Someone with an account on the chain from the first day. */
export interface Participant {
  readonly name: string;
  /** Merchants get a vault to pay arbitration deposits from. */
  readonly merchant?: boolean;
  /** OPEN base units staked as an arbitrator. */
  readonly arbitratorStake?: bigint;
  /** OPEN base units in the purse; as many as everybody has when absent. */
  readonly openTokens?: bigint;
}

/** What is played of a scenario that takes minutes of a processor, where only seconds can be spent. */
export interface Excerpt {
  /** Its first nodes. */
  readonly nodes: number;
  /** Its beginning, in virtual milliseconds. */
  readonly lasts: number;
}

/** A situation as data: a network, people, faults, and what must hold. */
export interface Scenario {
  readonly name: string;
  /** One line for `list`. */
  readonly description: string;
  /** The specification it exercises. */
  readonly source: string;
  readonly nodes: number;
  /** The fewest nodes with which its actions and faults make sense. */
  readonly nodesMin: number;
  readonly chain: ChainChoice;
  /** Nodes without an endpoint of their own, by index, where the others have one. */
  readonly gossipOnly: readonly number[];
  /** Nodes that take chain facts when they are confirmed, and undo what a fork drops; others wait for finality. */
  readonly confirmed: readonly number[];
  /** Nodes that speak to their clients as older nodes do. */
  readonly older: readonly number[];
  /** Nodes that make a file of what they know every minute, from which a node without history starts. */
  readonly fileMakers: readonly number[];
  /** Virtual milliseconds in which its nodes start one after the other, in equal steps; at most what it lasts. */
  readonly startsWithin: number;
  /** Everyone of the actions is in it; named here is who needs more than an account. */
  readonly participants: readonly Participant[];
  /** Reservations of which a lookup table on the chain lists escrow and case, for who would have them looked up. */
  readonly lookupTables: readonly bigint[];
  readonly conditions: LinkConditions;
  readonly actions: readonly Action[];
  readonly faults: readonly FaultPlan[];
  /** Whether each declared kind of fault must have changed something, which faults that are drawn may not. */
  readonly provesFaults: boolean;
  /** Whether everybody must come to the end of what they do, in time; people who are drawn get in each other's way. */
  readonly provesActions: boolean;
  /** Virtual milliseconds of the phase under faults; at least as long as the last fault. */
  readonly lasts: number;
  readonly safety: readonly (SafetyData | MakeChecker)[];
  readonly liveness: { readonly within: number; readonly checks: readonly (LivenessData | LivenessCheck)[] };
  /** The part of it that tests and `ofs-sim verify` play; all of it when absent. */
  readonly excerpt?: Excerpt;
  /** What the nodes came to, for the end of the report. */
  readonly ending: EndingData | ((world: World) => Ending);
}

type Required = "name" | "description" | "source" | "nodes";
/** A scenario as its file writes it: what is left out has the value that most want. */
export type ScenarioPlan = Pick<Scenario, Required> & Partial<Omit<Scenario, Required>>;

/** Nodes do not all start at the same instant. Source: DESIGN "Simulated world". */
const STARTS_WITHIN_MS = 500;
/** How long the world is left alone after the last action or fault has begun. Source: DESIGN "Simulated world". */
const AFTERMATH_MS = 10_000;
/** How long liveness may take when a scenario does not say. Source: DESIGN "Simulated world". */
const LIVENESS_MS = 5 * 60_000;

/** A whole scenario of what its author says, with the usual rest. */
export function defineScenario(plan: ScenarioPlan): Scenario {
  const actions = plan.actions ?? [];
  const faults = plan.faults ?? [];
  const last = lastOf({ actions, faults });
  const named = plan.participants ?? [];
  const others = new Set(actions.map((action) => action.actor));
  for (const { name } of named) others.delete(name);
  const scenario: Scenario = {
    nodesMin: faults.length > 0 ? plan.nodes : 1,
    chain: "none",
    gossipOnly: [],
    confirmed: [],
    older: [],
    fileMakers: [],
    startsWithin: STARTS_WITHIN_MS,
    lookupTables: [],
    provesFaults: true,
    provesActions: true,
    conditions: healthyLink,
    lasts: last + AFTERMATH_MS,
    safety: [],
    liveness: { within: LIVENESS_MS, checks: [] },
    ending: { kind: "roots" },
    ...plan,
    actions,
    faults,
    participants: [...named, ...[...others].map((name) => ({ name }))],
  };
  const problem = senseless(scenario);
  if (problem !== undefined) throw new RangeError(problem);
  return scenario;
}

/** Why a scenario cannot mean what it says, if so: one line that names the member. */
export function senseless(scenario: Scenario): string | undefined {
  const last = lastOf(scenario);
  const { name, nodes, lasts, actions, faults, gossipOnly, confirmed, older, fileMakers } = scenario;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return `${name} is no kebab-case name`;
  if (nodes < 1) return `${name} needs a node`;
  if (lasts < last) return `${name}: something begins after ${lasts} ms`;
  const isThere = (node: number | undefined) =>
    node === undefined || (Number.isInteger(node) && node >= 0 && node < nodes);
  for (const [member, indexes] of Object.entries({ gossipOnly, confirmed, older, fileMakers })) {
    const missing = indexes.find((node) => !isThere(node));
    if (missing !== undefined) return `${name}: ${member}: ${noNode(missing, nodes)}`;
  }
  for (const [place, action] of actions.entries()) {
    const found = senselessAction(action, `actions[${place}]`, nodes);
    if (found !== undefined) return `${name}: ${found}`;
  }
  const { safety, liveness, ending } = scenario;
  for (const [place, check] of safety.entries()) {
    const misfits = typeof check === "function" ? undefined : checked(SafetyData, check, `safety[${place}]`);
    if (misfits?.ok === false) return `${name}: ${misfits.error}`;
  }
  for (const [place, check] of liveness.checks.entries()) {
    const misfits = "missing" in check ? undefined : checked(LivenessData, check, `liveness.checks[${place}]`);
    if (misfits?.ok === false) return `${name}: ${misfits.error}`;
  }
  const { excerpt } = scenario;
  if (excerpt !== undefined && (excerpt.nodes > nodes || excerpt.lasts > lasts)) {
    return `${name}: excerpt: an excerpt is no more than the whole`;
  }
  const table = typeof ending === "function" ? undefined : checked(EndingData, ending, "ending");
  if (table?.ok === false) return `${name}: ${table.error}`;
  for (const [place, fault] of faults.entries()) {
    const misfits = fault.kind === "code" ? undefined : checked(FaultData, fault, `faults[${place}]`);
    if (misfits?.ok === false) return `${name}: ${misfits.error}`;
    const found = senselessFault(fault, nodes);
    if (found !== undefined) return `${name}: faults[${place}]: ${found}`;
  }
  return undefined;
}

/**
 * What tests play: of a scenario with an excerpt its first nodes for so long, with the actions and faults that begin
 * and end there; any other scenario as it is.
 */
export function excerptOf(scenario: Scenario): Scenario {
  const { excerpt, ...whole } = scenario;
  if (excerpt === undefined) return scenario;
  const { nodes, lasts } = excerpt;
  const isThere = (node: number) => node < nodes;
  return {
    ...whole,
    ...{ nodes, lasts, nodesMin: Math.min(nodes, scenario.nodesMin) },
    gossipOnly: scenario.gossipOnly.filter(isThere),
    confirmed: scenario.confirmed.filter(isThere),
    older: scenario.older.filter(isThere),
    fileMakers: scenario.fileMakers.filter(isThere),
    actions: scenario.actions.filter(
      (action) => action.at < lasts && senselessAction(action, "action", nodes) === undefined,
    ),
    faults: scenario.faults.filter(
      (fault) => spanOf(fault).until <= lasts && senselessFault(fault, nodes) === undefined,
    ),
  };
}

/** When the last action or fault has begun or ended. */
function lastOf({ actions, faults }: Pick<Scenario, "actions" | "faults">): number {
  return Math.max(0, ...actions.map((action) => action.at), ...faults.map((fault) => spanOf(fault).until));
}

function noNode(missing: number | undefined, nodes: number): string {
  return `there is no node ${missing}; nodes are 0 to ${nodes - 1}`;
}

/** Seconds in milliseconds. */
export const seconds = (count: number): number => count * 1_000;
/** Minutes in milliseconds. */
export const minutes = (count: number): number => count * 60_000;
/** Hours in milliseconds. */
export const hours = (count: number): number => count * 3_600_000;

/** A line of the story as people read it. */
export function storyText({ time, text }: StoryLine): string {
  return `${clockText(time)}  ${text}`;
}
