/**
 * Law L8, rates: every answer about a pair says current, stale or noData as the node's own statements and clock have
 * it; stale and noData are a number nowhere, neither as a rate, nor as a median, nor as a price.
 * Source: protocol 05 §3.5, §3.6; 02 B.4.
 */
import type { NetworkProfile, Reader } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";
import type { Exchange } from "./exchanges.ts";
import { exchangesOf } from "./exchanges.ts";
import type { TaggedRate } from "./rate-model.ts";
import { publishedBy, rateModel } from "./rate-model.ts";

/** What an advertisement shows, as far as prices go. */
interface Priced {
  readonly asset_mint: string;
  readonly fiat_currency: string;
  readonly pricing: { readonly Floating?: unknown };
  readonly quote: Readonly<Record<string, unknown>>;
}

const ASKED = /"get(?:MedianExchangeRate|ExchangeRate|Advertisements?)"/;
/** What answers advertisements; a batch asks for other things too. */
const OFFERS = /^getAdvertisements?$/;
const UNPRICEABLE = { stale: "StaleOracleData", noData: "NoOracleData" } as const;

/** `saw` is told the tag of every answer that was looked at. */
export function ratesAreTagged(
  { violate, profile }: CheckContext,
  saw: (node: number, tag: TaggedRate["status"]) => void = () => undefined,
): Checker {
  return {
    name: "rates-are-tagged",
    onStep({ node, input, effects, view }) {
      if (input.type !== "rpc.called" || !ASKED.test(input.body)) return;
      const reply = effects.find((effect) => effect.type === "rpc.reply");
      if (reply?.type !== "rpc.reply" || reply.body === null) return;
      const modelOf = pairsAt(view, input.now);
      for (const exchange of exchangesOf(input.body, reply.body)) {
        // What was refused has nothing to be judged.
        if (exchange.result === undefined) continue;
        const wrong = wrongIn(exchange, profile, (base, quote) => {
          const tagged = modelOf(base, quote);
          saw(node, tagged.status);
          return tagged;
        });
        if (wrong !== undefined) violate(`node ${node}, ${exchange.method}: ${wrong}`);
      }
    },
  };
}

type Model = (base: string, quote: string) => TaggedRate;

function pairsAt(view: Reader, now: bigint): Model {
  const published = publishedBy(view);
  return (base, quote) => rateModel(published, base, quote, now);
}

function wrongIn({ method, params, result }: Exchange, profile: NetworkProfile, modelOf: Model): string | undefined {
  if (method === "getExchangeRate" || method === "getMedianExchangeRate") {
    const tagged = modelOf(String(params.base), String(params.quote));
    return method === "getExchangeRate" ? wrongRate(result, tagged) : wrongMedian(result, tagged);
  }
  if (!OFFERS.test(method)) return undefined;
  for (const shown of advertisementsIn(result)) {
    if (shown.pricing.Floating === undefined) continue;
    const symbol = profile.mints.find((named) => named.mint === shown.asset_mint)?.symbol;
    const tagged: TaggedRate = symbol === undefined ? { status: "noData" } : modelOf(symbol, shown.fiat_currency);
    const wrong = wrongQuote(shown.quote, tagged);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongRate(result: unknown, tagged: TaggedRate): string | undefined {
  const text = JSON.stringify(result);
  const right =
    tagged.status === "current"
      ? `{"expiresAt":${tagged.expiresAt},"rate":${JSON.stringify(tagged.rate)},"status":"current"}`
      : `{"status":"${tagged.status}"}`;
  return text === right ? undefined : `reads ${text}, it is ${right}`;
}

function wrongMedian(result: unknown, tagged: TaggedRate): string | undefined {
  const right = tagged.status === "current" ? tagged.rate : null;
  return Object.is(result, right) ? undefined : `reads ${JSON.stringify(result)}, it is ${right} (${tagged.status})`;
}

function wrongQuote(quote: Readonly<Record<string, unknown>>, tagged: TaggedRate): string | undefined {
  const text = JSON.stringify(quote);
  if (tagged.status === "current") {
    if (quote.kind === "Unpriceable" && quote.reason === "PriceOutOfRange") return undefined;
    const same = quote.mid_rate === tagged.rate && quote.mid_expires_at === Number(tagged.expiresAt);
    return quote.kind === "Floating" && same ? undefined : `quotes ${text}, the rate is ${tagged.rate}`;
  }
  const premium = JSON.stringify(quote.premium_bps);
  const right = `{"kind":"Unpriceable","premium_bps":${premium},"reason":"${UNPRICEABLE[tagged.status]}"}`;
  return text === right ? undefined : `quotes ${text}, it is ${right}`;
}

function advertisementsIn(result: unknown): readonly Priced[] {
  if (result === null || typeof result !== "object") return [];
  if (Array.isArray(result)) return result as readonly Priced[];
  const { advertisements } = result as { readonly advertisements?: readonly Priced[] };
  return advertisements ?? [result as Priced];
}
