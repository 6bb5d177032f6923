/**
 * A crowd under a name: a few keys publish as many records under one public id as each may, before or after the one
 * whose id it is, so that his finds no room and nothing can be said about it.
 * Source: CONVERGENCE B2.
 */
import type { EpochMillis } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import { GossipEvent, OFS_GOSSIP } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { offerEvent } from "./market-events.ts";

/** Records that one key may create under one name. */
const OF_ONE_KEY = 8;

/** Publishes offers under the id of another's, eight of each key, to every node but his own: they hear them first. */
export function crowdName(
  attacker: Attacker,
  { offer, apart }: { readonly offer: string; readonly apart: number },
  times: number,
  overMs: number,
): void {
  const { crypto, nodes } = attacker.world;
  attacker.repeat(times, overMs, (n) => {
    const by = attacker.sybil(`namesake ${Math.floor(n / OF_ONE_KEY)}`);
    const at = (attacker.now() - BigInt(n)) as EpochMillis;
    const event = offerEvent(crypto, by, offer, at)({ origin: attacker.wallet, at: attacker.now(), ttl: 1 });
    for (const victim of attacker.victims) {
      if (victim !== nodes[apart]?.wallet.peer)
        attacker.send(victim, OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event));
    }
  });
}
