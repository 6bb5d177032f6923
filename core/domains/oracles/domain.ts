/**
 * Oracles: records that registered providers publish, and the rates read from them. Source: protocol 05 §3.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import { publicationError, withinRecordLimits } from "./bounds.ts";
import { oracleFold } from "./fold.ts";
import { oracleMethods } from "./methods.ts";
import { OraclePublish } from "./schema.ts";
import { OracleRecords } from "./tables.ts";

export const oracles = defineDomain({
  name: "oracles",
  types: [
    typeRow(
      OraclePublish,
      { ...COMMON_LIMITS, withinLimits: (reader, { payload }) => withinRecordLimits(reader, payload as OraclePublish) },
      { validate: publicationError },
    ),
  ],
  records: [OracleRecords],
  folds: () => [oracleFold],
  methods: oracleMethods,
});
