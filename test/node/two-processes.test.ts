/**
 * Goal: two real nodes on loopback share what one acknowledged, and kill -9 takes nothing back (L9).
 * Method: real processes, HTTP, WebSocket, libp2p and SQLite; the test waits for facts, never for time.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { transcript } from "../../core/kernel/signed.ts";
import { toBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import { peerOfKey, publicKeyText } from "../../core/kernel/values.ts";
import type { NodeProcess } from "./node-process.ts";
import { call, runNode, startNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-node-"));
const started: NodeProcess[] = [];

afterAll(async () => {
  await Promise.all(started.map((node) => node.kill()));
  rmSync(folder, { recursive: true });
});

async function start(ledger: string, ...more: readonly string[]): Promise<NodeProcess> {
  const node = await startNode(join(folder, ledger), ...more);
  started.push(node);
  return node;
}

function signedAdvertisement(id: string): string {
  const crypto = openNativeCrypto();
  const secret = new Uint8Array(32).fill(0x11);
  const key = crypto.publicKey(secret);
  const amount = (base_units: bigint) => ({ base_units, decimals: 6 });
  const payload = {
    id,
    merchant: peerOfKey(key),
    merchant_public_key: publicKeyText(key),
    asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
    direction: "Sell" as const,
    fiat_currency: "KES" as FiatCurrency,
    min_trade: amount(5_000_000n),
    max_trade: amount(100_000_000n),
    initial_liquidity: amount(250_000_000n),
    pricing: { Fixed: { price: { base_units: 13_000n, decimals: 2 } } },
    payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
    timestamp: BigInt(Date.now()) as EpochMillis,
  };
  const bytes = transcript(AdvertisementCreate, payload);
  const signature = toBase58(crypto.sign(secret, bytes));
  return toBase64(utf8(`{"create":${new TextDecoder().decode(bytes)},"signature":"${signature}"}`));
}

/** Resolves when the node's stream tells of a change that a peer brought. */
function gossiped(node: NodeProcess, event: string): Promise<{ readonly seen: Promise<string> }> {
  const socket = new WebSocket(`${node.rpc.replace("http", "ws")}/ws?scope=all`);
  const open = new Promise<void>((resolve) => socket.once("open", () => resolve()));
  const seen = new Promise<string>((resolve) => {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as { readonly method: string; readonly result: string };
      if (message.method !== event) return;
      socket.close();
      resolve(message.result);
    });
  });
  return open.then(() => ({ seen }));
}

test("what one node acknowledged is read from the other, and outlives kill -9", async () => {
  const first = await start("first");
  const second = await start("second", "--entrypoint", first.gossip);
  const stream = await gossiped(second, "AdvertisementCreated");
  expect(await call(first.rpc, "sendAdvertisementCreate", { data: signedAdvertisement("ad-e2e") })).toMatchObject({
    result: "ad-e2e",
  });
  expect(await stream.seen).toBe("ad-e2e");
  const there = await call(second.rpc, "getAdvertisement", { id: "ad-e2e" });
  expect(there.result).toMatchObject({ id: "ad-e2e", status: "Active" });

  await first.kill();
  const again = await start("first");
  expect(await call(again.rpc, "getAdvertisement", { id: "ad-e2e" })).toEqual(there);
  expect(await (await fetch(`${again.rpc}/health`)).text()).toBe("ok");
  expect(await (await fetch(`${again.admin}/metrics`)).text()).toContain("ofs_statements 1");
});

test.each([
  [["start", "--ledger", "x", "--entrypoint", "http://127.0.0.1:7080"], "gossip address, not the RPC address"],
  [["start", "--ledger", "x", "--entrypoint", "/ip4/127.0.0.1/tcp/4001"], "ends in /p2p/12D3Koo"],
  [["start", "--ledger", "x", "--rpc-bind-address", "7080"], "HOST:PORT"],
  [["start"], "--ledger"],
  [["nonsense"], "unknown command"],
])("bad usage %j is one line and exit code 2", async (args, reason) => {
  const { code, err, out } = await runNode(...args);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toContain(reason);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});
