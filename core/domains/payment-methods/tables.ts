/**
 * The table of payment methods that merchants defined. Source: CONVERGENCE "Bounds".
 */

import type { Reader } from "../../kernel/table.ts";
import { recordsOf, table } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { PaymentMethodRow } from "./schema.ts";

/** Definitions of one merchant that are shown: those with the smallest ids. Source: protocol 02 I.3 row 6. */
export const METHODS_SHOWN_MAX = 32;
/** Definitions of one merchant that a node keeps, shown or not: a refusal of the ingress. Source: DESIGN L10. */
export const METHODS_KEPT_MAX = 256;

/** Definitions by their id. */
export const PaymentMethods = table<PaymentMethodRow>("payment_methods", PaymentMethodRow, {
  root: "state",
  indexes: { merchant: (row) => [row.merchant] },
});

/** The definitions of a merchant that are shown, in order of id. */
export function methodsOf(reader: Reader, merchant: PeerId): readonly PaymentMethodRow[] {
  return recordsOf(reader, PaymentMethods, "merchant", merchant)
    .filter((row) => row.usable)
    .sort((a, b) => compareText(a.id, b.id))
    .slice(0, METHODS_SHOWN_MAX);
}

/** Whether a node may keep one more definition of a merchant. */
export function withinDefinitionLimits(reader: Reader, merchant: PeerId): boolean {
  return reader.find(PaymentMethods, "merchant", merchant).length < METHODS_KEPT_MAX;
}
