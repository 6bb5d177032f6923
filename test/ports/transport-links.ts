/**
 * Contract of a TransportPort: dials, and who is connected to whom.
 */
import { expect, test } from "vitest";
import type { Witness } from "./transport-witness.ts";
import { answerAll } from "./transport-witness.ts";
import type { World } from "./transport-world.ts";
import { NOBODY } from "./transport-world.ts";

export function describeDials(world: World): void {
  test("a node's addresses end in its peer id and are no wildcard", async () => {
    const [a] = (await world.start(1)) as [Witness];
    expect(a.port.addresses().length).toBeGreaterThan(0);
    for (const address of a.port.addresses()) {
      expect(address.endsWith(`/p2p/${a.peer}`)).toBe(true);
      expect(address).not.toMatch(/\/ip4\/0\.0\.0\.0\/|\/ip6\/::\//);
    }
  });

  test("a dial connects both sides once; the dialler learns the address that worked", async () => {
    const [a, b] = await world.pair();
    await world.settle();
    expect(a.facts).toEqual([{ type: "connected", peer: b.peer, address: b.address }]);
    expect(b.facts).toMatchObject([{ type: "connected", peer: a.peer }]);
  });

  test("dialling a connected peer again, and many times, changes nothing", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    for (let i = 0; i < 5; i++) a.port.dial(b.address);
    await world.settle();
    for (const address of b.port.addresses()) a.port.dial(address);
    b.port.dial(a.address);
    await world.settle();
    expect(a.facts.length).toBe(1);
    expect(b.facts.length).toBe(1);
  });

  test("two nodes that dial each other at once are one peer to each other", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    a.port.dial(b.address);
    b.port.dial(a.address);
    await world.settle();
    expect(a.facts).toMatchObject([{ type: "connected", peer: b.peer }]);
    expect(b.facts).toMatchObject([{ type: "connected", peer: a.peer }]);
    answerAll(a, b);
    a.send(b, 1, Uint8Array.of(1));
    b.send(a, 1, Uint8Array.of(2));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(1) }]);
    expect(b.verdicts(1)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(2) }]);
  });

  test("a dial that leads nowhere tells the dialler so, once, and nobody else", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    const withoutPeer = b.address.slice(0, b.address.indexOf("/p2p/"));
    const nowhere = ["", "nonsense", "http://127.0.0.1:7080", withoutPeer, `${withoutPeer}/p2p/${NOBODY}`];
    nowhere.push(`/p2p/${b.peer}`, a.address);
    for (const address of nowhere) a.port.dial(address);
    await world.settle();
    expect(a.facts).toEqual([]);
    expect(a.unreachable.length).toBe(nowhere.length);
    expect(new Set(a.unreachable.map(({ address }) => address))).toEqual(new Set(nowhere));
    expect(b.unreachable).toEqual([]);
    expect(b.facts.filter((fact) => fact.type !== "connected" && fact.type !== "disconnected")).toEqual([]);
  });
}

export function describeLinks(world: World): void {
  test("disconnecting tells both sides once, and neither side is connected afterwards", async () => {
    const [a, b] = await world.pair();
    a.port.disconnect(b.peer);
    a.port.disconnect(b.peer);
    await world.settle();
    expect(a.facts.slice(1)).toEqual([{ type: "disconnected", peer: b.peer }]);
    expect(b.facts.slice(1)).toEqual([{ type: "disconnected", peer: a.peer }]);
    a.port.disconnect(b.peer);
    a.port.disconnect(NOBODY);
    a.send(b, 1, Uint8Array.of(1));
    b.send(a, 1, Uint8Array.of(1));
    await world.settle();
    expect(a.facts.slice(2)).toMatchObject([{ type: "failed", peer: b.peer, request: 1 }]);
    expect(b.facts.slice(2)).toMatchObject([{ type: "failed", peer: a.peer, request: 1 }]);
  });

  test("a peer can be dialled again, even while its old link is closing", async () => {
    const [a, b] = await world.pair();
    a.port.disconnect(b.peer);
    a.port.dial(b.address);
    await world.settle();
    expect(a.facts.map(({ type }) => type)).toEqual(["connected", "disconnected", "connected"]);
    expect(b.facts.map(({ type }) => type)).toEqual(["connected", "disconnected", "connected"]);
    answerAll(b);
    a.send(b, 1, Uint8Array.of(7));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered" }]);
  });
}
