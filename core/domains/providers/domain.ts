/**
 * Providers: services that registered themselves, their health, and their fees. Source: protocol 05 §1.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, strictly, typeRow } from "../../engine/domain.ts";
import { onChangeOf } from "../../engine/step-context.ts";
import { Peers } from "../../network/peers/peers.ts";
import { serviceFold } from "./fold.ts";
import { isWithinCaps, withinServiceLimits } from "./limits.ts";
import { providerMethods } from "./methods.ts";
import { announceToNewPeers, heartbeat } from "./own.ts";
import { FeeSettlement, HealthUpdate, Registration, Withdrawal } from "./schema.ts";
import { Services } from "./tables.ts";

export const providers = defineDomain({
  name: "providers",
  types: [
    typeRow(
      Registration,
      { ...COMMON_LIMITS, withinLimits: (reader, { payload }) => withinServiceLimits(reader, payload as Registration) },
      { validate: strictly(isWithinCaps) },
    ),
    typeRow(HealthUpdate, COMMON_LIMITS),
    typeRow(Withdrawal, COMMON_LIMITS),
    typeRow(FeeSettlement, COMMON_LIMITS),
  ],
  records: [Services],
  folds: () => [serviceFold],
  methods: providerMethods,
  onStart: [heartbeat],
  onChange: [onChangeOf([Peers], announceToNewPeers)],
  timers: { heartbeat },
});
