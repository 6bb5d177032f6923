/**
 * Goal: events and frames are the bytes of protocol 01 §16.3, and no frame of a peer makes a node throw.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createDriver, devnetNetwork, gaugesOf } from "../../core/index.ts";
import { concat, fromHex, toHex, u32be } from "../../core/kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import type { GossipEvent as Event } from "../../core/network/gossip/envelope.ts";
import {
  eventId,
  Frame,
  frameOf,
  GossipEvent,
  OFS_GOSSIP,
  SUBSCRIBE_ALL,
  signedBytes,
} from "../../core/network/gossip/envelope.ts";
import { forAll } from "../property/for-all.ts";
import { crypto, gossipOnly, person } from "../rpc/lone-node.ts";

const hex = (text: string) => fromHex(text) as Uint8Array;
const node = person(2);
const PAYLOAD = hex(
  "057265732d31260024080112208a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c80d095ffbc3140" +
    "53142939ae8bc9abb0a7f5873b26470b2d169c7b509b3a35e644107ba0f0513d8e3557a34d52dbb24efd1b800a632260d22e8c73c0234fb6f1362647798f1a06",
);
const body = {
  event_type: "ReservationCancelled",
  ofs_spec: 2200,
  version: 1,
  origin: node.peer,
  timestamp: 1_700_000_000_000n as EpochMillis,
  ttl: 8,
  priority: "SessionReservationSettlement" as const,
  payload: PAYLOAD,
};

function published(): Event {
  const signature = toBase58(crypto.sign(node.secret, signedBytes(body))) as Signature;
  return { ...body, signature, id: eventId(crypto, { ...body, signature }) };
}

test("an event's signed bytes, signature, id and compact form are the published ones", () => {
  const signed = signedBytes(body);
  expect([signed.length, createHash("sha256").update(signed).digest("hex")]).toEqual([
    184,
    "fb2ad5fa13dfc7e702b32478711b99aee0b1263591701ce08e5a95532d54daf2",
  ]);
  expect(toHex(published().id)).toBe("8bed681a744b1c2dcd2a15a08d226641146cad082547ea0076c48219ceb55750");
  const bytes = encodeCompact(GossipEvent, published());
  expect(bytes.length).toBe(285);
  expect(decodeCompact(GossipEvent, bytes)).toEqual(published());
});

test("a pushed frame and a recovery request are the published bytes", () => {
  const at = 1_700_000_000_123n as EpochMillis;
  const push = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, published()), at));
  const framed = concat(u32be(push.length), push);
  expect(createHash("sha256").update(framed).digest("hex")).toBe(
    "1b5a5776c9e9c326b9b9fe0d719c7c029d68c459894d4f5d13ad2e221797f3c7",
  );
  const ask = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipRecoveryRequest", SUBSCRIBE_ALL, at));
  expect(toHex(concat(u32be(ask.length), ask))).toBe(
    "0000002601b00915476f737369705265636f766572795265717565737401fbd095ffbc31010000010000",
  );
});

/** A node that answers frames; the state root before and after tells whether anything got in. */
function answering() {
  const replies: Uint8Array[] = [];
  const driver = createDriver({
    crypto,
    store: {
      commit: (_, done) => done({ ok: true, value: null }),
      load: (page) => page({ ok: true, value: { rows: [], last: true } }),
      close: (done) => done(),
    },
    bootSeed: new Uint8Array(32),
    now: () => 1_700_000_000_500n as EpochMillis,
    perform(effect) {
      if (effect.type === "message.reply") replies.push(effect.bytes);
    },
    configuration: gossipOnly(devnetNetwork),
  });
  return {
    driver,
    replies,
    receive: (bytes: Uint8Array) => driver.accept({ type: "message.received", from: node.peer, replyTo: "r", bytes }),
  };
}

test("no bytes of a peer throw, and every frame gets exactly one answer", () => {
  const pushed = encodeCompact(
    Frame,
    frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, published()), body.timestamp),
  );
  const mutated = fc
    .tuple(fc.nat({ max: pushed.length - 1 }), fc.integer({ min: 1, max: 255 }))
    .map(([at, flip]) => pushed.map((byte, place) => (place === at ? byte ^ flip : byte)));
  const cut = fc.nat({ max: pushed.length - 1 }).map((length) => pushed.slice(0, length));
  const messages = [
    "GossipPush",
    "GossipRecoveryRequest",
    "GossipRangeRequest",
    "PeerExchangeRequest",
    "PeerAnnouncement",
    "X",
  ];
  const framed = fc
    .tuple(fc.constantFrom(1100, 1200, 7), fc.constantFrom(...messages), fc.uint8Array({ maxLength: 80 }))
    .map(([ofs, type, payload]) => encodeCompact(Frame, frameOf(ofs, type, payload, body.timestamp)));
  const { driver, replies, receive } = answering();
  const bytes = fc.uint8Array({ maxLength: 200 });
  forAll(
    [fc.oneof(...[bytes, mutated, cut, framed].map((arb, made) => fc.tuple(fc.constant(made), arb)))],
    ([made, frame]) => {
      const before = replies.length;
      receive(frame);
      expect(replies.length).toBe(before + 1);
      const read = decodeCompact(Frame, frame);
      const known = read?.ofs_spec === OFS_GOSSIP && messages.slice(0, 3).includes(read.message_type);
      return [["random bytes", "mutated", "cut", "framed"][made] ?? "", read ? "a frame" : "no frame"].concat(
        known ? ["a frame with a meaning"] : [],
      );
    },
    {
      runs: 1_000,
      shares: {
        ...{ "random bytes": 0.1, mutated: 0.1, cut: 0.1, framed: 0.1, "a frame": 0.3, "no frame": 0.2 },
        "a frame with a meaning": 0.1,
      },
    },
  );
  expect(driver.roots().statements).toBe("0".repeat(64));
});

test("a pushed statement whose parent is unknown waits: it is kept, and in no root", () => {
  const { driver, receive } = answering();
  receive(
    encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, published()), body.timestamp)),
  );
  expect(gaugesOf(driver.view)).toMatchObject({ ofs_pending_statements: 1, ofs_statements: 0, ofs_gossip_events: 1 });
  expect(driver.roots().statements).toBe("0".repeat(64));
});
