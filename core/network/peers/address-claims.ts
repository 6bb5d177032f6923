/**
 * Where peers are said to be: claims that nobody has proved. They are only ever dialled, never passed on, few for each
 * reporter and for each network of reporters, and forgotten when nobody repeats them; a handshake turns one into a
 * proven address of its peer. They are kept in the store, for a node that starts again.
 * Source: protocol 01 §5.1, §5.5, §13.1 (256 / 8 / 2), W15; 05 §8.2, §14.9.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { table } from "../../kernel/table.ts";
import { compareText, hasControl, utf8 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { EpochMillis as Instant, PeerId, Text } from "../../kernel/values.ts";
import { BUCKET_PLACES, claimBuckets } from "./buckets.ts";

/** Claimed addresses remembered, and those that report one. Source: protocol 01 §13.1. */
export const CLAIMS_MAX = 256;
export const REPORTERS_MAX = 8;
/** Reporters that make a claim one to dial before others. Source: protocol 01 §13.1. */
export const CORROBORATED_BY = 2;
/** Claims of one reporter that are counted. Source: DESIGN "Bounds": eight reporters share the room. */
export const CLAIMS_PER_REPORTER_MAX = CLAIMS_MAX / REPORTERS_MAX;
/** Addresses of one peer in one advert. Source: protocol 05 §14.9. */
export const ADDRESSES_PER_PEER_MAX = 16;
/**
 * How long a claim is remembered that nobody repeats, and one is let alone that led nowhere. Source: DESIGN "Waiting
 * times".
 */
export const CLAIM_EXPIRY_MS = 600_000;
/** After which a claim that is repeated is written again, in milliseconds. Source: DESIGN "Waiting times". */
const WRITTEN_AGAIN_MS = 60_000;
/** The network of all reporters that connected from outside: where from, only the transport knows. */
export const FROM_OUTSIDE = "from outside";
/** Bytes of an address. Source: DESIGN "Bounds". */
const ADDRESS_BYTES_MAX = 256;

export const AddressClaim = struct("AddressClaim", {
  peer: PeerId,
  reporters: list(PeerId),
  /** Where it has its place: by its network and that of its first reporter. */
  bucket: Text,
  reported_at: Instant,
  /** Not before: dialling it led nowhere. */
  idle_until: Instant,
});
export type AddressClaim = Infer<typeof AddressClaim>;
/** Claims by address. */
export const AddressClaims = table<AddressClaim>("address_claims", AddressClaim, {
  root: "local",
  durable: true,
  indexes: { reporter: ({ reporters }) => reporters, peer: ({ peer }) => [peer], bucket: ({ bucket }) => [bucket] },
});

/** An address as it is dialled, ending in its peer; nothing when it names another or is no address. */
export function addressFor(peer: PeerId, text: string): string | undefined {
  if (!text.startsWith("/") || utf8(text).length > ADDRESS_BYTES_MAX || hasControl(text)) return undefined;
  const named = peerOfAddress(text);
  if (named === undefined) return `${text.replace(/\/$/, "")}/p2p/${peer}`;
  return named === peer ? text : undefined;
}

/** An address as it is shown beside its peer's id, which it then need not repeat. */
export function placeOf(peer: PeerId, address: string): string {
  const end = `/p2p/${peer}`;
  return address.endsWith(end) ? address.slice(0, -end.length) : address;
}

/** The peer at the end of an address. Source: protocol 01 §5.1. */
export function peerOfAddress(address: string): string | undefined {
  return /\/p2p\/([^/]+)$/.exec(address)?.[1];
}

/**
 * Remembers that somebody claims where a peer is. `bucketOf` follows from the network in which this node dialled the
 * reporter; whoever connected from outside tells as one of all those who did.
 */
export function noteClaim(
  context: StepContext,
  reporter: PeerId,
  peer: PeerId,
  address: string,
  bucketOf = claimBuckets(context, FROM_OUTSIDE),
): void {
  const held = context.draft.get(AddressClaims, address);
  const again = held?.reporters.includes(reporter) === true;
  if (!again && context.draft.count(AddressClaims, "reporter", reporter) >= CLAIMS_PER_REPORTER_MAX) return;
  if (held !== undefined) {
    if (again && held.reported_at + BigInt(WRITTEN_AGAIN_MS) > context.now) return;
    const room = again || held.reporters.length >= REPORTERS_MAX;
    const reporters = room ? held.reporters : held.reporters.concat(reporter);
    return context.draft.put(AddressClaims, address, { ...held, reporters, reported_at: context.now });
  }
  const bucket = bucketOf(address);
  if (!makeRoomIn(context, bucket)) return;
  if (context.draft.size(AddressClaims) >= CLAIMS_MAX && !makeRoom(context, reporter)) return;
  const [reporters, idle_until] = [[reporter], 0n as EpochMillis];
  context.draft.put(AddressClaims, address, { peer, reporters, bucket, reported_at: context.now, idle_until });
}

/** Leaves a claim alone for a while: dialling it led nowhere. */
export function idleClaim(context: StepContext, address: string, until: EpochMillis): void {
  const held = context.draft.get(AddressClaims, address);
  if (held !== undefined) context.draft.put(AddressClaims, address, { ...held, idle_until: until });
}

/** A handshake proved where a peer is: what was claimed about it has served. */
export function dropClaims(context: StepContext, peer: PeerId): void {
  for (const address of context.draft.find(AddressClaims, "peer", peer))
    context.draft.put(AddressClaims, address, undefined);
}

/** Claims that may be dialled now, those of several reporters first; `drawn` decides between equals. */
export function claimsToDial(
  context: StepContext,
  drawn: (address: string) => bigint,
): readonly (readonly [string, PeerId])[] {
  const worth: { address: string; peer: PeerId; rank: number; draw: bigint }[] = [];
  for (const address of context.draft.keys(AddressClaims)) {
    const claim = context.draft.get(AddressClaims, address);
    if (claim === undefined || claim.idle_until > context.now) continue;
    const rank = claim.reporters.length >= CORROBORATED_BY ? 0 : 1;
    worth.push({ address, peer: claim.peer, rank, draw: drawn(address) });
  }
  return worth
    .sort((a, b) => a.rank - b.rank || (a.draw < b.draw ? -1 : 1))
    .map(({ address, peer }) => [address, peer] as const);
}

/** Forgets what nobody repeats. */
export function sweepClaims(context: StepContext): void {
  for (const address of context.draft.keys(AddressClaims)) {
    const claim = context.draft.get(AddressClaims, address);
    const old = claim !== undefined && claim.reported_at + BigInt(CLAIM_EXPIRY_MS) < context.now;
    if (old && claim.idle_until <= context.now) context.draft.put(AddressClaims, address, undefined);
  }
}

/** In a full bucket a claim that led nowhere goes; when none did, the newcomer finds no place. */
function makeRoomIn(context: StepContext, bucket: string): boolean {
  const addresses = context.draft.find(AddressClaims, "bucket", bucket);
  if (addresses.length < BUCKET_PLACES) return true;
  const idle = addresses.filter(
    (address) => (context.draft.get(AddressClaims, address)?.idle_until ?? 0n) > context.now,
  );
  const [first] = idle.sort(compareText);
  if (first !== undefined) context.draft.put(AddressClaims, first, undefined);
  return first !== undefined;
}

/** The last claim, in order of text, of whoever has claimed most makes room for someone who has claimed less. */
function makeRoom(context: StepContext, reporter: PeerId): boolean {
  const shares = new Map<string, string[]>();
  for (const address of context.draft.keys(AddressClaims)) {
    const claim = context.draft.get(AddressClaims, address);
    if (claim === undefined || claim.reporters.length >= CORROBORATED_BY) continue;
    for (const by of claim.reporters) shares.set(by, [...(shares.get(by) ?? []), address]);
  }
  const own = context.draft.count(AddressClaims, "reporter", reporter);
  const [most] = [...shares.values()].sort((a, b) => b.length - a.length || compareText(a[0] ?? "", b[0] ?? ""));
  if (most === undefined || most.length <= own + 1) return false;
  const [last] = [...most].sort(compareText).reverse();
  if (last !== undefined) context.draft.put(AddressClaims, last, undefined);
  return last !== undefined;
}
