/**
 * Goal: a node believes of peers what it saw itself, and of what they say no more than it can check.
 * Method: one node behind its ports; its peers are facts. Source: protocol 01 §5.5, W15, W16; 05 §8, §15.11.
 */
import { expect, test } from "vitest";
import type { Effect, EpochMillis } from "../../core/index.ts";
import { known } from "../../core/kernel/assert.ts";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import type { PeerAdvert } from "../../core/network/gossip/envelope.ts";
import {
  Frame,
  frameOf,
  OFS_PEER_EXCHANGE,
  PeerExchangeRequest,
  PeerExchangeResponse,
} from "../../core/network/gossip/envelope.ts";
import { AddressClaims, CLAIM_EXPIRY_MS, CLAIMS_PER_REPORTER_MAX } from "../../core/network/peers/address-claims.ts";
import { Dials } from "../../core/network/peers/dialling.ts";
import { PEER_EXPIRY_MS, Peers } from "../../core/network/peers/peers.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";

const T = 1_786_000_000_000n as EpochMillis;
const [ada, bob, cyd] = [person(0x41), person(0x42), person(0x43)];

function advert(of: Person, addresses: readonly string[], more: Partial<PeerAdvert> = {}): PeerAdvert {
  const information = { roles: ["FullNode" as const], node_version: "openfiat/0.1.0", supported_ofs: [1_000, 1_100] };
  return { peer_id: of.peer, public_key: of.key, addresses, ...information, ...more };
}

/** A peer connects; what it was asked about peers is answered with these adverts after some milliseconds. */
function meets(
  node: LoneNode,
  peer: Person,
  adverts: readonly PeerAdvert[],
  after = 40n,
  address: string | null = null,
) {
  const before = node.effects.length;
  node.accept({ type: "peer.connected", peer: peer.peer, address });
  const asked = node.effects.slice(before).find((effect) => isExchange(effect));
  node.now += after;
  if (asked?.type !== "message.send") throw new Error("nothing was asked");
  const payload = encodeCompact(PeerExchangeResponse, { peers: adverts });
  const bytes = encodeCompact(
    Frame,
    frameOf(OFS_PEER_EXCHANGE, "PeerExchangeResponse", payload, node.now as EpochMillis),
  );
  node.accept({ type: "message.answered", from: peer.peer, request: asked.request, bytes });
}

function isExchange(effect: Effect): boolean {
  if (effect.type !== "message.send") return false;
  return decodeCompact(Frame, effect.bytes)?.message_type === "PeerExchangeRequest";
}

function shown(node: LoneNode): readonly Record<string, unknown>[] {
  return (node.call("getPeers") as { readonly peers: readonly Record<string, unknown>[] }).peers;
}

/** What the node answers to a peer who asks for peers. */
function asked(node: LoneNode, by: Person, most = 20): readonly PeerAdvert[] {
  const payload = encodeCompact(PeerExchangeRequest, { max_peers: most });
  const bytes = encodeCompact(Frame, frameOf(OFS_PEER_EXCHANGE, "PeerExchangeRequest", payload, T));
  node.accept({ type: "message.received", from: by.peer, replyTo: "x", bytes });
  const reply = node.effects.findLast((effect) => effect.type === "message.reply");
  const frame = reply?.type === "message.reply" ? decodeCompact(Frame, reply.bytes) : undefined;
  return known(decodeCompact(PeerExchangeResponse, frame?.payload ?? new Uint8Array(0)), "an answer").peers;
}

test("the bytes of an exchange are the published ones", () => {
  const key01 = person(1);
  const one = advert(key01, ["/ip4/203.0.113.9/udp/4001/quic-v1"]);
  expect(toHex(encodeCompact(PeerExchangeRequest, { max_peers: 20 }))).toBe("14");
  const published =
    "01260024080112208a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c8a88e3dd7409f195fd52db2d3cba5d72" +
    "ca6709bf1d94121bf3748801b40f6f5c01212f6970342f3230332e302e3131332e392f7564702f343030312f717569632d763101000e6f70" +
    "656e666961742f302e312e3002e807cc08";
  expect(toHex(encodeCompact(PeerExchangeResponse, { peers: [one] }))).toBe(published);
  expect(decodeCompact(PeerExchangeResponse, fromHex(published) as Uint8Array)).toEqual({ peers: [one] });
});

test("a peer is shown as it was measured; what it says of itself is shown as said", () => {
  const node = loneNode(T);
  meets(node, ada, [advert(ada, ["/ip4/198.51.100.4/tcp/4001"])]);
  expect(shown(node)).toMatchObject([
    {
      ...{ peer_id: ada.peer, addresses: ["/ip4/198.51.100.4/tcp/4001"], roles: ["FullNode"] },
      ...{ latency_ms: 40, successes: 1, failures: 0, last_seen: Number(T + 40n) },
    },
  ]);
  node.accept({ type: "peer.measured", peer: ada.peer, latency_ms: 120 });
  node.accept({ type: "message.failed", to: ada.peer, request: 2, reason: "timeout" });
  expect(shown(node)).toMatchObject([{ latency_ms: 50, successes: 2, failures: 1 }]);
  expect(Object.keys(shown(node)[0] ?? {}).length).toBe(10);
});

test("whoever says something about somebody else changes nothing that is known of him", () => {
  const node = loneNode(T);
  meets(node, ada, [advert(ada, ["/ip4/198.51.100.4/tcp/4001"])], 40n, `/ip4/198.51.100.4/tcp/4001/p2p/${ada.peer}`);
  const before = JSON.stringify(shown(node));
  meets(node, bob, [
    advert(bob, []),
    advert(ada, ["/ip4/203.0.113.66/tcp/1"], { node_version: "evil/1", roles: [] }),
    advert(cyd, ["/ip4/203.0.113.67/tcp/1"], { public_key: bob.key }),
    advert(cyd, [`/ip4/203.0.113.68/tcp/1/p2p/${bob.peer}`, "no address", `/${"x".repeat(300)}`]),
  ]);
  const [first] = shown(node).filter(({ peer_id }) => peer_id === ada.peer);
  expect(JSON.stringify([first])).toBe(before);
  expect(shown(node).map(({ peer_id }) => peer_id)).not.toContain(cyd.peer);
  expect(node.view.size(AddressClaims)).toBe(0);
});

test("a claim is dialled and not passed on; the handshake makes it a proven place, and nobody else's claims stay", () => {
  const node = loneNode(T);
  meets(node, ada, [advert(ada, ["/ip4/198.51.100.4/tcp/4001"]), advert(cyd, ["/ip4/203.0.113.7/tcp/4001"])]);
  const address = `/ip4/203.0.113.7/tcp/4001/p2p/${cyd.peer}`;
  expect(node.effects).toContainEqual({ type: "peer.dial", address });
  meets(node, bob, [advert(bob, [])]);
  expect(asked(node, bob).map(({ peer_id }) => peer_id)).toEqual([person(9).peer, ada.peer]);
  meets(node, cyd, [advert(cyd, [])], 40n, address);
  expect([node.view.size(AddressClaims), node.view.size(Dials)]).toEqual([0, 0]);
  expect(shown(node).find(({ peer_id }) => peer_id === cyd.peer)).toMatchObject({
    addresses: ["/ip4/203.0.113.7/tcp/4001"],
  });
  expect(asked(node, bob).length).toBe(3);
  expect(asked(node, bob, 1).length).toBe(2);
});

test("one reporter has few claims; those that nobody repeats, and peers that are gone, are forgotten", () => {
  const node = loneNode(T);
  const many = Array.from({ length: 20 }, (_, n) => {
    const places = Array.from({ length: 20 }, (_, at) => `/ip4/203.${n}.${at}.1/tcp/4001`);
    return advert(person(0x60 + n), places);
  });
  meets(node, ada, [advert(ada, []), ...many]);
  expect(node.view.size(AddressClaims)).toBe(CLAIMS_PER_REPORTER_MAX);
  node.accept({ type: "peer.disconnected", peer: ada.peer });
  node.now = T + BigInt(Math.max(CLAIM_EXPIRY_MS, PEER_EXPIRY_MS)) + 60_000n;
  node.accept({ type: "timer.fired", timer: "sweep" });
  expect([node.view.size(AddressClaims), node.view.size(Peers)]).toEqual([0, 0]);
});

test("the healthiest peers are named first", () => {
  const node = loneNode(T);
  const place = (n: number) => [`/ip4/198.51.100.${n}/tcp/4001`];
  meets(node, ada, [advert(ada, place(1))], 90n);
  meets(node, bob, [advert(bob, place(2))], 10n);
  meets(node, cyd, [advert(cyd, place(3))], 50n);
  node.accept({ type: "message.failed", to: bob.peer, request: 4, reason: "timeout" });
  expect(asked(node, person(0x50)).map(({ peer_id }) => peer_id)).toEqual([
    person(9).peer,
    cyd.peer,
    ada.peer,
    bob.peer,
  ]);
});
