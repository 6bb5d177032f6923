/**
 * The table of oracle records: one for each provider and id. Source: protocol 05 §14.11.
 */

import type { Infer } from "../../kernel/schema.ts";
import { extend } from "../../kernel/schema-composites.ts";
import { table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { Text } from "../../kernel/values.ts";
import { OracleRecord } from "./schema.ts";

/** A record and the identity of the publication behind it. */
export const OracleRow = extend("OracleRow", OracleRecord, { publication: Text });
export type OracleRow = Infer<typeof OracleRow>;

/** Oracle records by provider and id. */
export const OracleRecords = table<OracleRow>("oracle_records", OracleRow, {
  root: "state",
  indexes: {
    id: (row) => [row.id],
    provider: (row) => [row.provider],
    pair({ data }) {
      return "ExchangeRate" in data ? [pairText(data.ExchangeRate.base, data.ExchangeRate.quote)] : [];
    },
  },
});

/** Where a record stands in the table; no peer id holds a slash. */
export function oracleKey(provider: PeerId, id: string): string {
  return `${provider}/${id}`;
}

/** A pair as one text; two pairs never share one. */
export function pairText(base: string, quote: string): string {
  return `${base.length}/${base}/${quote}`;
}
