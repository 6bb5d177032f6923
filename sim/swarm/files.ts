/**
 * Files of state in a drawn world: who makes them, who asks for them, and what goes wrong with them. The first file
 * is a minute old before anybody else has it, so their faults last: those of `troubles.ts` are over by then, mostly.
 * Source: protocol 05 §6.5, §6.11; DESIGN section 5 "Faults" (swarm).
 */
import type { Action } from "../action-kinds.ts";
import { askFiles } from "../actions/snapshot.ts";
import type { FaultPlan } from "../fault-plans.ts";
import { badFiles } from "../fault-plans.ts";
import { MILLION } from "../random.ts";
import { seconds } from "../scenario.ts";
import type { Dice } from "./dice.ts";
import { openDice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { somewhen, TAKERS } from "./roster.ts";
import { TRADES_FROM, TWISTED_EVERY } from "./twists.ts";

/** One world in so many of those with files has faults of them. */
const FAULTY_EVERY = 3;
/** When they begin: every node is up. */
const FAULTY_FROM = seconds(1);
/** What can go wrong with a file that is fetched; the disk may also be full when one is written. */
const FETCHED = ["unreachable", "cut", "damaged"] as const;

/** In some worlds some nodes make files of what they hold, and people ask for them. */
export function files(
  seed: bigint,
  roster: Roster,
): { readonly makers: readonly number[]; readonly asks: readonly Action[] } {
  const dice = openDice(seed, "files");
  if (!dice.oneIn(TWISTED_EVERY)) return { makers: [], asks: [] };
  const makers = dice.half(Array.from({ length: roster.nodes }, (_, node) => node));
  const asks = TAKERS.flatMap((name) =>
    dice.oneIn(2) ? [askFiles(name, somewhen(dice, roster, TRADES_FROM, roster.lasts))] : [],
  );
  return { makers, asks };
}

/**
 * In some worlds with files some of them are not written, out of reach, cut short or damaged, until the day is over:
 * at some of the nodes, but where a fault of that node's files is drawn already. Whoever makes files fetches those of
 * others too.
 */
export function fileFaults(
  seed: bigint,
  { nodes, lasts }: Roster,
  makers: readonly number[],
  faults: readonly FaultPlan[],
): readonly FaultPlan[] {
  const dice = openDice(seed, "file faults");
  if (makers.length === 0 || !dice.oneIn(FAULTY_EVERY)) return [];
  const taken = new Set(faults.map((fault) => (fault.kind === "bad-files" ? fault.node : undefined)));
  const chosen = dice.half(Array.from({ length: nodes }, (_, node) => node));
  const drawn = chosen.map((node) => {
    const kinds = dice.half(makers.includes(node) ? (["full", ...FETCHED] as const) : FETCHED);
    const from = dice.between(FAULTY_FROM, lasts / 2);
    return { node, conditions: chancesOf(dice, kinds), span: { from, until: lasts } };
  });
  return drawn.flatMap(({ node, conditions, span }) => (taken.has(node) ? [] : [badFiles(node, conditions, span)]));
}

/** Few files are made and fetched in one world, so what goes wrong with them goes wrong often. */
function chancesOf<const K extends string>(dice: Dice, kinds: readonly K[]): { readonly [N in K]?: number } {
  const drawn = kinds.map((kind) => [kind, dice.between(MILLION / 4, MILLION)] as const);
  return Object.fromEntries(drawn) as { [N in K]?: number };
}
