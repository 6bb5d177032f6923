/**
 * The checkers that every world has, whatever its scenario asks for: they know of no scenario and cost little.
 * Source: DESIGN section 5 "Checks".
 */
import type { MakeChecker } from "../checker.ts";
import { durableBeforeVisible } from "./durable-before-visible.ts";
import { escrowConserved } from "./escrow-conserved.ts";
import { proofsOpenOnce } from "./proofs-open-once.ts";
import { recordsFollowThePapers } from "./records-follow-the-papers.ts";

/** Checkers that no world goes without. */
export const alwaysWatched: readonly MakeChecker[] = [
  durableBeforeVisible,
  proofsOpenOnce,
  escrowConserved,
  recordsFollowThePapers,
];
