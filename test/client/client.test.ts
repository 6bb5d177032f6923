/**
 * Goal: the typed client sends, proves and reads against a node over real HTTP, with every digit; it reads
 * what older nodes answer; a refusal is one error that says which.
 * Method: the Fastify adapter around one node's core, and around canned answers.
 */
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { identityOfSigner, openClient } from "../../adapters/client/client.ts";
import { isRefusal, NodeRefusal } from "../../adapters/client/envelope.ts";
import { serviceIds } from "../../adapters/client/older-nodes.ts";
import { openStream } from "../../adapters/client/stream.ts";
import type { FakeNode } from "../http/fake-node.ts";
import { fakeNode } from "../http/fake-node.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";
import { NEVER_MS } from "../until.ts";
import { merchant, offer, T } from "./offer.ts";

/** A node behind HTTP whose answers are a core's. */
async function served(): Promise<FakeNode> {
  const core = loneNode(T);
  const node = await fakeNode();
  node.onCall = ({ replyTo, body }) => {
    node.port.reply(replyTo, core.body(body));
    return true;
  };
  return node;
}

/** A node behind HTTP that answers one result to everything. */
async function answering(result: string): Promise<FakeNode> {
  const node = await fakeNode();
  node.onCall = ({ replyTo }) => {
    node.port.reply(replyTo, result);
    return true;
  };
  return node;
}

const clientOf = (node: FakeNode, signatures: "tagged" | "bare" = "tagged") =>
  openClient({ url: `${node.url}/rpc`, signatures, callMsMax: NEVER_MS });

describe.each(["tagged", "bare"] as const)("a client that signs %s", (signatures) => {
  test("sends under an earned id, and reads every digit back", async () => {
    const client = clientOf(await served(), signatures);
    const id = await client.send("sendAdvertisementCreate", offer, merchant);
    expect(id).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    const shown = await client.call("getAdvertisement", { id });
    expect(shown?.max_trade.base_units).toBe(18_446_744_073_709_551_615n);
    expect(await client.call("getAdvertisements")).toEqual([shown]);
    const page = await client.call("getAdvertisements", { page: { after: null, limit: 1n } });
    expect(page).toEqual({ advertisements: [shown], next_cursor: id });
  });
});

test("the rows of all pages, each page when it is needed", async () => {
  const node = await served();
  const client = clientOf(node);
  const ids = ["ad-1", "ad-2", "ad-3", "ad-4", "ad-5"];
  for (const id of ids) await client.send("sendAdvertisementCreate", { ...offer, id }, merchant);
  const before = node.calls.length;
  const found: string[] = [];
  for await (const { id } of client.rows("getAdvertisements", { pageRows: 2n })) found.push(id);
  expect([found, node.calls.length - before]).toEqual([ids, 3]);
  const filter = { payment_method: "builtin:mpesa-kenya" };
  const first = await client.rows("getAdvertisements", { pageRows: 2n, filter }).next();
  expect([first.value?.id, node.calls.length - before]).toEqual(["ad-1", 4]);
});

test("a list that an older node answers whole is one page", async () => {
  const node = await answering('{"jsonrpc":"2.0","id":1,"result":[]}');
  expect(await clientOf(node).rows("getReservations", { pageRows: 2n }).next()).toEqual({ done: true });
  expect(node.calls.length).toBe(1);
});

test("pages that lead nowhere are an error", async () => {
  const node = await answering('{"jsonrpc":"2.0","id":1,"result":{"advertisements":[],"next_cursor":"ad-1"}}');
  await expect(clientOf(node).rows("getAdvertisements").next()).rejects.toThrow(
    "getAdvertisements: after ad-1 comes ad-1",
  );
  expect(node.calls.length).toBe(2);
});

test("a proof is asked for, signed and spent in one call", async () => {
  const client = clientOf(await served());
  expect(await client.prove("getMySettlements", merchant)).toEqual([]);
});

test.each([0, 31, 33, 64])("a key of %i bytes is nobody's, and is neither named nor asked about", async (length) => {
  const node = await served();
  const wallet = { ...merchant, publicKey: new Uint8Array(length).fill(7) };
  const told = new TypeError(`a public key has 32 bytes, not ${length}`);
  expect(() => identityOfSigner(wallet)).toThrow(told);
  await expect(clientOf(node).prove("getMySettlements", wallet)).rejects.toThrow(told);
  expect(node.calls.length).toBe(0);
});

test("earnings are proven by the key of the service's provider", async () => {
  const client = clientOf(await served());
  const key = { provider: offer.merchant, provider_public_key: offer.merchant_public_key };
  const empty = { endpoints: [], supported_ofs: [], capabilities: [], region: null, branding: null, pricing: null };
  const service_type = { Infrastructure: "PublicApiNode" } as const;
  const id = "service";
  const registration = { service_id: id, service_type, ...key, ...empty, payout_wallet: null, timestamp: T };
  await client.send("sendProviderRegister", registration, merchant);
  expect(await client.prove("getProviderEarnings", merchant, { id })).toEqual({
    service_id: id,
    payout_wallet: null,
    entries: [],
  });
  const secret = person(0x22).secret;
  const other = { publicKey: crypto.publicKey(secret), sign: (message: Uint8Array) => crypto.sign(secret, message) };
  await expect(client.prove("getProviderEarnings", other, { id })).rejects.toMatchObject({
    ofs: { name: "INVALID_SIGNATURE", reason: "other-bytes" },
  });
});

test("a call without what its method needs does not compile", async () => {
  const client = clientOf(await served());
  const missing = { code: -32_602, message: "missing field `id`" };
  // @ts-expect-error: no id
  await expect(client.call("getAdvertisement")).rejects.toMatchObject(missing);
  // @ts-expect-error: no id
  await expect(client.call("getAdvertisement", {})).rejects.toMatchObject(missing);
  // @ts-expect-error: no settlement
  await expect(client.prove("getMyTradeChannel", merchant)).rejects.toMatchObject(missing);
  // @ts-expect-error: neither challenge nor signature
  await expect(client.call("getMySettlements", { wallet: offer.merchant })).rejects.toMatchObject({ code: -32_602 });
  // What may be empty may be left out.
  expect(await client.call("getPaymentMethods", {})).toMatchObject({ country: null });
  expect(await client.call("getAdvertisements", { page: {} })).toEqual({ advertisements: [], next_cursor: null });
});

test("a refusal says its registered error; a misfit its JSON-RPC code", async () => {
  const client = clientOf(await served());
  await client.send("sendAdvertisementCreate", { ...offer, id: "ad-1" }, merchant);
  const again = client.send("sendAdvertisementCreate", { ...offer, id: "ad-1" }, merchant);
  await expect(again).rejects.toMatchObject({ code: -32_000, ofs: { name: "DUPLICATE_ADVERTISEMENT" } });
  // @ts-expect-error: no id
  await expect(client.call("getAdvertisement", {})).rejects.toMatchObject({ code: -32_602, ofs: undefined });
  await expect(client.call("getVersion", { nonsense: 1 } as never)).rejects.toThrow("takes no parameter nonsense");
});

test.each([
  ["create: direction: missing", { direction: undefined }],
  ["create: min_trade: expected a record", { min_trade: null }],
  ["create: min_trade: decimals: missing", { min_trade: { base_units: 1n } }],
  ["create: pricing: expected an object with one of Fixed, Floating", { pricing: { Fixd: {} } }],
  ["create: pricing: Fixed: price: base_units: missing", { pricing: { Fixed: { price: { decimals: 2 } } } }],
  ["create: id: expected a string", { id: 5n }],
  ["create: timestamp: expected an integer", { timestamp: new Date(0) }],
  ["create: timestamp: expected an integer", { timestamp: "1" }],
])("what is no payload is neither signed nor sent, and the error names the member: %s", async (told, odd) => {
  const node = await served();
  let signed = 0;
  const wallet = { ...merchant, sign: (message: Uint8Array) => (signed++, merchant.sign(message)) };
  const sent = clientOf(node).send("sendAdvertisementCreate", { ...offer, ...odd } as never, wallet);
  await expect(sent).rejects.toThrow(new TypeError(`sendAdvertisementCreate: ${told}`));
  expect([signed, node.calls.length]).toEqual([0, 0]);
});

test("a member that may be empty is null where it is empty", async () => {
  const dates = { expires_at: undefined, supersedes: null, timestamp: T } as unknown as { readonly timestamp: bigint };
  const { merchant: wallet, merchant_public_key: wallet_public_key } = offer;
  const claim = {
    id: "",
    wallet,
    wallet_public_key,
    claim_type: "MerchantName",
    value: "x",
    verified: false,
    ...dates,
  };
  await expect(clientOf(await served()).send("sendClaimPublish", claim as never, merchant)).rejects.toThrow(
    "sendClaimPublish: publish: expires_at: missing; null where there is none",
  );
});

/** A client of a node that refuses some calls before it answers "ok"; `waits` are the pauses that it made. */
function refusedAtFirst(refusals: number, name: string, retryable: boolean, retriesMax?: number) {
  const waits: number[] = [];
  let asked = 0;
  const data = { ofsErrorCode: 9, ofsErrorName: name, ofsRetryable: retryable, reason: "no-room" };
  const client = openClient({
    url: "http://node.example/rpc",
    fetch: () => {
      asked += 1;
      const error = { code: -32_000, message: name, data };
      return Promise.resolve(
        Response.json({ jsonrpc: "2.0", id: asked, ...(asked > refusals ? { result: "ok" } : { error }) }),
      );
    },
    wait: (ms) => Promise.resolve(void waits.push(ms)),
    ...(retriesMax !== undefined && { retriesMax }),
  });
  return { client, waits };
}

test("what the node calls retryable is asked again, ever later, and nothing else is", async () => {
  const patient = refusedAtFirst(3, "RATE_LIMIT_EXCEEDED", true);
  expect(await patient.client.call("getHealth")).toBe("ok");
  expect(patient.waits).toEqual([500, 1_000, 2_000]);
  const lost = refusedAtFirst(4, "RATE_LIMIT_EXCEEDED", true);
  await expect(lost.client.call("getHealth")).rejects.toThrow("RATE_LIMIT_EXCEEDED");
  for (const once of [refusedAtFirst(1, "INVALID_REQUEST", false), refusedAtFirst(1, "RATE_LIMIT_EXCEEDED", true, 0)]) {
    await expect(once.client.call("getHealth")).rejects.toThrow(NodeRefusal);
    expect(once.waits).toEqual([]);
  }
});

test("a refusal is told by its name, and by its reason", async () => {
  const thrown: unknown = await refusedAtFirst(1, "INVALID_REQUEST", false)
    .client.call("getHealth")
    .catch((error: unknown) => error);
  expect(isRefusal(thrown, "INVALID_REQUEST")).toBe(true);
  expect(isRefusal(thrown, "INVALID_REQUEST", "no-room")).toBe(true);
  expect(isRefusal(thrown, "INVALID_REQUEST", "sealed")).toBe(false);
  expect(isRefusal(thrown, "INVALID_PARAMETER")).toBe(false);
  if (!isRefusal(thrown, "INVALID_REQUEST", "no-room")) throw new Error("told above");
  const told: readonly ["INVALID_REQUEST", "no-room"] = [thrown.ofs.name, thrown.ofs.reason];
  expect(told).toEqual(["INVALID_REQUEST", "no-room"]);
  expect(isRefusal(new Error("INVALID_REQUEST"), "INVALID_REQUEST")).toBe(false);
});

test("reads a node that spells keys as arrays of integers", async () => {
  const key = [...crypto.publicKey(person(0x11).secret)].join(",");
  const old = (await sample()).replace(/"merchant_public_key":"[^"]*"/, `"merchant_public_key":[${key}]`);
  const node = await answering(old);
  const shown = await clientOf(node).call("getAdvertisement", { id: "ad-1" });
  expect(shown?.merchant_public_key).toBe(offer.merchant_public_key);
});

test("finds a service of an older node under its old id", () => {
  const key = crypto.publicKey(person(0x11).secret);
  expect(serviceIds("node", key)).toEqual([`node-${offer.merchant_public_key}`, "node-002408011220d04a"]);
});

test("the stream brings what the node accepted, decoded", async () => {
  const node = await served();
  const delivered = await new Promise((resolve) => {
    const close = openStream({
      url: `${node.url.replace("http", "ws")}/ws`,
      WebSocket,
      message: (message) => {
        close();
        resolve(message);
      },
      opened() {
        node.port.publish("own", '{"method":"unknownToThisClient","result":1}');
        node.port.publish("own", '{"method":"sendAdvertisementCreate","result":"ad-1"}');
      },
    });
  });
  expect(delivered).toEqual({ method: "sendAdvertisementCreate", result: "ad-1" });
});

test("who closed the stream is told nothing more of what was under way", async () => {
  const node = await served();
  const told: unknown[] = [];
  await new Promise((resolve) => {
    const close = openStream({
      url: `${node.url.replace("http", "ws")}/ws`,
      WebSocket,
      message({ result }) {
        told.push(result);
        close();
      },
      opened() {
        for (const id of ["ad-1", "ad-2"])
          node.port.publish("own", `{"method":"sendAdvertisementCreate","result":"${id}"}`);
      },
      closed: resolve,
    });
  });
  expect(told).toEqual(["ad-1"]);
});

test("an answer that is no answer, or not of the method's shape, is an error that shows it", async () => {
  await expect(clientOf(await answering("<html>")).call("getHealth")).rejects.toThrow(NodeRefusal);
  const odd = await answering('{"jsonrpc":"2.0","id":1,"result":{"version":7}}');
  await expect(clientOf(odd).call("getVersion")).rejects.toThrow("getVersion: version: expected a string");
});

test.each([
  [502, '{"message":"upstream is down"}'],
  [503, '{"error":"unavailable"}'],
  [500, "{}"],
  [502, ""],
  [504, `<html>${"x".repeat(10_000)}`],
])("what a proxy answers with %i in the place of a node is no empty result", async (status, body) => {
  const client = openClient({
    url: "http://node.example/rpc",
    fetch: () => Promise.resolve(new Response(body, { status })),
  });
  const thrown: unknown = await client.call("getAdvertisement", { id: "ad-1" }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(NodeRefusal);
  const { message } = thrown as NodeRefusal;
  expect(message.startsWith(`not a JSON-RPC answer (status ${status}): ${body.slice(0, 100)}`)).toBe(true);
  expect(message.length).toBeLessThan(1_000);
});

test("a result that a node leaves out is empty", async () => {
  expect(await clientOf(await answering('{"jsonrpc":"2.0","id":1}')).call("getAdvertisement", { id: "x" })).toBe(null);
});

/** The answer in which a node shows an advertisement. */
async function sample(): Promise<string> {
  const node = await served();
  await clientOf(node).send("sendAdvertisementCreate", { ...offer, id: "ad-1" }, merchant);
  const answer = await fetch(`${node.url}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"getAdvertisement","params":{"id":"ad-1"}}',
  });
  return answer.text();
}
