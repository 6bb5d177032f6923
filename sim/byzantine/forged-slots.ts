/**
 * Forged slots: announcements of chain slots that cannot be (2^63), by several origins, so that every true slot looks
 * old, snapshots carry nonsense, and no newer one is ever believed.
 * Source: protocol 05 §6.9, §14.24; 03 C8.
 */
import { encodeCompact } from "../../core/index.ts";
import { BlockhashAnnounced, CHAIN_EVENT } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventOf } from "./attacker.ts";

/** Announces a slot under so many names. */
export function announceSlot(attacker: Attacker, slot: bigint, origins: number): void {
  for (let n = 0; n < origins; n++) {
    const announced = { blockhash: `forged ${n}`, slot, observed_at: attacker.now() };
    const options = { origin: attacker.sybil(`origin ${n}`), at: attacker.now() };
    const payload = encodeCompact(BlockhashAnnounced, announced);
    attacker.push(eventOf(attacker.world.crypto, "BlockhashAnnounced", CHAIN_EVENT.ofs_spec, payload, options));
  }
}
