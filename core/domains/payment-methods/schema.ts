/**
 * Payment methods: how a merchant is paid. Merchants define methods of their own beside the catalog; neither their
 * names nor the lists of reference data restrict anything else.
 * Source: OFS-2100 (extension); protocol 02 I.
 */

import type { Brand } from "../../kernel/brand.ts";
import type { Infer, Schema } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { bool, enumeration, text, u8 } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { utf8 } from "../../kernel/text.ts";
import { MintAddress, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** The name of a payment method, within its bounds. */
export type PaymentMethodId = Brand<string, "PaymentMethodId">;

const BUILTIN = /^builtin:(?=.{1,48}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const OWNED = /^[1-9A-HJ-NP-Za-km-z]{16,64}:[0-9a-f]{16}$/;
/**
 * What no free text holds. It is looked at wherever a payload is decoded, so a character more would take what nodes
 * hold already out of their sets. Source: protocol 02 I.1.
 */
const UNNAMABLE = /[\u0000-\u001f\u007f]/;

/** Longest name of a payment method in free text, in bytes. Source: protocol 02 I.1. */
export const FREE_TEXT_BYTES_MAX = 128;
/** Longest name that a merchant gives to a method of his own, in code points. Source: protocol 02 I.3 row 3. */
export const NAME_LENGTH_MAX = 64;

/**
 * `builtin:<slug>`, the peer id of the merchant who defined it and a digest, or free text, which names nothing but
 * itself. Source: protocol 02 I.1.
 */
export const PaymentMethodId: Schema<PaymentMethodId> = text(
  "payment-method",
  "a payment method id",
  (received) => (isDefined(received) || isFreeText(received) ? (received as PaymentMethodId) : undefined),
  (method) => !isDefined(method),
);

/** Whether a merchant may be paid so: by the catalogue, free text or a definition of his. Source: protocol 02 I.1. */
export function isUsableBy(merchant: string, method: PaymentMethodId): boolean {
  return !OWNED.test(method) || method.startsWith(`${merchant}:`);
}

/** Whether a payment method is written as the catalogue and merchants' definitions are. */
export function isDefined(method: string): boolean {
  return BUILTIN.test(method) || OWNED.test(method);
}

function isFreeText(received: string): boolean {
  return received !== "" && !UNNAMABLE.test(received) && utf8(received).length <= FREE_TEXT_BYTES_MAX;
}

/** Source: protocol 02 I.2. */
export const PaymentMethodCategory = enumeration("MobileMoney", "BankTransfer", "Fintech", "Cash");
export type PaymentMethodCategory = Infer<typeof PaymentMethodCategory>;

/** Signed by the merchant. It bears no date, so the same words are the same statement. Source: protocol 02 I.2. */
export const PaymentMethodDefine = signed("openfiat/taxonomy/PaymentMethodDefine/v1", {
  outer: "method",
  signer: "merchant",
  key: "merchant_public_key",
  event: "PaymentMethodDefined",
  ofs: 2100,
  priority: 3,
  fields: {
    merchant: PeerId,
    merchant_public_key: PublicKey,
    name: sized(Text, { points: NAME_LENGTH_MAX }),
    category: PaymentMethodCategory,
  },
});
export type PaymentMethodDefine = Payload<typeof PaymentMethodDefine>;

/** What nodes keep of a definition, under its id. A name that may not be used stays, and is never shown. */
export const PaymentMethodRow = struct("PaymentMethodRow", {
  id: PaymentMethodId,
  merchant: PeerId,
  name: Text,
  category: PaymentMethodCategory,
  usable: bool,
});
export type PaymentMethodRow = Infer<typeof PaymentMethodRow>;

/** A method as it is read; `countries` null claims nothing about any. Source: protocol 02 I.2. */
export const PaymentMethod = struct("PaymentMethod", {
  id: PaymentMethodId,
  name: Text,
  category: PaymentMethodCategory,
  aliases: list(Text),
  countries: option(list(Text)),
});
export type PaymentMethod = Infer<typeof PaymentMethod>;

/** Source: protocol 02 I.4. */
export const PaymentMethodChoice = struct("PaymentMethodChoice", {
  country: option(Text),
  suggested: list(PaymentMethod),
  others: list(PaymentMethod),
  merchant: list(PaymentMethod),
});

/** Source: protocol 02 I.4, Q.3. */
export const Currency = struct("Currency", { code: Text, name: Text, symbol: Text });
export type Currency = Infer<typeof Currency>;
/** Source: protocol 02 I.4, Q.4. */
export const Country = struct("Country", { code: Text, name: Text, currency: Text, alt_currencies: list(Text) });
export type Country = Infer<typeof Country>;
/** Source: protocol 02 I.4, F.4. */
const Mint = struct("Mint", { mint: MintAddress, symbol: Text, decimals: u8 });

/** Members in the order in which the revision hashes them. Source: protocol 02 I.4. */
export const referenceLists = {
  currencies: list(Currency),
  countries: list(Country),
  payment_methods: list(PaymentMethod),
  mints: list(Mint),
} as const;
export const ReferenceData = struct("ReferenceData", { revision: Text, ...referenceLists });
