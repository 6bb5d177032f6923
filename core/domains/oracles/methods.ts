/**
 * Oracle methods: records, tagged rates, and the validation order of a publication.
 * Source: OFS-7000; protocol 05 §3.4, §3.6.
 */

import type { ValidationOrder, ValidationView } from "../../engine/admission/validation-order.ts";
import { commonChecks, firstOf, keyChecks, outOfBounds, refuseWhen } from "../../engine/admission/validation-order.ts";
import { idParams, mutation, noParams, query, signedTypes } from "../../engine/method.ts";
import { readAt, ruleOf } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { decodeJson } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { f64 } from "../../kernel/schema-scalars.ts";
import type { Reader } from "../../kernel/table.ts";
import { recordsOf } from "../../kernel/table.ts";
import { FiatCurrency, Text } from "../../kernel/values.ts";
import { isListed } from "../providers/queries.ts";
import { publicationError, withinRecordLimits } from "./bounds.ts";
import { allRecords, exchangeRate, ORACLE_SERVICES, recordById } from "./queries.ts";
import { ExchangeRate, OraclePublish, OracleRecord } from "./schema.ts";
import type { OracleRow } from "./tables.ts";
import { OracleRecords } from "./tables.ts";

const publishErrors = ["INVALID_SIGNATURE", "INVALID_REQUEST", "INVALID_PARAMETER"] as const;

/** Source: protocol 05 §3.4; §14.11 for whose version is compared. */
const publishChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as OraclePublish;
  return firstOf(
    () => keyChecks(candidate, "INVALID_REQUEST"),
    () => commonChecks(view, candidate),
    () =>
      refuseWhen(!isListed(view.reader, payload.provider, view.now, ORACLE_SERVICES), "INVALID_REQUEST", "not-listed"),
    () => outOfBounds(publicationError(view, payload)),
    () => refuseWhen(!isNewer(view, payload), "INVALID_REQUEST", "outdated"),
    () => refuseWhen(!withinRecordLimits(view.reader, payload), "INVALID_REQUEST", "too-many"),
  );
};

/** Whether a version is above those that it is compared with. */
function isNewer({ reader, configuration }: ValidationView, publication: OraclePublish): boolean {
  const compared = ruleOf(configuration, isCompared);
  return recordsOf(reader, OracleRecords, "id", publication.id)
    .filter((record) => compared(record, publication))
    .every((record) => publication.version > record.version);
}

/** Whose versions are compared: the provider's own. Source: protocol 05 §14.11. */
export function isCompared(held: OracleRow, { provider }: OraclePublish): boolean {
  return held.provider === provider;
}

const pairParams = struct("PairParams", { base: Text, quote: Text });

export const oracleMethods = {
  getOracleRecord: query({
    params: idParams,
    result: option(OracleRecord),
    source: "OFS-8200 §6; protocol 05 §3.6",
    doc: "One record, also after it ran out; null when the id is unknown or nobody registered publishes it.",
    read: (reader, { id }, context) => recordById(reader, id, readAt(context)) ?? null,
  }),
  getOracleRecords: query({
    params: noParams,
    need: "none",
    result: list(OracleRecord),
    source: "protocol 05 §3.6",
    doc: "Every record of registered providers, by id.",
    read: (reader, _, context) => allRecords(reader, readAt(context)),
  }),
  getExchangeRate: query({
    params: pairParams,
    result: ExchangeRate,
    source: "OFS-8200 §6; protocol 05 §3.5, §3.6",
    doc: "The median rate of a pair while it is current; otherwise whether it is stale or was never heard of.",
    read: (reader, { base, quote }, context) => rateAsked(reader, base, quote, context),
  }),
  getMedianExchangeRate: query({
    params: pairParams,
    result: option(f64),
    source: "OFS-8200 §6; protocol 05 §3.6",
    doc: "The same number or null. Kept for existing clients: null hides stale against noData, use getExchangeRate.",
    read(reader, { base, quote }, context) {
      const asked = rateAsked(reader, base, quote, context);
      return asked.status === "current" ? asked.rate : null;
    },
  }),
  sendOraclePublish: mutation({
    signed: signedTypes(OraclePublish),
    checks: publishChecks,
    answers: "id",
    errors: publishErrors,
    source: "OFS-7000; protocol 05 §3.4",
    doc: "Publishes a registered provider's observation until it runs out.",
  }),
};

function rateAsked(reader: Reader, base: string, quote: string, context: StepContext): ExchangeRate {
  return exchangeRate(reader, base, ruleOf(context.configuration, quoteNamed)(quote), readAt(context));
}

/** A three-letter quote is read as advertisements read it, trimmed and in capitals. Source: protocol 05 §14.15. */
export function quoteNamed(quote: string): string {
  const fiat = decodeJson(FiatCurrency, quote);
  return fiat.ok ? fiat.value.value : quote;
}
