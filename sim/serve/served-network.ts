/**
 * A simulated network for who writes clients: nodes over HTTP, the chain over Solana's RPC, one world behind them, in
 * the time of the wall clock or in its own. Source: DESIGN section 6 "serve".
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { ApiServer } from "../../adapters/http/server.ts";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import { chainAddresses, simulatedProfile } from "../../core/testing.ts";
import { openMint, settlementMints } from "../chain/genesis.ts";
import { SLOT_MS } from "../chain/slots.ts";
import { nodeName } from "../node-names.ts";
import type { Scenario } from "../scenario.ts";
import { openWallets } from "../wallet.ts";
import { openCalls } from "./calls.ts";
import type { ChainRpc } from "./chain-rpc.ts";
import { openChainRpc } from "./chain-rpc.ts";
import type { Controlled } from "./control/method.ts";
import { openControlServer } from "./control/server.ts";
import type { Snapshots } from "./control/snapshots.ts";
import { openSnapshots } from "./control/snapshots.ts";
import { openLiveWorld, resumeLiveWorld } from "./live-world.ts";
import type { NetworkTerms, RestoredNetwork, SavedState } from "./network-state.ts";
import { saveNetwork } from "./network-state.ts";
import type { NodeApis } from "./node-apis.ts";
import { openNodeApis, urlAt } from "./node-apis.ts";
import type { WalletData } from "./people.ts";
import { fundedWallets } from "./people.ts";
import type { Pace } from "./wall-clock.ts";
import { openPace } from "./wall-clock.ts";
import { beginsAt, warm } from "./warm.ts";
import type { WorldHost } from "./world-host.ts";
import { openWorldHost } from "./world-host.ts";

/** What a served network is like. */
export interface ServedNetworkOptions extends NetworkTerms {
  /** Where nodes, chain and control listen. */
  readonly host: string;
  /** The port of node 0; node i has this one plus i. 0 lets the system choose. */
  readonly port: number;
  /** The port of the chain's RPC, the next one for its PubSub; 0 lets the system choose. */
  readonly chainPort: number;
  /** The port of control; 0 lets the system choose. */
  readonly controlPort: number;
  /** What callers of control must bear; needed unless the host is loopback. */
  readonly token?: string | undefined;
  /** Where the whole network is kept when it is told to; nowhere unless said. */
  readonly write?: (state: Uint8Array) => Promise<Result<SavedState, string>>;
  /** A network to go on with, in the place of a new one: what it is and how its time goes are its own. */
  readonly from?: RestoredNetwork | undefined;
  /** The version of this software, for documents. */
  readonly version: string;
  /** The OpenRPC document of a node. */
  readonly openrpc: () => string;
  /** The scenarios that have a name. */
  readonly scenarios: () => Promise<readonly Scenario[]>;
  /** The script of the page on the control port. */
  readonly page: () => Promise<string>;
  /** Lets production nodes on this machine join; needs a pace of 1. */
  readonly openNetwork?: {
    /** The port where peers reach node 0; node i has this one plus i. 0 lets the system choose for each. */
    readonly port: number;
    /** Told in one line what went wrong with such peers. */
    readonly complain: (line: string) => void;
  };
}

/** A network that is served. */
export interface ServedNetwork {
  readonly host: WorldHost;
  readonly pace: Pace;
  readonly apis: NodeApis;
  readonly chain: ChainRpc;
  readonly control: ApiServer;
  readonly ready: ReadyLine;
  /** Ends the network and keeps all that it answered to; or says in one line why it is not kept. */
  stop(): Promise<Result<SavedState, string>>;
  close(): Promise<void>;
}

/** What a network prints when it is ready: all that a client needs. */
export interface ReadyLine {
  readonly ready: "serve";
  /** What wallets and everything random are drawn from. */
  readonly seed: string;
  /** The instant of the network, in Unix milliseconds, and its pace. */
  readonly now: number;
  readonly pace: number;
  readonly control: {
    /** A page for people. */
    readonly url: string;
    readonly rpc: string;
    readonly ws: string;
    readonly docs: string;
  };
  readonly nodes: readonly {
    readonly node: number;
    readonly url: string;
    readonly rpc: string;
    readonly ws: string;
    readonly peer: string;
    readonly gossipOnly: boolean;
    /** Where production nodes reach it, if they may join. */
    readonly gossip?: string;
  }[];
  readonly chain: {
    readonly rpc: string;
    readonly ws: string;
    readonly executor: string;
    readonly genesisHash: string;
  };
  readonly programs: { readonly escrow: string; readonly staking: string };
  readonly mints: readonly { readonly symbol: string; readonly mint: string; readonly decimals: number }[];
  readonly wallets: readonly WalletData[];
}

/** Opens a network; or says in one line why it cannot listen, with nothing left open. */
export async function openServedNetwork(asked: ServedNetworkOptions): Promise<Result<ServedNetwork, string>> {
  const gossip = await openGossip(asked);
  if (!gossip.ok) return gossip;
  const { from } = asked;
  const options = { ...asked, ...from?.terms, addresses: gossip.value?.addresses };
  const host = await openHost(options, from);
  const watched = { by: (): boolean => false };
  const pace = openPace(host, Number(SLOT_MS), () => watched.by());
  const snapshots = openSnapshots(from?.snapshots);
  const save = () => saved(options, host, pace, snapshots);
  const opened = await listen(options, { options, host, pace, snapshots, save, scenarios: options.scenarios });
  if (!opened.ok) {
    pace.close();
    await Promise.all([host.close(), gossip.value?.close()]);
    return opened;
  }
  const { apis, chain, control } = opened.value;
  watched.by = chain.watched;
  const factor = from?.factor ?? options.pace;
  if (factor > 0) pace.follow(factor);
  gossip.value?.serve(host, pace);
  // Nobody is answered after what is kept.
  const silence = async () => {
    pace.close();
    await Promise.all([apis.close(), chain.server.close(), closed(control), gossip.value?.close()]);
  };
  return ok({
    ...{ host, pace, apis, chain, control },
    ready: readyLine({ ...options, pace: factor }, host, opened.value),
    async stop() {
      await silence();
      const kept = await host.exclusive(save, null);
      await host.close();
      return kept;
    },
    async close() {
      await silence();
      await host.close();
    },
  });
}

/** A new world that is ready, or one that goes on. */
async function openHost(options: ServedNetworkOptions, from: RestoredNetwork | undefined): Promise<WorldHost> {
  if (from !== undefined) return openWorldHost(await resumeLiveWorld(options, from.world), from.calls);
  const begins = beginsAt(options.pace);
  const host = openWorldHost(await openLiveWorld(options, begins));
  await host.exclusive(() => warm(host, begins), null);
  return host;
}

async function saved(
  options: ServedNetworkOptions,
  host: WorldHost,
  pace: Pace,
  snapshots: Snapshots,
): Promise<Result<SavedState, string>> {
  if (options.write === undefined) return err("the network was started without --state FILE");
  const state = { factor: pace.factor(), snapshots: snapshots.taken() };
  return options.write(saveNetwork(host, options.version, options, state));
}

/** The real listeners, where somebody asked for them: libp2p is loaded then. */
async function openGossip({ openNetwork, seed, nodes }: ServedNetworkOptions) {
  if (openNetwork === undefined) return ok(undefined);
  const walletOf = openWallets(openNativeCrypto(), seed);
  const wallets = Array.from({ length: nodes }, (_, node) => walletOf(nodeName(node)));
  return (await import("./open-network.ts")).openNetworkToPeers({ ...openNetwork, wallets });
}

interface Listening {
  readonly apis: NodeApis;
  readonly chain: ChainRpc;
  readonly control: ApiServer;
}

/** Opens every server, or none. */
async function listen(
  options: ServedNetworkOptions,
  unlistened: Omit<Controlled, "apis">,
): Promise<Result<Listening, string>> {
  const { host, pace } = unlistened;
  const handOver = openCalls(host, pace);
  const nodes = host.nodes().flatMap(({ index, driver }) => (driver() === undefined ? [] : [index]));
  const apis = await openNodeApis(host, handOver, { ...options, nodes });
  if (!apis.ok) return apis;
  const at = { address: options.host, port: options.chainPort };
  const chain = await openChainRpc(host, pace, options.mining, at).catch((error: Error) => error);
  if (chain instanceof Error) {
    await apis.value.close();
    return err(chain.message);
  }
  const network = { ...unlistened, apis: apis.value };
  const { host: address, controlPort: port, token, version, page } = options;
  const control = await openControlServer(network, { host: address, port, token, version, page });
  if (control.ok) return ok({ apis: apis.value, chain, control: control.value });
  await Promise.all([apis.value.close(), chain.server.close()]);
  return control;
}

function closed(server: ApiServer): Promise<void> {
  return new Promise((resolve) => server.close(resolve));
}

function readyLine(
  { chain: executor, seed, pace, host: address, addresses }: ServedNetworkOptions,
  host: WorldHost,
  { apis, chain: { server }, control }: Listening,
): ReadyLine {
  const world = host.world();
  const { escrowProgram: escrow, stakingProgram: staking } = world.profile;
  const at = chainAddresses(world.crypto, simulatedProfile);
  const { genesisHash, members } = host.live();
  const url = urlAt(control.address.host, control.address.port);
  return {
    ...{ ready: "serve", seed: seed.toString(), now: Number(world.loop.epoch()), pace },
    control: { url, rpc: `${url}/rpc`, ws: `${url.replace("http", "ws")}/ws`, docs: `${url}/docs` },
    nodes: host.nodes().map(({ index: node, wallet }) => {
      const url = apis.urlOf(node);
      const [rpc, ws] = [`${url}/rpc`, `${url.replace("http", "ws")}/ws`];
      const gossip = addresses?.[node];
      const seen = { node, url, rpc, ws, peer: wallet.peer, gossipOnly: members[node]?.gossipOnly === true };
      return { ...seen, ...(gossip !== undefined && { gossip }) };
    }),
    chain: { rpc: server.url, ws: urlAt(address, server.port + 1).replace("http", "ws"), executor, genesisHash },
    programs: { escrow, staking },
    mints: [...settlementMints, openMint(at)].map(({ symbol, mint, decimals }) => ({ symbol, mint, decimals })),
    wallets: fundedWallets(world),
  };
}
