/**
 * Goal: what a provider signs, what goes on the wire and what is stored are the published bytes.
 * Method: every value of protocol 05 §15.1-15.6 from `published.json`; the event of §15.1 by a node of key 02.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { proofBytes } from "../../core/domains/fees/earnings.ts";
import { serviceById } from "../../core/domains/providers/queries.ts";
import {
  FeeSettlement,
  HealthUpdate,
  Registration,
  ServiceRecord,
  Withdrawal,
} from "../../core/domains/providers/schema.ts";
import { known } from "../../core/kernel/assert.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { decodeJson, encodeCompact } from "../../core/kernel/schema.ts";
import type { Fields, Struct } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { tagged, transcript } from "../../core/kernel/signed.ts";
import { fromBase58, toBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import { verify } from "../../core/kernel/verification.ts";
import { Events, GossipEvent } from "../../core/network/gossip/envelope.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";

interface Bytes {
  readonly length: number;
  readonly hex?: string;
  readonly sha256?: string;
}
interface Row {
  readonly source: string;
  readonly type: keyof typeof types;
  readonly transcript: string;
  readonly length?: number;
  readonly sha256?: string;
  readonly preimage: Bytes;
  readonly begins?: string;
  readonly tagged: Signature;
  readonly bare?: Signature;
  readonly wire?: Bytes;
  readonly record?: Bytes;
}

const T = 1_753_800_000_000n;
const types = { Registration, HealthUpdate, Withdrawal, FeeSettlement } as const;
const rows = JSON.parse(readFileSync(new URL("published.json", import.meta.url), "utf8")) as readonly Row[];

function expectBytes(bytes: Uint8Array, published: Bytes) {
  expect(bytes.length).toBe(published.length);
  if (published.hex !== undefined) expect(toHex(bytes)).toBe(published.hex);
  if (published.sha256 !== undefined) expect(toHex(crypto.sha256(bytes))).toBe(published.sha256);
}

describe.each(rows.map((row) => [`${row.source} ${row.type}`, row] as const))("%s", (_, row) => {
  const type = types[row.type] as unknown as SignedType;
  const parsed = parseJson(row.transcript);
  const decoded = decodeJson(type.payload as Struct<Fields>, parsed.ok ? parsed.value : null);
  const payload = (decoded.ok ? decoded.value.value : {}) as never;
  const json = transcript(type, payload);
  const preimage = tagged(type, json);
  const signer = person(row.type === "FeeSettlement" ? 2 : 1);

  test("transcript and preimage", () => {
    expect(new TextDecoder().decode(json)).toBe(row.transcript);
    if (row.length !== undefined) expect(json.length).toBe(row.length);
    if (row.sha256 !== undefined) expect(toHex(crypto.sha256(json))).toBe(row.sha256);
    expectBytes(preimage, row.preimage);
    if (row.begins !== undefined) expect(toHex(preimage).startsWith(row.begins)).toBe(true);
  });

  test("signatures", () => {
    expect(toBase58(crypto.sign(signer.secret, preimage))).toBe(row.tagged);
    expect(verify(crypto, type, payload, row.tagged)).toEqual({ bound: true, point: true, form: "tagged" });
    if (row.bare === undefined) return;
    expect(toBase58(crypto.sign(signer.secret, json))).toBe(row.bare);
    expect(verify(crypto, type, payload, row.bare).form).toBe("bare");
  });

  test("wire and record", () => {
    const outer = { [type.outer]: payload, signature: row.tagged };
    if (row.wire !== undefined) expectBytes(encodeCompact(type.wire, outer as never), row.wire);
    if (row.record === undefined) return;
    const node = loneNode(T);
    node.call("sendProviderRegister", { data: dataOf(type, row) });
    const { service_id } = payload as { readonly service_id: string };
    const held = known(serviceById(node.view, service_id, T as EpochMillis), "the service");
    expectBytes(encodeCompact(ServiceRecord, held), row.record);
  });
});

test("a fee settlement verifies in its tagged form only", () => {
  const row = known(rows.at(-1), "the last row");
  const parsed = parseJson(row.transcript);
  const decoded = decodeJson(FeeSettlement.payload, parsed.ok ? parsed.value : null);
  const payload = known(decoded.ok ? decoded.value.value : undefined, "a payload");
  const bare = toBase58(crypto.sign(person(2).secret, transcript(FeeSettlement, payload))) as Signature;
  expect(verify(crypto, FeeSettlement, payload, bare).form).toBeUndefined();
});

test("the event that relays a registration is the published one, and the stream tells of it", () => {
  const relay = person(2);
  const own = { secretKey: relay.secret, publicKey: relay.key, peerId: relay.peer };
  const node = loneNode(T + 5n, undefined, undefined, own);
  const [row] = rows;
  expect(
    node.call("sendProviderRegister", { data: dataOf(Registration as unknown as SignedType, known(row, "a row")) }),
  ).toBe("svc-1");
  const [key] = [...node.view.keys(Events)];
  const { event } = known(node.view.get(Events, known(key, "a key")), "an event");
  expect(event.signature).toBe(
    "4g43dbBS1r933vvWTtBAcYs9XzsnvJrbYP1FJ3zVGPLCAm7EoB3WLdYVRQQZ9cie8ry4ytp27nn39gmjYqQPqSpW",
  );
  expect(toBase58(event.id)).toBe("EJ8isERE4JfEMDAf5q3AFcCy1hyFn934uKkeNSzoLRKh");
  expectBytes(encodeCompact(GossipEvent, event), {
    length: 337,
    sha256: "02bb833587b702ecf04bca1c3ad1247b2d48610dacaa0898e0e7fdf832268b23",
  });
  expect(node.published).toEqual(['{"method":"sendProviderRegister","result":"svc-1"}']);
});

test("an earnings proof signs the service and the nonce, and nothing else", () => {
  const message = proofBytes("svc-1", `${"0".repeat(62)}ff`);
  const signature = crypto.sign(person(1).secret, message);
  expect(new TextDecoder().decode(message)).toBe(`openfiat-earnings:svc-1:${"0".repeat(62)}ff`);
  expect(toBase64(signature)).toBe(
    "pn5E1pJcjgfaq/9ShbT1Zal/ds7XY9Oyb5vIhoBx7937J+u2fDgV0fGAbKFBqCemnMBQhW8CUD3sWil3u6BWCA==",
  );
  const key = known(fromBase58(person(1).key), "a key");
  expect(crypto.verify(key, message, signature)).toBe(true);
});

function dataOf(type: SignedType, row: Row): string {
  return toBase64(utf8(`{"${type.outer}":${row.transcript},"signature":"${row.tagged}"}`));
}
