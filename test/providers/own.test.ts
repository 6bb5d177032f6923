/**
 * Goal: a node with a public URL is in the registry as long as it runs, says of itself what the protocol lists, and
 * reaches a peer that has just arrived (protocol 05 §1.10).
 * Method: one node by its facts: started, timers, peers.
 */
import { expect, test } from "vitest";
import { nodeServiceId, snapshotServiceId } from "../../core/domains/providers/ids.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { NodeConfiguration } from "../../core/index.ts";
import { devnetNetwork } from "../../core/index.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import { gossipOnly, loneNode, person } from "../rpc/lone-node.ts";

const T = 1_753_800_000_000n;
const own = person(9);
const listing = { publicRpcUrl: "https://node.example.org" };

function listed(told: Partial<NodeConfiguration> = {}) {
  return loneNode(T, undefined, undefined, { listing, ...told });
}

test("at its start it registers a public API under its whole key", () => {
  expect(listed().call("getProviders")).toEqual([
    {
      branding: null,
      capabilities: ["chain:gossip", "retention:rolling 30d", "content:serving"],
      endpoints: ["https://node.example.org"],
      health: "Online",
      last_health_update: Number(T),
      payout_wallet: own.key,
      pricing: null,
      provider: own.peer,
      provider_public_key: own.key,
      region: null,
      registered_at: Number(T),
      service_id: nodeServiceId(own.key),
      service_type: { Infrastructure: "PublicApiNode" },
      supported_ofs: [
        1000, 1100, 1200, 1300, 1400, 1500, 2000, 2100, 2200, 2300, 2400, 3000, 4000, 4300, 6000, 7000, 8200,
      ],
    },
  ]);
});

test("without a URL, or with one that nobody can resolve, it registers nothing and sets no timer", () => {
  for (const node of [listed({ listing: {} }), listed({ listing: { publicRpcUrl: "https://node.test" } })]) {
    expect(node.call("getProviders")).toEqual([]);
    expect(node.effects.some((effect) => effect.type === "timer.set" && effect.timer === "heartbeat")).toBe(false);
  }
});

test("capabilities come in their order; snapshots have an entry of their own", () => {
  const node = listed({
    chain: "RpcConnected",
    retentionDays: "archival",
    listing: {
      ...listing,
      snapshotUrls: ["https://a.org", "https://b.org"],
      producesSnapshots: true,
      payoutWallet: person(3).key,
      branding: { name: "Nairobi One", description: null, logo: null, website: null },
    },
  });
  expect(node.call("getProvider", { id: nodeServiceId(own.key) })).toMatchObject({
    capabilities: ["chain:rpc", "retention:archival (everything)", "content:serving", "snapshots:producing"],
    payout_wallet: person(3).key,
    branding: { name: "Nairobi One" },
  });
  expect(node.call("getProvider", { id: snapshotServiceId(own.key) })).toMatchObject({
    service_type: { Infrastructure: "SnapshotProvider" },
    endpoints: ["https://a.org", "https://b.org"],
    supported_ofs: [1300],
    capabilities: ["retention:archival (everything)"],
  });
});

test("branding that nobody would list is left out with a warning", () => {
  const node = listed({
    listing: { ...listing, branding: { name: "", description: null, logo: null, website: null } },
  });
  expect(node.call("getProvider", { id: nodeServiceId(own.key) })).toMatchObject({ branding: null });
  expect(node.effects).toContainEqual(expect.objectContaining({ type: "log", level: "warn" }));
});

test("a heartbeat is a fresh registration: it never lapses, and the set does not grow", () => {
  const node = listed();
  for (let beat = 0; beat < 20; beat++) {
    expect(node.effects).toContainEqual({ type: "timer.set", timer: "heartbeat", at: node.now + 120_000n });
    node.now += 120_000n;
    node.accept({ type: "timer.fired", timer: "heartbeat" });
  }
  expect(node.call("getProvider", { id: nodeServiceId(own.key) })).toMatchObject({ registered_at: Number(node.now) });
  expect([...node.view.keys(Events)]).toHaveLength(1);
});

test("its own entry travels with the priority of reputation, signed as it signs its own records", () => {
  for (const signOwn of ["bare", "tagged"] as const) {
    const node = listed({ signOwn });
    const [key = ""] = [...node.view.keys(Events)];
    expect(node.view.get(Events, key)?.event).toMatchObject({ priority: "Reputation", origin: own.peer });
    const [statement] = [...node.view.keys(Statements)].map((identity) => node.view.get(Statements, identity));
    expect(statement?.[signOwn]).not.toBeNull();
    node.now += 5_000n;
    node.accept({ type: "peer.connected", peer: person(1).peer, address: null });
    const there = loneNode(node.now);
    for (const effect of node.effects) {
      if (effect.type !== "message.send" || effect.to !== person(1).peer) continue;
      there.accept({ type: "message.received", from: own.peer, replyTo: "1", bytes: effect.bytes });
    }
    expect(there.call("getProviders")).toEqual(node.call("getProviders"));
  }
});

test("a peer that arrives is told at once, or two seconds after the last time", () => {
  const node = listed();
  const arrive = (byte: number) => node.accept({ type: "peer.connected", peer: person(byte).peer, address: null });
  const registeredAt = () =>
    (node.call("getProvider", { id: nodeServiceId(own.key) }) as { readonly registered_at: number }).registered_at;
  node.now = T + 1_000n;
  arrive(1);
  expect(registeredAt()).toBe(Number(T));
  expect(node.effects).toContainEqual({ type: "timer.set", timer: "heartbeat", at: T + 2_000n });
  node.now = T + 2_000n;
  node.accept({ type: "timer.fired", timer: "heartbeat" });
  expect(registeredAt()).toBe(Number(T + 2_000n));
  node.now = T + 9_000n;
  arrive(2);
  expect(registeredAt()).toBe(Number(T + 9_000n));
  node.now = T + 20_000n;
  node.accept({ type: "peer.disconnected", peer: person(2).peer });
  expect(registeredAt()).toBe(Number(T + 9_000n));
});

test("a restart registers again over what the store kept", () => {
  const rows = new Map();
  const told = { ...gossipOnly(devnetNetwork), listing };
  loneNode(T, undefined, rows, told);
  const again = loneNode(T + 60_000n, undefined, rows, told);
  expect(again.call("getProvider", { id: nodeServiceId(own.key) })).toMatchObject({
    registered_at: Number(T + 60_000n),
  });
});
