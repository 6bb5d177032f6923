/**
 * Goal: only a peer that hands over the very bytes in time is credited, and only peers that run infrastructure are
 * asked for files that a settlement shows (protocol 05 §4.3, §14.18).
 * Method: two nodes joined by hand; each condition broken once.
 */
import { describe, expect, test } from "vitest";
import { OFS_CONTENT } from "../../core/domains/content/blocks/schema.ts";
import type { Registration as RegistrationPayload } from "../../core/domains/providers/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import {
  CHALLENGE_EVERY_MS,
  CHALLENGE_MS_MAX,
  challengePool,
  POOL_AGE_MS_MAX,
} from "../../core/domains/rewards/challenge.ts";
import { epochOf } from "../../core/domains/rewards/epochs.ts";
import { observationsOf } from "../../core/domains/rewards/queries.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { Frame } from "../../core/network/gossip/envelope.ts";
import * as fixtures from "../providers/fixtures.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { at, attach, buyer, cidOf, merchant, png, put, T, third, trade } from "../rpc/node-with-settlement.ts";

const provider = person(7);
const NODE = { Infrastructure: "PublicApiNode" } as const;

/** A node that knows a receipt, and a provider that is connected to it. */
function asker(more: Partial<RegistrationPayload> = { service_type: NODE }): LoneNode {
  const node = trade(loneNode(T));
  attach(node, buyer);
  node.gossip(Registration, fixtures.registration(provider, node.now, more), provider);
  node.accept({ type: "peer.connected", peer: provider.peer, address: null });
  return node;
}

/** The node that the provider runs: it holds the receipt, or it does not. */
function keeper(holds: boolean): LoneNode {
  const node = trade(loneNode(T, undefined, undefined, { secretKey: provider.secret, peerId: provider.peer }));
  attach(node, buyer);
  if (holds) put(node, png("receipt"));
  return node;
}

/** The challenge that is out, if there is one. */
function challenge(node: LoneNode) {
  const before = node.effects.length;
  node.accept({ type: "timer.fired", timer: "challenge" });
  return node.effects.slice(before).flatMap((effect) => {
    const frame = effect.type === "message.send" ? decodeCompact(Frame, effect.bytes) : undefined;
    return effect.type === "message.send" && frame?.ofs_spec === OFS_CONTENT ? [effect] : [];
  })[0];
}

function answerOf(node: LoneNode, bytes: Uint8Array): Uint8Array {
  const before = node.effects.length;
  node.accept({ type: "message.received", from: person(9).peer, replyTo: "1", bytes });
  const reply = node.effects.slice(before).find((effect) => effect.type === "message.reply");
  if (reply?.type !== "message.reply") throw new Error("no answer");
  return reply.bytes;
}

/** Whether the peer was credited after an answer that came so late. */
function credited(
  node: LoneNode,
  bytes: (asked: Uint8Array) => Uint8Array,
  late = 0,
  from: Person = provider,
): boolean {
  const asked = challenge(node);
  if (asked === undefined) throw new Error("nobody was asked");
  const answer = bytes(asked.bytes);
  node.now += BigInt(late);
  node.accept({ type: "message.answered", from: from.peer, request: asked.request, bytes: answer });
  const { peers } = observationsOf(node.view, epochOf(node.now), node.now as EpochMillis);
  return peers.some((peer) => peer.peer === from.peer && peer.served_content);
}

describe("an answer", () => {
  test("with the very bytes is credited, up to the last instant, and getPeers says so", () => {
    const node = asker();
    expect(credited(node, (asked) => answerOf(keeper(true), asked), CHALLENGE_MS_MAX)).toBe(true);
    expect(node.call("getPeers")).toMatchObject({ peers: [{ peer_id: provider.peer, served_content: true }] });
  });

  test.each([
    ["without the file", (asked: Uint8Array) => answerOf(keeper(false), asked), 0, provider],
    ["that comes too late", (asked: Uint8Array) => answerOf(keeper(true), asked), CHALLENGE_MS_MAX + 1, provider],
    ["of another peer", (asked: Uint8Array) => answerOf(keeper(true), asked), 0, merchant],
    ["with other bytes", (asked: Uint8Array) => spoiled(answerOf(keeper(true), asked)), 0, provider],
    ["that is no frame", () => new Uint8Array(3), 0, provider],
  ])("%s is not", (_, bytes, late, from) => {
    expect(credited(asker(), bytes, late, from)).toBe(false);
  });

  test("counts for one challenge alone", () => {
    const node = asker();
    const first = challenge(node);
    node.now += 1n;
    expect(challenge(node)).toBeDefined();
    expect(first).toBeDefined();
    expect(node.effects).toContainEqual({
      type: "timer.set",
      timer: "challenge",
      at: node.now + BigInt(CHALLENGE_EVERY_MS),
    });
  });
});

describe("nobody is asked", () => {
  test("who runs no infrastructure", () => {
    expect(challenge(asker({}))).toBeUndefined();
  });

  test("who has lapsed, or is not connected", () => {
    const lapsed = asker();
    lapsed.now += 600_001n;
    expect(challenge(lapsed)).toBeUndefined();
    const gone = asker();
    gone.accept({ type: "peer.disconnected", peer: provider.peer });
    expect(challenge(gone)).toBeUndefined();
  });
});

describe("the pool", () => {
  const pool = (node: LoneNode, now = node.now) => challengePool(node.view, now as EpochMillis);

  test("holds each shown one-block file once", () => {
    const node = asker();
    attach(node, merchant, { id: "att-2" });
    expect(pool(node)).toEqual([cidOf(png("receipt"))]);
  });

  test("leaves out a stranger's, a file of several blocks, and one older than thirty days", () => {
    const node = trade(loneNode(T));
    attach(node, third);
    attach(node, buyer, { id: "att-3", cid: cidOf(png("tree"), "dag-pb") });
    expect(pool(node)).toEqual([]);
    const aged = asker();
    expect(pool(aged, at(370_000) + POOL_AGE_MS_MAX)).toHaveLength(1);
    expect(pool(aged, at(370_001) + POOL_AGE_MS_MAX)).toEqual([]);
  });
});

/** The same answer with another last byte in its block. */
function spoiled(bytes: Uint8Array): Uint8Array {
  const frame = decodeCompact(Frame, bytes);
  if (frame === undefined) throw new Error("no frame");
  const payload = frame.payload.slice();
  payload[payload.length - 1] = (payload[payload.length - 1] ?? 0) ^ 1;
  return encodeCompact(Frame, { ...frame, payload });
}
