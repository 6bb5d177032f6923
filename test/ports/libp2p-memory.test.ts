// Goal: the production transport keeps the contract inside one process, where simulated runs use it.
// Method: the shared suite on `@libp2p/memory`.
import { memoryNetwork } from "./libp2p-network.ts";
import { describeTransport } from "./transport.contract.ts";

describeTransport("libp2p in memory", memoryNetwork);
