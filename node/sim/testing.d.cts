/**
 * What `require("ofs-node/testing")` answers: the same names and types as an import, from a bundle of its own.
 */
import type { ReadyLine } from "../../sim/serve/served-network.ts" with { "resolution-mode": "import" };
import type { NetworkOptions, SeededTrade, TestNetwork, TestWallet } from "./test-network.ts" with {
  "resolution-mode": "import",
};

export type { NetworkOptions, SeededTrade, TestNetwork, TestWallet };
/** Starts a network in a process of its own, on free ports of loopback. Fails with what that process complains of. */
export declare function startNetwork(options?: NetworkOptions): Promise<TestNetwork>;
/** The network behind the line that `ofs-sim serve` printed when it was ready; `token` where control wants one. */
export declare function connectNetwork(ready: ReadyLine, token?: string): TestNetwork;
