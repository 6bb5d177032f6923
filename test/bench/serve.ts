/**
 * How long a client's author waits for a served network: until it answers its first request, with few nodes and with
 * many, and for a state to be kept and to be back; and what many states leave behind. In this process, on the model
 * executor.
 * Source: DESIGN "Budgets".
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { TestNetwork } from "../../node/sim/testing.ts";
import { startNetwork } from "../../node/sim/testing.ts";
import type { Bench, Figure } from "./measure.ts";
import { best, rounded } from "./measure.ts";

/** Statements that every node holds when its network is kept. */
const STATEMENTS = 1_000;

/** From nothing until the first answer. */
async function ready(nodes: number, most: number): Promise<Figure> {
  const opened: TestNetwork[] = [];
  const { wallMs, cpuMs } = await best(
    3,
    () => undefined,
    async () => {
      const network = await startNetwork({ nodes });
      opened.push(network);
      await network.node(0).call("getHealth");
    },
  );
  await Promise.all(opened.map((network) => network.close()));
  const figure = { value: rounded(wallMs), cpu: rounded(cpuMs), unit: "ms", bar: { most } };
  return { name: `first answer of ${nodes} nodes`, ...figure };
}

async function states(): Promise<readonly Figure[]> {
  const network = await startNetwork({ nodes: 5 });
  await network.control.call("sim_seedMarket", { advertisements: STATEMENTS, providers: 0 });
  let id = "";
  const kept = await best(
    10,
    () => undefined,
    async () => {
      id = await network.snapshot();
    },
  );
  const back = await best(
    10,
    () => undefined,
    () => network.revert(id),
  );
  await network.close();
  return [
    { name: "snapshot", value: rounded(kept.wallMs), cpu: rounded(kept.cpuMs), unit: "ms", bar: { most: 50 } },
    { name: "revert", value: rounded(back.wallMs), cpu: rounded(back.cpuMs), unit: "ms", bar: { most: 50 } },
  ];
}

/** What a thousand states that were kept, gone back to and dropped leave behind, beside what a hundred leave. */
async function growth(): Promise<Figure> {
  const network = await startNetwork({ nodes: 5 });
  await network.control.call("sim_seedMarket", { advertisements: 10, providers: 0 });
  const heapAfter = async (times: number) => {
    for (let done = 0; done < times; done += 1) await network.undone(async () => undefined);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const first = await heapAfter(100);
  const last = await heapAfter(900);
  await network.close();
  const value = rounded((last - first) / 1_048_576);
  return { name: "heap of 1,000 snapshots and reverts over that of 100", value, unit: "MiB", bar: { most: 5 } };
}

/** Collects all that nobody holds any more. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  for (let times = 0; times < 3; times += 1) runInNewContext("gc")();
}

export const serveBench: Bench = {
  run: async () => [await ready(5, 1_000), await ready(50, 3_000), ...(await states()), await growth()],
};
