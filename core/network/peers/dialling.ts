/**
 * Whom this node dials and when: its entrypoints for ever, peers whose link was lost for a while, and addresses that
 * were reached before or are claimed while it has too few peers, or too few that it chose itself. What leads nowhere is
 * tried ever later, with a jitter drawn from the boot seed, so that two sides of a healed partition find each other and
 * nobody is hammered.
 * Source: protocol 01 §5.4, §5.5, §13.1; 05 §8.2, §14.9.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Input } from "../../inputs.ts";
import { bigEndian, concat, u32be } from "../../kernel/bytes.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { bool, u32 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { compareText, utf8 } from "../../kernel/text.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { EpochMillis as Instant, keyOfPeer, later, Text } from "../../kernel/values.ts";
import { barredUntil } from "../gossip/credit.ts";
import { addressFor, CLAIM_EXPIRY_MS, claimsToDial, dropClaims, idleClaim, peerOfAddress } from "./address-claims.ts";
import { networkOf } from "./buckets.ts";
import { addressesOf, connectedPeers, Peers, peerOf } from "./peers.ts";
import { noteFailed, noteReached, triedToDial } from "./tried-addresses.ts";

/** Waits between attempts, in milliseconds; the last one for ever. Source: protocol 01 §5.4. */
export const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 60_000] as const;
/** The longest jitter, as a part of the wait: one fifth. Source: protocol 01 §5.4. */
const JITTER_PART = 5;
/** Attempts at an address where the peer was before, and at one that is only claimed. Source: DESIGN "Work at once". */
export const ATTEMPTS_MAX = 8;
export const CLAIM_ATTEMPTS_MAX = 2;
/**
 * Peers below which claimed addresses are dialled, and dials of such that are under way. Source: DESIGN "Work at once".
 */
export const PEERS_WANTED = 8;
/**
 * Of these, peers that this node dialled itself: whoever connects from outside may be anybody. Source: DESIGN section 7
 * #28.
 */
export const DIALLED_WANTED = 4;
/** Addresses dialled again, entrypoints aside. Source: DESIGN L10. */
export const DIALS_MAX = 128;
/** Places of a lost peer that are tried. Source: DESIGN "Work at once". */
const PLACES_TRIED = 2;
/**
 * How long a dial may go without a word of its end, in milliseconds. Source: DESIGN "Waiting times"; the port's bound
 * is 10 s.
 */
const PATIENCE_MS = 30_000;
/** How often claims are looked at again, in milliseconds. Source: protocol 01 §13.1. */
export const REDIAL_EVERY_MS = 30_000;

export const Dial = struct("Dial", {
  peer: Text,
  entrypoint: bool,
  /** Tried with more patience: a link that a handshake proved there was lost, or the operator named the peer. */
  proven: bool,
  attempts: u32,
  due: Instant,
});
export type Dial = Infer<typeof Dial>;
/** Addresses to dial, by address. */
export const Dials = table<Dial>("dials", Dial, { root: "local", indexes: { peer: ({ peer }) => [peer] } });

/** When the node starts: its entrypoints are due. */
export function dialEntrypoints(context: StepContext): void {
  const named = namedEntrypoints(context);
  for (const address of context.configuration.entrypoints) {
    if (named.includes(address as PeerId)) continue;
    const peer = peerOfAddress(address) ?? "";
    context.draft.put(Dials, address, { peer, entrypoint: true, proven: false, attempts: 0, due: context.now });
  }
  redial(context);
  for (const peer of named) {
    if (context.draft.count(Dials, "peer", peer) > 0) continue;
    context.emit({ type: "log", level: "warn", event: "entrypoint without an address", fields: { peer } });
  }
}

/** The timer `redial`: dials what is due, and looks for more peers when there are too few. */
export function redial(context: StepContext): void {
  dialNamed(context);
  for (const address of [...context.draft.keys(Dials)].sort(compareText)) {
    const dial = context.draft.get(Dials, address);
    if (dial === undefined || dial.due > context.now || isConnected(context, dial.peer)) continue;
    const barred = barredUntil(context, dial.peer as PeerId);
    if (barred > context.now) {
      context.draft.put(Dials, address, { ...dial, due: barred });
      continue;
    }
    context.draft.put(Dials, address, { ...dial, attempts: dial.attempts + 1, due: later(context.now, PATIENCE_MS) });
    context.emit({ type: "peer.dial", address });
  }
  dialMore(context);
  setTimer(context);
}

/** Entrypoints that are the id of a peer alone. Source: protocol 01 §5.1. */
function namedEntrypoints({ configuration }: StepContext): readonly PeerId[] {
  const ids = configuration.entrypoints.map((text) => text as PeerId);
  return ids.filter((id) => keyOfPeer(id) !== undefined);
}

/** Such an entrypoint is due where it was reached before or is said to be, which may be known only later. */
function dialNamed(context: StepContext): void {
  for (const peer of namedEntrypoints(context)) {
    if (isConnected(context, peer) || context.draft.count(Dials, "peer", peer) > 0) continue;
    const places = dialable(context).filter(([, of]) => of === peer);
    for (const [address] of places.slice(0, PLACES_TRIED)) {
      if (context.draft.size(Dials) >= DIALS_MAX) return;
      context.draft.put(Dials, address, { peer, entrypoint: false, proven: true, attempts: 0, due: context.now });
    }
  }
}

/** How many peers more this node should dial: too few in all, or too few that it chose itself. */
export function lackedPeers(context: StepContext): number {
  const connected = connectedPeers(context.draft);
  const dialled = connected.filter((peer) => peerOf(context.draft, peer).dialled);
  return Math.max(PEERS_WANTED - connected.length, DIALLED_WANTED - dialled.length);
}

/**
 * Dials addresses that were reached before and claimed ones, in turn, while there are too few peers: first those in
 * networks where this node has no link yet.
 */
export function dialMore(context: StepContext): void {
  let room = Math.min(lackedPeers(context) - underWay(context), DIALS_MAX - context.draft.size(Dials));
  if (room <= 0) return;
  const candidates = dialable(context);
  const near = linkedNetworks(context);
  for (const nearOnes of [false, true]) {
    for (const [address, peer] of candidates) {
      if (room <= 0) return;
      const network = networkOf(address);
      if (near.has(network) !== nearOnes || context.draft.count(Dials, "peer", peer) > 0) continue;
      near.add(network);
      const due = later(context.now, PATIENCE_MS);
      context.draft.put(Dials, address, { peer, entrypoint: false, proven: false, attempts: 1, due });
      context.emit({ type: "peer.dial", address });
      room -= 1;
    }
  }
}

/** Addresses of peers that could be linked, one that was reached before and a claimed one in turn. */
function dialable(context: StepContext): readonly (readonly [string, PeerId])[] {
  const drawn = (address: string) => bigEndian(draw(context, address, 0).subarray(0, 8));
  const usable = ([, peer]: readonly [string, PeerId]) =>
    !isConnected(context, peer) && barredUntil(context, peer) <= context.now;
  const tried = triedToDial(context, drawn).filter(usable);
  const claimed = claimsToDial(context, drawn).filter(usable);
  const longest = Math.max(tried.length, claimed.length);
  return Array.from({ length: longest }, (_, at) => [...tried.slice(at, at + 1), ...claimed.slice(at, at + 1)]).flat();
}

/** Networks in which a peer is connected. */
function linkedNetworks(context: StepContext): Set<string> {
  const connected = connectedPeers(context.draft).map((peer) => peerOf(context.draft, peer));
  return new Set(connected.flatMap((peer) => addressesOf(peer).map(networkOf)));
}

/** A dial led nowhere: later again, or no more. */
export function onUnreachable(
  context: StepContext,
  { address, reason }: Extract<Input, { type: "peer.unreachable" }>,
): void {
  const dial = context.draft.get(Dials, address);
  if (dial === undefined || isConnected(context, dial.peer)) return;
  const level = dial.entrypoint && dial.attempts === 1 ? "warn" : "debug";
  context.emit({ type: "log", level, event: "peer unreachable", fields: { address, reason, attempts: dial.attempts } });
  const most = dial.proven ? ATTEMPTS_MAX : CLAIM_ATTEMPTS_MAX;
  if (!dial.entrypoint && dial.attempts >= most) {
    idleClaim(context, address, later(context.now, CLAIM_EXPIRY_MS));
    noteFailed(context, address, CLAIM_EXPIRY_MS);
    context.draft.put(Dials, address, undefined);
    dialMore(context);
  } else {
    context.draft.put(Dials, address, { ...dial, due: waitAfter(context, address, dial.attempts) });
  }
  setTimer(context);
}

/** A peer is there: nothing more to dial for it, but its entrypoint should it leave. */
export function onReached(context: StepContext, peer: PeerId, address: string | null): void {
  dropClaims(context, peer);
  if (address !== null) noteReached(context, address, peer);
  for (const address of context.draft.find(Dials, "peer", peer)) {
    const dial = context.draft.get(Dials, address);
    if (dial?.entrypoint === false) context.draft.put(Dials, address, undefined);
  }
}

/** A peer is gone: one that this node dialled, and any while there are few, is dialled where it was or says it is. */
export function onLost(context: StepContext, id: PeerId): void {
  const peer = context.draft.get(Peers, id);
  for (const address of context.draft.find(Dials, "peer", id)) {
    const dial = context.draft.get(Dials, address);
    if (dial !== undefined)
      context.draft.put(Dials, address, { ...dial, attempts: 0, due: waitAfter(context, address, 1) });
  }
  // Who came from outside comes again; dialling it back would let strangers choose whom this node dials.
  const wanted = peer?.dialled === true || connectedPeers(context.draft).length < PEERS_WANTED;
  for (const place of peer === undefined || !wanted ? [] : addressesOf(peer).slice(0, PLACES_TRIED)) {
    const address = addressFor(id, place);
    if (address === undefined || context.draft.get(Dials, address) !== undefined) continue;
    if (context.draft.size(Dials) >= DIALS_MAX) break;
    const proven = peer?.proven.includes(place) === true;
    const due = waitAfter(context, address, 1);
    context.draft.put(Dials, address, { peer: id, entrypoint: false, proven, attempts: 0, due });
  }
  setTimer(context);
}

/** When an address is tried again after so many attempts. */
export function waitAfter(context: StepContext, address: string, attempts: number): EpochMillis {
  const wait = BACKOFF_MS[Math.min(Math.max(attempts, 1), BACKOFF_MS.length) - 1] ?? 0;
  const spread = BigInt(Math.floor(wait / JITTER_PART) + 1);
  return later(context.now, wait + Number(bigEndian(draw(context, address, attempts).subarray(0, 4)) % spread));
}

/** A draw by name: another one for each node, start, address and attempt. */
function draw(context: StepContext, address: string, attempts: number): Uint8Array {
  return context.crypto.sha256(concat(utf8("dial"), context.bootSeed, u32be(attempts), utf8(address)));
}

function setTimer(context: StepContext): void {
  let at = later(context.now, REDIAL_EVERY_MS);
  for (const address of context.draft.keys(Dials)) {
    const dial = context.draft.get(Dials, address);
    if (dial !== undefined && dial.due < at && !isConnected(context, dial.peer)) at = dial.due;
  }
  context.emit({ type: "timer.set", timer: "redial", at });
}

function isConnected(context: StepContext, peer: string): boolean {
  return peerOf(context.draft, peer as PeerId).connected;
}

/** Addresses that are being dialled for want of peers. */
function underWay(context: StepContext): number {
  let dials = 0;
  for (const address of context.draft.keys(Dials)) {
    const dial = context.draft.get(Dials, address);
    if (dial !== undefined && !dial.entrypoint && !dial.proven && !isConnected(context, dial.peer)) dials += 1;
  }
  return dials;
}
