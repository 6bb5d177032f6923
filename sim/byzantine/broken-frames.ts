/**
 * Broken frames: bytes that are no frame, frames that hold no event, events that are half valid (a wrong signature, a
 * payload that is none, a false key, a statement that its signer did not sign). Each would cost a node work, and a node
 * that threw on one would be gone. Source: protocol 01 §7.3, §15 W4.
 */
import type { Signature } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import type { GossipEvent as Event } from "../../core/testing.ts";
import { GossipEvent, OFS_GOSSIP } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventOf } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** Kinds of what is broken. */
const KINDS = 6;
const ONE = 0x31;
const TWO = 0x32;

/** Sends so many broken messages of every kind, over a while. */
export function sendBrokenFrames(attacker: Attacker, statement: EventMaker, times: number, overMs: number): void {
  attacker.repeat(times, overMs, (n) => {
    const whole = statement({ origin: attacker.wallet, at: attacker.now() });
    for (const victim of attacker.victims) {
      if (n % KINDS === 0) attacker.sendBytes(victim, Uint8Array.of(255, n & 255, 255, 255), "broken");
      else attacker.send(victim, OFS_GOSSIP, "GossipPush", brokenEvent(attacker, whole, n));
    }
  });
}

function brokenEvent(attacker: Attacker, whole: Event, n: number): Uint8Array {
  const bytes = encodeCompact(GossipEvent, whole);
  if (n % KINDS === 1) return bytes.subarray(0, bytes.length >> 1);
  if (n % KINDS === 2) return encodeCompact(GossipEvent, { ...whole, signature: "1".repeat(64) as Signature });
  if (n % KINDS === 3) return encodeCompact(GossipEvent, { ...whole, id: new Uint8Array(32).fill(n & 255) });
  if (n % KINDS === 4) return encodeCompact(GossipEvent, forged(attacker, whole));
  return encodeCompact(GossipEvent, { ...whole, version: 2, id: new Uint8Array(32).fill((n >> 3) & 255) });
}

/** A whole event around a statement whose signature, the last text of it, ends in another letter. */
function forged({ world, wallet, now }: Attacker, { payload, event_type, ofs_spec }: Event): Event {
  const last = payload.at(-1) === ONE ? TWO : ONE;
  const bytes = Uint8Array.from([...payload.subarray(0, -1), last]);
  return eventOf(world.crypto, event_type, ofs_spec, bytes, { origin: wallet, at: now() });
}
