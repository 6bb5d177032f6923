/**
 * Goal: of a peer a node takes only what it asked that peer for and what is what it claims; it gives as much as its
 * bounds say, and answers every frame once. Method: one node, and peers made of frames; planted answers of all kinds.
 * Source: protocol 02 G.7; DESIGN L10.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RESPONSE_BYTES_MAX, SERVED_BYTES_MAX, WANTS_PER_ASK } from "../../core/domains/content/blocks/exchange.ts";
import { WANTS_MAX } from "../../core/domains/content/blocks/keep.ts";
import {
  CONTENT_REQUEST,
  CONTENT_RESPONSE,
  ContentRequest,
  ContentResponse,
  OFS_CONTENT,
} from "../../core/domains/content/blocks/schema.ts";
import { Blocks, Wants } from "../../core/domains/content/blocks/tables.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, PeerId } from "../../core/kernel/values.ts";
import { Frame, frameOf } from "../../core/network/gossip/envelope.ts";
import { arbCid } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { attach, buyer, cidOf, png, put, T, trade } from "../rpc/node-with-settlement.ts";
import { dagNode } from "./dag.ts";

const [ann, bob, eve] = [person(21).peer, person(22).peer, person(23).peer];

interface Asked {
  readonly to: PeerId;
  readonly request: number;
  readonly cids: readonly string[];
}

/** The content requests of a node so far. */
function asked(node: LoneNode): readonly Asked[] {
  return node.effects.flatMap((effect) => {
    if (effect.type !== "message.send") return [];
    const frame = decodeCompact(Frame, effect.bytes);
    if (frame?.message_type !== CONTENT_REQUEST) return [];
    return [{ to: effect.to, request: effect.request, cids: decodeCompact(ContentRequest, frame.payload)?.cids ?? [] }];
  });
}
function framed(type: string, payload: Uint8Array): Uint8Array {
  return encodeCompact(Frame, frameOf(OFS_CONTENT, type, payload, T));
}
function answer(node: LoneNode, { to, request }: Asked, ...blocks: readonly Uint8Array[]): void {
  const sent = blocks.map((bytes) => ({ cid: cidOf(bytes), bytes }));
  answerAs(node, to, request, sent);
}
function answerAs(
  node: LoneNode,
  from: PeerId,
  request: number,
  blocks: readonly { readonly cid: string; readonly bytes: Uint8Array }[],
): void {
  const bytes = framed(CONTENT_RESPONSE, encodeCompact(ContentResponse, { blocks }));
  node.accept({ type: "message.answered", from, request, bytes });
}
function connect(node: LoneNode, ...peers: readonly PeerId[]): void {
  for (const peer of peers) node.accept({ type: "peer.connected", peer, address: null });
}
/** A node that knows of the buyer's receipt and has not got it. */
function lacking(...peers: readonly PeerId[]): LoneNode {
  const node = trade(loneNode(T));
  connect(node, ...peers);
  attach(node, buyer);
  fire(node, 1_000n);
  return node;
}
function fire(node: LoneNode, ms: bigint): void {
  node.now += ms;
  node.accept({ type: "timer.fired", timer: "content" });
}
const receipt = png("receipt");

describe("asking", () => {
  test("comes a second after the news, once a peer and block, and again ever later", () => {
    const node = lacking(ann, bob);
    expect(asked(node)).toMatchObject([{ cids: [cidOf(receipt)] }]);
    const timers = () =>
      node.effects.flatMap((effect) =>
        effect.type === "timer.set" && effect.timer === "content" ? [Number(effect.at - node.now)] : [],
      );
    expect(timers().slice(-2)).toEqual([0, 5_000]);
    for (const wait of [10_000, 20_000, 40_000, 80_000]) {
      fire(node, BigInt(wait / 2));
      expect(timers().at(-1)).toBe(wait);
    }
    expect(new Set(asked(node).map(({ to }) => to))).toEqual(new Set([ann, bob]));
    // While one is asked and has time left, nobody else is.
    expect(asked(node).length).toBe(3);
  });

  test("goes on with the peer that had some, until it has no more", () => {
    const node = trade(loneNode(T));
    connect(node, ann);
    const parts = Array.from({ length: 200 }, (_, i) => png(`${i}`));
    const root = dagNode(parts.map((part) => cidOf(part)));
    attach(node, buyer, { cid: cidOf(root, "dag-pb") });
    fire(node, 1_000n);
    const first = asked(node)[0] as Asked;
    expect(first.cids).toEqual([cidOf(root, "dag-pb")]);
    answerAs(node, ann, first.request, [{ cid: cidOf(root, "dag-pb"), bytes: root }]);
    for (let round = 1; node.view.size(Wants) > 0; round++) {
      const now = asked(node)[round] as Asked;
      expect(now.cids.length).toBe(Math.min(WANTS_PER_ASK, node.view.size(Wants)));
      answer(node, now, ...parts.filter((part) => now.cids.includes(cidOf(part))));
    }
    expect(asked(node).length).toBe(1 + Math.ceil(200 / WANTS_PER_ASK));
    expect(node.view.size(Blocks)).toBe(201);
  });

  test("stops at its bound of wants, and nothing is asked without a want", () => {
    const node = trade(loneNode(T));
    connect(node, ann);
    fire(node, 600_000n);
    expect(asked(node)).toEqual([]);
    for (let i = 0; i < 20; i++) {
      const root = dagNode(Array.from({ length: 500 }, (_, j) => cidOf(utf8(`${i} ${j}`))));
      put(node, root, "dag-pb");
      attach(node, buyer, { id: `${i}`, cid: cidOf(root, "dag-pb") });
    }
    expect(node.view.size(Wants)).toBe(WANTS_MAX);
  });
});

describe("an answer", () => {
  test("brings the block that was asked for", () => {
    const node = lacking(ann);
    const [question] = asked(node);
    answer(node, question as Asked, receipt);
    expect([node.view.size(Blocks), node.view.size(Wants)]).toEqual([1, 0]);
  });

  test.each<readonly [string, (node: LoneNode, asked: Asked) => void]>([
    [
      "with other bytes",
      (node, { to, request }) => answerAs(node, to, request, [{ cid: cidOf(receipt), bytes: png("x") }]),
    ],
    ["with what nobody asked for", (node, question) => answer(node, question, png("x"))],
    [
      "of a peer that was not asked",
      (node, { request }) => answerAs(node, eve, request, [{ cid: cidOf(receipt), bytes: receipt }]),
    ],
    ["to no question", (node, { to }) => answerAs(node, to, 9_999, [{ cid: cidOf(receipt), bytes: receipt }])],
    ["under no identifier", (node, { to, request }) => answerAs(node, to, request, [{ cid: "x", bytes: receipt }])],
    ["with nothing", (node, question) => answer(node, question)],
    [
      "that is none",
      (node, { to, request }) =>
        node.accept({ type: "message.answered", from: to, request, bytes: framed("GossipPushAck", new Uint8Array(0)) }),
    ],
    [
      "that never comes",
      (node, { to, request }) => node.accept({ type: "message.failed", to, request, reason: "timeout" }),
    ],
  ])("%s leaves the want, and another time is asked again", (_, act) => {
    const node = lacking(ann);
    act(node, asked(node)[0] as Asked);
    expect([node.view.size(Blocks), node.view.size(Wants)]).toEqual([0, 1]);
    fire(node, 20_000n);
    const last = asked(node).at(-1) as Asked;
    expect(asked(node).length).toBe(2);
    answer(node, last, receipt);
    expect(node.view.size(Blocks)).toBe(1);
  });

  test("brings nothing that another peer was asked for", () => {
    const node = trade(loneNode(T));
    connect(node, ann, bob);
    const files = [png("one"), png("two")];
    files.forEach((bytes, i) => void attach(node, buyer, { id: `${i}`, cid: cidOf(bytes) }));
    fire(node, 1_000n);
    const [first, second] = asked(node) as [Asked, Asked];
    expect(new Set([first.to, second.to])).toEqual(new Set([ann, bob]));
    answer(node, first, ...files);
    expect([...node.view.keys(Blocks)]).toEqual(first.cids);
    answer(node, second, ...files);
    expect(node.view.size(Blocks)).toBe(2);
  });
});

describe("serving", () => {
  function give(node: LoneNode, cids: readonly string[], from: PeerId = ann) {
    const bytes = framed(CONTENT_REQUEST, encodeCompact(ContentRequest, { cids }));
    node.accept({ type: "message.received", from, replyTo: "r", bytes });
    const last = node.effects.at(-1);
    const frame = last?.type === "message.reply" ? decodeCompact(Frame, last.bytes) : undefined;
    return decodeCompact(ContentResponse, frame?.payload ?? new Uint8Array(0))?.blocks ?? [];
  }

  test("gives what it holds, each once, and as many bytes as fit", () => {
    const node = loneNode(T);
    const blocks = [1, 2, 3, 4].map((fill) => new Uint8Array(262_144).fill(fill));
    for (const block of [...blocks, png("small")]) put(node, block);
    const cids = blocks.map((block) => cidOf(block));
    expect(give(node, ["x", cidOf(png("small")), cidOf(png("small")), cidOf(png("none"))]).length).toBe(1);
    const given = give(node, cids);
    expect(given.map(({ cid }) => cid)).toEqual(cids.slice(0, 3));
    expect(given.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(RESPONSE_BYTES_MAX);
    expect(give(node, [...Array.from({ length: 1_024 }, () => "y").map((y, i) => y + i), ...cids])).toEqual([]);
  });

  test("gives one peer no more than its share until the next sweep, and others theirs", () => {
    const node = loneNode(T);
    const blocks = [1, 2, 3].map((fill) => new Uint8Array(262_144).fill(fill));
    for (const block of blocks) put(node, block);
    const cids = blocks.map((block) => cidOf(block));
    let given = 0;
    for (let i = 0; i < 172; i++) for (const { bytes } of give(node, cids)) given += bytes.length;
    expect(given).toBe(SERVED_BYTES_MAX);
    expect(give(node, cids)).toEqual([]);
    expect(give(node, cids, bob).length).toBe(3);
    fire(node, 600_000n);
    expect(give(node, cids).length).toBe(3);
  });

  test("no frame throws, and each gets one answer", () => {
    const node = loneNode(T);
    const held = png("held");
    put(node, held);
    const cids = fc.array(fc.oneof(fc.constantFrom(cidOf(held), cidOf(png("none")), "x"), arbCid()), { maxLength: 40 });
    const payloads = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      cids.map((cids) => encodeCompact(ContentRequest, { cids })),
    );
    forAll(
      [fc.constantFrom(CONTENT_REQUEST, CONTENT_RESPONSE, "X"), payloads],
      (type, payload) => {
        const before = node.effects.length;
        node.accept({ type: "message.received", from: eve, replyTo: "r", bytes: framed(type, payload) });
        const [reply, ...more] = node.effects.slice(before).filter((effect) => effect.type === "message.reply");
        expect(more).toEqual([]);
        const frame = reply && decodeCompact(Frame, reply.bytes);
        const blocks = decodeCompact(ContentResponse, frame?.payload ?? new Uint8Array(0))?.blocks;
        const asked = type === CONTENT_REQUEST ? decodeCompact(ContentRequest, payload)?.cids : undefined;
        const given = asked?.includes(cidOf(held)) ? [{ cid: cidOf(held), bytes: held }] : [];
        expect(blocks).toEqual(given);
        return [type, asked === undefined ? "no request" : given.length > 0 ? "held" : "not held"];
      },
      {
        runs: 500,
        shares: {
          ...{ [CONTENT_REQUEST]: 0.2, [CONTENT_RESPONSE]: 0.2, X: 0.2 },
          ...{ "no request": 0.3, held: 0.05, "not held": 0.02 },
        },
      },
    );
    expect(node.now satisfies bigint as EpochMillis).toBe(T);
  });
});
