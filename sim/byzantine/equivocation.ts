/**
 * Equivocation: one signer, one id, two contents, each told to another half of the network, so that the halves trade on
 * different records for ever.
 * Source: CONVERGENCE "Records and ids".
 */
import { encodeCompact } from "../../core/index.ts";
import { GossipEvent, OFS_GOSSIP } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** Tells every second victim one thing and the others the other, not to be passed on. */
export function equivocate(attacker: Attacker, one: EventMaker, other: EventMaker): void {
  [...attacker.victims].forEach((victim, n) => {
    const event = (n % 2 === 0 ? one : other)({ origin: attacker.wallet, at: attacker.now(), ttl: 1 });
    attacker.send(victim, OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event));
  });
}
