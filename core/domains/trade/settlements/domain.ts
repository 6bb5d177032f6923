/**
 * Settlements: payment, approval, and what the chain says of their escrows. Source: protocol 02 D.
 */

import { COMMON_LIMITS } from "../../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../../engine/domain.ts";
import { isPartyToSettlement } from "../trades/parties.ts";
import { SETTLEMENT_UNIT, settlementFold } from "./fold.ts";
import { settlementMethods } from "./methods.ts";
import { groupOfFact } from "./reservation-numbers.ts";
import type { ChainFact } from "./schema.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "./schema.ts";
import { ChainFacts, Settlements } from "./tables.ts";

export const settlements = defineDomain({
  name: "settlements",
  types: [
    typeRow(SettlementInitiate, COMMON_LIMITS, { isParty: isPartyToSettlement }),
    typeRow(PaymentSubmitted, COMMON_LIMITS),
    typeRow(PaymentReversed, COMMON_LIMITS),
    typeRow(SettlementApproved, COMMON_LIMITS),
    typeRow(SettlementRejected, COMMON_LIMITS),
    typeRow(SettlementCancelled, COMMON_LIMITS),
  ],
  records: [ChainFacts, Settlements],
  folds: () => [settlementFold],
  methods: settlementMethods,
  onLoaded(_, table, __, record, mark) {
    if (table === ChainFacts.name) mark(SETTLEMENT_UNIT, groupOfFact(record as ChainFact));
  },
});
