/**
 * All scenarios, in the order of `list`.
 */
import type { Scenario } from "../sim/scenario.ts";
import { caseUnreadableAtFirst } from "./case-unreadable-at-first.ts";
import { copiedCommitment } from "./copied-commitment.ts";
import { decidedBeforeAnyoneSits } from "./decided-before-anyone-sits.ts";
import { disputeDecidedOnChain } from "./dispute-decided-on-chain.ts";
import { everyOrderOfEvents } from "./every-order-of-events.ts";
import { executionBehindMemos } from "./execution-behind-memos.ts";
import { executionByAnotherProgram } from "./execution-by-another-program.ts";
import { executionLostInAFork } from "./execution-lost-in-a-fork.ts";
import { executionThatFails } from "./execution-that-fails.ts";
import { gossipOnlyWaits } from "./gossip-only-waits.ts";
import { oneExecutionManyRelays } from "./one-execution-many-relays.ts";
import { restartBeforeFinality } from "./restart-before-finality.ts";
import { revealsDecideNothing } from "./reveals-decide-nothing.ts";
import { slotFromTheFarFuture } from "./slot-from-the-far-future.ts";
import { splitWithoutAVerdict } from "./split-without-a-verdict.ts";
import { squattedReservationNumber } from "./squatted-reservation-number.ts";
import { stakeOutweighsHeads } from "./stake-outweighs-heads.ts";
import { tagOfAnotherCase } from "./tag-of-another-case.ts";
import { tagOnAnUnrelatedTransaction } from "./tag-on-an-unrelated-transaction.ts";
import { tiedRoundReopens } from "./tied-round-reopens.ts";
import { twoCommitmentsOfOneArbitrator } from "./two-commitments-of-one-arbitrator.ts";

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
];
