/**
 * How long a decision takes: the dispute among ordinary trades of `dispute-decided-on-chain`, with everybody in it.
 * Whom a lying endpoint keeps from acting need not come to the end of what they do, and then a fork may change nothing.
 * Source: protocol 03 A.10; DESIGN section 4 "A decision cannot be hidden".
 */
import { defineScenario, seconds } from "../../sim/scenario.ts";
import { disputeDecidedOnChain } from "../dispute-decided-on-chain.ts";

export const timeToDecide = defineScenario({
  ...disputeDecidedOnChain,
  name: "time-to-decide",
  description: "A dispute is opened, voted on and executed on chain; how long is it until every node knows?",
  provesActions: false,
  provesFaults: false,
  lasts: seconds(300),
});
