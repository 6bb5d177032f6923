/**
 * One dispute among ordinary trades: by count the arbitrators side with the merchant, by stake the chain decides for
 * the buyer. While they reveal, the network is cut in two, so each half sees other reveals. Every node with a chain
 * endpoint ends with the chain's decision, the others with none, and nobody ever shows another.
 * Source: OFS-2400; protocol 03 A.10, D.8.
 */
import type { Action } from "../sim/action-kinds.ts";
import { commitOnChain, execute, openCase, revealOnChain } from "../sim/actions/chain-dispute.ts";
import { fundEscrow, provideLiquidity, release } from "../sim/actions/chain-trade.ts";
import type { Juror } from "../sim/actions/dispute.ts";
import { commit, join, openDispute, reveal } from "../sim/actions/dispute.ts";
import { advertise, approve, initiate, pay, reserve, seeSettlement } from "../sim/actions/trade.ts";
import type { CaseTerms, Offer, TradeTerms } from "../sim/actions/trade-terms.ts";
import { watchDispute } from "../sim/actions/watch-dispute.ts";
import { ARBITRATOR_STAKE_MIN } from "../sim/chain/genesis.ts";
import { partition } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import { smallNetwork } from "./parts/disputed-trade.ts";

const NODES = 8;
/** One on each side of the cut. */
const GOSSIP_ONLY = [3, 7];
const MERCHANT = "merchant";
const MERCHANT_NODE = 0;
const WHOLE = 1_000_000n;

const offer: Offer = {
  id: "usdc-for-eur",
  merchant: MERCHANT,
  asset: "USDC",
  fiatCurrency: "EUR",
  priceCents: 92n,
  minTrade: 10n * WHOLE,
  maxTrade: 500n * WHOLE,
  liquidity: 1_000n * WHOLE,
};

interface Taker {
  readonly via: number;
  readonly trade: TradeTerms;
}

function taker(buyer: string, via: number, reservation: bigint, amount: bigint): Taker {
  const settlement = `settlement-${reservation}`;
  return { via, trade: { offer, reservation, settlement, buyer, amount: amount * WHOLE } };
}

const ann = taker("ann", 1, 1001n, 50n);
const bob = taker("bob", 7, 1002n, 75n);
const carl = taker("carl", 5, 1003n, 120n);
const dora = taker("dora", 6, 1004n, 200n);

const dispute: CaseTerms = {
  id: "dispute-1004",
  trade: dora.trade,
  reason: "I paid, the merchant says nothing arrived",
  commitSecs: 60n,
  revealSecs: 90n,
};

/** Three small stakes for the merchant, two large ones for the buyer. */
const arbitrators: readonly (Juror & { readonly via: number; readonly stake: bigint })[] = [
  { name: "abel", vote: "MerchantWins", via: 1, stake: ARBITRATOR_STAKE_MIN },
  { name: "beth", vote: "MerchantWins", via: 2, stake: ARBITRATOR_STAKE_MIN },
  { name: "cyril", vote: "BuyerWins", via: 4, stake: 4n * ARBITRATOR_STAKE_MIN },
  { name: "dina", vote: "BuyerWins", via: 5, stake: 3n * ARBITRATOR_STAKE_MIN },
  { name: "egon", vote: "MerchantWins", via: 3, stake: ARBITRATOR_STAKE_MIN },
];

const merchant = (at: number) => ({ at: seconds(at), via: MERCHANT_NODE });

/** A trade up to the buyer's word that the payment was sent. */
function begins({ via, trade }: Taker, at: number): readonly Action[] {
  return [
    reserve(trade, { via, at: seconds(at) }),
    initiate(trade, { via, at: seconds(at) }),
    fundEscrow(trade, merchant(at)),
    pay(trade, { via, at: seconds(at) }),
  ];
}

/** A trade that ends as it should. */
function completes(one: Taker, at: number): readonly Action[] {
  const { via, trade } = one;
  // A node that does not see the chain shows what the merchant said, and no release.
  const last = GOSSIP_ONLY.includes(via) ? "Approved" : "Completed";
  return [
    ...begins(one, at),
    approve(trade, merchant(at)),
    release(trade, merchant(at)),
    seeSettlement(trade, trade.buyer, last, { via, at: seconds(at) }),
    seeSettlement(trade, MERCHANT, "Completed", merchant(at)),
  ];
}

/** When the arbitrators reveal to the network: the chain has closed its commit window by then. */
const REVEAL_AT = 170;

function sits(juror: (typeof arbitrators)[number], place: number): readonly Action[] {
  const { via } = juror;
  return [
    join(dispute, juror, { via, at: seconds(70 + place) }),
    commit(dispute, juror, { via, at: seconds(85 + place) }),
    commitOnChain(dispute, juror, { via, at: seconds(85 + place) }),
    reveal(dispute, juror, { via, at: seconds(REVEAL_AT + place) }),
    revealOnChain(dispute, juror, { via, at: seconds(REVEAL_AT + place) }),
  ];
}

function watches(node: number): Action {
  const expected = GOSSIP_ONLY.includes(node) ? ({ awaiting: true } as const) : ({ decided: "BuyerWins" } as const);
  return watchDispute(dispute, `reader ${node}`, expected, { via: node, at: seconds(60) });
}

export const disputeDecidedOnChain = defineScenario({
  name: "dispute-decided-on-chain",
  description: "By count the arbitrators side with the merchant; by stake the chain decides for the buyer.",
  source: "OFS-2400; protocol 03 A.10, D.8",
  nodes: NODES,
  nodesMin: NODES,
  chain: "bankrun",
  gossipOnly: GOSSIP_ONLY,
  participants: [
    { name: MERCHANT, merchant: true },
    ...arbitrators.map(({ name, stake }) => ({ name, arbitratorStake: stake })),
  ],
  actions: [
    provideLiquidity(offer, merchant(2)),
    advertise(offer, merchant(3)),
    ...completes(ann, 5),
    ...completes(bob, 8),
    ...begins(dora, 10),
    ...completes(carl, 30),
    openDispute(dispute, { via: dora.via, at: seconds(60) }),
    openCase(dispute, { via: dora.via, at: seconds(62) }),
    ...arbitrators.flatMap(sits),
    execute(dispute, { via: dora.via, at: seconds(REVEAL_AT) }),
    ...Array.from({ length: NODES }, (_, node) => watches(node)),
  ],
  faults: [
    partition(
      [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
      ],
      { from: seconds(REVEAL_AT - 5), until: seconds(REVEAL_AT + 40) },
    ),
  ],
  safety: smallNetwork.safety,
  liveness: smallNetwork.liveness,
  ending: { kind: "dispute", dispute: dispute.id },
});
