/**
 * Id grinding: one signed statement, wrapped in ever new events by ever new origins, so that each looks unseen. It
 * would fill logs, make every node verify and forward the same thing for ever, and hide true events among them.
 * Source: protocol 01 §3.3, §15 W6.
 */
import type { EpochMillis } from "../../core/index.ts";
import type { Attacker } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** Pushes one statement in so many events, each of another origin and instant. */
export function grindIds(attacker: Attacker, statement: EventMaker, times: number, overMs: number): void {
  const origins = Array.from({ length: 8 }, (_, n) => attacker.sybil(`origin ${n}`));
  attacker.repeat(times, overMs, (n) => {
    const origin = origins[n % origins.length] ?? attacker.wallet;
    attacker.push(statement({ origin, at: (attacker.now() - BigInt(n)) as EpochMillis }));
  });
}
