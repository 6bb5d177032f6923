/**
 * Inputs a second of simulated nodes under a mixed load, and what watching them costs: every node trades, talks,
 * reconciles and is watched after every step. Inputs have no bar: what spares some makes them fewer, and `arrivals`
 * says what counts. Source: DESIGN "Budgets".
 */

import type { Action } from "../../sim/action-kinds.ts";
import { advertise, initiate, reserve } from "../../sim/actions/trade.ts";
import type { Offer, TradeTerms } from "../../sim/actions/trade-terms.ts";
import { openBackends } from "../../sim/backends.ts";
import type { MakeChecker } from "../../sim/checker.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { noPartyLeaks } from "../../sim/checkers/no-party-leaks.ts";
import { noResolutionWithoutExecution } from "../../sim/checkers/no-resolution-without-execution.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import { calibrated } from "./calibration.ts";
import type { Bench, Figure, Spent } from "./measure.ts";
import { median, medianOf, perSecond, rounded, spent } from "./measure.ts";

const WHOLE = 1_000_000n;
const FEW = 20;
const MANY = 1_000;
const TRADES = 20;
/** Runs, or pairs of them, that count. */
const RUNS = 5;
export const checkers = [equalSetsEqualStates, readsChangeNothing, noResolutionWithoutExecution, noPartyLeaks];

const offer: Offer = {
  id: "bench-offer",
  merchant: "merchant",
  asset: "wSOL",
  fiatCurrency: "EUR",
  priceCents: 92n,
  minTrade: WHOLE,
  maxTrade: 500n * WHOLE,
  liquidity: 1_000_000n * WHOLE,
};

/** A taker's first words; what follows them waits for a chain. */
function tradeOn(via: number, number: number, at: number): readonly Action[] {
  const trade: TradeTerms = {
    offer,
    reservation: BigInt(number),
    settlement: `settlement-${number}`,
    buyer: `buyer-${number}`,
    amount: 5n * WHOLE,
  };
  return [reserve(trade, { via, at }), initiate(trade, { via, at })];
}

/** A scenario of so many nodes and trades within a stretch of virtual time, at the first `desks` or anywhere. */
export function market(
  nodes: number,
  trades: number,
  lasts: number,
  safety: readonly MakeChecker[],
  desks = nodes,
): Scenario {
  const start = seconds(5);
  const gap = Math.floor((lasts - start) / trades);
  return defineScenario({
    name: "bench-market",
    description: "Trades all over the network.",
    source: "DESIGN Budgets (ours)",
    nodes,
    actions: [
      advertise(offer, { via: 0, at: seconds(2) }),
      ...Array.from({ length: trades }, (_, n) => tradeOn((n * 7 + 1) % desks, n + 1, start + n * gap)).flat(),
    ],
    lasts: lasts + seconds(5),
    safety,
  });
}

async function play(scenario: Scenario): Promise<{ readonly events: number; readonly took: Spent }> {
  let events = 0;
  const took = await spent(async () => {
    const { report } = await runScenario(scenario, { seed: 1n }, openBackends());
    if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
    events = report.events;
  });
  return { events, took };
}

/** How much of a run's CPU time its checks took: the median of several pairs of runs, in code that ran before. */
async function costOfChecks(): Promise<Figure> {
  const shares: number[] = [];
  for (let pair = 0; pair < RUNS; pair++) {
    const on = await play(market(FEW, TRADES, seconds(60), checkers));
    const off = await play(market(FEW, TRADES, seconds(60), []));
    shares.push(100 * (1 - off.took.cpuMs / on.took.cpuMs));
  }
  return { name: "checks, of a run's CPU time", value: rounded(median(shares)), unit: "%", bar: { most: 20 } };
}

/** Events a second: the median of several runs after one that is not counted, or of the only one. */
async function throughput(nodes: number, lasts: number, runs: number) {
  const [played, calibration] = await calibrated(async () => {
    const all: Awaited<ReturnType<typeof play>>[] = [];
    for (let run = runs === 1 ? 1 : 0; run <= runs; run++) all.push(await play(market(nodes, TRADES, lasts, checkers)));
    return runs === 1 ? all : all.slice(1);
  });
  // The same seed: as many in each.
  const events = played[0]?.events ?? 0;
  return { ...perSecond(events, medianOf(played.map(({ took }) => took))), unit: "events/s", calibration };
}

export const simBench: Bench = {
  async run() {
    return [
      { name: `${FEW} nodes`, ...(await throughput(FEW, seconds(60), RUNS)) },
      // A minute and a half: one run, in code that those before it have warmed.
      { name: `${MANY} nodes`, ...(await throughput(MANY, seconds(10), 1)) },
      await costOfChecks(),
    ];
  },
};
