/**
 * Slots as nodes hear of them: announced by somebody who has a chain endpoint. Source: protocol 03 C.5, C.8.
 */
import { BlockhashAnnounced, CHAIN_EVENT } from "../../core/domains/chain-bridge/gossip-events.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import { eventId, Frame, frameOf, GossipEvent, OFS_GOSSIP, signedBytes } from "../../core/network/gossip/envelope.ts";
import { BLOCKHASH } from "../oracles/market.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto } from "../rpc/lone-node.ts";

/** Tells a node of a slot, in the name of somebody. */
export function announceSlot(
  node: LoneNode,
  by: Person,
  slot: bigint,
  at = node.now,
  blockhash: string = BLOCKHASH,
): void {
  const now = at as EpochMillis;
  const body = {
    event_type: "BlockhashAnnounced",
    ofs_spec: CHAIN_EVENT.ofs_spec,
    version: 1,
    origin: by.peer,
    timestamp: now,
    ttl: 8,
    priority: "SessionReservationSettlement" as const,
    payload: encodeCompact(BlockhashAnnounced, { blockhash, slot, observed_at: now }),
  };
  const signature = toBase58(crypto.sign(by.secret, signedBytes(body))) as Signature;
  const event = { ...body, signature, id: eventId(crypto, { ...body, signature }) };
  const bytes = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event), now));
  node.accept({ type: "message.received", from: by.peer, replyTo: "slot", bytes });
}
