/**
 * A simulated network inside any test runner: started in this process, or found behind the ready line of
 * `ofs-sim serve`. Source: DESIGN section 6 "serve".
 */
import type { ControlClient } from "../../sim/serve/control/client.ts";
import { openControlClient } from "../../sim/serve/control/client.ts";
import type { ReadyLine } from "../../sim/serve/served-network.ts";
import { openServedNetwork } from "../../sim/serve/served-network.ts";
import { openRpcText } from "../production/openrpc.ts";
import { packageVersion } from "../production/usage.ts";
import { pageScript } from "./page-script.ts";
import type { NetworkOptions, TestNetwork } from "./test-network.ts";
import { networkOf, usual } from "./test-network.ts";

export type { NetworkOptions, SeededTrade, TestNetwork, TestWallet } from "./test-network.ts";

/** Starts a network in this process, on free ports of loopback. Fails when it cannot listen. */
export async function startNetwork(options: NetworkOptions = {}): Promise<TestNetwork> {
  const { nodes, seed, chain, time, gossipOnly } = usual(options);
  const pace = time === "still" ? 0 : time;
  const opened = await openServedNetwork({
    ...{ seed, nodes, gossipOnly, chain, pace, host: "127.0.0.1", port: 0, chainPort: 0, controlPort: 0 },
    ...{ mining: pace === 0 ? "send" : "slot", version: packageVersion() },
    openrpc: () => openRpcText({ name: "this node", url: "/rpc" }),
    scenarios: async () => (await import("../../scenarios/index.ts")).scenarios,
    page: pageScript,
  });
  if (!opened.ok) throw new Error(opened.error);
  return networkOf(opened.value.ready, clientOf(opened.value.ready), opened.value.close);
}

/** The network behind the line that `ofs-sim serve` printed when it was ready; `token` where control wants one. */
export function connectNetwork(ready: ReadyLine, token?: string): TestNetwork {
  return networkOf(ready, clientOf(ready, token), () => Promise.resolve());
}

function clientOf({ control: { rpc: url } }: ReadyLine, token?: string): ControlClient {
  return openControlClient({ url, ...(token !== undefined && { token }) });
}
