/**
 * One virtual day of a hundred nodes: four merchants sell, buyers at all nodes trade with them from morning to night
 * without a chain, four statements a trade, and laws look on. More than half of a day of 200 trades is quiet: peers
 * that compare what they hold. Source: DESIGN "Budgets".
 */
import { dealOf, offChain, sells, trades } from "../../scenarios/parts/off-chain-market.ts";
import { advertise } from "../../sim/actions/trade.ts";
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, hours, minutes, seconds } from "../../sim/scenario.ts";
import type { Bench, Figure } from "./measure.ts";
import { rounded, spent } from "./measure.ts";

const NODES = 100;
const merchants = ["mara", "otto", "nils", "rosa"].map((name, at) => ({ offer: sells(name, 100_000n), at }));

function dayOf(count: number) {
  const deals = Array.from({ length: count }, (_, n) => {
    const { offer, at: sellerAt } = merchants[n % merchants.length] as (typeof merchants)[number];
    const deal = dealOf(offer, `buyer-${n}`, 1_000n + BigInt(n), 100n);
    const at = minutes(10) + Math.floor((n * hours(23)) / count);
    return trades(deal, { at, via: (5 + 2 * n) % NODES }, sellerAt);
  });
  return defineScenario({
    ...offChain,
    name: "bench-day",
    description: "A day of ordinary trade.",
    source: "DESIGN Budgets (ours)",
    nodes: NODES,
    actions: [
      ...merchants.map(({ offer, at }) => advertise(offer, { at: minutes(1) + seconds(at), via: at })),
      ...deals.flat(),
    ],
    lasts: hours(24),
  });
}

async function played(count: number, most: number): Promise<Figure> {
  const { wallMs, cpuMs } = await spent(async () => {
    const { report } = await runScenario(dayOf(count), { seed: 1n }, openBackends());
    if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
  });
  const name = `a day of ${NODES} nodes, ${count} trades`;
  return { name, value: rounded(wallMs / 60_000), cpu: rounded(cpuMs / 60_000), unit: "min", bar: { most } };
}

export const dayBench: Bench = {
  long: true,
  run: async () => [await played(200, 4), await played(2_000, 25)],
};
