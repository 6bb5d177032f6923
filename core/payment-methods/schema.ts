/**
 * Payment method ids: how a merchant is paid. Source: protocol 02 I.1.
 */

import type { Brand } from "../kernel/brand.ts";
import type { Schema } from "../kernel/schema.ts";
import { text } from "../kernel/schema-scalars.ts";

export type PaymentMethodId = Brand<string, "PaymentMethodId">;

const BUILTIN = /^builtin:(?=.{1,48}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const OWNED = /^[1-9A-HJ-NP-Za-km-z]{16,64}:[0-9a-f]{16}$/;

/** `builtin:<slug>`, or the peer id of the merchant who defined it and a digest. Source: protocol 02 I.1. */
export const PaymentMethodId: Schema<PaymentMethodId> = text("payment-method", "a payment method id", (received) =>
  BUILTIN.test(received) || OWNED.test(received) ? (received as PaymentMethodId) : undefined,
);
