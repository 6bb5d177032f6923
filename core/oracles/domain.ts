/**
 * Oracles: records that registered providers publish, and the rates read from them. Source: protocol 05 §3.
 */

import { defineDomain, typeRow } from "../domain.ts";
import { COMMON_LIMITS } from "../doors/bounds.ts";
import { hasRecordRoom, publicationError } from "./bounds.ts";
import { oracleFold } from "./fold.ts";
import { oracleMethods } from "./methods.ts";
import { OraclePublish } from "./schema.ts";
import { OracleRecords } from "./tables.ts";

export const oracles = defineDomain({
  name: "oracles",
  types: [
    typeRow(
      OraclePublish,
      { ...COMMON_LIMITS, room: (reader, { payload }) => hasRecordRoom(reader, payload as OraclePublish) },
      { validate: publicationError },
    ),
  ],
  records: [OracleRecords],
  folds: () => [oracleFold],
  methods: oracleMethods,
});
