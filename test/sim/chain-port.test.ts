// Goal: the simulated endpoint keeps the contract that the production adapter keeps.
// Method: the shared suite; a second node sends past the port, and waiting is running the virtual clock.

import type { ChainObservation } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import { simulatedProfile } from "../../core/solana/addresses.ts";
import { SLOT_MS } from "../../sim/chain/slots.ts";
import { CHAIN_POLL_MS } from "../../sim/chain-endpoint.ts";
import { openChainSupply } from "../../sim/chain-supply.ts";
import { createLoop } from "../../sim/clock.ts";
import { healthyEndpoint } from "../../sim/endpoint-conditions.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import { openWallet, walletOfSecret } from "../../sim/wallet.ts";
import { WORLD_START } from "../../sim/world.ts";
import { describeChain } from "../ports/chain.contract.ts";
import { crypto, wallets } from "./chain/chain-world.ts";

const POLLS_MAX = 100;
const profile = { ...simulatedProfile, name: "simulated", parity: false, mints: [] };

describeChain("simulated", async () => {
  const loop = createLoop(WORLD_START as EpochMillis);
  const participants = [
    { name: "merchant", merchant: true, wallet: walletOfSecret(crypto, "merchant", wallets.merchant.secretKey) },
  ];
  const supply = await openChainSupply(crypto, {
    ...{ choice: "model", seed: 1n, loop, faults: createFaultLedger(loop), profile, participants },
    nodes: [openWallet(crypto, 1n, "node/0"), openWallet(crypto, 1n, "node/1")],
  });
  const sender = supply.open(1, () => undefined)!;
  let life: { readonly port: ChainPort; readonly seen: ChainObservation[] };
  const open = () => {
    const seen: ChainObservation[] = [];
    life = { seen, port: supply.open(0, (observation) => void seen.push(observation))! };
  };
  open();
  const run = (ms: number) => loop.runUntil(loop.now() + ms);
  return {
    get port() {
      return life.port;
    },
    get seen() {
      return life.seen;
    },
    blockhash: () => supply.cluster!.latestBlockhash("processed").blockhash,
    finalized: () => supply.cluster!.slot("finalized"),
    send: (wire) => sender.submit("past the port", wire),
    pass: (slots) => run(slots * Number(SLOT_MS)),
    async until(holds) {
      for (let polls = 0; !holds(); polls++) {
        if (polls === POLLS_MAX) throw new Error("never came true");
        await run(CHAIN_POLL_MS / 4);
      }
    },
    rest: () => run(3 * CHAIN_POLL_MS),
    condition: ({ failing = false, lagSlots = 0n }) =>
      supply.setConditions(0, { ...healthyEndpoint, failure: failing ? 1_000_000 : 0, lagSlots }),
    forget: () => supply.reorganize(31n, { lost: 1_000_000, late: 0 }),
    async reopen() {
      life.port.close(() => undefined);
      open();
    },
    end: () => supply.close(),
  };
});
