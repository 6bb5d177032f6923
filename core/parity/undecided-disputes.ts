/**
 * What the reference would show of a dispute: the chain changes no `updated_at`, and neither an even split nor a
 * mutual settlement on chain ever resolves a case. Source: protocol 03 A.2.1, A.6, W-3, W-8.
 */

import { panelAbout } from "../domains/trade/disputes/panels.ts";
import { disputeOf } from "../domains/trade/disputes/rules.ts";
import type { DisputeOpen } from "../domains/trade/disputes/schema.ts";
import type { DisputeRow } from "../domains/trade/disputes/tables.ts";
import type { SettlementInitiate } from "../domains/trade/settlements/schema.ts";
import { Settlements } from "../domains/trade/settlements/tables.ts";
import { Statements } from "../engine/statements/table.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { isUndecided } from "./settlements.ts";

/** A dispute as the reference would show it. */
export function disputeToReference(row: DisputeRow, reader: Reader): DisputeRow {
  if (row.status !== "Resolved") return row;
  const settlement = reader.get(Settlements, row.settlement);
  const open = reader.get(Statements, row.open) as Statement<DisputeOpen> | undefined;
  const initiate = reader.get(Statements, row.settlement) as Statement<SettlementInitiate> | undefined;
  if (settlement === undefined || open === undefined || initiate === undefined) return row;
  const undecided = {
    ...settlement,
    decided: false,
    execution_signature: null,
    resolution: null,
    terminal_split: null,
  };
  const panel = panelAbout(reader, open, initiate.payload);
  const before = disputeOf(open, undecided, panel);
  if (!isUndecided(settlement)) return { ...row, updated_at: before.updated_at };
  return { ...row, ...before, onchain_execution_signature: row.onchain_execution_signature };
}
