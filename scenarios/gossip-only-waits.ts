/**
 * Two nodes have no endpoint and are cut off at first; later an intruder tells everybody of verdicts, payments and
 * landed transactions. The goal: while no announcement has reached them they know no slot, give no blockhash and
 * announce no snapshot; afterwards they learn slots from their peers; and they never show an outcome, whatever peers
 * say, while the nodes with endpoints show the chain's.
 * Source: protocol 03 E S11, A.10.3 R9, C.2, C.8.
 */
import { attacker, partition } from "../sim/fault-plans.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  allKeep,
  CASE_AT,
  decided,
  dispute,
  disputed,
  executed,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  undecided,
  votesOffChain,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 1, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 0, stakes: 1n },
];
const BLIND = [2, 3];
const CONNECTED_HERE = [0, 1];
const CUT_UNTIL = 28;
const cutOff = { at: seconds(1), forMs: seconds(CUT_UNTIL - 3) };
const VERDICT = {
  kind: "claimed-verdict",
  dispute: dispute.id,
  settlement: dispute.trade.settlement,
  signature: "5".repeat(88),
} as const;
const status = { method: "getChainStatus", params: {} } as const;
const blockhash = { method: "getLatestBlockhash", params: {} } as const;
const snapshot = { method: "getLatestSnapshot", params: {} } as const;
const isSlot = { matches: "range", least: 1 } as const;

export const gossipOnlyWaits = defineScenario({
  ...smallNetwork,
  name: "gossip-only-waits",
  description: "A node without an endpoint learns slots from peers and never an outcome.",
  source: "protocol 03 E S11, A.10.3 R9, C.8",
  gossipOnly: BLIND,
  participants: participants(...jurors),
  actions: [
    ...allKeep(BLIND, status, { mode: "GossipOnly", slot: null, blockhash: null }, cutOff),
    ...allKeep(BLIND, blockhash, { refused: "CHAIN_UNAVAILABLE" }, cutOff),
    ...allKeep(BLIND, snapshot, { result: null }, cutOff),
    ...allCome(BLIND, status, { mode: "GossipOnly", slot: isSlot }, { at: seconds(CUT_UNTIL) }),
    ...allCome(BLIND, blockhash, { slot: isSlot }, { at: seconds(CUT_UNTIL) }),
    ...offered,
    ...disputed(),
    ...votesOffChain(dispute, jurors),
    ...votesOnChain(dispute, jurors),
    executed(),
    ...decided(dispute, "BuyerWins", CONNECTED_HERE),
    ...allCome(BLIND, theDispute(), { status: "AwaitingChainExecution", ...undecided }),
    ...allKeep(BLIND, theDispute(), undecided, { at: seconds(CASE_AT), forMs: minutes(4) }),
    ...allKeep(BLIND, theSettlement(), { state: "Disputed" }, { at: seconds(CASE_AT), forMs: minutes(4) }),
  ],
  faults: [
    partition([CONNECTED_HERE, BLIND], { from: 0, until: seconds(CUT_UNTIL) }),
    attacker("liar", VERDICT, { from: seconds(100), until: seconds(230), times: 6 }),
  ],
});
