/**
 * Contract of a TransportPort: requests, their replies and their bounds.
 */
import { assert, expect, test } from "vitest";
import type { PeerId } from "../../core/kernel/values.ts";
import type { Witness } from "./transport-witness.ts";
import { answerAll } from "./transport-witness.ts";
import type { World } from "./transport-world.ts";
import { ENVELOPE_BYTES_MAX, NOBODY } from "./transport-world.ts";

export function describeRequests(world: World): void {
  test("a request is received with its sender, and its reply comes back under its number", async () => {
    const [a, b] = await world.pair();
    a.send(b, 42, Uint8Array.of(1, 2, 3));
    await world.settle(() => b.received.length === 1);
    expect(b.received).toMatchObject([{ peer: a.peer, bytes: Uint8Array.of(1, 2, 3) }]);
    expect(a.verdicts(42)).toEqual([]);
    b.port.reply(b.received[0]!.replyTo, Uint8Array.of(4, 5));
    await world.settle();
    expect(a.verdicts(42)).toEqual([{ type: "answered", peer: b.peer, request: 42, bytes: Uint8Array.of(4, 5) }]);
  });

  test("an empty envelope is an envelope", async () => {
    const [a, b] = await world.pair();
    answerAll(b);
    a.send(b, 1, new Uint8Array(0));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered", bytes: new Uint8Array(0) }]);
  });

  test("the side that was dialled sends as well as the other", async () => {
    const [a, b] = await world.pair();
    answerAll(a);
    b.send(a, 1, Uint8Array.of(9));
    await world.settle();
    expect(b.verdicts(1)).toMatchObject([{ type: "answered", peer: a.peer, bytes: Uint8Array.of(9) }]);
  });

  test("a second reply, and a reply to nothing, are ignored", async () => {
    const [a, b] = await world.pair();
    a.send(b, 1, Uint8Array.of(1));
    await world.settle(() => b.received.length === 1);
    const { replyTo } = b.received[0]!;
    b.port.reply(replyTo, Uint8Array.of(2));
    b.port.reply(replyTo, Uint8Array.of(3));
    b.port.reply(`${replyTo}-unknown`, Uint8Array.of(4));
    await world.settle();
    b.port.reply(replyTo, Uint8Array.of(5));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(2) }]);
  });
}

export function describeManyRequests(world: World): void {
  test("requests under way at once keep their numbers apart, whatever the order of the replies", async () => {
    const [a, b] = await world.pair();
    for (let i = 0; i < 50; i++) a.send(b, 1_000 + i, Uint8Array.of(i));
    await world.settle(() => b.received.length === 50);
    expect(new Set(b.received.map(({ replyTo }) => replyTo)).size).toBe(50);
    for (const { replyTo, bytes } of b.received.toReversed()) b.port.reply(replyTo, Uint8Array.of(bytes[0]!, 255));
    await world.settle();
    for (let i = 0; i < 50; i++) {
      expect(a.verdicts(1_000 + i)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(i, 255) }]);
    }
  });

  test("one number used for two peers stands for two requests", async () => {
    const [a, b, c] = (await world.start(3)) as [Witness, Witness, Witness];
    await world.link(a, b);
    await world.link(a, c);
    answerAll(b, c);
    a.send(b, 7, Uint8Array.of(1));
    a.send(c, 7, Uint8Array.of(2));
    await world.settle();
    const [first, second, ...more] = a.verdicts(7);
    expect(more).toEqual([]);
    const answers = [first, second].map((fact) => (fact?.type === "answered" ? [fact.peer, fact.bytes[0]] : []));
    expect(new Map(answers as [PeerId, number][])).toEqual(new Map([[b.peer, 1]]).set(c.peer, 2));
  });

  test("more requests than fit on the wire at once are all answered", async () => {
    const [a, b] = await world.pair();
    answerAll(b);
    for (let i = 0; i < 400; i++) a.send(b, i, Uint8Array.of(i & 255, i >> 8));
    await world.settle();
    for (let i = 0; i < 400; i++) {
      expect(a.verdicts(i)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(i & 255, i >> 8) }]);
    }
  });
}

export function describeBounds(world: World): void {
  test("the largest envelope passes, as request and as reply", async () => {
    const [a, b] = await world.pair();
    answerAll(b);
    const largest = Uint8Array.from({ length: ENVELOPE_BYTES_MAX }, (_, i) => (i * 31) & 255);
    a.send(b, 1, largest);
    await world.settle();
    expect(a.verdicts(1).length).toBe(1);
    const [verdict] = a.verdicts(1);
    assert.ok(verdict?.type === "answered" && Buffer.from(verdict.bytes).equals(largest), "the same bytes come back");
  });

  test("a larger one fails, as request and as reply, and the link goes on", async () => {
    const [a, b] = await world.pair();
    a.send(b, 1, new Uint8Array(ENVELOPE_BYTES_MAX + 1));
    a.send(b, 2, Uint8Array.of(2));
    await world.settle(() => b.received.length === 1);
    b.port.reply(b.received[0]!.replyTo, new Uint8Array(ENVELOPE_BYTES_MAX + 1));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "failed" }]);
    expect(a.verdicts(2)).toMatchObject([{ type: "failed" }]);
    answerAll(b);
    a.send(b, 3, Uint8Array.of(3));
    await world.settle();
    expect(a.verdicts(3)).toMatchObject([{ type: "answered" }]);
    expect(b.received.length).toBe(2);
  });

  test("a request to a stranger fails", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    a.port.send(NOBODY, 1, Uint8Array.of(1));
    a.port.send("" as PeerId, 2, Uint8Array.of(1));
    a.send(b, 3, Uint8Array.of(1));
    a.send(a, 4, Uint8Array.of(1));
    await world.settle();
    for (const request of [1, 2, 3, 4]) expect(a.verdicts(request)).toMatchObject([{ type: "failed" }]);
    expect(b.facts).toEqual([]);
  });
}

export function describeDelays(world: World): void {
  test("a request that nobody answers fails once; its late reply is ignored", async () => {
    const [a, b] = await world.pair();
    a.send(b, 1, Uint8Array.of(1));
    await world.settle(() => b.received.length === 1);
    expect(a.verdicts(1)).toEqual([]);
    world.runOutOfTime();
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "failed", peer: b.peer }]);
    b.port.reply(b.received[0]!.replyTo, Uint8Array.of(2));
    await world.settle();
    expect(a.verdicts(1).length).toBe(1);
    answerAll(b);
    a.send(b, 2, Uint8Array.of(2));
    await world.settle();
    expect(a.verdicts(2)).toMatchObject([{ type: "answered" }]);
  });

  test("no fact is told while the port is being called", async () => {
    const [a, b] = await world.pair();
    const during = (call: () => void) => {
      const before = a.facts.length;
      call();
      expect(a.facts.length).toBe(before);
    };
    during(() => a.port.send(NOBODY, 1, Uint8Array.of(1)));
    during(() => a.port.send(b.peer, 2, new Uint8Array(ENVELOPE_BYTES_MAX + 1)));
    during(() => a.port.send(b.peer, 3, Uint8Array.of(1)));
    during(() => a.port.dial(b.address));
    during(() => a.port.disconnect(b.peer));
    let closed = false;
    during(() =>
      a.port.close(() => {
        closed = true;
      }),
    );
    expect(closed).toBe(false);
    during(() => a.port.send(b.peer, 4, Uint8Array.of(1)));
    await world.settle(() => closed);
    for (const request of [1, 2, 3, 4]) expect(a.verdicts(request)).toMatchObject([{ type: "failed" }]);
  });
}
