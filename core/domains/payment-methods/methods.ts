/**
 * Payment method and reference data methods. Source: OFS-2100 (extension); protocol 02 I.3, I.4.
 */

import type { ValidationOrder } from "../../engine/admission/validation-order.ts";
import { firstOf, refuseWhen, signatureCheck } from "../../engine/admission/validation-order.ts";
import { call, mutation, noParams, query, signedTypes } from "../../engine/method.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { toHex } from "../../kernel/bytes.ts";
import { err, ok } from "../../kernel/result.ts";
import { TRANSCRIPT } from "../../kernel/schema.ts";
import type { RecordOf } from "../../kernel/schema-composites.ts";
import { option, struct } from "../../kernel/schema-composites.ts";
import type { Statement } from "../../kernel/signed.ts";
import { utf8 } from "../../kernel/text.ts";
import { decodeWallet, Text } from "../../kernel/values.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import { catalog } from "./catalog.ts";
import { countries } from "./countries.ts";
import { currencies } from "./currencies.ts";
import { definitionId } from "./fold.ts";
import { isUsableName } from "./names.ts";
import type { PaymentMethodRow } from "./schema.ts";
import {
  PaymentMethod,
  PaymentMethodChoice,
  PaymentMethodDefine,
  PaymentMethodId,
  ReferenceData,
  referenceLists,
} from "./schema.ts";
import { METHODS_SHOWN_MAX, methodsOf, PaymentMethods, withinDefinitionLimits } from "./tables.ts";

/** Bytes of a revision. Source: protocol 02 I.4. */
const REVISION_BYTES = 8;

/** Every error of key and signature is the same refusal here. Source: protocol 02 I.3. */
const defineChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as PaymentMethodDefine;
  const id = definitionId((bytes) => view.crypto.sha256(bytes), payload);
  const { point, bound } = candidate.verdict;
  const held = methodsOf(view.reader, payload.merchant);
  const last = held.at(-1);
  const fits = held.length < METHODS_SHOWN_MAX || (last !== undefined && id < last.id);
  return firstOf(
    () => refuseWhen(!point || !bound, "INVALID_SIGNATURE"),
    () => signatureCheck(candidate.verdict),
    () => refuseWhen(!isUsableName(payload.name), "UNSUPPORTED_PAYMENT_METHOD"),
    () => (held.some((row) => row.id === id) ? "unchanged" : undefined),
    () => refuseWhen(!fits || !withinDefinitionLimits(view.reader, payload.merchant), "PAYMENT_METHOD_LIMIT_REACHED"),
  );
};

export const paymentMethodMethods = {
  getReferenceData: query({
    params: noParams,
    need: "none",
    result: ReferenceData,
    source: "protocol 02 I.4",
    doc: "Currencies, countries, payment methods and named mints, under a revision; suggestions, nothing validates against them.",
    read: (_, __, context) => referenceData(context),
  }),
  getPaymentMethods: call({
    kind: "query",
    params: struct("PaymentMethodParams", { country: option(Text), wallet: option(Text) }),
    need: "optional",
    result: PaymentMethodChoice,
    source: "protocol 02 I.4",
    doc: "Payment methods: those of a country first, then the others, then those that a merchant defined.",
    run(context, { country, wallet }) {
      const merchant = wallet === null ? null : decodeWallet(wallet);
      if (merchant === undefined)
        return err({ type: "params", reason: "wallet must be a peer id in base64 or base58" });
      const isOf = (method: PaymentMethod) => country !== null && method.countries?.includes(country) === true;
      return ok({
        country,
        suggested: catalog.filter(isOf),
        others: catalog.filter((method) => !isOf(method)),
        merchant: merchant === null ? [] : methodsOf(context.draft, merchant.peer).map(shown),
      });
    },
  }),
  getPaymentMethod: query({
    params: struct("PaymentMethodIdParams", { id: PaymentMethodId }),
    result: option(PaymentMethod),
    source: "protocol 02 I.4",
    doc: "One payment method, of the catalog or defined by a merchant; null when the id is unknown.",
    read(reader, { id }) {
      const listed = catalog.find((method) => method.id === id);
      const row = reader.get(PaymentMethods, id);
      const own = row && methodsOf(reader, row.merchant).find((method) => method.id === id);
      return listed ?? (own === undefined ? null : shown(own));
    },
  }),
  sendPaymentMethodDefine: mutation({
    signed: signedTypes(PaymentMethodDefine),
    checks: defineChecks,
    answers: idOf,
    errors: ["INVALID_SIGNATURE", "UNSUPPORTED_PAYMENT_METHOD", "PAYMENT_METHOD_LIMIT_REACHED"],
    source: "OFS-2100; protocol 02 I.3",
    doc: "Defines a payment method of a merchant's own; the same words have the same id.",
  }),
};

function idOf({ payload }: Statement, _: unknown, crypto: CryptoPort): string {
  return definitionId((bytes) => crypto.sha256(bytes), payload as PaymentMethodDefine);
}

function shown({ id, name, category }: PaymentMethodRow): PaymentMethod {
  return { id, name, category, aliases: [], countries: null };
}

function referenceData({ crypto, configuration }: StepContext): RecordOf<(typeof ReferenceData)["fields"]> {
  const lists = { currencies, countries, payment_methods: catalog, mints: configuration.profile.mints };
  const texts = Object.entries(referenceLists).map(([name, schema]) =>
    schema.write(lists[name as keyof typeof lists] as never, TRANSCRIPT),
  );
  const digest = crypto.sha256(utf8(`[${texts.join(",")}]`)).subarray(0, REVISION_BYTES);
  return { revision: toHex(digest), ...lists } as never;
}
