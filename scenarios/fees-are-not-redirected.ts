/**
 * The buyer wins his case, and fees are due to the treasuries. An arbitrator executes first and names her own tokens in
 * place of a treasury's. The goal: her execution fails, the next one pays the fees to whom the configuration names, and
 * every node with an endpoint shows the decision.
 * Source: protocol 03 D.4, D.8; DESIGN section 4 "A decision cannot be hidden".
 */
import { execute } from "../sim/actions/chain-dispute.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  BUYER_NODE,
  CASE_AT,
  decided,
  dispute,
  disputed,
  offered,
  participants,
  smallNetwork,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const ada: Sitting = { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n };
const ben: Sitting = { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n };
const cleo: Sitting = { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n };
/** Some seconds after ada's attempt, which comes as soon as the windows are over. */
const EXECUTED_AT = 190;

export const feesAreNotRedirected = defineScenario({
  ...smallNetwork,
  name: "fees-are-not-redirected",
  description: "Who executes a case and names own tokens as a treasury gets nothing; the next execution decides.",
  source: "protocol 03 D.4, D.8",
  participants: participants(ada, ben, cleo),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, [ada, ben, cleo]),
    execute(dispute, { via: ada.via, at: seconds(CASE_AT + 1) }, { by: ada.name, disguise: "treasury" }),
    execute(dispute, { via: BUYER_NODE, at: seconds(EXECUTED_AT) }),
    ...decided(dispute, "BuyerWins"),
  ],
});
