/**
 * Broken frames: bytes that are no frame, frames that hold no event, events that are half valid (a wrong signature, a
 * payload that is none, a false key). Each would cost a node work, and a node that threw on one would be gone.
 * Source: protocol 01 §7.3, §15 W4.
 */
import type { Signature } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import type { GossipEvent as Event } from "../../core/testing.ts";
import { GossipEvent, OFS_GOSSIP } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** Sends so many broken messages of every kind, over a while. */
export function sendBrokenFrames(attacker: Attacker, statement: EventMaker, times: number, overMs: number): void {
  attacker.repeat(times, overMs, (n) => {
    const whole = statement({ origin: attacker.wallet, at: attacker.now() });
    for (const victim of attacker.victims) {
      if (n % 5 === 0) attacker.sendBytes(victim, Uint8Array.of(255, n & 255, 255, 255), "broken");
      else attacker.send(victim, OFS_GOSSIP, "GossipPush", brokenEvent(whole, n));
    }
  });
}

function brokenEvent(whole: Event, n: number): Uint8Array {
  const bytes = encodeCompact(GossipEvent, whole);
  if (n % 5 === 1) return bytes.subarray(0, bytes.length >> 1);
  if (n % 5 === 2) return encodeCompact(GossipEvent, { ...whole, signature: "1".repeat(64) as Signature });
  if (n % 5 === 3) return encodeCompact(GossipEvent, { ...whole, id: new Uint8Array(32).fill(n & 255) });
  return encodeCompact(GossipEvent, { ...whole, version: 2, id: new Uint8Array(32).fill((n >> 3) & 255) });
}
