/**
 * Goal: what is lost is found again: ever later, with a jitter of its own, for ever where it matters, and not for ever
 * where it does not. Source: protocol 01 §5.4, §13.1; 05 §8.2.
 */
import { expect, test } from "vitest";
import { Statements } from "../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../core/index.ts";
import { CLAIM_EXPIRY_MS } from "../../core/network/peers/address-claims.ts";
import { ATTEMPTS_MAX, BACKOFF_MS, CLAIM_ATTEMPTS_MAX, PEERS_WANTED } from "../../core/network/peers/dialling.ts";
import { AdvertisementCreate } from "../../core/testing.ts";
import { offer } from "../../sim/byzantine/market-events.ts";
import { cut, uncut } from "../../sim/network-faults.ts";
import { openArena } from "../attacks/arena.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";

const T = 1_786_000_000_000n as EpochMillis;
const ada = person(0x41);
const address = `/ip4/198.51.100.4/tcp/4001/p2p/${ada.peer}`;

/** Waits between dials of an address, in milliseconds, while each of them fails at once; at most so many. */
function waits(node: LoneNode, most: number): readonly number[] {
  const found: number[] = [];
  while (found.length < most) {
    const dialled = node.now;
    node.accept({ type: "peer.unreachable", address, reason: "refused" });
    const timer = node.effects.findLast((effect) => effect.type === "timer.set" && effect.timer === "redial");
    const before = node.effects.length;
    if (timer?.type !== "timer.set") break;
    node.now = timer.at;
    node.accept({ type: "timer.fired", timer: "redial" });
    for (let ticks = 0; ticks < 3 && !dials(node, before); ticks++) {
      const next = node.effects.findLast((effect) => effect.type === "timer.set" && effect.timer === "redial");
      if (next?.type !== "timer.set") break;
      node.now = next.at;
      node.accept({ type: "timer.fired", timer: "redial" });
    }
    if (!dials(node, before)) break;
    found.push(Number(node.now - dialled));
  }
  return found;
}

function dials(node: LoneNode, since: number): boolean {
  return node.effects.slice(since).some((effect) => effect.type === "peer.dial" && effect.address === address);
}

test("an entrypoint is dialled for ever, ever later, with a jitter of a fifth at most", () => {
  const node = loneNode(T, undefined, undefined, { entrypoints: [address] });
  expect(dials(node, 0)).toBe(true);
  const found = waits(node, 20);
  expect(found.length).toBe(20);
  found.forEach((wait, n) => {
    const least = BACKOFF_MS[Math.min(n, BACKOFF_MS.length - 1)] ?? 0;
    expect(wait).toBeGreaterThanOrEqual(least);
    expect(wait).toBeLessThanOrEqual(least + least / 5 + 1);
  });
  expect(new Set(found.slice(BACKOFF_MS.length)).size).toBeGreaterThan(1);
  const again = waits(loneNode(T, undefined, undefined, { entrypoints: [address] }), 20);
  expect(again).toEqual(found);
});

test("a lost peer is dialled where it was proven to be, for a while", () => {
  const node = loneNode(T);
  node.accept({ type: "peer.connected", peer: ada.peer, address });
  node.accept({ type: "peer.disconnected", peer: ada.peer });
  expect(waits(node, 30).length).toBe(ATTEMPTS_MAX);
});

test("a peer that is back starts anew, and a reached one is not dialled", () => {
  const node = loneNode(T, undefined, undefined, { entrypoints: [address] });
  waits(node, 6);
  node.accept({ type: "peer.connected", peer: ada.peer, address });
  const before = node.effects.length;
  node.now += 600_000n;
  node.accept({ type: "timer.fired", timer: "redial" });
  expect(dials(node, before)).toBe(false);
  node.accept({ type: "peer.disconnected", peer: ada.peer });
  const timer = node.effects.findLast((effect) => effect.type === "timer.set" && effect.timer === "redial");
  expect(timer?.type === "timer.set" && timer.at - node.now).toBeLessThanOrEqual(1_201n);
  expect(CLAIM_ATTEMPTS_MAX).toBeLessThan(ATTEMPTS_MAX);
});

test("an entrypoint that is a peer's id alone is dialled where it was reached before, for ever", () => {
  const friends = Array.from({ length: PEERS_WANTED }, (_, at) => person(0x50 + at));
  for (const entrypoints of [[ada.peer], []]) {
    const node = loneNode(T, undefined, undefined, { entrypoints });
    const told = node.effects.filter((effect) => effect.type === "log" && effect.event.includes("entrypoint"));
    expect(told).toMatchObject(entrypoints.map((peer) => ({ level: "warn", fields: { peer } })));
    expect(node.effects.some(({ type }) => type === "peer.dial")).toBe(false);
    // Who has peers enough dials nobody else for want of them.
    for (const [at, { peer }] of friends.entries())
      node.accept({ type: "peer.connected", peer, address: `/ip4/203.${at}.113.7/tcp/4001/p2p/${peer}` });
    node.accept({ type: "peer.connected", peer: ada.peer, address });
    node.accept({ type: "peer.disconnected", peer: ada.peer });
    for (let rests = 0; rests < 3; rests++) {
      expect(waits(node, 30).length).toBe(
        rests === 0 || entrypoints.length > 0 ? ATTEMPTS_MAX - (rests > 0 ? 1 : 0) : 0,
      );
      const before = node.effects.length;
      node.now += BigInt(CLAIM_EXPIRY_MS);
      node.accept({ type: "timer.fired", timer: "redial" });
      expect(dials(node, before)).toBe(entrypoints.length > 0);
    }
  }
});

test("such an entrypoint is found again by a node that starts anew", () => {
  const rows = new Map();
  loneNode(T, undefined, rows).accept({ type: "peer.connected", peer: ada.peer, address });
  const again = loneNode(T, undefined, rows, { entrypoints: [ada.peer] });
  expect(dials(again, 0)).toBe(true);
  expect(waits(again, 30).length).toBe(ATTEMPTS_MAX - 1);
});

test("a partition of an hour heals by itself, whoever dialled whom", async () => {
  const arena = await openArena({ nodes: 6 });
  const block = cut(arena.world.network, {
    groups: [
      [0, 1, 2],
      [3, 4, 5],
    ],
  });
  await arena.pass(3_600_000);
  for (const node of [0, 5]) {
    const created = offer(arena.merchant, `ad-${node}`, arena.now());
    await arena.send(node, "sendAdvertisementCreate", AdvertisementCreate, created, arena.merchant);
  }
  expect(arena.equalRoots()).toBe(false);
  uncut(arena.world.network, block);
  await arena.pass(90_000);
  expect(arena.world.nodes.map(({ index }) => arena.view(index).size(Statements))).toEqual([2, 2, 2, 2, 2, 2]);
  expect(arena.equalRoots()).toBe(true);
});
