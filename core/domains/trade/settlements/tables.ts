/**
 * The tables of settlements and of the chain facts that settle them.
 * Source: CONVERGENCE "Records and ids", "Chain facts".
 */

import { dateText } from "../../../engine/statements/table.ts";
import { isHashShaped } from "../../../kernel/signed.ts";
import { BY_KEY, table } from "../../../kernel/table.ts";
import { ChainFact, SettlementRow } from "./schema.ts";

/** Settlements by their initiate's identity. */
export const Settlements = table<SettlementRow>("settlements", SettlementRow, {
  root: "state",
  decorations: ["escrow_release_signature", "execution_signature", "closed_at"],
  sealedBy: BY_KEY,
  indexes: {
    id: (row) => [row.id],
    party: (row) => [row.buyer, row.seller],
    reservation: (row) => [row.reservation_id],
    /** Those of a pair that were ever paid, disputed or decided. */
    touched: (row) => (wasTouched(row) ? [pairOf(row)] : []),
  },
  orders: {
    /** Those of a pair, the one first that its reservation follows: a sale by a fact before any follow order. */
    followed: { under: (row) => [pairOf(row)], rank: (row) => `${isSoldByFact(row) ? 0 : 1}${followRank(row)}` },
    /** Approved ones that two people began under one plain id, the smallest first: a bare approve reaches all. */
    approved: {
      under: (row) => (row.approved && !isHashShaped(row.id) ? [namesakesOf(row)] : []),
      rank: (row) => `${row.amount.base_units.toString().padStart(20, "0")}${dateText(row.created_at)}`,
    },
  },
});

/** Chain facts that this node read, by SHA-256(program ‖ account of the case or escrow ‖ round ‖ outcome). */
export const ChainFacts = table<ChainFact>("chain_facts", ChainFact, {
  root: "facts",
  decorations: ["transaction", "timestamp"],
  sealedBy: BY_KEY,
  durable: true,
  indexes: { reservation: (fact) => [fact.reservation.toString()] },
});

/** The escrow reached the buyer: stronger than any follow order, which leaves facts aside. */
export function isSoldByFact(row: SettlementRow): boolean {
  return row.state === "Completed";
}

/** How much one settlement outranks another in what their reservation follows. Source: CONVERGENCE "Follow order". */
export function followRank(row: SettlementRow): string {
  const ranks = [
    row.approved,
    row.signed_state === "Disputed",
    row.signed_state === "PaymentSubmitted",
    !(row.cancelled_by_buyer || row.cancelled_by_seller),
    !row.reject_signed,
  ];
  return `${ranks.map((holds) => (holds ? 0 : 1)).join("")}${dateText(row.created_at)}`;
}

/** Under what those stand that two people began under one id. */
export function namesakesOf({ buyer, seller, id }: SettlementRow): string {
  return `${buyer}/${seller}/${id}`;
}

function wasTouched(row: SettlementRow): boolean {
  return row.ever_paid || row.disputed_at !== null || row.decided || row.released;
}

function pairOf({ advertisement, request }: SettlementRow): string {
  return `${advertisement}:${request}`;
}
