/**
 * The checkers that every world has, whatever its scenario asks for: they know of no scenario and cost little.
 * Source: DESIGN section 5 "Checks".
 */
import type { MakeChecker } from "../checker.ts";
import { absencesAreHeeded } from "./absences-are-heeded.ts";
import { absencesEndByTwo } from "./absences-end-by-two.ts";
import { arrivalsLearnOfServices } from "./arrivals-learn-of-services.ts";
import { callsAreAnswered } from "./calls-are-answered.ts";
import { carriersStay } from "./carriers-stay.ts";
import { closingsAreLookedInto } from "./closings-are-looked-into.ts";
import { comparisonsGoOn } from "./comparisons-go-on.ts";
import { creditIsKept } from "./credit-is-kept.ts";
import { datesAreAdmitted } from "./dates-are-admitted.ts";
import { durableBeforeVisible } from "./durable-before-visible.ts";
import { effectsAreKnown } from "./effects-are-known.ts";
import { escrowConserved } from "./escrow-conserved.ts";
import { factsAreFinal } from "./facts-are-final.ts";
import { factsAreWeighed } from "./facts-are-weighed.ts";
import { goodSignaturesPass } from "./good-signatures-pass.ts";
import { hopsAreCounted } from "./hops-are-counted.ts";
import { linksAreKnown } from "./links-are-known.ts";
import { linksBeginNeeded } from "./links-begin-needed.ts";
import { logsAreNamed } from "./logs-are-named.ts";
import { messagesAreKnown } from "./messages-are-known.ts";
import { noticesReachWhomTheyConcern } from "./notices-reach-whom-they-concern.ts";
import { proofsOpenOnce } from "./proofs-open-once.ts";
import { pushesAreRepeated } from "./pushes-are-repeated.ts";
import { rangesRest } from "./ranges-rest.ts";
import { readsFollowThePapers } from "./reads-follow-the-papers.ts";
import { recordsFollowThePapers } from "./records-follow-the-papers.ts";
import { refusalsAreDocumented } from "./refusals-are-documented.ts";
import { refusalsAreLifted } from "./refusals-are-lifted.ts";
import { refusalsHaveGrounds } from "./refusals-have-grounds.ts";
import { refusalsStay } from "./refusals-stay.ts";
import { registersGoForward } from "./registers-go-forward.ts";
import { requestsAreAnswered } from "./requests-are-answered.ts";
import { reviewsAreOfParties } from "./reviews-are-of-parties.ts";
import { sendsAreTold } from "./sends-are-told.ts";
import { slotsAreAttested } from "./slots-are-attested.ts";
import { spaceIsCounted } from "./space-is-counted.ts";
import { stakeCountsOnce } from "./stake-counts-once.ts";
import { statementsAreSigned } from "./statements-are-signed.ts";
import { timersRest } from "./timers-rest.ts";
import { votesWeighStakes } from "./votes-weigh-stakes.ts";

/** Checkers that no world goes without. */
export const alwaysWatched: readonly MakeChecker[] = [
  durableBeforeVisible,
  proofsOpenOnce,
  escrowConserved,
  stakeCountsOnce,
  recordsFollowThePapers,
  callsAreAnswered,
  linksAreKnown,
  datesAreAdmitted,
  registersGoForward,
  statementsAreSigned,
  factsAreFinal,
  hopsAreCounted,
  sendsAreTold,
  creditIsKept,
  logsAreNamed,
  effectsAreKnown,
  comparisonsGoOn,
  slotsAreAttested,
  closingsAreLookedInto,
  absencesAreHeeded,
  factsAreWeighed,
  reviewsAreOfParties,
  messagesAreKnown,
  requestsAreAnswered,
  refusalsAreLifted,
  refusalsStay,
  carriersStay,
  spaceIsCounted,
  rangesRest,
  timersRest,
  refusalsAreDocumented,
  refusalsHaveGrounds,
  pushesAreRepeated,
  votesWeighStakes,
  goodSignaturesPass,
  noticesReachWhomTheyConcern,
  readsFollowThePapers,
  linksBeginNeeded,
  absencesEndByTwo,
  arrivalsLearnOfServices,
];
