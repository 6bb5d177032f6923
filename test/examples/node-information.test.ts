/**
 * Goal: peers are shown as protocol 01 §16.9 publishes them; what this node measured is shown by default alone (W16).
 * Method: a peer connects and answers the exchange that it is asked for; then the published read.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EpochMillis } from "../../core/index.ts";
import { devnetNetwork } from "../../core/index.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { Frame, frameOf, OFS_PEER_EXCHANGE, PeerExchangeResponse } from "../../core/network/gossip/envelope.ts";
import { loneNode, person } from "../rpc/lone-node.ts";

const published = JSON.parse(readFileSync(new URL("published/peers.json", import.meta.url), "utf8")) as {
  readonly request: string;
  readonly answer: string;
};
const [A, B] = [person(1), person(2)];

test.each(["parity", "default"] as const)("protocol 01 §16.9 getPeers under %s", (profile) => {
  const receivedAt = 1_699_999_990_000n as EpochMillis;
  const node = loneNode(receivedAt, undefined, undefined, {
    profile: { ...devnetNetwork, parity: profile === "parity" },
    secretKey: A.secret,
    publicKey: A.key,
    peerId: A.peer,
    announcedAddresses: ["/ip4/203.0.113.7/udp/4001/quic-v1"],
  });
  node.accept({ type: "peer.connected", peer: B.peer, address: "/ip4/198.51.100.4/udp/4001/quic-v1" });
  const asked = node.effects.flatMap((effect) => (effect.type === "message.send" ? [effect.request] : []))[0];
  const advert = {
    peer_id: B.peer,
    public_key: B.key,
    addresses: ["/ip4/198.51.100.4/udp/4001/quic-v1"],
    roles: ["MerchantGateway" as const],
    node_version: "openfiat/0.1.0",
    supported_ofs: [1000, 1100, 1200],
  };
  const payload = encodeCompact(PeerExchangeResponse, { peers: [advert] });
  const bytes = encodeCompact(Frame, frameOf(OFS_PEER_EXCHANGE, "PeerExchangeResponse", payload, receivedAt));
  node.accept({ type: "message.answered", from: B.peer, request: asked ?? 0, bytes });
  node.now = 1_700_000_000_000n;
  const measured = published.answer
    .replace('"latency_ms":null', '"latency_ms":0')
    .replace('"successes":0', '"successes":1');
  expect(node.body(published.request)).toBe(profile === "parity" ? published.answer : measured);
});
