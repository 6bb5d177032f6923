/**
 * The risk fold: a record for each publishing statement, whoever is registered; that is a join of the reader.
 * Source: CONVERGENCE "Joins"; protocol 04 §4.5, §4.11.
 */

import type { FoldUnit } from "../../engine/statements/fold.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { Statement } from "../../kernel/signed.ts";
import { isWithinBounds, RiskPublish } from "./schema.ts";
import { RiskRecords } from "./tables.ts";

const RISK_UNIT = "risk";

export const riskFold: FoldUnit = {
  name: RISK_UNIT,
  touches: { [RiskPublish.name]: (_, statement, mark) => mark(RISK_UNIT, statement.identity) },
  refold(draft, identity) {
    const publish = draft.get(Statements, identity) as Statement<RiskPublish> | undefined;
    if (publish === undefined || !isWithinBounds(publish.payload)) return;
    const { timestamp, ...published } = publish.payload;
    draft.put(RiskRecords, identity, { ...published, published_at: timestamp });
  },
};
