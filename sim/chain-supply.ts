/**
 * The simulated chain in the world's time: opened with everyone's wallets, moved on by the clock, asked by each node
 * through an endpoint of its own. The chain stands still until somebody looks or a transaction waits; only then is
 * its executor awaited. Source: DESIGN section 4 "Cluster".
 */

import type { CryptoPort } from "../core/ports/crypto.ts";
import type { ChainAddresses } from "../core/testing.ts";
import { chainAddresses, simulatedProfile } from "../core/testing.ts";
import type { Cluster } from "./chain/cluster.ts";
import { openCluster } from "./chain/cluster.ts";
import type { ExecutorName, OpenExecutor } from "./chain/executor.ts";
import type { GenesisAccount } from "./chain/genesis.ts";
import { genesis } from "./chain/genesis.ts";
import { SLOT_MS } from "./chain/slots.ts";
import type { ChainTime } from "./chain-endpoint.ts";
import { openEndpoint } from "./chain-endpoint.ts";
import type { ChainFaultState } from "./chain-faults.ts";
import { openChainFaults } from "./chain-faults.ts";
import type { Clock } from "./clock.ts";
import { bytes, chance, openStream } from "./random.ts";
import type { ChainSetting, ChainSupply } from "./run.ts";
import { openWallet } from "./wallet.ts";
import { WORLD_START } from "./world.ts";

/**
 * Slots in a million in which nobody produces a block. Source: DESIGN "Simulated world"; a few percent on a real chain.
 */
const SKIPPED_SLOTS = 30_000;
/** Since when stakes of the first day count: a year before it, in seconds. Source: DESIGN "Simulated world". */
const STAKED_FOR_SECS = 31_536_000n;

/** Opens the chain of a world. */
export async function openChainSupply(crypto: CryptoPort, setting: ChainSetting): Promise<ChainSupply> {
  const { seed, loop, faults } = setting;
  const skipped = openStream(seed, "chain/skipped");
  const broken = openChainFaults({
    faults,
    cluster: () => cluster,
    skipped: openStream(seed, "fault/skipped-slots"),
    fates: openStream(seed, "fault/forks"),
    submissions: openStream(seed, "fault/submissions"),
  });
  const cluster: Cluster = await openCluster({
    crypto,
    open: await executorOf(setting.choice, crypto),
    seed: bytes(openStream(seed, "chain/blockhash"), 0, 32),
    startMs: WORLD_START,
    isSkipped: (slot) => broken.isSkipped(slot) || chance(skipped, Number(slot), SKIPPED_SLOTS),
    genesis: genesisOf(crypto, setting),
    signers: [
      ...setting.participants.map((member) => member.wallet.keypair),
      ...setting.nodes.map((node) => node.keypair),
    ],
    escrowProgram: simulatedProfile.escrowProgram,
  });
  const time = chainTime(cluster, loop, broken);
  /** Whoever changes the chain first brings it to the slot that the clock shows. */
  const now = async (change: () => Promise<void>): Promise<void> => {
    await time.catchUp();
    await change();
  };
  const lives = new Map<number, number>();
  return {
    open(node, observe) {
      const life = lives.get(node) ?? 0;
      lives.set(node, life + 1);
      const asked = () => broken.conditionsOf(node);
      return openEndpoint({ node, seed, clock: loop, faults, time, conditions: asked, observe }, life);
    },
    ...broken,
    fork: (depth, terms) => now(() => broken.fork(depth, terms)),
    settle: (winner) => now(() => broken.settle(winner)),
    reorganize: (depth, terms) => now(() => broken.reorganize(depth, terms)),
    heal: () => loop.after(0, () => now(() => broken.heal())),
    cluster,
    close: () => cluster.close(),
  };
}

/** Moves the chain with the clock. While a transaction waits for its block, every slot is an event. */
function chainTime(cluster: Cluster, clock: Clock, broken: ChainFaultState): ChainTime {
  const slotMs = Number(SLOT_MS);
  let planned = false;

  const catchUp = async (): Promise<void> => {
    const slot = BigInt(Math.floor(clock.now() / slotMs));
    if (slot > cluster.currentSlot()) await cluster.advance(slot);
  };
  const planSlot = (): void => {
    if (planned || !cluster.waits()) return;
    planned = true;
    clock.at((Math.floor(clock.now() / slotMs) + 1) * slotMs, async () => {
      planned = false;
      await catchUp();
      const slot = cluster.currentSlot();
      if (cluster.slot("processed") < slot) broken.keptWaiting(slot);
      planSlot();
    });
  };
  return {
    cluster,
    catchUp,
    rival: broken.rival,
    lookedAtRival: broken.lookedAtRival,
    lookedAtFinal: broken.lookedAtFinal,
    submit(wire) {
      const taken = cluster.submit(wire, broken.handlingOfNext());
      planSlot();
      return taken;
    },
  };
}

function genesisOf(crypto: CryptoPort, setting: ChainSetting): readonly GenesisAccount[] {
  const at: ChainAddresses = chainAddresses(crypto, simulatedProfile);
  const arbitrators = setting.participants.filter((member) => (member.arbitratorStake ?? 0n) > 0n);
  return genesis(at, {
    wallets: [
      ...setting.participants.map(({ wallet, merchant, arbitratorStake }) => ({
        address: wallet.address,
        ...(merchant !== undefined && { merchant }),
        ...(arbitratorStake !== undefined && { arbitratorStake }),
      })),
      ...setting.nodes.map((node) => ({ address: node.address })),
    ],
    admin: openWallet(crypto, setting.seed, "chain admin").address,
    stakedSince: WORLD_START / 1000n - STAKED_FOR_SECS,
    eligibleArbitrators: arbitrators.length,
  });
}

/** Executors are loaded when a run wants one: two of them are native modules. */
async function executorOf(choice: ExecutorName, crypto: CryptoPort): Promise<OpenExecutor> {
  switch (choice) {
    case "bankrun":
      return (await import("./chain/executors/bankrun.ts")).openBankrun;
    case "litesvm":
      return (await import("./chain/executors/litesvm.ts")).openLitesvm;
    case "model":
      return (await import("./chain/executors/model.ts")).modelExecutors(crypto);
  }
}
