/**
 * Served networks for tests: on the model executor, at free ports of an address that no other process of the tests has,
 * their time standing still unless said; closed after the test.
 */
import { afterEach } from "vitest";
import type { Client } from "../../../adapters/client/client.ts";
import { openClient } from "../../../adapters/client/client.ts";
import { fromBase58 } from "../../../core/index.ts";
import { openRpcText } from "../../../node/production/openrpc.ts";
import { pageScript } from "../../../node/sim/page-script.ts";
import type { ControlClient } from "../../../sim/serve/control/client.ts";
import { openControlClient } from "../../../sim/serve/control/client.ts";
import type { ServedNetwork, ServedNetworkOptions } from "../../../sim/serve/served-network.ts";
import { openServedNetwork } from "../../../sim/serve/served-network.ts";
import type { Wallet } from "../../../sim/wallet.ts";
import { ownPlace } from "../../own-place.ts";

const open: ServedNetwork[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((network) => network.close()));
});

export const USUAL: ServedNetworkOptions = {
  ...{ seed: 3n, nodes: 3, gossipOnly: 1, chain: "model", host: ownPlace().host, port: 0 },
  ...{ chainPort: 0, controlPort: 0, pace: 0, mining: "send", version: "0.0.0" },
  openrpc: () => openRpcText({ name: "this node", url: "/rpc" }),
  scenarios: async () => (await import("../../../scenarios/index.ts")).scenarios,
  page: pageScript,
};

export async function openTestServed(options: Partial<ServedNetworkOptions> = {}): Promise<ServedNetwork> {
  const opened = await openServedNetwork({ ...USUAL, ...options });
  if (!opened.ok) throw new Error(opened.error);
  open.push(opened.value);
  return opened.value;
}

/** A typed client of a node, which calls once. */
export function clientOf({ ready }: Pick<ServedNetwork, "ready">, node: number): Client {
  return openClient({ url: ready.nodes[node]!.rpc, retriesMax: 0 });
}

export function walletOf({ host }: ServedNetwork, name: string): Wallet {
  return host.world().walletOf(name);
}

/** The merchant's offer: any statement that a node takes and passes on. */
export function advertise(network: ServedNetwork, node: number, id: string): Promise<void> {
  return advertiseAt(network, clientOf(network, node), id);
}

/** The same, sent to any node. */
export async function advertiseAt(network: ServedNetwork, client: Client, id: string): Promise<void> {
  const merchant = walletOf(network, "merchant");
  await client.send(
    "sendAdvertisementCreate",
    {
      ...{ id, merchant: merchant.peer, merchant_public_key: merchant.publicKey, direction: "Sell" },
      ...{ asset_mint: network.ready.mints[1]!.mint, fiat_currency: "EUR", payment_methods: ["builtin:sepa"] },
      min_trade: { base_units: 1n, decimals: 6 },
      max_trade: { base_units: 9n, decimals: 6 },
      initial_liquidity: { base_units: 9n, decimals: 6 },
      pricing: { Fixed: { price: { base_units: 92n, decimals: 2 } } },
      timestamp: network.host.world().loop.epoch(),
    },
    { publicKey: merchant.keypair.publicKey, sign: merchant.sign },
  );
}

/** A typed client of a network's control. */
export function controlOf({ ready }: Pick<ServedNetwork, "ready">): ControlClient {
  return openControlClient({ url: ready.control.rpc });
}

/** A raw call, as its answer stands on the wire. */
export async function posted(url: string, method: string, params: unknown): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return answer.text();
}

/** Lets the network's time go on by so many milliseconds. */
export function passes({ host }: ServedNetwork, ms: number): Promise<void> {
  return host.exclusive(() => host.advance(host.world().loop.now() + ms));
}

/** The two halves of a wallet's secret text. */
export function halvesOf(secretKey: string): readonly [Uint8Array, Uint8Array] {
  const both = fromBase58(secretKey) ?? new Uint8Array(0);
  return [both.subarray(0, 32), both.subarray(32)];
}
