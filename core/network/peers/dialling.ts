/**
 * Whom this node dials and when: its entrypoints for ever, peers whose link was lost for a while, and claimed addresses
 * while it has too few peers. What leads nowhere is tried ever later, with a jitter drawn from the boot seed, so that
 * two sides of a healed partition find each other and nobody is hammered.
 * Source: protocol 01 §5.4, §5.5, §13.1; 05 §8.2, §14.9.
 */

import type { Turn } from "../../engine/step-context.ts";
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
export function dialEntrypoints(turn: Turn): void {
  for (const address of turn.configuration.entrypoints) {
    const peer = peerOfAddress(address) ?? "";
    turn.draft.put(Dials, address, { peer, entrypoint: true, proven: false, attempts: 0, due: turn.now });
  }
  redial(turn);
}

/** The timer `redial`: dials what is due, and looks for more peers when there are too few. */
export function redial(turn: Turn): void {
  for (const address of [...turn.draft.keys(Dials)].sort(compareText)) {
    const dial = turn.draft.get(Dials, address);
    if (dial === undefined || dial.due > turn.now || isConnected(turn, dial.peer)) continue;
    const barred = barredUntil(turn, dial.peer as PeerId);
    if (barred > turn.now) {
      turn.draft.put(Dials, address, { ...dial, due: barred });
      continue;
    }
    turn.draft.put(Dials, address, { ...dial, attempts: dial.attempts + 1, due: later(turn.now, PATIENCE_MS) });
    turn.emit({ type: "peer.dial", address });
  }
  dialClaims(turn);
  setTimer(turn);
}

/** Dials claimed addresses while there are too few peers. */
export function dialClaims(turn: Turn): void {
  const connected = connectedPeers(turn.draft);
  const underWay = claimsUnderWay(turn);
  let room = Math.min(PEERS_WANTED - connected.length - underWay, DIALS_MAX - turn.draft.size(Dials));
  if (room <= 0 || turn.draft.size(AddressClaims) === 0) return;
  const near = new Set(connected.flatMap((peer) => addressesOf(peerOf(turn.draft, peer)).map(neighbourhood)));
  const drawn = (address: string) => toHex(draw(turn, address, 0));
  for (const [address, peer] of claimsToDial(turn, (text) => near.has(neighbourhood(text)), drawn)) {
    if (room <= 0) return;
    if (isConnected(turn, peer) || turn.draft.count(Dials, "peer", peer) > 0) continue;
    if (barredUntil(turn, peer) > turn.now) continue;
    const due = later(turn.now, PATIENCE_MS);
    turn.draft.put(Dials, address, { peer, entrypoint: false, proven: false, attempts: 1, due });
    turn.emit({ type: "peer.dial", address });
    room -= 1;
  }
}

/** A dial led nowhere: later again, or no more. */
export function onUnreachable(turn: Turn, { address, reason }: Extract<Input, { type: "peer.unreachable" }>): void {
  const dial = turn.draft.get(Dials, address);
  if (dial === undefined || isConnected(turn, dial.peer)) return;
  const level = dial.entrypoint && dial.attempts === 1 ? "warn" : "debug";
  turn.emit({ type: "log", level, event: "peer unreachable", fields: { address, reason, attempts: dial.attempts } });
  const most = dial.proven ? ATTEMPTS_MAX : CLAIM_ATTEMPTS_MAX;
  if (!dial.entrypoint && dial.attempts >= most) {
    idleClaim(turn, address, later(turn.now, CLAIM_EXPIRY_MS));
    turn.draft.put(Dials, address, undefined);
    dialClaims(turn);
  } else {
    turn.draft.put(Dials, address, { ...dial, due: waitAfter(turn, address, dial.attempts) });
  }
  setTimer(turn);
}

/** A peer is there: nothing more to dial for it, but its entrypoint should it leave. */
export function onReached(turn: Turn, peer: PeerId): void {
  dropClaims(turn, peer);
  for (const address of turn.draft.find(Dials, "peer", peer)) {
    const dial = turn.draft.get(Dials, address);
    if (dial?.entrypoint === false) turn.draft.put(Dials, address, undefined);
  }
}

/** A peer is gone: it is dialled again where it was, or where it said it is. */
export function onLost(turn: Turn, id: PeerId): void {
  const peer = turn.draft.get(Peers, id);
  for (const address of turn.draft.find(Dials, "peer", id)) {
    const dial = turn.draft.get(Dials, address);
    if (dial !== undefined) turn.draft.put(Dials, address, { ...dial, attempts: 0, due: waitAfter(turn, address, 1) });
  }
  for (const place of peer === undefined ? [] : addressesOf(peer).slice(0, PLACES_TRIED)) {
    const address = addressFor(id, place);
    if (address === undefined || turn.draft.get(Dials, address) !== undefined) continue;
    if (turn.draft.size(Dials) >= DIALS_MAX) break;
    const proven = peer?.proven.includes(place) === true;
    const due = waitAfter(turn, address, 1);
    turn.draft.put(Dials, address, { peer: id, entrypoint: false, proven, attempts: 0, due });
  }
  setTimer(turn);
}

/** When an address is tried again after so many attempts. */
export function waitAfter(turn: Turn, address: string, attempts: number): EpochMillis {
  const wait = BACKOFF_MS[Math.min(Math.max(attempts, 1), BACKOFF_MS.length) - 1] ?? 0;
  const spread = BigInt(Math.floor(wait / JITTER_PART) + 1);
  return later(turn.now, wait + Number(bigEndian(draw(turn, address, attempts).subarray(0, 4)) % spread));
}

/** A draw by name: another one for each node, start, address and attempt. */
function draw(turn: Turn, address: string, attempts: number): Uint8Array {
  return turn.crypto.sha256(concat(utf8("dial"), turn.bootSeed, u32be(attempts), utf8(address)));
}

function setTimer(turn: Turn): void {
  let at = later(turn.now, REDIAL_EVERY_MS);
  for (const address of turn.draft.keys(Dials)) {
    const dial = turn.draft.get(Dials, address);
    if (dial !== undefined && dial.due < at && !isConnected(turn, dial.peer)) at = dial.due;
  }
  turn.emit({ type: "timer.set", timer: "redial", at });
}

function isConnected(turn: Turn, peer: string): boolean {
  return peerOf(turn.draft, peer as PeerId).connected;
}

/** Claimed addresses that are being dialled. */
function claimsUnderWay(turn: Turn): number {
  let dials = 0;
  for (const address of turn.draft.keys(Dials)) {
    const dial = turn.draft.get(Dials, address);
    if (dial !== undefined && !dial.entrypoint && !dial.proven && !isConnected(turn, dial.peer)) dials += 1;
  }
  return dials;
}

/** Where an address lies: its first two octets, or its whole host. Source: protocol 05 §14.9. */
function neighbourhood(address: string): string {
  const [, kind, host = ""] = address.split("/");
  return kind === "ip4" ? host.split(".").slice(0, 2).join(".") : host;
}
