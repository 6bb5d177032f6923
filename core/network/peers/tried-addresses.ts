/**
 * Addresses where this node reached a peer by a dial of its own: kept in the store, so that a node that starts again
 * finds the network without its entrypoints. An address that answered before is not pushed out by one that answered
 * now, unless it led nowhere since. Source: DESIGN section 7 #28.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { u32 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { EpochMillis as Instant, later, PeerId, Text } from "../../kernel/values.ts";
import { BUCKET_PLACES, triedBucket } from "./buckets.ts";

/** After which a place that is reached again is written again, in milliseconds. Source: DESIGN "Waiting times". */
export const WRITTEN_AGAIN_MS = 3_600_000;

const TriedAddress = struct("TriedAddress", {
  peer: PeerId,
  bucket: Text,
  reached_at: Instant,
  /** Dials in a row that led nowhere. */
  failures: u32,
  /** Not before: dialling it led nowhere. */
  idle_until: Instant,
});
export type TriedAddress = Infer<typeof TriedAddress>;
/** Addresses that were reached, by address. */
export const TriedAddresses = table<TriedAddress>("tried_addresses", TriedAddress, {
  root: "local",
  durable: true,
  indexes: { bucket: ({ bucket }) => [bucket] },
});

/** A dial of this node's own ended in a handshake with that peer. */
export function noteReached(context: StepContext, address: string, peer: PeerId): void {
  const held = context.draft.get(TriedAddresses, address);
  const fresh = held !== undefined && held.reached_at + BigInt(WRITTEN_AGAIN_MS) > context.now;
  if (fresh && held.failures === 0) return;
  const bucket = held?.bucket ?? triedBucket(context, address);
  if (held === undefined && !makeRoom(context, bucket)) return;
  const idle_until = 0n as EpochMillis;
  context.draft.put(TriedAddresses, address, { peer, bucket, reached_at: context.now, failures: 0, idle_until });
}

/** Dialling an address that was reached before led nowhere: others go before it for a while. */
export function noteFailed(context: StepContext, address: string, waitMs: number): void {
  const held = context.draft.get(TriedAddresses, address);
  if (held === undefined) return;
  const failures = held.failures + 1;
  context.draft.put(TriedAddresses, address, { ...held, failures, idle_until: later(context.now, waitMs) });
}

/** Addresses that may be dialled now, those that never failed first; `drawn` decides between equals. */
export function triedToDial(
  context: StepContext,
  drawn: (address: string) => bigint,
): readonly (readonly [string, PeerId])[] {
  const due: { address: string; peer: PeerId; failures: number; draw: bigint }[] = [];
  for (const address of context.draft.keys(TriedAddresses)) {
    const held = context.draft.get(TriedAddresses, address);
    if (held === undefined || held.idle_until > context.now) continue;
    due.push({ address, peer: held.peer, failures: held.failures, draw: drawn(address) });
  }
  return due
    .sort((a, b) => a.failures - b.failures || (a.draw < b.draw ? -1 : 1))
    .map(({ address, peer }) => [address, peer] as const);
}

/** In a full bucket the address that failed most goes; when none failed, the newcomer finds no place. */
function makeRoom(context: StepContext, bucket: string): boolean {
  const addresses = context.draft.find(TriedAddresses, "bucket", bucket);
  if (addresses.length < BUCKET_PLACES) return true;
  const failed = addresses
    .map((address) => ({ address, failures: context.draft.get(TriedAddresses, address)?.failures ?? 0 }))
    .sort((a, b) => b.failures - a.failures || (a.address < b.address ? -1 : 1));
  const [worst] = failed;
  if (worst === undefined || worst.failures === 0) return false;
  context.draft.put(TriedAddresses, worst.address, undefined);
  return true;
}
