/**
 * Governance: proposals, votes, and what the chain says of either. Source: protocol 04 §3.
 */

import { COMMON_LIMITS, countOwnOfType } from "../../engine/admission/bounds.ts";
import { defineDomain, strictly, typeRow } from "../../engine/domain.ts";
import { onGovernanceAccount, readGovernance, readGovernanceFromStart, readNewGovernance } from "./chain-reading.ts";
import { governanceFolds, markGovernanceFact } from "./fold.ts";
import { governanceMethods } from "./methods.ts";
import { hasBoundedTexts, ProposalActivate, ProposalCreate, ProposalWithdraw, VoteCast } from "./schema.ts";
import {
  CastVotes,
  LinkReadings,
  Proposals,
  ReadingFlags,
  Resolutions,
  StakeReadings,
  StakingMinima,
  VOTES_PER_VOTER_MAX,
  VoteChecks,
  VotesWaiting,
} from "./tables.ts";

export const governance = defineDomain({
  name: "governance",
  types: [
    typeRow(ProposalCreate, COMMON_LIMITS, { validate: strictly(hasBoundedTexts) }),
    typeRow(VoteCast, {
      ...COMMON_LIMITS,
      withinLimits: (reader, statement) => countOwnOfType(reader, statement) < VOTES_PER_VOTER_MAX,
    }),
    typeRow(ProposalWithdraw, COMMON_LIMITS),
    typeRow(ProposalActivate, COMMON_LIMITS),
  ],
  records: [Proposals, CastVotes, StakeReadings, Resolutions],
  tables: [VoteChecks, StakingMinima, LinkReadings, VotesWaiting, ReadingFlags],
  folds: governanceFolds,
  methods: governanceMethods,
  onStart: [readGovernanceFromStart],
  onChange: [readNewGovernance],
  timers: { governance: readGovernance },
  onChain(context, observation) {
    if (observation.type === "account") onGovernanceAccount(context, observation);
  },
  onLoaded: (draft, table, key, _, mark) => markGovernanceFact(draft, table, key, mark),
});
