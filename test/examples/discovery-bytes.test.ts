/**
 * Goal: what peers tell each other of themselves is the bytes of protocol 05 §15.11, both ways.
 */
import { expect, test } from "vitest";
import { fromHex, toHex, u64be } from "../../core/kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import { struct } from "../../core/kernel/schema-composites.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { EpochMillis as Millis } from "../../core/kernel/values.ts";
import { PeerExchangeRequest, PeerExchangeResponse } from "../../core/network/gossip/envelope.ts";
import { crypto, person } from "../rpc/lone-node.ts";

const A = person(1);
const ADVERT =
  "260024080112208a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c8a88e3dd7409f195fd52db2d3cba5d72ca67" +
  "09bf1d94121bf3748801b40f6f5c01212f6970342f3230332e302e3131332e392f7564702f343030312f717569632d763101000e6f70656e66" +
  "6961742f302e312e3002e807cc08";
const DATE = "808481b58533";
const SIGNATURE = "61fj3GMHGqzuL7VDusDtQvWwDresJ16eTfBeDYu8yMZTqWV4kcLmBDBvxc8puML4PXqvkpbhgrphpmHUyBVvgtGK";

const advert = {
  peer_id: A.peer,
  public_key: A.key,
  addresses: ["/ip4/203.0.113.9/udp/4001/quic-v1"],
  roles: ["FullNode" as const],
  node_version: "openfiat/0.1.0",
  supported_ofs: [1000, 1100],
};

test("a request for twenty peers", () => {
  expect(toHex(encodeCompact(PeerExchangeRequest, { max_peers: 20 }))).toBe("14");
});

test("an answer with one advert", () => {
  const bytes = encodeCompact(PeerExchangeResponse, { peers: [advert] });
  expect(toHex(bytes)).toBe(`01${ADVERT}`);
  expect(decodeCompact(PeerExchangeResponse, bytes)).toEqual({ peers: [advert] });
});

test("the advert that a peer may sign: the same bytes and a date", () => {
  const date = encodeCompact(struct("Dated", { at: Millis }), { at: 1_753_800_000_000n as EpochMillis });
  expect(toHex(date)).toBe(DATE);
  const inner = fromHex(ADVERT + DATE) ?? u64be(0n);
  expect(toBase58(crypto.sign(A.secret, inner))).toBe(SIGNATURE);
});
