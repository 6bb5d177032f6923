/**
 * Whom this node dials and when: its entrypoints for ever, peers whose link was lost for a while, and claimed addresses
 * while it has too few peers. What leads nowhere is tried ever later, with a jitter drawn from the boot seed, so that
 * two sides of a healed partition find each other and nobody is hammered.
 * Source: protocol 01 §5.4, §5.5, §13.1; 05 §8.2, §14.9.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Input } from "../../inputs.ts";
import { bigEndian, concat, toHex, u32be } from "../../kernel/bytes.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { bool, u32 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { compareText, utf8 } from "../../kernel/text.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { EpochMillis as Instant, later, Text } from "../../kernel/values.ts";
import { barredUntil } from "../gossip/credit.ts";
import {
  AddressClaims,
  addressFor,
  CLAIM_EXPIRY_MS,
  claimsToDial,
  dropClaims,
  idleClaim,
  peerOfAddress,
} from "./address-claims.ts";
import { addressesOf, connectedPeers, Peers, peerOf } from "./peers.ts";

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
  /** Whether a handshake proved the address before. */
  proven: bool,
  attempts: u32,
  due: Instant,
});
export type Dial = Infer<typeof Dial>;
/** Addresses to dial, by address. */
export const Dials = table<Dial>("dials", Dial, { root: "local", indexes: { peer: ({ peer }) => [peer] } });

/** When the node starts: its entrypoints are due. */
export function dialEntrypoints(context: StepContext): void {
  for (const address of context.configuration.entrypoints) {
    const peer = peerOfAddress(address) ?? "";
    context.draft.put(Dials, address, { peer, entrypoint: true, proven: false, attempts: 0, due: context.now });
  }
  redial(context);
}

/** The timer `redial`: dials what is due, and looks for more peers when there are too few. */
export function redial(context: StepContext): void {
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
  dialClaims(context);
  setTimer(context);
}

/** Dials claimed addresses while there are too few peers. */
export function dialClaims(context: StepContext): void {
  const connected = connectedPeers(context.draft);
  const underWay = claimsUnderWay(context);
  let room = Math.min(PEERS_WANTED - connected.length - underWay, DIALS_MAX - context.draft.size(Dials));
  if (room <= 0 || context.draft.size(AddressClaims) === 0) return;
  const near = new Set(connected.flatMap((peer) => addressesOf(peerOf(context.draft, peer)).map(neighbourhood)));
  const drawn = (address: string) => toHex(draw(context, address, 0));
  for (const [address, peer] of claimsToDial(context, (text) => near.has(neighbourhood(text)), drawn)) {
    if (room <= 0) return;
    if (isConnected(context, peer) || context.draft.count(Dials, "peer", peer) > 0) continue;
    if (barredUntil(context, peer) > context.now) continue;
    const due = later(context.now, PATIENCE_MS);
    context.draft.put(Dials, address, { peer, entrypoint: false, proven: false, attempts: 1, due });
    context.emit({ type: "peer.dial", address });
    room -= 1;
  }
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
    context.draft.put(Dials, address, undefined);
    dialClaims(context);
  } else {
    context.draft.put(Dials, address, { ...dial, due: waitAfter(context, address, dial.attempts) });
  }
  setTimer(context);
}

/** A peer is there: nothing more to dial for it, but its entrypoint should it leave. */
export function onReached(context: StepContext, peer: PeerId): void {
  dropClaims(context, peer);
  for (const address of context.draft.find(Dials, "peer", peer)) {
    const dial = context.draft.get(Dials, address);
    if (dial?.entrypoint === false) context.draft.put(Dials, address, undefined);
  }
}

/** A peer is gone: it is dialled again where it was, or where it said it is. */
export function onLost(context: StepContext, id: PeerId): void {
  const peer = context.draft.get(Peers, id);
  for (const address of context.draft.find(Dials, "peer", id)) {
    const dial = context.draft.get(Dials, address);
    if (dial !== undefined)
      context.draft.put(Dials, address, { ...dial, attempts: 0, due: waitAfter(context, address, 1) });
  }
  for (const place of peer === undefined ? [] : addressesOf(peer).slice(0, PLACES_TRIED)) {
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

/** Claimed addresses that are being dialled. */
function claimsUnderWay(context: StepContext): number {
  let dials = 0;
  for (const address of context.draft.keys(Dials)) {
    const dial = context.draft.get(Dials, address);
    if (dial !== undefined && !dial.entrypoint && !dial.proven && !isConnected(context, dial.peer)) dials += 1;
  }
  return dials;
}

/** Where an address lies: its first two octets, or its whole host. Source: protocol 05 §14.9. */
function neighbourhood(address: string): string {
  const [, kind, host = ""] = address.split("/");
  return kind === "ip4" ? host.split(".").slice(0, 2).join(".") : host;
}
