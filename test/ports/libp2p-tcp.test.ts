// Goal: the production transport keeps the contract over real sockets.
// Method: the shared suite on TCP over the loopback.
import { tcpNetwork } from "./libp2p-network.ts";
import { describeTransport } from "./transport.contract.ts";

describeTransport("libp2p over TCP", tcpNetwork);
