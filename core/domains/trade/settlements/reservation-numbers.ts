/**
 * Reservation ids as on-chain numbers. Leading zeros make several ids of one number, and one escrow: its fact binds to
 * one settlement among all of them. Source: protocol 03 A.10.3 R1; CONVERGENCE "Chain facts".
 */

import { fromBase58 } from "../../../kernel/text.ts";
import type { PeerId } from "../../../kernel/values.ts";
import { peerOfKey } from "../../../kernel/values.ts";
import { reservationNumber } from "../../../solana/addresses.ts";
import type { ChainFact } from "./schema.ts";

const DIGITS_MAX = 20;

/** The name under which facts about a reservation id are found: its number in plain decimal, or the id itself. */
export function factNameOf(id: string): string {
  return reservationNumber(id)?.toString() ?? id;
}

/** Every id that names the same escrow, the number in plain decimal first; an id that is no number stands alone. */
export function spellingsOf(id: string): readonly string[] {
  if (reservationNumber(id) === undefined) return [id];
  const plain = factNameOf(id);
  return Array.from({ length: DIGITS_MAX + 1 - plain.length }, (_, zeros) => "0".repeat(zeros) + plain);
}

/** The buyer and the seller whom a chain fact names. */
export function partiesOfFact({ buyer, seller }: Pick<ChainFact, "buyer" | "seller">): readonly [PeerId, PeerId] {
  const peerOf = (key: string) => peerOfKey(fromBase58(key) ?? new Uint8Array(0));
  return [peerOf(buyer), peerOf(seller)];
}

/** What a chain fact is about, and all settlements among which it may bind: those of one number between two people. */
export function groupOfFact(fact: Pick<ChainFact, "reservation" | "buyer" | "seller">): string {
  const [by, from] = partiesOfFact(fact);
  return `${fact.reservation}/${by}/${from}`;
}

/** The same of what a buyer begins with a seller under a reservation id. */
export function groupOf(reservation: string, buyer: PeerId, seller: PeerId): string {
  return `${factNameOf(reservation)}/${buyer}/${seller}`;
}
