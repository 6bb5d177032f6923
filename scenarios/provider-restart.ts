/**
 * Olga's service of rates lives at node 0, which loses power again and again: just after it said that she is
 * registered, just after it took a rate, and just after it took her leave. Meanwhile she withdraws, and registers once
 * more. The goal: whatever the node answered, it still knows when it is back; a rate that was published is shown at all
 * nodes until it runs out; and the registry names her service once, as she left it.
 * Source: protocol 05 §1.3, §3.4; DESIGN L9.
 */
import { publishRate, registerOracle, withdrawOracle } from "../sim/actions/oracle.ts";
import { crash, restart } from "../sim/fault-plans.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import { allCome } from "./parts/disputed-trade.ts";
import { offChain } from "./parts/off-chain-market.ts";

const everyNode = [0, 1, 2];
const pair = { base: "USDC", quote: "EUR" };
const rate = { method: "getExchangeRate", params: pair } as const;
const service = { method: "getProvider", params: { id: "rates-of-olga" } } as const;
const at = (second: number) => ({ at: seconds(second), via: 0 });
const rateOf = (id: string, value: number, version: bigint) => ({
  ...{ ...pair, id, rate: value, version },
  lifetime: minutes(10),
});

export const providerRestart = defineScenario({
  ...offChain,
  name: "provider-restart",
  description: "The node of a provider of rates loses power again and again and forgets nothing that it answered.",
  source: "protocol 05 §1.3, §3.4",
  nodes: 3,
  nodesMin: 3,
  actions: [
    registerOracle("olga", at(2)),
    publishRate("olga", rateOf("first", 0.92, 1n), at(8)),
    ...allCome(everyNode, rate, { status: "current", rate: 0.92 }, { at: seconds(12) }),
    publishRate("olga", rateOf("second", 0.93, 2n), at(100)),
    ...allCome(everyNode, rate, { status: "current", rate: 0.93 }, { at: seconds(105) }),
    withdrawOracle("olga", at(160)),
    ...allCome(everyNode, rate, { status: "noData" }, { at: seconds(165) }),
    registerOracle("olga", at(220)),
    publishRate("olga", rateOf("third", 0.95, 3n), at(230)),
    ...allCome(everyNode, rate, { status: "current", rate: 0.95 }, { at: seconds(235) }),
    ...allCome(everyNode, service, { service_id: "rates-of-olga" }, { at: seconds(240) }),
  ],
  faults: [
    crash(0, { from: 2_120, until: seconds(6) }),
    crash(0, { from: seconds(8) + 200, until: seconds(11) }),
    restart(0, { at: seconds(100) + 50 }),
    restart(0, { at: seconds(160) + 20 }),
    crash(0, { from: seconds(161), until: seconds(180) }),
    restart(0, { at: seconds(230) + 10 }),
  ],
});
