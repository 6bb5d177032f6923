/**
 * One trade is disputed, another approved and not yet released. A stranger sends transactions that have nothing to do
 * with either, and all succeed; their tags name the dispute, its very case, and the approved settlement.
 * The goal: nothing happens to either trade on any node, whichever node he sends through.
 * Source: protocol 03 E S6, A.10.3 R2, R3, W-1.
 */
import { sendTagged } from "../sim/actions/tagged.ts";
import { approve, seeSettlement } from "../sim/actions/trade.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import {
  allKeep,
  dispute,
  disputed,
  GOSSIP_ONLY,
  MERCHANT_NODE,
  offered,
  paid,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  tradeOf,
  undecided,
  WHOLE,
} from "./parts/disputed-trade.ts";

const approved = tradeOf(2002n, { buyer: "uma" });
const stranger = "nick";

export const tagOnAnUnrelatedTransaction = defineScenario({
  ...smallNetwork,
  name: "tag-on-an-unrelated-transaction",
  description: "Successful transactions about something else, tagged with a trade, do nothing to it.",
  source: "protocol 03 E S6, W-1",
  participants: participants(),
  actions: [
    ...offered,
    ...disputed(),
    ...paid(approved, 2),
    approve(approved, { via: MERCHANT_NODE, at: seconds(46) }),
    seeSettlement(approved, approved.buyer, "Approved", { via: 2, at: seconds(48) }),
    sendTagged(stranger, { via: 2, at: seconds(70) }, { of: "dispute", id: dispute.id }, [
      { kind: "create-vault", asset: "USDC" },
    ]),
    sendTagged(
      stranger,
      { via: 1, at: seconds(95) },
      { of: "dispute", id: dispute.id, caseOf: dispute.trade.reservation },
      [{ kind: "deposit", asset: "USDC", amount: WHOLE }],
    ),
    sendTagged(stranger, { via: GOSSIP_ONLY, at: seconds(120) }, { of: "settlement", id: approved.settlement }, [
      { kind: "set-aside", asset: "USDC", amount: WHOLE },
    ]),
    ...allKeep([0, 1, 2, 3], theDispute(), undecided, { at: seconds(60), forMs: seconds(120) }),
    ...allKeep([0, 1, 2, 3], theSettlement(), { state: "Disputed" }, { at: seconds(60), forMs: seconds(120) }),
    ...allKeep([0, 1, 2, 3], theSettlement(approved), { state: "Approved" }, { at: seconds(60), forMs: seconds(120) }),
  ],
});
