/**
 * The newest slot and blockhash, as the endpoints together tell it. A slot is believed that a second endpoint is at or
 * beyond; its blockhash, when more endpoints know it than do not. Slots told never fall while the last one is fresh.
 * Source: protocol 03 C.6, C7, C9, C10; 01 §13.2.
 */
import type { ChainObservation } from "../../core/index.ts";
import type { Alarm } from "./alarms.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Failure } from "./failures.ts";
import { failureText } from "./failures.ts";
import { believedSlot } from "./quorum.ts";

/**
 * Slots between two endpoints from which somebody should look. Source: DESIGN "Waiting times"; a blockhash lives for
 * 150.
 */
export const SPREAD_SLOTS_MAX = 150n;
/** Slots for which whoever saw a block still knows its blockhash. Source: protocol 03 C.7: it lives for 150 blocks. */
const KNOWN_SLOTS = 149n;
/** How long a told slot keeps lower ones away, in milliseconds. Source: protocol 03 C.7. */
export const FRESH_MS = 75_000;

export interface HeadOptions {
  readonly endpoints: readonly Endpoint[];
  readonly tell: (observation: ChainObservation) => void;
  readonly alarm: Alarm;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

interface Reading {
  readonly endpoint: Endpoint;
  readonly slot: bigint;
  readonly blockhash: string;
}

/** Answers a function that looks once. */
export function openHead(options: HeadOptions): () => Promise<void> {
  const { endpoints, tell, alarm, now } = options;
  let told = { slot: -1n, at: Number.NEGATIVE_INFINITY };
  return async () => {
    const { readings, failures } = await readAll(endpoints);
    if (readings.length === 0) {
      return tell({ type: "unavailable", reason: failures.map(failureText).join(", ") });
    }
    for (const late of behind(readings)) alarm("slot", late.endpoint.name);
    const first = believedSlot(endpoints.length, readings.length);
    for (const reading of readings.slice(first)) {
      if (!(await isKnown(reading, readings))) {
        alarm("blockhash", reading.endpoint.name);
        continue;
      }
      if (reading.slot <= told.slot && now() - told.at < FRESH_MS) return;
      told = { slot: reading.slot, at: now() };
      return tell({ type: "slot", slot: reading.slot, blockhash: reading.blockhash });
    }
    tell({ type: "unavailable", reason: "the endpoints disagree about the newest blockhash" });
  };
}

async function readAll(endpoints: readonly Endpoint[]) {
  const readings: Reading[] = [];
  const failures: Failure[] = [];
  await Promise.all(
    endpoints.map(async (endpoint) => {
      const answered = await endpoint.ask((connection) => connection.getLatestBlockhashAndContext("finalized"));
      if (!answered.ok) return void failures.push(answered.error);
      const { context, value } = answered.value;
      endpoint.slot = slotNumber(context.slot);
      readings.push({ endpoint, slot: endpoint.slot, blockhash: value.blockhash });
    }),
  );
  readings.sort((a, b) => (a.slot === b.slot ? 0 : a.slot > b.slot ? -1 : 1));
  return { readings, failures };
}

/** Whether a blockhash is known to more endpoints than not; those not that far yet, or long beyond, say nothing. */
async function isKnown(reading: Reading, readings: readonly Reading[]): Promise<boolean> {
  let known = 1;
  let unknown = 0;
  const others = readings.filter(({ endpoint }) => endpoint !== reading.endpoint);
  await Promise.all(
    others.map(async ({ endpoint }) => {
      // What is finalized here is known there at the newest level, unless it is far behind.
      const level = { commitment: "processed" } as const;
      const answered = await endpoint.ask((connection) => connection.isBlockhashValid(reading.blockhash, level));
      if (!answered.ok) return;
      const beyond = slotNumber(answered.value.context.slot) - reading.slot;
      if (answered.value.value) known += 1;
      else if (beyond >= 0n && beyond <= KNOWN_SLOTS) unknown += 1;
    }),
  );
  return known > unknown;
}

/** Readings that are far from the middle one. */
function behind(readings: readonly Reading[]): readonly Reading[] {
  const middle = readings[Math.floor(readings.length / 2)]?.slot ?? 0n;
  const apart = (slot: bigint) => (slot > middle ? slot - middle : middle - slot);
  return readings.filter(({ slot }) => apart(slot) > SPREAD_SLOTS_MAX);
}

/** A slot as JSON tells it; what is none counts as the first. */
export function slotNumber(slot: number): bigint {
  return Number.isSafeInteger(slot) && slot >= 0 ? BigInt(slot) : 0n;
}
