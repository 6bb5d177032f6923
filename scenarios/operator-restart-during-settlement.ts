/**
 * Mara runs a node of her own and restarts it at every bad moment of a sale: when her escrow is on its way to the
 * chain, when she has just confirmed the money, and when the release is sent and not yet final. Tobi's node loses power
 * just after it took his word that he paid. The goal: nothing that a node answered is forgotten, the escrow is locked
 * once and released once, and both nodes with an endpoint show the sale completed by the release that the chain holds.
 * Source: protocol 03 A.10.3 R8, C.3; 02 D; DESIGN L9.
 */
import { release } from "../sim/actions/chain-trade.ts";
import { approve } from "../sim/actions/trade.ts";
import { crash, restart } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import {
  allCome,
  BUYER_NODE,
  CONNECTED,
  GOSSIP_ONLY,
  isSigned,
  MERCHANT_NODE,
  offered,
  paid,
  participants,
  smallNetwork,
  theSettlement,
  trade,
} from "./parts/disputed-trade.ts";

export const operatorRestartDuringSettlement = defineScenario({
  ...smallNetwork,
  name: "operator-restart-during-settlement",
  description: "A merchant's node restarts at every bad moment of a sale, which completes all the same.",
  source: "protocol 03 A.10.3 R8, C.3",
  participants: participants(),
  safety: [...smallNetwork.safety, { kind: "submits-once" }],
  actions: [
    ...offered,
    ...paid(trade, BUYER_NODE),
    approve(trade, { at: seconds(5), via: MERCHANT_NODE }),
    release(trade, { at: seconds(5), via: MERCHANT_NODE }),
    ...allCome(
      CONNECTED,
      theSettlement(),
      { state: "Completed", escrow_release_signature: isSigned },
      { at: seconds(20) },
    ),
    ...allCome([GOSSIP_ONLY], theSettlement(), { state: "Approved" }, { at: seconds(60) }),
  ],
  faults: [
    // The escrow is sent at 22 s, the money confirmed at 42 s, and the release final 15 s later.
    restart(MERCHANT_NODE, { at: seconds(30) }),
    crash(BUYER_NODE, { from: seconds(42) + 150, until: seconds(47) }),
    restart(MERCHANT_NODE, { at: seconds(43) }),
    restart(MERCHANT_NODE, { at: seconds(53) }),
  ],
});
