/**
 * The worker behind the page of the playground: holds one network, whose control answers as over HTTP, or makes one run
 * of the flagship, as `ofs-sim run` does. Both are the simulator itself on the model of the chain's programs.
 * Source: DESIGN section 6 "playground".
 */
import { err } from "../../core/index.ts";
import { disputeDecidedOnChain } from "../../scenarios/dispute-decided-on-chain.ts";
import { openBackends } from "../../sim/backends.ts";
import { SLOT_MS } from "../../sim/chain/slots.ts";
import { runScenario } from "../../sim/run.ts";
import { answerControl } from "../../sim/serve/control/dispatch.ts";
import type { Controlled } from "../../sim/serve/control/method.ts";
import { openSnapshots } from "../../sim/serve/control/snapshots.ts";
import { openLiveWorld } from "../../sim/serve/live-world.ts";
import type { FromWorld, ToWorld } from "../../sim/serve/page/playground-messages.ts";
import { noApis } from "../../sim/serve/unserved.ts";
import { openPace } from "../../sim/serve/wall-clock.ts";
import { beginsAt, warm } from "../../sim/serve/warm.ts";
import { openWorldHost } from "../../sim/serve/world-host.ts";

/** What a worker is to its script. */
declare const self: {
  postMessage(message: FromWorld): void;
  addEventListener(type: "message", told: (event: { readonly data: ToWorld }) => void): void;
};

const opened: { network?: Promise<Controlled> } = {};

self.addEventListener("message", ({ data }) => {
  take(data).catch((error: unknown) => tell({ kind: "failed", reason: String(error) }));
});

function tell(message: FromWorld): void {
  self.postMessage(message);
}

async function take(message: ToWorld): Promise<void> {
  switch (message.kind) {
    case "open":
      opened.network = openNetwork(BigInt(message.seed), message.nodes);
      await opened.network;
      return tell({ kind: "opened" });
    case "ask": {
      const network = await opened.network;
      if (network === undefined) throw new Error("no network is open");
      return tell({ kind: "answer", id: message.id, text: await answerControl(network, message.body) });
    }
    case "run":
      return await runFlagship(BigInt(message.seed));
  }
}

/** A network that begins on the first day of worlds and follows the clock from there. */
async function openNetwork(seed: bigint, nodes: number): Promise<Controlled> {
  const options = { seed, nodes, gossipOnly: nodes > 1 ? 1 : 0, chain: "model", pace: 0 } as const;
  const begins = beginsAt(options.pace);
  const host = openWorldHost(await openLiveWorld(options, begins));
  await host.exclusive(() => warm(host, begins), null);
  const pace = openPace(host, Number(SLOT_MS), () => true);
  pace.follow(1);
  return {
    ...{
      options,
      host,
      pace,
      apis: noApis(),
      snapshots: openSnapshots(),
      scenarios: async () => [disputeDecidedOnChain],
    },
    save: async () => err("a page keeps no file"),
  };
}

async function runFlagship(seed: bigint): Promise<void> {
  const { report } = await runScenario(
    disputeDecidedOnChain,
    {
      ...{ seed, chain: "model" },
      tell: (line) => tell({ kind: "told", line }),
      progress: ({ events, simulatedMs, lastsMs }) =>
        tell({ kind: "progress", events, share: Math.min(1, simulatedMs / lastsMs) }),
    },
    openBackends(),
  );
  const { scenario, nodes, events, trace_hash: trace } = report;
  const violations = report.violations.map(({ check, message }) => `${check}: ${message}`);
  tell({ kind: "ran", report: { scenario, seed: `${seed}`, nodes, events, trace, violations } });
}
