/**
 * Claimed holdings: a peer names what it holds instead of pushing it, so that a node asks for all of it at once and
 * takes it past every credit of a push.
 * Source: CONVERGENCE B5.
 */
import { decodeCompact, encodeCompact, fromHex, toHex } from "../../core/index.ts";
import type { GossipEvent } from "../../core/testing.ts";
import { FetchRequest, FetchResponse, Have, OFS_GOSSIP } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { answerWith } from "./attacker.ts";

/** A statement by its identity, and the event that brings it. */
export interface Holding {
  readonly identity: string;
  readonly event: GossipEvent;
}

/** Names everything it has to every victim, and brings whatever is asked for. */
export function claimHoldings(attacker: Attacker, holdings: readonly Holding[], times: number, overMs: number): void {
  const byIdentity = new Map(holdings.map(({ identity, event }) => [identity, event]));
  attacker.answer("GossipFetchRequest", (_, payload) => {
    const asked = decodeCompact(FetchRequest, payload)?.identities ?? [];
    const events = asked.flatMap((identity) => byIdentity.get(toHex(identity)) ?? []);
    return answerWith("GossipFetchResponse", FetchResponse, { events, more: false });
  });
  const identities = holdings.map(({ identity }) => fromHex(identity) ?? new Uint8Array(32));
  attacker.repeat(times, overMs, () => {
    for (const victim of attacker.victims)
      attacker.send(victim, OFS_GOSSIP, "GossipHave", encodeCompact(Have, { identities }));
  });
}
