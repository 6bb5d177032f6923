/**
 * Members of the network without a core, one attack each: what `intruder` of the simulator is given.
 */

export { claimAddresses } from "./address-claims.ts";
export {
  type Answer,
  type Attacker,
  answerWith,
  type EventOptions,
  eventAround,
  eventOf,
  joinAsAttacker,
  type Tally,
} from "./attacker.ts";
export { backDate } from "./back-dating.ts";
export { crowdBallot } from "./ballot-crowd.ts";
export { sendBrokenFrames } from "./broken-frames.ts";
export { crowdCase } from "./case-crowd.ts";
export { claimHoldings, type Holding } from "./claimed-holdings.ts";
export { claimPayment } from "./claimed-payment.ts";
export { claimVerdict } from "./claimed-verdict.ts";
export { equivocate } from "./equivocation.ts";
export { alwaysHaveMore } from "./ever-more.ts";
export { bringNext, ordersOf } from "./every-order.ts";
export { publishAtFalseDates } from "./false-dates.ts";
export { announceSlot } from "./forged-slots.ts";
export { comeAnew } from "./fresh-peers.ts";
export { voteHollow } from "./hollow-votes.ts";
export { deflateHops, inflateHops } from "./hop-counts.ts";
export { grindIds } from "./id-grinding.ts";
export { type StolenIds, stealIds } from "./id-theft.ts";
export { floodLink } from "./link-flood.ts";
export { lieAboutSets } from "./lying-reconciliation.ts";
export { recoverWithRubbish } from "./lying-recovery.ts";
export { crowdName } from "./name-crowd.ts";
export { crowdNumber } from "./number-crowd.ts";
export { askOldPrice, type OldPrice } from "./old-price.ts";
export { floodOrphans } from "./orphan-flood.ts";
export { casePanel, type PanelEvents } from "./panel-events.ts";
export { askForEverything } from "./recovery-amplification.ts";
export { replay } from "./replay.ts";
export { crowdRequests } from "./request-crowd.ts";
export { actLast, type LastAct } from "./sealing-edge.ts";
export { splitOrphans } from "./split-orphans.ts";
export { type Aim, floodTrade } from "./stranger-flood.ts";
export { withhold } from "./withholding.ts";
