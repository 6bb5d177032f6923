// Goal: a served network is what its ready line says: nodes behind the production adapter, the chain behind Solana's
// RPC, wallets that the seed gives, and time that passes as it is told. Method: real HTTP against networks in-process.
import { createServer } from "node:net";
import { gunzipSync } from "node:zlib";
import { Connection, Keypair, PublicKey, SystemProgram, sendAndConfirmTransaction, Transaction } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openNativeCrypto } from "../../../adapters/crypto/native.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import { openServedNetwork } from "../../../sim/serve/served-network.ts";
import { until } from "../../until.ts";
import { advertise, clientOf, halvesOf, openTestServed, passes, posted, USUAL } from "./test-network.ts";

const at = (network: ServedNetwork, node: number) => network.ready.nodes[node]!.url;

describe("nodes of a served network", () => {
  test("answer every route of a node, each at its address", async () => {
    const network = await openTestServed();
    const peers = new Set<string>();
    for (const { node, url, rpc, peer } of network.ready.nodes) {
      peers.add(peer);
      const { self_peer_id } = await clientOf(network, node).call("getPeers");
      expect(self_peer_id).toBe(peer);
      expect(JSON.parse(await posted(rpc, "getHealth", {}))).toEqual({ jsonrpc: "2.0", id: 1, result: "ok" });
      expect(await (await fetch(`${url}/health`)).text()).toBe("ok");
      expect(await (await fetch(`${url}/metrics`)).text()).toContain("rpc_requests_total 2");
      expect((await (await fetch(`${url}/openrpc.json`)).json()) as object).toMatchObject({ openrpc: "1.2.6" });
      expect((await fetch(`${url}/docs`)).headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect((await fetch(`${url}/ipfs/nothing`)).status).toBe(400);
      expect((await fetch(`${url}/snapshot/none`)).status).toBe(404);
      const preflight = await fetch(rpc, { method: "OPTIONS" });
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    }
    expect(peers.size).toBe(3);
    expect(network.ready.nodes.map(({ gossipOnly }) => gossipOnly)).toEqual([false, false, true]);
  });

  test("pass a statement on, and tell it to who follows them, once time passes", async () => {
    const network = await openTestServed();
    const told: string[] = [];
    const socket = new WebSocket(`${network.ready.nodes[2]!.ws}?scope=all`);
    await new Promise((resolve) => socket.once("open", resolve));
    socket.on("message", (data) => told.push(String(data)));
    await advertise(network, 0, "offer");
    const shown = (node: number) => clientOf(network, node).call("getAdvertisement", { id: "offer" });
    expect((await shown(0))?.id).toBe("offer");
    expect(await shown(1)).toBeNull();
    expect(told).toEqual([]);
    await passes(network, 10_000);
    for (const node of [1, 2]) expect((await shown(node))?.id).toBe("offer");
    await until(() => told.length > 0);
    expect(told[0]).toBe('{"method":"AdvertisementCreated","result":"offer"}');
    socket.terminate();
  });

  test("serve the files that they make", async () => {
    const network = await openTestServed();
    await advertise(network, 0, "offer");
    await passes(network, 200_000);
    const files = await clientOf(network, 0).call("getSnapshots");
    expect(files.length).toBeGreaterThan(0);
    const newest = files.reduce((one, other) => (other.created_at > one.created_at ? other : one));
    const served = await fetch(`${at(network, 0)}/snapshot/${newest.id}`);
    expect(served.status).toBe(200);
    const archive = gunzipSync(Buffer.from(await served.arrayBuffer()));
    expect(archive.subarray(257, 262).toString()).toBe("ustar");
    expect((await fetch(`${at(network, 1)}/snapshot/${newest.id}`)).status).toBe(404);
  });

  test("have no server while they are down, and the same one when they are up again", async () => {
    const network = await openTestServed();
    const { host, apis } = network;
    await apis.shut(1);
    await host.exclusive(() => host.world().nodes[1]!.crash(true));
    await expect(fetch(`${at(network, 1)}/health`)).rejects.toThrow();
    await host.exclusive(() => host.world().nodes[1]!.start());
    expect(await apis.open(1)).toEqual({ ok: true, value: undefined });
    await passes(network, 1_000);
    expect(await (await fetch(`${at(network, 1)}/health`)).text()).toBe("ok");
  });
});

describe("the chain of a served network", () => {
  test("takes airdrops and transfers of web3.js, confirmed before the next request", async () => {
    const network = await openTestServed();
    const connection = new Connection(network.ready.chain.rpc, { commitment: "confirmed" });
    expect(await connection.getGenesisHash()).toBe(network.ready.chain.genesisHash);
    const fresh = Keypair.generate();
    await connection.requestAirdrop(fresh.publicKey, 3_000_000_000);
    expect(await connection.getBalance(fresh.publicKey)).toBe(3_000_000_000);
    const alice = Keypair.fromSecretKey(
      Uint8Array.from(network.ready.wallets.find((w) => w.name === "alice")!.keyfile),
    );
    const transfer = SystemProgram.transfer({ fromPubkey: alice.publicKey, toPubkey: fresh.publicKey, lamports: 5 });
    const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [alice]);
    expect(await connection.getBalance(fresh.publicKey)).toBe(3_000_000_005);
    const seen = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(seen?.meta?.err).toBeNull();
    const { owner } = (await connection.getAccountInfo(new PublicKey(network.ready.mints[1]!.mint)))!;
    expect(owner.toBase58()).toBe("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
  });

  test("keeps a transaction waiting for its slot, where slots are not made on send", async () => {
    const network = await openTestServed({ mining: "slot" });
    const connection = new Connection(network.ready.chain.rpc, { commitment: "confirmed" });
    const fresh = Keypair.generate().publicKey;
    await connection.requestAirdrop(fresh, 1_000_000_000);
    expect(await connection.getBalance(fresh)).toBe(0);
    await passes(network, 2_000);
    expect(await connection.getBalance(fresh)).toBe(1_000_000_000);
  });

  test("tells those who follow it of slots as they come", async () => {
    const network = await openTestServed({ pace: 20 });
    const connection = new Connection(network.ready.chain.rpc, { commitment: "processed" });
    const slots: number[] = [];
    const id = connection.onSlotChange(({ slot }) => void slots.push(slot));
    await until(() => slots.length >= 3);
    expect(slots).toEqual([...slots].sort((a, b) => a - b));
    await connection.removeSlotChangeListener(id);
  });
});

describe("the time of a served network", () => {
  test("begins where the wall clock is and goes on by itself", async () => {
    const network = await openTestServed({ pace: 10 });
    const epoch = () => Number(network.host.world().loop.epoch());
    const before = epoch();
    expect(before).toBeGreaterThan(Date.UTC(2026, 0, 2));
    await until(() => epoch() > before + 2_000);
    await advertise(network, 0, "offer");
    const shown = () => clientOf(network, 2).call("getAdvertisement", { id: "offer" });
    await until(async () => (await shown()) !== null);
  });
});

describe("what a served network prints", () => {
  test("wallets are keyfiles of the seed: equal for equal seeds, and their own address", async () => {
    const [first, again, other] = await Promise.all([openTestServed(), openTestServed(), openTestServed({ seed: 4n })]);
    expect(again.ready.wallets).toEqual(first.ready.wallets);
    expect(other.ready.wallets[0]!.address).not.toBe(first.ready.wallets[0]!.address);
    for (const { keyfile, secretKey, address } of first.ready.wallets) {
      expect(Keypair.fromSecretKey(Uint8Array.from(keyfile)).publicKey.toBase58()).toBe(address);
      const [secret, publicKey] = halvesOf(secretKey);
      expect(openNativeCrypto().publicKey(secret)).toEqual(publicKey);
    }
  });
});

test("a port that is taken is refused in one line, and nothing stays open", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, USUAL.host, resolve));
  const { port } = taken.address() as { readonly port: number };
  const refused = await openServedNetwork({ ...USUAL, nodes: 1, gossipOnly: 0, port });
  expect(refused).toEqual({ ok: false, error: `cannot listen on ${USUAL.host}:${port}: the port is in use` });
  const noChain = await openServedNetwork({ ...USUAL, chainPort: port });
  expect(noChain).toEqual({ ok: false, error: `no two neighbouring ports are free at ${USUAL.host}:${port}` });
  await new Promise((resolve) => taken.close(resolve));
});
