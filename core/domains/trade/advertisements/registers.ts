/**
 * The merchant's registers: what he signed about price, terms and status, and which of it is in force.
 * Source: CONVERGENCE "Advertisement", "Reservation"; protocol 02 O.3.
 */

import { childrenBySigner } from "../../../engine/statements/own-statements.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { Amount, EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import type { PaymentMethodId } from "../../payment-methods/schema.ts";
import { isUsableBy } from "../../payment-methods/schema.ts";
import type { Closing } from "./allocation.ts";
import type { AdvertisementCreate, AdvertisementStatus, PricingModel } from "./schema.ts";
import {
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "./schema.ts";

/** One signed setting and the statement that made it. */
export interface Signed<T> {
  readonly value: T;
  readonly statement: Statement;
}

export interface Terms {
  readonly min_trade: Amount;
  readonly max_trade: Amount;
  readonly payment_methods: readonly PaymentMethodId[];
}

/** Everything the merchant signed, each in (timestamp, identity) order; the create comes first. */
export interface Registers {
  readonly prices: readonly Signed<PricingModel>[];
  readonly terms: readonly Signed<Terms>[];
  readonly statuses: readonly Signed<AdvertisementStatus>[];
}

/** Reads the registers of an advertisement: its creating statement and its merchant's valid edits. */
export function readRegisters(reader: Reader, create: Statement<AdvertisementCreate>): Registers {
  const { pricing, min_trade, max_trade, payment_methods } = create.payload;
  const edits = [...childrenBySigner(reader, create, create.signer)].sort(compareStatements);
  const parts = edits.map(partOf);
  return {
    prices: [{ value: pricing, statement: create }, ...parts.flatMap(({ prices = [] }) => prices)],
    terms: [
      { value: { min_trade, max_trade, payment_methods }, statement: create },
      ...parts.flatMap(({ terms = [] }) => terms),
    ],
    statuses: parts.flatMap(({ statuses = [] }) => statuses),
  };
}

/** The registers with one more edit of the merchant's. */
export function withEdit(registers: Registers, edit: Statement): Registers {
  const { prices = [], terms = [], statuses = [] } = partOf(edit);
  const [firstPrice, ...laterPrices] = registers.prices;
  const [firstTerms, ...laterTerms] = registers.terms;
  return {
    prices: firstPrice === undefined ? [] : [firstPrice, ...inOrder(laterPrices, prices)],
    terms: firstTerms === undefined ? [] : [firstTerms, ...inOrder(laterTerms, terms)],
    statuses: inOrder(registers.statuses, statuses),
  };
}

/** What one edit sets. */
function partOf(edit: Statement): Partial<Registers> {
  const status = statusOf(edit);
  if (status !== undefined) return { statuses: [{ value: status, statement: edit }] };
  if (edit.type.name === AdvertisementPriceUpdate.name)
    return { prices: [{ value: (edit.payload as AdvertisementPriceUpdate).pricing, statement: edit }] };
  if (edit.type.name !== AdvertisementTermsUpdate.name) return {};
  const value = edit.payload as AdvertisementTermsUpdate;
  return usableTerms(value, edit.signer) ? { terms: [{ value, statement: edit }] } : {};
}

/** A list in order with one more in its place, mostly the last. */
function inOrder<T>(settings: readonly Signed<T>[], more: readonly Signed<T>[]): readonly Signed<T>[] {
  const [one] = more;
  if (one === undefined) return settings;
  let place = settings.length;
  for (; place > 0; place--) {
    const order = compareStatements((settings[place - 1] as Signed<T>).statement, one.statement);
    if (order === 0) return settings;
    if (order < 0) break;
  }
  return [...settings.slice(0, place), one, ...settings.slice(place)];
}

/** Terms that a create or an update may carry. Source: protocol 02 B.6 rows 5-7. */
export function usableTerms(terms: Terms, merchant: string): boolean {
  const methods = terms.payment_methods;
  if (methods.length === 0) return false;
  if (!methods.every((method) => isUsableBy(merchant, method))) return false;
  const { min_trade, max_trade } = terms;
  return min_trade.decimals === max_trade.decimals && min_trade.base_units <= max_trade.base_units;
}

/** The setting with the greatest (timestamp, identity): the create's own unless an edit is newer. */
export function newest<T>(settings: readonly Signed<T>[]): Signed<T> | undefined {
  let found: Signed<T> | undefined;
  for (const setting of settings) {
    if (found === undefined || compareStatements(setting.statement, found.statement) > 0) found = setting;
  }
  return found;
}

/** The status to show: Deleted over any other, else the newest. Active until the merchant says otherwise. */
export function currentStatus(registers: Registers): AdvertisementStatus {
  if (registers.statuses.some((status) => status.value === "Deleted")) return "Deleted";
  return newest(registers.statuses)?.value ?? "Active";
}

/** When the advertisement was closed and opened; once Deleted, it stays closed since then. */
export function closingsOf({ statuses }: Registers): readonly Closing[] {
  let deletedSince: EpochMillis | undefined;
  return statuses.map(({ value, statement: { timestamp } }) => {
    if (value === "Deleted") deletedSince ??= timestamp;
    return { from: timestamp, closedSince: deletedSince ?? (value === "Active" ? undefined : timestamp) };
  });
}

/** The newest date among the settings in force. */
export function editedAt(registers: Registers): EpochMillis {
  const settings = [newest(registers.prices), newest(registers.terms), newest(registers.statuses)];
  return latest(settings.flatMap((setting) => (setting === undefined ? [] : [setting.statement.timestamp])));
}

function statusOf(statement: Statement): AdvertisementStatus | undefined {
  if (statement.type.name === AdvertisementStatusSet.name) return (statement.payload as AdvertisementStatusSet).status;
  return statement.type.name === AdvertisementDisable.name ? "Disabled" : undefined;
}
