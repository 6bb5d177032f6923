/**
 * Trades: reservation and settlement read as one, and sealed as one once they are terminal. Source: protocol 02 E.
 */

import { defineDomain } from "../../../engine/domain.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import type { Handler } from "../../../engine/step-context.ts";
import { endsFold, NumberEnds } from "../sealing/number-ends.ts";
import { sealByTheHour } from "../sealing/sealing.ts";
import { forgetSealed, SealingHours, sealingFold, Unsealed } from "../sealing/tables.ts";
import { tradeMethods } from "./methods.ts";

const seal: Handler = (context) => ruleOf(context.configuration, sealByTheHour)(context);

export const trades = defineDomain({
  name: "trades",
  tables: [Unsealed, SealingHours, NumberEnds],
  folds: () => [sealingFold, endsFold],
  methods: tradeMethods,
  seal,
  timers: { seal },
  onLoaded: forgetSealed,
});
