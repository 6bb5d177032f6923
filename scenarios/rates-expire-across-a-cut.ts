/**
 * Olga says each minute what a dollar costs; her word holds for ninety seconds. The network is cut, and half of it
 * hears her no more: there the rate runs out, and the half without her shows none rather than an old one, while a
 * floating offer there has no price. On her own side she goes on. When the cut is over everybody shows her newest rate
 * again. The goal: nobody is ever shown a rate that has run out as if it held, and both halves come to the same.
 * Source: protocol 05 §3.4, §3.6; 02 B.8.
 */
import { askRates, publishRate, registerOracle } from "../sim/actions/oracle.ts";
import { advertiseFloating } from "../sim/actions/trade.ts";
import { partition } from "../sim/fault-plans.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import { allCome } from "./parts/disputed-trade.ts";
import { offChain } from "./parts/off-chain-market.ts";

const [WITH_OLGA, WITHOUT] = [
  [0, 1],
  [2, 3],
];
const everyNode = [...WITH_OLGA, ...WITHOUT];
const pair = { base: "USDC", quote: "EUR" };
const floating = { id: "otto-floats", merchant: "otto", asset: "USDC", fiatCurrency: "EUR", premiumBps: 50 } as const;
const subject = { method: "getExchangeRate", params: pair } as const;
const MINUTES = [0, 1, 2, 3, 4];
const CUT = { from: seconds(70), until: seconds(250) };

export const ratesExpireAcrossACut = defineScenario({
  ...offChain,
  name: "rates-expire-across-a-cut",
  description: "A rate runs out on the side of a cut that hears no newer one, and holds on the other.",
  source: "protocol 05 §3.4, §3.6",
  nodes: 4,
  nodesMin: 4,
  actions: [
    registerOracle("olga", { at: seconds(1), via: 0 }),
    advertiseFloating(floating, { at: seconds(2), via: 3 }),
    ...MINUTES.map((minute) =>
      publishRate(
        "olga",
        {
          ...pair,
          id: `minute ${minute}`,
          rate: (90 + minute) / 100,
          version: BigInt(minute + 1),
          lifetime: seconds(90),
        },
        { at: seconds(5) + minutes(minute), via: 0 },
      ),
    ),
    ...allCome(everyNode, subject, { status: "current", rate: 0.9 }, { at: seconds(10) }),
    ...allCome(WITHOUT, subject, { status: "stale" }, { at: seconds(160) }),
    ...allCome(WITH_OLGA, subject, { status: "current", rate: 0.92 }, { at: seconds(160) }),
    ...everyNode.map((via) => askRates(`reader ${via}`, pair, { at: seconds(200), via })),
    ...allCome(everyNode, subject, { status: "current", rate: 0.94 }, { at: seconds(255) }),
  ],
  faults: [partition([WITH_OLGA, WITHOUT], CUT)],
});
