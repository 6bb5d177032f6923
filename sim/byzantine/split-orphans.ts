/**
 * Split orphans: each honest node is told other statements of the same few keys, each as many as there is room for, so
 * that any two of them hold what the other must refuse, and compare their sets over it for ever.
 * Source: CONVERGENCE B4.
 */
import { encodeCompact } from "../../core/index.ts";
import { GossipEvent, OFS_GOSSIP } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { paymentEvent } from "./market-events.ts";

/** Keys that speak: each has the room of its own at every node. */
const KEYS = 2;

/** Claims payments on settlements that nobody began, to one node at a time. Not to be passed on. */
export function splitOrphans(attacker: Attacker, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  attacker.repeat(times, overMs, (n) => {
    const by = attacker.sybil(`payer ${n % KEYS}`);
    for (const victim of attacker.victims) {
      const made = paymentEvent(crypto, by, `none-${victim}-${n}`, attacker.now());
      const event = made({ origin: attacker.wallet, at: attacker.now(), ttl: 1 });
      attacker.send(victim, OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event));
    }
  });
}
