/** An offer as a client writes it, and who makes it. Source: protocol 02 A.1. */
import { identityOfSigner } from "../../adapters/client/client.ts";
import { crypto, person } from "../rpc/lone-node.ts";

/** The instant at which it is made. */
export const T = 1_786_000_000_000n;
const { secret } = person(0x11);
export const merchant = {
  publicKey: crypto.publicKey(secret),
  sign: (message: Uint8Array) => crypto.sign(secret, message),
};
export const offer = {
  id: "",
  merchant: identityOfSigner(merchant).peer,
  merchant_public_key: identityOfSigner(merchant).key,
  asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU",
  direction: "Sell",
  fiat_currency: "KES",
  min_trade: { base_units: 5_000_000n, decimals: 6 },
  max_trade: { base_units: 18_446_744_073_709_551_615n, decimals: 6 },
  initial_liquidity: { base_units: 18_446_744_073_709_551_615n, decimals: 6 },
  pricing: { Fixed: { price: { base_units: 13_000n, decimals: 2 } } },
  payment_methods: ["builtin:mpesa-kenya"],
  timestamp: T,
} as const;
