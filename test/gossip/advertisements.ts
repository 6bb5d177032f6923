/**
 * Advertisements that differ by their id alone: sends of which each is a statement of its own.
 */

import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import { person, signedData } from "../rpc/lone-node.ts";

/** Who signs them. */
export const merchant = person(0x11);
const units = (base_units: bigint) => ({ base_units, decimals: 6 });

/** The `data` of a send. */
export function advertisementData(id: string, timestamp: EpochMillis, form: "bare" | "tagged" = "bare"): string {
  return signedData(AdvertisementCreate, advertisement(id, timestamp), merchant, form);
}

/** What is signed. */
export function advertisement(id: string, timestamp: EpochMillis) {
  return {
    id,
    merchant: merchant.peer,
    merchant_public_key: merchant.key,
    asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
    direction: "Sell" as const,
    fiat_currency: "KES" as FiatCurrency,
    min_trade: units(1n),
    max_trade: units(100n),
    initial_liquidity: units(100n),
    pricing: { Fixed: { price: { base_units: 13_000n, decimals: 2 } } },
    payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
    timestamp,
  };
}
