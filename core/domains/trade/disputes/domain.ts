/**
 * Disputes: cases that parties open and arbitrators judge; the chain alone decides. Source: protocol 03 A.
 */

import { COMMON_LIMITS } from "../../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../../engine/domain.ts";
import { onChangeOf } from "../../../engine/step-context.ts";
import { isPartyToDispute } from "../trades/parties.ts";
import { flagCopies } from "./copies.ts";
import { disputeFolds } from "./fold.ts";
import { disputeMethods } from "./methods.ts";
import { ArbitratorJoin, DisputeOpen, MutualSettlementAgree, VoteCommit, VoteReveal } from "./schema.ts";
import { Disputes, Panels } from "./tables.ts";

export const disputes = defineDomain({
  name: "disputes",
  types: [
    typeRow(DisputeOpen, COMMON_LIMITS, { isParty: isPartyToDispute }),
    typeRow(ArbitratorJoin, COMMON_LIMITS),
    typeRow(VoteCommit, COMMON_LIMITS),
    typeRow(VoteReveal, COMMON_LIMITS),
    typeRow(MutualSettlementAgree, COMMON_LIMITS),
  ],
  records: [Disputes, Panels],
  folds: disputeFolds,
  methods: disputeMethods,
  afterChange: [onChangeOf([Panels], flagCopies)],
});
