/**
 * The chain of a served network in the network's time: brought to the slot that the clock shows, and mined through.
 * Source: DESIGN section 6 "serve", section 4 "Cluster".
 */
import { SLOT_MS } from "../chain/slots.ts";
import type { WorldHost } from "./world-host.ts";

/** Slots after which what was sent is confirmed, the one that takes it among them. Source: protocol 03 part E. */
const CONFIRMED_SLOTS = 3;
/** Slots without a block that automine waits through at most; what skipped them is taken back before. */
const SKIPPED_SLOTS = 64;
const slotMs = Number(SLOT_MS);

/** Brings the chain to the slot that the network's clock shows. Only within `exclusive`. */
export async function catchUp(host: WorldHost): Promise<void> {
  await host.live().supply.catchUp();
}

/** Runs the network for so many slots. Only within `exclusive`. */
export async function mineSlots(host: WorldHost, slots: number): Promise<void> {
  const { loop } = host.world();
  await host.advance((Math.floor(loop.now() / slotMs) + slots) * slotMs);
  await catchUp(host);
}

/** Runs the network until nothing waits for a block, and what came into one is confirmed. Only within `exclusive`. */
export async function mine(host: WorldHost): Promise<void> {
  const { cluster } = host.live().supply;
  for (let slots = 0; cluster.waits() && slots < SKIPPED_SLOTS; slots += 1) await mineSlots(host, 1);
  await mineSlots(host, CONFIRMED_SLOTS - 1);
}
