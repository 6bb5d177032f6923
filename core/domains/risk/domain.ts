/**
 * Risk intelligence: what registered providers say of wallets. Source: protocol 04 §4.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import { riskFold } from "./fold.ts";
import { riskMethods } from "./methods.ts";
import { RiskPublish } from "./schema.ts";
import { RiskRecords } from "./tables.ts";

export const risk = defineDomain({
  name: "risk",
  types: [typeRow(RiskPublish, COMMON_LIMITS)],
  records: [RiskRecords],
  folds: () => [riskFold],
  methods: riskMethods,
});
