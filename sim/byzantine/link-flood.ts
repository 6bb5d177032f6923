/**
 * A flooded link: valid statements faster than anybody has to take them, so that a node spends itself on verifying them
 * or throws away what honest peers say meanwhile.
 * Source: protocol 01 §7.3 row 2, W2.
 */
import type { Attacker } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** Pushes so many different statements. */
export function floodLink(
  attacker: Attacker,
  statement: (n: number) => EventMaker,
  times: number,
  overMs: number,
): void {
  attacker.repeat(times, overMs, (n) => {
    attacker.push(statement(n)({ origin: attacker.wallet, at: attacker.now() }));
  });
}
