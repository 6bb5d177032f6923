/**
 * What wears or is shared in a drawn world: a row for each of these kinds of fault, which the compiler demands. Each
 * kind is drawn from a stream of its own and stands behind all other faults, so that a kind more changes no world in
 * which it is not drawn. Source: DESIGN section 5 "Faults", "Randomness".
 */
import type { FaultPlan } from "../fault-plans.ts";
import * as plans from "../fault-plans.ts";
import { MILLION } from "../random.ts";
import type { WearKind } from "../wear-kinds.ts";
import type { Dice } from "./dice.ts";
import { openDice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { spanIn } from "./spans.ts";

/** One world in so many has a fault of a kind. */
const WORN_EVERY = 10;
/** By how much a clock gains or loses, in millionths: no more than eight seconds while it does. */
const DRIFT_PPM = 200_000;

/** Draws what a world has of a kind. */
type Row = (dice: Dice, roster: Roster) => readonly FaultPlan[];

const rows: { readonly [K in WearKind | "corruption"]: Row } = {
  "shared-line": (dice, { nodes, lasts }) => {
    const members = dice.half(Array.from({ length: nodes }, (_, node) => node));
    return [plans.sharedLine(members, dice.between(2, 100), spanIn(dice, lasts))];
  },
  "clock-drift": (dice, { nodes, lasts }) => [
    plans.clockDrift(dice.below(nodes), dice.between(-DRIFT_PPM, DRIFT_PPM), spanIn(dice, lasts)),
  ],
  "bit-rot": (dice, roster) => foundOut(dice, roster, (node, at) => plans.bitRot(node, dice.between(1, 5), { at })),
  "misdirected-write": (dice, roster) => foundOut(dice, roster, (node, at) => plans.misdirectedWrite(node, { at })),
  corruption: (dice, { lasts }) => [
    plans.networkConditions({ corruption: dice.between(1, MILLION / 4) }, spanIn(dice, lasts)),
  ],
};

/** What happens to a disk is found out at the next start of its node. */
function foundOut(dice: Dice, { nodes, lasts }: Roster, make: (node: number, at: number) => FaultPlan) {
  const { from, until } = spanIn(dice, lasts);
  const node = dice.below(nodes);
  return [make(node, from), plans.restart(node, { at: until })];
}

/** What the world of a seed has of these kinds, beside its other faults. */
export function wearOf(seed: bigint, roster: Roster, faults: readonly FaultPlan[]): readonly FaultPlan[] {
  const drawn = Object.entries(rows).flatMap(([kind, row]) => {
    const dice = openDice(seed, `wear/${kind}`);
    return dice.oneIn(WORN_EVERY) ? row(dice, roster) : [];
  });
  return drawn.filter((fault) => !faults.some((other) => undoes(other, fault)));
}

/** Two clocks stay within five minutes of each other only while one fault at a time moves each. */
function undoes(other: FaultPlan, fault: FaultPlan): boolean {
  const movesClock = other.kind === "wrong-clock" || other.kind === "clock-jump";
  return fault.kind === "clock-drift" && movesClock && other.node === fault.node;
}
