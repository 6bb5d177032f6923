/**
 * The tables of settlements and of the chain facts that settle them.
 * Source: CONVERGENCE "Records and ids", "Chain facts".
 */

import { BY_KEY, table } from "../../../kernel/table.ts";
import { ChainFact, SettlementRow } from "./schema.ts";

/** Settlements by their initiate's identity. */
export const Settlements = table<SettlementRow>("settlements", SettlementRow, {
  root: "state",
  decorations: ["escrow_release_signature", "execution_signature", "closed_at"],
  sealedBy: BY_KEY,
  indexes: {
    id: (row) => [row.id],
    pair: (row) => [`${row.advertisement}:${row.request}`],
    party: (row) => [row.buyer, row.seller],
    reservation: (row) => [row.reservation_id],
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
