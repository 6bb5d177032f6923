// Goal: while time stands still, the same requests one after another get the same answers, byte for byte, whatever else
// the machine does. Method: one script of calls to nodes, chain and control, in networks beside each other.
import { expect, test } from "vitest";
import { toBase64 } from "../../../core/index.ts";
import { AdvertisementCreate } from "../../../core/testing.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import { openTestServed, posted, walletOf } from "./test-network.ts";

/** Networks that play the script beside each other. */
const NETWORKS = 4;

/** Every answer of the script, as it stands on the wire. */
async function played(network: ServedNetwork): Promise<readonly string[]> {
  const { nodes, chain, control, mints } = network.ready;
  const answers: string[] = [];
  const ask = async (url: string, method: string, params: unknown = {}) => {
    answers.push(await posted(url, method, params));
    return JSON.parse(answers.at(-1) ?? "") as { readonly result: never };
  };
  const node = (n: number) => nodes[n]!.rpc;
  const merchant = walletOf(network, "merchant");
  const { now } = (await ask(control.rpc, "sim_getTime")).result as { readonly now: number };
  const data = merchant.data(AdvertisementCreate, {
    ...{ id: "offer", merchant: merchant.peer, merchant_public_key: merchant.publicKey, direction: "Sell" },
    ...{
      asset_mint: mints[1]!.mint as never,
      fiat_currency: "EUR" as never,
      payment_methods: ["builtin:sepa"] as never,
    },
    min_trade: { base_units: 1n, decimals: 6 },
    max_trade: { base_units: 9n, decimals: 6 },
    initial_liquidity: { base_units: 9n, decimals: 6 },
    pricing: { Fixed: { price: { base_units: 92n, decimals: 2 } } },
    timestamp: BigInt(now) as never,
  });
  await ask(node(0), "sendAdvertisementCreate", { data });
  await ask(node(0), "sendAdvertisementCreate", { data });
  for (const n of [0, 1, 2]) await ask(node(n), "getAdvertisement", { id: "offer" });
  await ask(control.rpc, "sim_awaitConverged");
  for (const n of [0, 1, 2]) await ask(node(n), "getAdvertisement", { id: "offer" });
  await ask(node(1), "getPeers");
  await ask(node(1), "getWalletChallenge", { wallet: merchant.parameter("base58") });
  await ask(node(0), "getLatestBlockhash");
  await ask(chain.rpc, "requestAirdrop", [walletOf(network, "alice").address, 5_000_000_000]);
  await ask(chain.rpc, "getLatestBlockhash", []);
  await ask(chain.rpc, "getSignaturesForAddress", [walletOf(network, "alice").address, { commitment: "confirmed" }]);
  const { id } = (await ask(control.rpc, "sim_snapshot")).result as { readonly id: string };
  await ask(control.rpc, "sim_partition", { groups: [[0], [1, 2]] });
  await ask(control.rpc, "sim_seedMarket", { advertisements: 2, rates: [{ base: "USDC", quote: "EUR", rate: 0.92 }] });
  await ask(node(2), "getAdvertisements");
  await ask(control.rpc, "sim_revert", { id });
  await ask(control.rpc, "sim_seedTrade", { state: "PaymentSubmitted" });
  await ask(node(2), "getAdvertisements");
  await ask(control.rpc, "sim_signAs", { wallet: "bob", message: toBase64(new Uint8Array([1, 2, 3])) });
  await ask(control.rpc, "sim_getStatus");
  const states = network.host.world().nodes.map(({ index }) => network.host.world().rootsOf(index).state);
  return [...answers, ...states, network.host.world().trace.head()];
}

test("networks beside each other answer one script alike, and come to equal roots and traces", async () => {
  const all = await Promise.all(Array.from({ length: NETWORKS }, async () => played(await openTestServed())));
  const [first, ...others] = all;
  expect(first!.length).toBeGreaterThan(25);
  expect(first!.filter((answer) => answer.includes('"error"')).length).toBe(1);
  for (const other of others) expect(other).toEqual(first);
  expect(await played(await openTestServed({ seed: 9n }))).not.toEqual(first);
});
