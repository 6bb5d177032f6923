/**
 * A scenario that is played in a served network: its people do what they do from now on, its faults come and go where
 * they are wanted, and what must come true is looked at when everybody is done. Nodes, links and chain are the
 * network's own. Source: DESIGN section 5 "Phases", section 6 "serve".
 */
import { prepareActions } from "../action-kinds.ts";
import { livenessCheck } from "../check-kinds.ts";
import type { Violation } from "../checker.ts";
import { beginFault, endFault, spanOf } from "../fault-kinds.ts";
import type { FaultData } from "../fault-plans.ts";
import type { FaultMemory, FaultScene } from "../fault-row.ts";
import { below, openStream } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import type { Acting } from "./acting.ts";
import { begin, isDue, resume, sceneOf } from "./acting.ts";
import { fundNewcomers } from "./newcomers.ts";
import type { WorldHost } from "./world-host.ts";

/** Between two looks at what must come true, in milliseconds of the network's. Source: DESIGN "Simulated world". */
const LOOK_MS = 250;

/** What became of a scenario that was played. */
export interface Played {
  /** How long it took, in milliseconds of the network's. */
  readonly took: number;
  /** What kept it from ending as it should, in a line each; nothing when everything came true. */
  readonly kept: readonly string[];
  /** Laws that broke meanwhile. */
  readonly violations: readonly Violation[];
}

/** A fault of the scenario, at instants of the network. */
interface Planned {
  readonly fault: FaultData;
  readonly from: number;
  readonly until: number;
  over: boolean;
  memory: { readonly of: FaultMemory } | undefined;
}

/** Why a scenario cannot be played in a network as it is now, if so; one line. */
export function unfitFor(host: WorldHost, { name, nodesMin, actions, faults }: Scenario, withFaults: boolean) {
  const all = host.world().nodes.length;
  const there = host.nodes().length;
  if (there < all) return `a scenario counts nodes from 0 on, and ${all - there} of ${all} have left`;
  const named = actions.flatMap(({ via }) => via ?? []);
  const needed = Math.max(withFaults ? nodesMin : 1, ...named.map((via) => via + 1));
  if (needed > there) return `${name} needs ${needed} nodes, and the network has ${there}`;
  const strange = withFaults ? faults.find(({ kind }) => kind === "code" || kind === "attacker") : undefined;
  return strange && `a served network knows no fault of kind ${strange.kind}: leave its faults out`;
}

/**
 * Plays it, for so long at most, counted from now; faults that last longer end then. Only within `exclusive`, and where
 * nothing is unfit.
 */
export async function playScenario(
  host: WorldHost,
  scenario: Scenario,
  withFaults: boolean,
  within: number,
): Promise<Played> {
  await prepareActions(scenario.actions);
  await fundNewcomers(host, scenario.participants);
  const { loop, violations } = host.world();
  const [began, before] = [loop.now(), violations.length];
  const faults = withFaults ? plannedFrom(scenario, began) : [];
  const { kept, acting } = await play(host, scenario, faults, began + within);
  const scene = faultScene(host);
  for (const one of faults) await end(scene, one);
  const missing = acting.length > 0 ? acting : await lacking(host, scenario, began + within);
  return {
    took: loop.now() - began,
    kept: [...kept, ...missing],
    violations: violations.slice(before),
  };
}

/** What failed, and who is still under way at the end. */
async function play(host: WorldHost, scenario: Scenario, faults: readonly Planned[], until: number) {
  const { loop } = host.world();
  const began = loop.now();
  const kept: string[] = [];
  const violate = (check: string, message: string) => void kept.push(`${check}: ${message}`);
  const scene = { ...sceneOf(host, began), violate };
  const acting = new Set(scenario.actions.map((action) => begin(host, scene, dealt(host, action), began + action.at)));
  const chain = faultScene(host);
  const isOver = () => acting.size === 0 && faults.every(({ over }) => over);
  while (!isOver() && loop.now() < until) {
    for (const one of faults) await beginOrEnd(chain, one, loop.now());
    for (const one of acting) {
      const failed = isDue(one, loop.now()) ? resume(host, one, acting, began) : undefined;
      if (failed === undefined) continue;
      acting.delete(one);
      if (scenario.provesActions) kept.push(failed);
      else host.world().tell(`in vain: ${failed}`);
    }
    await host.advance(Math.min(until, nextOf(acting, faults, loop.now())), () => isAnswered(acting));
  }
  return { kept, acting: [...acting].map(({ title }) => `${title} is not over`) };
}

/** The node an actor's client talks to: the action's own, or one that the seed deals to the actor. */
function dealt<A extends Scenario["actions"][number]>(host: WorldHost, action: A): A {
  const { seed, nodes } = host.world();
  return { ...action, via: action.via ?? below(openStream(seed, `actor/${action.actor}/via`), 0, nodes.length) };
}

const isAnswered = (acting: ReadonlySet<Acting>) => [...acting].some(({ answer }) => answer !== undefined);

/** The next instant at which somebody goes on, or a fault comes or goes. */
function nextOf(acting: ReadonlySet<Acting>, faults: readonly Planned[], now: number): number {
  const wakes = [...acting].flatMap((one) => one.wakes ?? []);
  return Math.min(...wakes, ...faults.flatMap(({ from, until }) => [from, until].filter((time) => time > now)));
}

function plannedFrom({ faults }: Scenario, began: number): readonly Planned[] {
  return faults.flatMap((fault): readonly Planned[] => {
    if (fault.kind === "code") return [];
    const span = spanOf(fault);
    const [from, until] = [began + span.from, began + span.until];
    const shifted = "at" in fault ? { ...fault, at: from } : { ...fault, from, until };
    return [{ fault: shifted, from, until, memory: undefined, over: false }];
  });
}

function faultScene(host: WorldHost): FaultScene {
  return { world: host.world(), chain: host.live().supply, attackers: new Map() };
}

/** Begins a fault whose time has come, and ends one whose time is over. */
async function beginOrEnd(scene: FaultScene, one: Planned, now: number): Promise<void> {
  if (one.memory === undefined && one.from <= now) one.memory = { of: await beginFault(scene, one.fault) };
  if (one.until <= now) await end(scene, one);
}

async function end(scene: FaultScene, one: Planned): Promise<void> {
  const { memory } = one;
  if (memory === undefined || one.over) return;
  one.over = true;
  if (!("at" in one.fault)) await endFault(scene, one.fault, memory.of);
}

/** What does not come true in time, by the scenario's own checks. */
async function lacking(host: WorldHost, { liveness }: Scenario, until: number): Promise<readonly string[]> {
  const checks = liveness.checks.map(livenessCheck);
  const { loop } = host.world();
  for (;;) {
    const world = { ...host.world(), nodes: host.nodes() };
    const missing = checks.flatMap((check) => {
      const lacks = check.missing(world);
      return lacks === undefined ? [] : [`${check.name}: ${lacks}`];
    });
    if (missing.length === 0 || loop.now() >= until) return missing;
    await host.advance(Math.min(until, loop.now() + LOOK_MS));
  }
}
