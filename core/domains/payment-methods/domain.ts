/**
 * Payment methods that merchants define, and the catalogue beside them. Source: protocol 02 I.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import { paymentMethodFold } from "./fold.ts";
import { paymentMethodMethods } from "./methods.ts";
import { PaymentMethodDefine } from "./schema.ts";
import { PaymentMethods, withinDefinitionLimits } from "./tables.ts";

export const paymentMethods = defineDomain({
  name: "payment-methods",
  types: [
    typeRow(PaymentMethodDefine, {
      ...COMMON_LIMITS,
      withinLimits: (reader, { signer }) => withinDefinitionLimits(reader, signer),
    }),
  ],
  records: [PaymentMethods],
  folds: (hash) => [paymentMethodFold(hash)],
  methods: paymentMethodMethods,
});
