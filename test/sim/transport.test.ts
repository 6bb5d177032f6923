// Goal: the simulated network keeps the contract that the production transport keeps.
// Method: the shared suite; to settle is to run the virtual clock until nothing is due.
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { createLoop } from "../../sim/clock.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import { healthyLink } from "../../sim/links.ts";
import { createNetwork, joinNetwork } from "../../sim/network.ts";
import { nodeAddress } from "../../sim/node-names.ts";
import { openWallet } from "../../sim/wallet.ts";
import { describeTransport } from "../ports/transport.contract.ts";

const EVENTS_MAX = 1_000_000;

describeTransport("simulated", async () => {
  const crypto = openNativeCrypto();
  const loop = createLoop(0n as EpochMillis);
  const network = createNetwork({ clock: loop, seed: 1n, faults: createFaultLedger(loop), conditions: healthyLink });
  const opened: (() => void)[] = [];
  return {
    async open(events) {
      const { peer } = openWallet(crypto, 1n, `node/${opened.length}`);
      const joining = { peer, address: nodeAddress(opened.length, peer), name: `node/${opened.length}` };
      const port = joinNetwork(network, joining, events);
      opened.push(() => port.close(() => undefined));
      return { peer, port };
    },
    async settle(enough = () => false) {
      for (let ran = 0; loop.pending() > 0 && !enough(); ran++) {
        if (ran === EVENTS_MAX) throw new Error("the network never comes to rest");
        await loop.runNext();
      }
    },
    runOutOfTime: () => undefined,
    async close() {
      for (const close of opened) close();
      await loop.runDry(EVENTS_MAX);
    },
  };
});
