/**
 * All scenarios, in the order of `list`.
 */
import type { Scenario } from "../sim/scenario.ts";
import { blockhashFlood } from "./blockhash-flood.ts";
import { caseUnreadableAtFirst } from "./case-unreadable-at-first.ts";
import { copiedCommitment } from "./copied-commitment.ts";
import { dayOfAHundredNodes } from "./day-of-a-hundred-nodes.ts";
import { decidedBeforeAnyoneSits } from "./decided-before-anyone-sits.ts";
import { disputeDecidedOnChain } from "./dispute-decided-on-chain.ts";
import { endingIsNotChosen } from "./ending-is-not-chosen.ts";
import { everyOrderOfEvents } from "./every-order-of-events.ts";
import { executionBehindMemos } from "./execution-behind-memos.ts";
import { executionByAnotherProgram } from "./execution-by-another-program.ts";
import { executionLostInAFork } from "./execution-lost-in-a-fork.ts";
import { executionThatFails } from "./execution-that-fails.ts";
import { executionThroughALookupTable } from "./execution-through-a-lookup-table.ts";
import { feesAreNotRedirected } from "./fees-are-not-redirected.ts";
import { floatStakedFromThreeWallets } from "./float-staked-from-three-wallets.ts";
import { freshNodeBySnapshot } from "./fresh-node-by-snapshot.ts";
import { gossipOnlyWaits } from "./gossip-only-waits.ts";
import { gossipOnlyWeek } from "./gossip-only-week.ts";
import { governanceVote } from "./governance-vote.ts";
import { longPartition } from "./long-partition.ts";
import { mixedLegacyNetwork } from "./mixed-legacy-network.ts";
import { oneExecutionManyRelays } from "./one-execution-many-relays.ts";
import { operatorRestartDuringSettlement } from "./operator-restart-during-settlement.ts";
import { orphanStorm } from "./orphan-storm.ts";
import { providerRestart } from "./provider-restart.ts";
import { ratesExpireAcrossACut } from "./rates-expire-across-a-cut.ts";
import { restartBeforeFinality } from "./restart-before-finality.ts";
import { revealsDecideNothing } from "./reveals-decide-nothing.ts";
import { sessionRace } from "./session-race.ts";
import { slotFromTheFarFuture } from "./slot-from-the-far-future.ts";
import { splitWithoutAVerdict } from "./split-without-a-verdict.ts";
import { squattedReservationNumber } from "./squatted-reservation-number.ts";
import { stakeOutweighsHeads } from "./stake-outweighs-heads.ts";
import { tagOfAnotherCase } from "./tag-of-another-case.ts";
import { tagOnAnUnrelatedTransaction } from "./tag-on-an-unrelated-transaction.ts";
import { tiedRoundReopens } from "./tied-round-reopens.ts";
import { tradingDay } from "./trading-day.ts";
import { twoCommitmentsOfOneArbitrator } from "./two-commitments-of-one-arbitrator.ts";
import { verdictsForgedByAnEndpoint } from "./verdicts-forged-by-an-endpoint.ts";

/** Every scenario that `ofs-sim list` names. */
export const scenarios: readonly Scenario[] = [
  disputeDecidedOnChain,
  revealsDecideNothing,
  stakeOutweighsHeads,
  executionLostInAFork,
  executionThatFails,
  tagOfAnotherCase,
  tagOnAnUnrelatedTransaction,
  tiedRoundReopens,
  decidedBeforeAnyoneSits,
  splitWithoutAVerdict,
  caseUnreadableAtFirst,
  gossipOnlyWaits,
  slotFromTheFarFuture,
  everyOrderOfEvents,
  restartBeforeFinality,
  oneExecutionManyRelays,
  squattedReservationNumber,
  copiedCommitment,
  twoCommitmentsOfOneArbitrator,
  executionBehindMemos,
  executionByAnotherProgram,
  tradingDay,
  gossipOnlyWeek,
  blockhashFlood,
  ratesExpireAcrossACut,
  sessionRace,
  providerRestart,
  governanceVote,
  orphanStorm,
  operatorRestartDuringSettlement,
  longPartition,
  freshNodeBySnapshot,
  mixedLegacyNetwork,
  dayOfAHundredNodes,
  executionThroughALookupTable,
  floatStakedFromThreeWallets,
  verdictsForgedByAnEndpoint,
  endingIsNotChosen,
  feesAreNotRedirected,
];
