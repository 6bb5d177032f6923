/**
 * What services earn and cost: earnings for whoever proves their key, and quotes of fees in any priced token.
 * Source: OFS-4100 §9.5; OFS-1500 §15; protocol 05 §2.
 */

import { call, idParams } from "../../engine/method.ts";
import { readAt } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { NetworkProfile } from "../../inputs.ts";
import { ok } from "../../kernel/result.ts";
import { option, struct } from "../../kernel/schema-composites.ts";
import { Text } from "../../kernel/values.ts";
import { exchangeRate } from "../oracles/queries.ts";
import { serviceById } from "../providers/queries.ts";
import type { Service } from "../providers/tables.ts";
import {
  challenge,
  EarningsChallenge,
  EarningsParams,
  earnings,
  earningsErrors,
  ProviderEarnings,
} from "./earnings.ts";
import type { MidRate } from "./fees.ts";
import { convertedExactly, FeeQuote, feeQuote } from "./fees.ts";

export const feeMethods = {
  getProviderEarningsChallenge: call({
    kind: "query",
    params: idParams,
    result: EarningsChallenge,
    errors: ["RESOURCE_NOT_FOUND"],
    source: "OFS-1500 §15; protocol 05 §2.3",
    doc: "Issues a single-use challenge for a service's earnings.",
    run: (context, { id }) => challenge(context, id),
  }),
  getProviderEarnings: call({
    kind: "query",
    params: EarningsParams,
    result: ProviderEarnings,
    access: "proof",
    proof: { domain: "openfiat-earnings", challenge: "getProviderEarningsChallenge", subject: "service" },
    errors: earningsErrors,
    source: "OFS-1500 §15; protocol 05 §2.3",
    doc: "What a service has earned, for whoever proves its key.",
    run: (context, params) => earnings(context, params),
  }),
  getProviderFeeQuote: call({
    kind: "query",
    params: struct("FeeQuoteParams", { id: Text, settlement_mint: Text }),
    result: option(FeeQuote),
    source: "OFS-4100 §9.5; protocol 05 §2.4",
    doc: "What a service's fee comes to in a token; null when the service is unknown. Only a settleable one has an amount.",
    run(context, { id, settlement_mint }) {
      const service = serviceById(context.draft, id, context.now);
      return ok(service === undefined ? null : quoteFor(context, service, settlement_mint));
    },
  }),
};

/** Every mint that has a price: those that trades settle in, and those that are priced only. */
function pricedMints({ mints, pricedOnly }: NetworkProfile): NetworkProfile["mints"] {
  return [...mints, ...(pricedOnly ?? [])];
}

/**
 * The quote; where doubles and exact arithmetic part, the doubles stand and the log says so. Source: protocol 05
 * §14.16.
 */
function quoteFor(context: StepContext, service: Service, settlementMint: string): FeeQuote {
  const at = readAt(context);
  const rateOf = (base: string, quote: string): MidRate => exchangeRate(context.draft, base, quote, at);
  const quote = feeQuote(
    service.pricing,
    settlementMint,
    { mints: pricedMints(context.configuration.profile), rateOf },
    context.now,
  );
  if (quote.status !== "settleable") return quote;
  const { fee, rate, settlementAmount } = quote;
  const exact = convertedExactly(fee, rate, settlementAmount.decimals);
  if (exact !== settlementAmount.base_units) {
    const fields = { quoted: settlementAmount.base_units.toString(), exact: exact.toString() };
    context.emit({ type: "log", level: "info", event: "fee quote is not what exact arithmetic gives", fields });
  }
  return quote;
}
