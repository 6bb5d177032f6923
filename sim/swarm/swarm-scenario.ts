/**
 * The world that a seed draws: how many nodes of which kind, on what links, who lives there, what they trade and say,
 * what breaks and who attacks; every law watched. It is a scenario like any other: a plain value that can be printed,
 * stored, played again and made smaller. Source: DESIGN section 5 "Faults" (swarm), "Checks".
 */
import type { Distribution } from "../distributions.ts";
import type { FaultPlan } from "../fault-plans.ts";
import { healthyLink } from "../links.ts";
import type { Scenario } from "../scenario.ts";
import { defineScenario, minutes, seconds } from "../scenario.ts";
import { uncheckedActs } from "./attackers.ts";
import type { Dice } from "./dice.ts";
import { openDice } from "./dice.ts";
import { fileFaults, files } from "./files.ts";
import { nightOf } from "./night.ts";
import { oldProofs } from "./proofs.ts";
import type { Size } from "./roster.ts";
import { rosterOf } from "./roster.ts";
import { stakeActions } from "./stakes.ts";
import { talkActions } from "./talk.ts";
import { tradeActions } from "./trades.ts";
import { contradicted, troublesOf } from "./troubles.ts";
import { ballots, decoys, floods, liars, scarce, secondThoughts } from "./twists.ts";
import { wearOf } from "./wear.ts";

/** What a drawn scenario is called. */
export const SWARM = "swarm";
const NODES = [1, 2, 2, 3, 3, 3, 4, 4, 5, 6] as const;
/** Seconds under faults; a case on chain takes some two hundred, so worlds with a chain last longer. */
const LASTS = [30, 60, 90, 120, 240] as const;
const LASTS_ON_CHAIN = [60, 120, 240, 300, 300] as const;
const TRADES = 5;
/** How long everything may take to come right. Source: CONVERGENCE "Reconciliation". */
const LIVENESS_MS = minutes(8);
/** What holds in every drawn world, and what comes true there. */
export const safety = [
  { kind: "equal-sets-equal-states" },
  { kind: "reads-change-nothing" },
  { kind: "no-resolution-without-execution" },
  { kind: "no-party-leaks" },
  { kind: "rates-are-tagged" },
  { kind: "one-execution" },
  { kind: "submits-once" },
] as const satisfies Scenario["safety"];
export const liveness = {
  within: LIVENESS_MS,
  checks: [{ kind: "replicas-converge" }, { kind: "decisions-are-seen" }],
} as const satisfies Scenario["liveness"];

/** The scenario of a seed; the same for ever. */
export function swarmScenario(seed: bigint): Scenario {
  const dice = openDice(seed, "world");
  const [nodes, hasChain] = [dice.pick(NODES), !dice.oneIn(4)];
  const size: Size = { nodes, hasChain, lasts: seconds(dice.pick(hasChain ? LASTS_ON_CHAIN : LASTS)) };
  const everywhere = Array.from({ length: nodes }, (_, node) => node);
  const roster = scarce(seed, rosterOf(openDice(seed, "people"), size, dice.between(0, TRADES)));
  const { participants } = roster;
  const troubles = troublesOf(openDice(seed, "troubles"), roster);
  const declared = [
    ...contradicted(openDice(seed, "contradictions"), roster, troubles),
    ...uncheckedActs(openDice(seed, "unchecked acts"), roster),
  ];
  const faults = [...declared, ...wearOf(seed, roster, declared)];
  const night = nightOf(seed, roster, faults);
  const { makers, asks } = files(seed, roster);
  return defineScenario({
    name: SWARM,
    description: "A world that a seed draws.",
    source: "DESIGN section 5 (ours)",
    ...{ nodes, lasts: night.lasts, participants },
    // Its actions and faults name nodes, so it is what it is.
    nodesMin: nodes,
    chain: hasChain ? "model" : "none",
    gossipOnly: hasChain ? everywhere.filter((node) => node > 0 && dice.oneIn(5)) : [],
    fileMakers: makers,
    confirmed: everywhere.filter(() => dice.oneIn(4)),
    older: everywhere.filter(() => dice.oneIn(5)),
    conditions: { ...healthyLink, latency: latencyOf(dice) },
    actions: [
      ...tradeActions(openDice(seed, "trades"), roster),
      ...talkActions(openDice(seed, "talk"), roster),
      ...stakeActions(openDice(seed, "stakes"), roster),
      ...oldProofs(declared),
      ...secondThoughts(seed, roster),
      ...decoys(seed, roster),
      ...ballots(seed, roster),
      ...asks,
      ...night.actions,
    ],
    faults: [
      ...faults,
      ...night.faults,
      ...liars(seed, roster, faults),
      ...floods(seed, roster),
      ...fileFaults(seed, roster, makers, faults),
    ],
    ...{ provesFaults: false, provesActions: false },
    safety: [
      ...safety,
      ...(makers.length > 0 && !faults.some(forgesSlots) ? [{ kind: "snapshots-keep-slots" as const }] : []),
    ],
    liveness,
  });
}

/** Two names that agree on a slot are believed by a node without an endpoint. Source: protocol 05 §6.9. */
function forgesSlots(fault: FaultPlan): boolean {
  return fault.kind === "attacker" && fault.attack.kind === "forged-slots";
}

function latencyOf(dice: Dice): Distribution {
  const least = dice.between(1, 100);
  return dice.oneIn(2)
    ? { type: "uniform", least, most: least + dice.between(1, 100) }
    : { type: "exponential", least, mean: dice.between(1, 150) };
}
