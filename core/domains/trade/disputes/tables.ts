/**
 * The table of disputes: one record for each open in each settlement of which its opener is a party.
 * Source: CONVERGENCE "Dispute".
 */

import type { Infer } from "../../../kernel/schema.ts";
import { struct } from "../../../kernel/schema-composites.ts";
import { table } from "../../../kernel/table.ts";
import { Text } from "../../../kernel/values.ts";
import { Dispute } from "./schema.ts";

/** Joiners of one case. Source: CONVERGENCE "Bounds". */
export const JOINERS_MAX = 64;

/** A dispute and what it hangs on: identities of the settlement's initiate and of the open. */
export const DisputeRow = struct("DisputeRow", { ...Dispute.fields, settlement: Text, open: Text });
export type DisputeRow = Infer<typeof DisputeRow>;

/** Disputes by settlement and open. */
export const Disputes = table<DisputeRow>("disputes", DisputeRow, {
  root: "state",
  decorations: ["onchain_execution_signature"],
  sealedBy: "settlement",
  indexes: {
    id: (row) => [row.id],
    settlement: (row) => [row.settlement],
    party: (row) => [row.buyer, row.seller],
    arbitrator: (row) => row.arbitrators,
  },
});
