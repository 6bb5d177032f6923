/**
 * What people do in a scenario: every action that a scenario can be written in.
 */

export type { Actor } from "./actor.ts";
export { type AskOptions, ask } from "./ask.ts";
export { chainOf, transact, transactAndWait } from "./chain.ts";
export {
  caseNews,
  commitOnChain,
  type ExecutionTerms,
  execute,
  executionNews,
  openCase,
  revealOnChain,
} from "./chain-dispute.ts";
export { fundEscrow, provideLiquidity, release } from "./chain-trade.ts";
export { comparesDisputes } from "./compare.ts";
export { type Picture, pictureOf, upload } from "./content.ts";
export { commit, type Juror, join, openDispute, reveal } from "./dispute.ts";
export {
  comesToShow,
  keepsShowing,
  type ReadMethod,
  type ReadParams,
  record,
  type Subject,
  type Watch,
} from "./expect.ts";
export { type Choice, propose, voteOn, withdrawProposal } from "./governance.ts";
export { impersonate, waitWithChallenges } from "./impersonate.ts";
export { askRates, type Observation, type Pair, publishRate, registerOracle, withdrawOracle } from "./oracle.ts";
export { type AttackTerms, type Holder, type ProofAttack, proofAttacks, provesItself } from "./proof-attacks.ts";
export { proveAgain } from "./prove-again.ts";
export { type PublicReadProbe, probePublicReads, readOwn } from "./public-read-probe.ts";
export { choicesOf, type Publication, publications, publish } from "./publish.ts";
export { executeThroughMany } from "./relays.ts";
export {
  establishSession,
  migrateSession,
  renewSession,
  revokeSession,
  type SessionTerms,
} from "./session.ts";
export { announceFile, askFiles } from "./snapshot.ts";
export {
  requestUnstake,
  type StakeRole,
  slashDissentingArbitrator,
  stake,
  withdrawUnstaked,
} from "./stake.ts";
export { type LiquidityStep, sendTagged, type Tag } from "./tagged.ts";
export {
  advertise,
  advertiseFloating,
  approve,
  escrowNews,
  type FloatingOffer,
  initiate,
  pay,
  publishFunded,
  reserve,
  seeSettlement,
} from "./trade.ts";
export { agree, cancelReservation, cancelSettlement, contest, reject, reversePayment } from "./trade-ends.ts";
export type { Asset, CaseTerms, Offer, TradeTerms, When } from "./trade-terms.ts";
export type { Matcher, Wanted, WantedValue } from "./wanted.ts";
export { type Expected, watchDispute } from "./watch-dispute.ts";
