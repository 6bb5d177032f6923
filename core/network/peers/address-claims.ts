/**
 * Where peers are said to be: claims that nobody has proved. They are only ever dialled, never passed on, few for each
 * reporter, and forgotten when nobody repeats them; a handshake turns one into a proven address of its peer.
 * Source: protocol 01 §5.1, §5.5, §13.1 (256 / 8 / 2), W15; 05 §8.2, §14.9.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { table } from "../../kernel/table.ts";
import { compareText, hasControl, utf8 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { EpochMillis as Instant, PeerId } from "../../kernel/values.ts";

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
/** Bytes of an address. Source: DESIGN "Bounds". */
const ADDRESS_BYTES_MAX = 256;

export const AddressClaim = struct("AddressClaim", {
  peer: PeerId,
  reporters: list(PeerId),
  reported_at: Instant,
  /** Not before: dialling it led nowhere. */
  idle_until: Instant,
});
export type AddressClaim = Infer<typeof AddressClaim>;
/** Claims by address. */
export const AddressClaims = table<AddressClaim>("address_claims", AddressClaim, {
  root: "local",
  indexes: { reporter: ({ reporters }) => reporters, peer: ({ peer }) => [peer] },
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

/** Remembers that somebody claims where a peer is. */
export function noteClaim(context: StepContext, reporter: PeerId, peer: PeerId, address: string): void {
  const held = context.draft.get(AddressClaims, address);
  const again = held?.reporters.includes(reporter) === true;
  if (!again && context.draft.count(AddressClaims, "reporter", reporter) >= CLAIMS_PER_REPORTER_MAX) return;
  if (held !== undefined) {
    const room = again || held.reporters.length >= REPORTERS_MAX;
    const reporters = room ? held.reporters : [...held.reporters, reporter];
    return context.draft.put(AddressClaims, address, { ...held, reporters, reported_at: context.now });
  }
  if (context.draft.size(AddressClaims) >= CLAIMS_MAX && !makeRoom(context, reporter)) return;
  const idle_until = 0n as EpochMillis;
  context.draft.put(AddressClaims, address, { peer, reporters: [reporter], reported_at: context.now, idle_until });
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

/** Claims in the order in which they are worth dialling; `drawn` breaks ties. */
export function claimsToDial(
  context: StepContext,
  isNear: (address: string) => boolean,
  drawn: (address: string) => string,
): readonly (readonly [string, PeerId])[] {
  const worth: { address: string; peer: PeerId; rank: number; draw: string }[] = [];
  for (const address of context.draft.keys(AddressClaims)) {
    const claim = context.draft.get(AddressClaims, address);
    if (claim === undefined || claim.idle_until > context.now) continue;
    const rank = (claim.reporters.length >= CORROBORATED_BY ? 0 : 2) + (isNear(address) ? 1 : 0);
    worth.push({ address, peer: claim.peer, rank, draw: drawn(address) });
  }
  return worth
    .sort((a, b) => a.rank - b.rank || compareText(a.draw, b.draw))
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
