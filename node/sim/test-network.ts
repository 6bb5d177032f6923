/**
 * A simulated network as a test has it: everything goes over HTTP, as the client under test does, wherever the network
 * runs. Source: DESIGN section 6 "serve".
 */
import type { Client, Signer } from "../../adapters/client/client.ts";
import { openClient } from "../../adapters/client/client.ts";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { ControlClient, ControlParams, ControlResult } from "../../sim/serve/control/client.ts";
import type { ReadyLine } from "../../sim/serve/served-network.ts";

/** What a network is to be like; all of it has a usual value. */
export interface NetworkOptions {
  /** How many nodes, 3 unless said, and how many of the last ones have no endpoint of the chain, one unless said. */
  readonly nodes?: number;
  readonly gossipOnly?: number;
  /** What wallets and chance come from; 1 unless said. */
  readonly seed?: bigint;
  /** What executes the chain; `litesvm` runs the program's bytes, and is a package of its own. */
  readonly chain?: "model" | "litesvm";
  /** `still`, which is usual, or so many times as fast as the wall clock. */
  readonly time?: "still" | number;
}

/** A wallet of the network that signs in this process. */
export interface TestWallet extends Signer {
  readonly name: string;
  /** The same key as an account of the chain, and as payloads name its owner. */
  readonly address: string;
  readonly peer: string;
  /** What `Keypair.fromSecretKey` of web3.js takes. */
  readonly keyfile: Uint8Array;
}

/** A trade that was brought to a state. */
export type SeededTrade = ControlResult<"sim_seedTrade">;

/** A network under test. */
export interface TestNetwork {
  /** Addresses, program ids, mints and wallets. */
  readonly ready: ReadyLine;
  /** Everything that the network can be told. */
  readonly control: ControlClient;
  /** A typed client of a node. */
  node(index: number): Client;
  /** The wallet of a funded name, such as `merchant`, `buyer` or `alice`. Throws for a name that has none. */
  wallet(name: string): TestWallet;
  /** The network's time in Unix milliseconds: what is signed bears it. */
  now(): Promise<bigint>;
  /** Runs the network for so many milliseconds of its own. */
  advanceTime(ms: number): Promise<void>;
  /** Runs the network, or waits, until every node holds the same. */
  converged(): Promise<void>;
  /** One more node, which knows no more than its keys; answers its number once it is ready. */
  addNode(options?: ControlParams<"sim_addNode">): Promise<number>;
  /** A node leaves for good: its number is never given again. */
  removeNode(node: number): Promise<void>;
  /** Brings a trade to a state, paid unless said. */
  trade(state?: SeededTrade["state"], terms?: Omit<ControlParams<"sim_seedTrade">, "state">): Promise<SeededTrade>;
  /** A paid trade with an open case, off chain and on. */
  dispute(terms?: Omit<ControlParams<"sim_seedTrade">, "state">): Promise<SeededTrade>;
  /** Keeps the state of the whole network; answers its id. */
  snapshot(): Promise<string>;
  revert(id: string): Promise<void>;
  /** Does something, and puts the network back to where it was, whatever came of it. */
  undone<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the network, where it was started here. */
  close(): Promise<void>;
}

/** What is meant where nothing is said. */
export function usual(options: NetworkOptions): Required<NetworkOptions> {
  const { nodes = 3, seed = 1n, chain = "model", time = "still" } = options;
  return { nodes, seed, chain, time, gossipOnly: options.gossipOnly ?? (nodes > 1 ? 1 : 0) };
}

/** The network behind a ready line, told what to do by a client of its control. */
export function networkOf(ready: ReadyLine, control: ControlClient, close: () => Promise<void>): TestNetwork {
  const urls = new Map(ready.nodes.map(({ node, rpc }) => [node, rpc] as const));
  const network: TestNetwork = {
    ...{ ready, control, close },
    node(index) {
      const url = urls.get(index);
      if (url === undefined) throw new RangeError(`there is no node ${index}`);
      return openClient({ url, retriesMax: 0 });
    },
    wallet: (name) => walletOf(ready, name),
    now: async () => (await control.call("sim_getTime")).now,
    advanceTime: async (ms) => void (await control.call("sim_increaseTime", { ms })),
    converged: async () => void (await control.call("sim_awaitConverged")),
    async addNode(options = {}) {
      const { node, url } = await control.call("sim_addNode", options);
      urls.set(node, `${url}/rpc`);
      return node;
    },
    removeNode: async (node) => void (await control.call("sim_removeNode", { node })),
    trade: (state = "PaymentSubmitted", terms = {}) => control.call("sim_seedTrade", { ...terms, state }),
    dispute: (terms = {}) => control.call("sim_seedTrade", { ...terms, state: "Disputed" }),
    snapshot: async () => (await control.call("sim_snapshot")).id,
    revert: async (id) => void (await control.call("sim_revert", { id })),
    async undone(work) {
      const id = await network.snapshot();
      try {
        return await work();
      } finally {
        await network.revert(id);
        await control.call("sim_dropSnapshot", { id });
      }
    },
  };
  return network;
}

function walletOf({ wallets }: ReadyLine, wanted: string): TestWallet {
  const found = wallets.find(({ name }) => name === wanted);
  if (found === undefined) throw new RangeError(`nobody is called ${wanted}; wallets: ${wallets.map((w) => w.name)}`);
  const { name, address, peer } = found;
  const keyfile = Uint8Array.from(found.keyfile);
  const secret = keyfile.subarray(0, 32);
  const crypto = openNativeCrypto();
  return {
    name,
    address,
    peer,
    keyfile,
    publicKey: keyfile.subarray(32),
    sign: (message) => crypto.sign(secret, message),
  };
}
