/**
 * The seeds whose worlds every test run plays, and `score` looks for planted bugs with: chosen one after the other for
 * what each reaches beside the others at its cost, so that together they leave nothing out but what stands here.
 * Source: DESIGN section 5 "Faults" (swarm), "Checks".
 */

/** Drawn worlds that together reach what drawn worlds reach. */
export const FLEET: readonly bigint[] = [];

/** What no world of the fleet reaches, by its name, and why. */
export const UNREACHED: Readonly<Record<string, string>> = {};
