/**
 * The table of risk records: one for each publishing statement. Source: CONVERGENCE "Records and ids".
 */

import { table } from "../../kernel/table.ts";
import { RiskRecord } from "./schema.ts";

/** Risk records by their publishing statement's identity. */
export const RiskRecords = table<RiskRecord>("risk_records", RiskRecord, {
  root: "state",
  indexes: { wallet: (record) => [record.wallet] },
});
