/**
 * Amendments: rules that a network takes up at a date, which stands in its profile. The fold asks for the date of a
 * statement and never for a clock: what is dated before is judged as it was, so nothing that is sealed changes, and
 * nodes that have the rule and nodes that have not agree on it. Source: CONVERGENCE "Profile".
 */

import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";

/** Whether a rule is in force for a statement. */
export function isAmended(reader: Reader, rule: string, { timestamp }: Pick<Statement, "timestamp">): boolean {
  return reader.amendments?.some((each) => each.rule === rule && timestamp >= each.from) ?? false;
}
