/**
 * Trades: reservation and settlement read as one, and sealed as one once they are terminal. Source: protocol 02 E.
 */

import { defineDomain } from "../../../engine/domain.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { sealByTheHour } from "../sealing/sealing.ts";
import { SealingHours, sealingFold, Unsealed } from "../sealing/tables.ts";
import { tradeMethods } from "./methods.ts";

export const trades = defineDomain({
  name: "trades",
  tables: [Unsealed, SealingHours],
  folds: () => [sealingFold],
  methods: tradeMethods,
  seal: (context) => ruleOf(context.configuration, sealByTheHour)(context),
});
