/**
 * False dates: statements and events from the far future, which would win every register and never expire, and from the
 * far past, which would come before what everybody has agreed on.
 * Source: protocol 01 §13.1, W5; 05 §14.2.
 */
import type { EpochMillis } from "../../core/index.ts";
import type { Attacker } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

const HOUR = 3_600_000n;
const U64_MAX = 2n ** 64n - 1n;
/** How far from now: beyond every ingress's bound, at the ends of what an instant can be. */
const FAR = [HOUR, 400n * 24n * HOUR, -8n * 24n * HOUR, -400n * 24n * HOUR];

/** Says something at false dates: a false payload in a true event, a true one in a false event, and both. */
export function publishAtFalseDates(attacker: Attacker, dated: (name: string, at: EpochMillis) => EventMaker): void {
  const now = attacker.now();
  const dates = [...FAR.map((far) => now + far), U64_MAX, 0n] as unknown as readonly EpochMillis[];
  dates.forEach((date, n) => {
    const origin = attacker.wallet;
    attacker.push(dated(`payload-${n}`, date)({ origin, at: now }));
    attacker.push(dated(`event-${n}`, now)({ origin, at: date }));
    attacker.push(dated(`both-${n}`, date)({ origin, at: date }));
  });
}
