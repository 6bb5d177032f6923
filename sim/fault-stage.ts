/**
 * Puts the faults of a scenario on the stage of a world: each begins and ends at its time, and what has not ended by
 * then ends when everything is healed. Source: DESIGN section 5 "Phases", "Faults".
 */
import type { ChainFaults } from "./chain-faults.ts";
import type { Part } from "./clock.ts";
import { actFault, beginFault, endFault, injectedBy, resumeFault, spanOf, timesOf } from "./fault-kinds.ts";
import type { FaultData, FaultPlan } from "./fault-plans.ts";
import type { FaultMemory, FaultScene } from "./fault-row.ts";
import type { World } from "./world.ts";

export interface FaultStage {
  /** Ends what is still going on. */
  heal(): Promise<void>;
}

/** A fault that began, how often it acted, and whether it was taken back. */
interface Begun {
  readonly memory: FaultMemory;
  acted: number;
  over: boolean;
}

interface HeldFaultStage {
  /** By place among the faults: one value may be declared twice. */
  readonly begun: Map<number, Begun>;
}

type FaultDue =
  | { readonly kind: "begins"; readonly place: number }
  | { readonly kind: "ends"; readonly place: number }
  | { readonly kind: "acts"; readonly place: number; readonly time: number };

interface Stand {
  readonly scene: FaultScene;
  readonly faults: readonly FaultPlan[];
  readonly part: Part<HeldFaultStage, FaultDue>;
}

/** Schedules every fault. What a kind injects is in the report from here on, though it may never come to it. */
export function stageFaults(world: World, chain: ChainFaults | undefined, faults: readonly FaultPlan[]): FaultStage {
  const fresh = (): HeldFaultStage => ({ begun: new Map() });
  const part = world.loop.part("fault stage", fresh, (due: FaultDue) => carryOut(stand, due));
  const stand: Stand = { scene: { world, chain, attackers: new Map() }, faults, part };
  if (part.resumed) resume(stand);
  else for (const [place, fault] of faults.entries()) plan(stand, place, fault);
  return {
    async heal() {
      for (const place of [...part.held.begun.keys()]) await end(stand, place);
    },
  };
}

function plan({ scene: { world }, part }: Stand, place: number, fault: FaultPlan): void {
  // What the network does not know is neither promised nor done; who asked for that network is told.
  if (fault.kind !== "code" && world.carrier.unknownFaults.some((kind) => kind === fault.kind)) return;
  world.faults.declare(injectedBy(fault));
  if (fault.kind === "code") return fault.install(world);
  const { from, until } = spanOf(fault);
  part.at(from, { kind: "begins", place });
  if (!("at" in fault)) part.at(until, { kind: "ends", place });
}

function resume({ scene, faults, part }: Stand): void {
  // Some may be new: a held world can go on with another scenario.
  for (const fault of faults) scene.world.faults.declare(injectedBy(fault));
  for (const [place, { acted }] of part.held.begun) {
    const fault = faults[place];
    if (fault !== undefined && fault.kind !== "code") resumeFault(scene, fault, acted);
  }
}

function carryOut(stand: Stand, due: FaultDue): void | Promise<void> {
  const fault = stand.faults[due.place];
  if (fault === undefined || fault.kind === "code") return;
  if (due.kind === "begins") return begin(stand, due.place, fault);
  if (due.kind === "ends") return end(stand, due.place);
  const begun = stand.part.held.begun.get(due.place);
  if (begun === undefined) return;
  begun.acted += 1;
  actFault(stand.scene, fault, begun.memory, due.time);
}

function begin({ scene, part }: Stand, place: number, fault: FaultData): void | Promise<void> {
  const keep = (memory: FaultMemory) => {
    part.held.begun.set(place, { memory, acted: 0, over: false });
    const { from, until } = spanOf(fault);
    const times = timesOf(fault);
    for (let time = 0; time < times; time += 1) {
      part.after(Math.floor(((time + 1) * (until - from)) / (times + 1)), { kind: "acts", place, time });
    }
  };
  const begun = beginFault(scene, fault);
  return begun instanceof Promise ? begun.then(keep) : keep(begun);
}

async function end({ scene, faults, part }: Stand, place: number): Promise<void> {
  const begun = part.held.begun.get(place);
  const fault = faults[place];
  if (begun === undefined || begun.over || fault === undefined || fault.kind === "code") return;
  begun.over = true;
  await endFault(scene, fault, begun.memory);
}
