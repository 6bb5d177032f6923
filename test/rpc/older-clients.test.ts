/**
 * Goal: clients of the interface document's own age trade unchanged: payment methods in free text, and empty members
 * left out of what is signed; the reference's rules take neither (protocol 01 §2.2, 02 B.6, I.1; DESIGN §7 #20).
 * Method: the bytes that such a client signs, to nodes of both profiles; what is taken goes on to a peer and through a
 * restart; every other choice of members left out is refused.
 */
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { Registration } from "../../core/domains/providers/schema.ts";
import { methods } from "../../core/domains.ts";
import { schemaOf } from "../../core/engine/json-schema.ts";
import { contenders, Statements } from "../../core/engine/statements/table.ts";
import { known } from "../../core/kernel/assert.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { tagged } from "../../core/kernel/signed.ts";
import { toBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import { Events, Frame, frameOf, GossipEvent, OFS_GOSSIP } from "../../core/network/gossip/envelope.ts";
import type { LoneNode } from "./lone-node.ts";
import { crypto, loneNode, parityNode, person } from "./lone-node.ts";
import { merchant, resultOf, signedSends } from "./signed-sends.ts";

const NOW = 1_786_000_000_000n;
const provider = person(0x66);

/** What a client of that age knows of a registration: no branding. */
const registration = {
  service_id: "svc-1",
  service_type: { Infrastructure: "PublicApiNode" },
  provider: provider.peer,
  provider_public_key: provider.key,
  endpoints: ["https://a.example.org"],
  supported_ofs: [1500],
  region: null,
  capabilities: [],
  pricing: null,
  payout_wallet: null,
  timestamp: Number(NOW),
};

const without = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(registration).filter(([name]) => !names.includes(name)));

/** Sends what was signed as it was written. */
function register(node: LoneNode, sent: object, signed: object = sent, form: "bare" | "tagged" = "bare"): unknown {
  const json = utf8(JSON.stringify(signed));
  const bytes = form === "bare" ? json : tagged(Registration as never, json);
  const signature = toBase58(crypto.sign(provider.secret, bytes));
  const data = toBase64(utf8(JSON.stringify({ registration: sent, signature })));
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendProviderRegister", params: { data } });
  return resultOf(node.body(body) ?? "");
}

/** Brings what a node originated to another. */
function pass(from: LoneNode, to: LoneNode): void {
  for (const key of from.view.keys(Events)) {
    const event = known(from.view.get(Events, key), "an event").event;
    const frame = frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event), to.now as never);
    const push = {
      type: "message.received",
      from: person(9).peer,
      replyTo: "push",
      bytes: encodeCompact(Frame, frame),
    };
    to.accept(push as never);
  }
}

test.each([
  ["branding left out", without("branding")],
  ["every empty member left out", without("branding", "region", "pricing", "payout_wallet")],
  ["a member inside another left out", { ...without("region"), branding: { name: "A", logo: null } }],
])("a registration with %s, signed so in either form, is one statement with the explicit one", (_, sent) => {
  for (const form of ["bare", "tagged"] as const) {
    const node = loneNode(NOW);
    const ordered = inOrder(sent);
    expect(register(node, ordered, ordered, form)).toBe("svc-1");
    const explicit = loneNode(NOW);
    expect(register(explicit, inOrder(withNulls(sent)))).toBe("svc-1");
    expect([...node.view.keys(Statements)]).toEqual([...explicit.view.keys(Statements)]);
    const read = (of: LoneNode) => of.call("getProvider", { id: "svc-1" });
    expect(read(node)).toEqual(read(explicit));

    const peer = loneNode(NOW);
    pass(node, peer);
    expect(read(peer)).toEqual(read(node));
    expect(peer.roots()).toEqual(node.roots());
    const strict = parityNode(NOW);
    pass(node, strict);
    expect(read(strict)).toBeNull();
    expect(read(node.restart())).toEqual(read(node));
  }
});

test("what is left out of the text must be left out of what is signed, and the other way round", () => {
  const node = loneNode(NOW);
  const explicit = inOrder(withNulls(registration));
  expect(register(node, inOrder(without("region")), inOrder(without("pricing")))).toBe(1003);
  expect(register(node, explicit, inOrder(without("branding")))).toBe(1003);
  expect(node.view.size(Statements)).toBe(0);
  expect(register(node, inOrder(without("region")), explicit)).toBe("svc-1");
});

test("the reference takes no signature without the empty members", () => {
  const node = parityNode(NOW);
  expect(register(node, inOrder(registration))).toBe(1003);
  expect(register(node, inOrder(registration), inOrder(withNulls(registration)))).toBe("svc-1");
});

test.each(["M-Pesa", "a bank, any", "a:b\u0085", "x".repeat(128)])("a payment method in free text: %s", (text) => {
  const [node, strict] = [loneNode(NOW), parityNode(NOW)];
  const offer = (of: LoneNode) => resultOf(signedSends(of).create({ payment_methods: [text] }));
  expect(offer(node)).toBe("ad-1");
  expect(offer(strict)).toBe(-32602);
  expect(node.call("getAdvertisement", { id: "ad-1" })).toMatchObject({ payment_methods: [text] });
  const found = (of: LoneNode, payment_method: string) =>
    (of.call("getAdvertisements", { filter: { payment_method } }) as { advertisements?: readonly unknown[] })
      .advertisements?.length;
  expect(found(node, text)).toBe(1);
  expect(found(node, text.toLowerCase() === text ? text.toUpperCase() : text.toLowerCase())).toBe(0);
  expect(strict.call("getAdvertisements", { filter: { payment_method: text } })).toBe(-32602);
  expect(node.call("getPaymentMethod", { id: text })).toBeNull();
  expect(strict.call("getPaymentMethod", { id: text })).toBe(-32602);

  const peer = loneNode(NOW);
  pass(node, peer);
  expect(peer.roots()).toEqual(node.roots());
  pass(node, strict);
  expect(contenders(strict.view, "advertisement", "ad-1")).toEqual([]);
});

test.each(["", "x".repeat(129), "é".repeat(65), "a\nb"])("no payment method: %j", (text) => {
  const node = loneNode(NOW);
  expect(resultOf(signedSends(node).create({ payment_methods: [text] }))).toBe(-32602);
});

test("a method that another merchant defined is nobody else's", () => {
  const other = `${person(0x33).peer}:0123456789abcdef`;
  expect(resultOf(signedSends(loneNode(NOW)).create({ payment_methods: [other] }))).toBe(3003);
  expect(resultOf(signedSends(loneNode(NOW)).create({ payment_methods: [`${merchant.peer}:0123456789abcdef`] }))).toBe(
    "ad-1",
  );
});

test("null asks for nothing where every member inside may be null; the reference wants an object", () => {
  const [node, strict] = [loneNode(NOW), parityNode(NOW)];
  expect(node.call("getAdvertisements", { filter: null, page: null })).toEqual([]);
  expect(node.call("getAdvertisements", { filter: null, page: {} })).toEqual({ advertisements: [], next_cursor: null });
  expect(strict.call("getAdvertisements", { filter: null })).toBe(-32602);
  const printed = Object.values(methods["getAdvertisements"]?.params.fields ?? {}).map((field) => schemaOf(field));
  const described = printed.map((schema) => new Ajv({ strict: false, validateFormats: false }).compile(schema));
  expect(described.map((take) => [take(null), take({}), take([])])).toEqual([
    [true, true, false],
    [true, true, false],
  ]);
});

/** Members in the order that is signed. */
function inOrder(sent: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.keys(Registration.payload.fields).flatMap((name) => (name in sent ? [[name, sent[name]]] : [])),
  );
}

function withNulls(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const branding = sent["branding"];
  const empty = { region: null, branding: null, pricing: null, payout_wallet: null };
  const inside = { name: null, description: null, logo: null, website: null };
  return { ...empty, ...sent, ...(branding === undefined ? {} : { branding: { ...inside, ...(branding as object) } }) };
}
