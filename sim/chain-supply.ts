/**
 * The simulated chain in the world's time: opened with everyone's wallets, moved on by the clock, asked by each node
 * through an endpoint of its own. The chain stands still until somebody looks or a transaction waits; only then is
 * its executor awaited. Source: DESIGN section 4 "Cluster".
 */

import type { CryptoPort } from "../core/ports/crypto.ts";
import type { ChainAddresses } from "../core/testing.ts";
import { chainAddresses, simulatedProfile } from "../core/testing.ts";
import type { HeldChain } from "./chain/blocks.ts";
import type { Cluster } from "./chain/cluster.ts";
import { openCluster } from "./chain/cluster.ts";
import { closingTableOf } from "./chain/disguises.ts";
import type { ExecutorName, OpenExecutor } from "./chain/executor.ts";
import { modelExecutors } from "./chain/executors/model.ts";
import type { GenesisAccount } from "./chain/genesis.ts";
import { genesis } from "./chain/genesis.ts";
import { lookupTableAccount } from "./chain/lookup-tables.ts";
import { SLOT_MS } from "./chain/slots.ts";
import type { ChainTime } from "./chain-endpoint.ts";
import { openNodeEndpoint } from "./chain-endpoint.ts";
import type { ChainFaultState } from "./chain-faults.ts";
import { openChainFaults } from "./chain-faults.ts";
import type { Clock, Packing, Part } from "./clock.ts";
import { loadExecutor } from "./installed-parts.ts";
import { bytes, chance, openStream } from "./random.ts";
import type { ChainSetting, ChainSupply } from "./setup.ts";
import { openWallet } from "./wallet.ts";
import { WORLD_START } from "./world.ts";

/**
 * Slots in a million in which nobody produces a block. Source: DESIGN "Simulated world"; a few percent on a real chain.
 */
const SKIPPED_SLOTS = 30_000;
/** Since when stakes of the first day count: a year before it, in seconds. Source: DESIGN "Simulated world". */
export const STAKED_FOR_SECS = 31_536_000n;

/** What the chain of a world remembers. */
interface HeldSupply {
  /** While a transaction waits for its block, the next slot is an event. */
  planned: boolean;
  /** Nothing until the chain is open. */
  chain: HeldChain | undefined;
}

type SupplyDue =
  | { readonly kind: "slot" }
  /** Everything works again. */
  | { readonly kind: "heal" };

interface Supply {
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly broken: ChainFaultState;
  readonly part: Part<HeldSupply, SupplyDue>;
}

/** Opens the chain of a world. */
export async function openChainSupply(crypto: CryptoPort, setting: ChainSetting): Promise<ChainSupply> {
  const { seed, loop, faults } = setting;
  const skipped = openStream(seed, "chain/skipped");
  const packing: Packing<HeldSupply> = {
    pack: ({ planned }) => ({ planned, chain: cluster.held() }),
    unpack: (packed) => packed as HeldSupply,
  };
  const fresh = (): HeldSupply => ({ planned: false, chain: undefined });
  const part = loop.part("chain", fresh, (due: SupplyDue) => carryOut(supply, due), packing);
  const broken = openChainFaults({
    ...{ clock: loop, faults },
    cluster: () => cluster,
    skipped: openStream(seed, "fault/skipped-slots"),
    fates: openStream(seed, "fault/forks"),
    submissions: openStream(seed, "fault/submissions"),
  });
  const executor = await executorOf(setting.choice, crypto);
  const cluster: Cluster = await openCluster({
    crypto,
    open: setting.through?.(executor) ?? executor,
    seed: bytes(openStream(seed, "chain/blockhash"), 0, 32),
    startMs: WORLD_START,
    isSkipped: (slot) => broken.isSkipped(slot) || chance(skipped, Number(slot), SKIPPED_SLOTS),
    genesis: genesisOf(crypto, setting),
    signers: [
      ...setting.participants.map((member) => member.wallet.keypair),
      ...setting.nodes.map((node) => node.keypair),
    ],
    held: part.held.chain,
  });
  const supply: Supply = { clock: loop, cluster, broken, part };
  const time = chainTime(supply);
  const endpoints = setting.nodes.map((_, node) =>
    openNodeEndpoint({ node, seed, clock: loop, faults, time, conditions: () => broken.conditionsOf(node) }),
  );
  return {
    open(node, observe, process = "new") {
      const endpoint = endpoints[node];
      return process === "new" ? endpoint?.open(observe) : endpoint?.reopen(observe);
    },
    ...broken,
    fork: (depth, terms) => now(supply, () => broken.fork(depth, terms)),
    settle: (winner) => now(supply, () => broken.settle(winner)),
    reorganize: (depth, terms) => now(supply, () => broken.reorganize(depth, terms)),
    heal: () => part.after(0, { kind: "heal" }),
    cluster,
    submit: time.submit,
    catchUp: time.catchUp,
    close: () => cluster.close(),
  };
}

/** Whoever changes the chain first brings it to the slot that the clock shows. */
async function now(supply: Supply, change: () => Promise<void>): Promise<void> {
  await catchUp(supply);
  await change();
}

/** Moves the chain with the clock. */
function chainTime(supply: Supply): ChainTime {
  const { cluster, broken } = supply;
  return {
    cluster,
    catchUp: () => catchUp(supply),
    rival: broken.rival,
    lookedAtRival: broken.lookedAtRival,
    lookedAtFinal: broken.lookedAtFinal,
    submit(wire) {
      const taken = cluster.submit(wire, broken.handlingOfNext());
      planSlot(supply);
      return taken;
    },
  };
}

async function catchUp({ cluster, clock }: Supply): Promise<void> {
  const slot = BigInt(Math.floor(clock.now() / Number(SLOT_MS)));
  if (slot > cluster.currentSlot()) await cluster.advance(slot);
}

function planSlot({ cluster, clock, part }: Supply): void {
  if (part.held.planned || !cluster.waits()) return;
  part.held.planned = true;
  const slotMs = Number(SLOT_MS);
  part.at((Math.floor(clock.now() / slotMs) + 1) * slotMs, { kind: "slot" });
}

async function carryOut(supply: Supply, due: SupplyDue): Promise<void> {
  const { cluster, broken, part } = supply;
  if (due.kind === "heal") return now(supply, () => broken.heal());
  part.held.planned = false;
  await catchUp(supply);
  const slot = cluster.currentSlot();
  if (cluster.slot("processed") < slot) broken.keptWaiting(slot);
  planSlot(supply);
}

function genesisOf(crypto: CryptoPort, setting: ChainSetting): readonly GenesisAccount[] {
  const at: ChainAddresses = chainAddresses(crypto, simulatedProfile);
  const arbitrators = setting.participants.filter((member) => (member.arbitratorStake ?? 0n) > 0n);
  const firstDay = genesis(at, {
    wallets: [
      ...setting.participants.map(({ wallet, merchant, arbitratorStake, openTokens }) => ({
        address: wallet.address,
        ...(merchant !== undefined && { merchant }),
        ...(arbitratorStake !== undefined && { arbitratorStake }),
        ...(openTokens !== undefined && { openTokens }),
      })),
      ...setting.nodes.map((node) => ({ address: node.address })),
    ],
    admin: openWallet(crypto, setting.seed, "chain admin").address,
    stakedSince: WORLD_START / 1000n - STAKED_FOR_SECS,
    eligibleArbitrators: arbitrators.length,
  });
  const tables = (setting.lookupTables ?? []).map((reservation) => closingTableOf(at, reservation));
  return [
    ...firstDay,
    ...tables.map(({ address, addresses }) => ({ address, account: lookupTableAccount(addresses) })),
  ];
}

/** Executors are loaded when a run wants one: two of them are native modules. */
function executorOf(choice: ExecutorName, crypto: CryptoPort): OpenExecutor | Promise<OpenExecutor> {
  return choice === "model" ? modelExecutors(crypto) : loadExecutor(choice);
}
