/**
 * Contract of a TransportPort: what is left of requests and links when somebody goes.
 */
import { expect, test } from "vitest";
import type { RequestNumber } from "../../core/inputs.ts";
import type { Witness } from "./transport-witness.ts";
import type { World } from "./transport-world.ts";

export function describePartings(world: World): void {
  for (const leaver of ["the sender", "the receiver"] as const) {
    test(`requests under way fail when ${leaver} disconnects`, async () => {
      const [a, b] = await world.pair();
      for (let i = 0; i < 90; i++) a.send(b, i, Uint8Array.of(i));
      await world.settle(() => b.received.length > 0);
      if (leaver === "the sender") a.port.disconnect(b.peer);
      else b.port.disconnect(a.peer);
      await world.settle();
      for (let i = 0; i < 90; i++) expect(a.verdicts(i)).toMatchObject([{ type: "failed", peer: b.peer }]);
      b.port.reply(b.received[0]!.replyTo, Uint8Array.of(1));
      await world.settle();
      expect(a.verdicts(0).length).toBe(1);
      expect(a.facts.filter(({ type }) => type === "disconnected").length).toBe(1);
      expect(b.facts.filter(({ type }) => type === "disconnected").length).toBe(1);
    });

    test(`requests under way fail when ${leaver} closes`, async () => {
      const [a, b] = await world.pair();
      for (let i = 0; i < 90; i++) a.send(b, i, Uint8Array.of(i));
      await world.settle(() => b.received.length > 0);
      const [leaves, stays] = leaver === "the sender" ? [a, b] : [b, a];
      let closed = false;
      leaves.port.close(() => {
        closed = true;
      });
      await world.settle(() => closed && !stays.connectedTo(leaves.peer));
      await world.settle();
      for (let i = 0; i < 90; i++) expect(a.verdicts(i)).toMatchObject([{ type: "failed", peer: b.peer }]);
      expect(stays.facts.filter(({ type }) => type === "disconnected").length).toBe(1);
    });
  }
}

export function describeClosing(world: World): void {
  test("closing twice ends both calls, and a closed node says nothing but that it cannot send", async () => {
    const [a, b] = await world.pair();
    a.send(b, 1, Uint8Array.of(1));
    await world.settle(() => b.received.length === 1);
    let done = 0;
    const closing = () => a.port.close(() => done++);
    closing();
    closing();
    await world.settle(() => done === 2);
    closing();
    await world.settle(() => done === 3);
    expect(done).toBe(3);
    const before = a.facts.length;
    a.port.dial(b.address);
    a.port.disconnect(b.peer);
    a.port.reply("anything", Uint8Array.of(1));
    b.port.dial(`${b.address.slice(0, b.address.indexOf("/p2p/"))}/p2p/${a.peer}`);
    await world.settle();
    expect(a.facts.length).toBe(before);
    a.send(b, 2, Uint8Array.of(1));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "failed" }]);
    expect(a.verdicts(2)).toMatchObject([{ type: "failed" }]);
  });

  test("a node without links closes", async () => {
    const [a] = (await world.start(1)) as [Witness];
    let closed = false;
    a.port.close(() => {
      closed = true;
    });
    await world.settle(() => closed);
    expect(closed).toBe(true);
    expect(a.facts).toEqual([]);
  });
}

export function describeDisorder(world: World): void {
  test("whatever nodes do to each other, each request has one verdict", async () => {
    const nodes = await world.start(3);
    const [a, b, c] = nodes as [Witness, Witness, Witness];
    await world.link(a, b);
    await world.link(b, c);
    await world.link(c, a);
    let number: RequestNumber = 0;
    const sent: [Witness, RequestNumber][] = [];
    for (let round = 0; round < 40; round++) {
      const from = nodes[round % 3]!;
      const to = nodes[(round + 1 + (round % 2)) % 3]!;
      const received = to.received.length;
      for (let i = 0; i < 5; i++) {
        sent.push([from, ++number]);
        from.send(to, number, new Uint8Array((number * 7_919) % 20_000));
      }
      const { replyTo } = to.received.at(-1 - (round % 4)) ?? { replyTo: "" };
      to.port.reply(replyTo, Uint8Array.of(round));
      if (round % 7 === 3) from.port.disconnect(to.peer);
      if (round % 7 === 5) to.port.dial(from.address);
      if (round % 11 === 9) world.runOutOfTime();
      await world.settle(() => to.received.length > received || from.verdicts(number).length > 0);
    }
    let closed = 0;
    for (const node of nodes) node.port.close(() => closed++);
    await world.settle(() => closed === 3);
    await world.settle();
    expect(sent.map(([from, request]) => from.verdicts(request).length)).toEqual(sent.map(() => 1));
  });
}
