/**
 * Goal: signed bytes, hashes, signatures, identities and wire bytes are those that were published.
 * Method: every published row whose payload type the core has, signed and verified by the native adapter; a row whose
 * type is missing is skipped by name and joins in the moment the type is declared.
 */
import { describe, expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { known } from "../../core/kernel/assert.ts";
import { concat, fromHex, toHex } from "../../core/kernel/bytes.ts";
import { parseJson } from "../../core/kernel/json.ts";
import {
  decodeCompact,
  decodeJson,
  encodeCompact,
  TRANSCRIPT,
  TRANSCRIPT_ECMASCRIPT,
} from "../../core/kernel/schema.ts";
import { earnedId, identityOf, statementOf, tagged, transcript } from "../../core/kernel/signed.ts";
import { fromBase58, toBase58, utf8 } from "../../core/kernel/text.ts";
import type { Signature } from "../../core/kernel/values.ts";
import { verify } from "../../core/kernel/verification.ts";
import type { Vector } from "./fixtures.ts";
import { commitmentRows, personOf, secretOf, statementRows, vectors, waitingRows } from "./fixtures.ts";

const crypto = openNativeCrypto();

/** The signed bytes in the spelling that the row was signed in. */
function jsonOf({ row, type, payload }: Vector): Uint8Array {
  return utf8(type.payload.write(payload, row.spelling === "protocol" ? TRANSCRIPT : TRANSCRIPT_ECMASCRIPT));
}

function sign(vector: Vector, message: Uint8Array): string {
  return toBase58(crypto.sign(secretOf(personOf(vector.row.signer).seed), message));
}

function wireOf({ row }: Vector): { readonly hex: string; readonly signature: Signature } | undefined {
  if (row.wire === undefined) return undefined;
  const signature = known(row[row.wire.form], "the signature on the wire");
  if ("hex" in row.wire) return { hex: row.wire.hex, signature };
  const parts: Readonly<Record<string, string>> = {
    peer: toHex(known(fromBase58(row.signer), "peer")),
    key: toHex(known(fromBase58(personOf(row.signer).publicKey), "key")),
    signature: toHex(known(fromBase58(signature), "signature")),
  };
  return { hex: row.wire.parts.map((part) => parts[part] ?? part).join(""), signature };
}

test("no published row is lost between the file and the tests", () => {
  expect(vectors.length + waitingRows.length).toBe(statementRows.length);
  expect(statementRows.length).toBeGreaterThanOrEqual(41);
  expect(vectors.length).toBeGreaterThanOrEqual(25);
});

for (const row of waitingRows) test.skip(`${row.source}: no payload type has the tag ${row.tag}`);

describe.each(vectors.map((vector) => [vector.row.source, vector] as const))("%s", (_, vector) => {
  const { row, type, payload } = vector;
  const json = jsonOf(vector);
  const preimage = tagged(type, json);

  test("transcript and tagged preimage", () => {
    expect(type.tag).toBe(row.tag);
    expect(json.length).toBe(row.transcript.length);
    if (row.transcript.sha256) expect(toHex(crypto.sha256(json))).toBe(row.transcript.sha256);
    if (row.preimage?.length) expect(preimage.length).toBe(row.preimage.length);
    if (row.preimage?.sha256) expect(toHex(crypto.sha256(preimage))).toBe(row.preimage.sha256);
    if (row.preimage?.hex) expect(toHex(preimage)).toBe(row.preimage.hex);
  });

  test("identity is the hash of the preimage in the protocol's spelling, whatever was signed", () => {
    const identity = identityOf(crypto, type, payload);
    expect(identity).toBe(toHex(crypto.sha256(tagged(type, transcript(type, payload)))));
    if (row.spelling === "protocol" && row.preimage?.sha256) expect(identity).toBe(row.preimage.sha256);
    if (row.identity) expect(toBase58(known(fromHex(identity), "identity"))).toBe(row.identity);
  });

  test("both signatures are reproduced and verify in the forms that the type accepts", () => {
    const bound = { bound: true, point: true };
    if (row.bare) {
      expect(sign(vector, json)).toBe(row.bare);
      expect(verify(crypto, type, payload, row.bare)).toEqual({
        ...bound,
        form: type.forms === "both" ? "bare" : undefined,
      });
    }
    if (row.tagged) {
      expect(sign(vector, preimage)).toBe(row.tagged);
      expect(verify(crypto, type, payload, row.tagged)).toEqual({ ...bound, form: "tagged" });
    }
  });

  test("a document of payload and signature decodes to the same payload, and its wire bytes back again", () => {
    const signature = known(row.tagged ?? row.bare, "a signature");
    const document = `{${JSON.stringify(type.outer)}:${new TextDecoder().decode(json)},"signature":"${signature}"}`;
    const parsed = parseJson(document);
    const decoded = decodeJson(type.wire, parsed.ok ? parsed.value : null);
    expect(decoded).toEqual({ ok: true, value: { value: { [type.outer]: payload, signature }, tainted: false } });
    const bytes = encodeCompact(type.wire, { [type.outer]: payload, signature });
    expect(decodeCompact(type.wire, bytes)).toEqual({ [type.outer]: payload, signature });
    expect(decodeCompact(type.wire, concat(bytes, Uint8Array.of(1, 2, 3)))).toEqual({
      [type.outer]: payload,
      signature,
    });
  });

  test("bytes of payload and signature may not change", () => {
    for (const [form, message] of [
      ["bare", json],
      ["tagged", preimage],
    ] as const) {
      const signature = row[form];
      if (signature === undefined) continue;
      const key = known(fromBase58(personOf(row.signer).publicKey), "key");
      const bytes = known(fromBase58(signature), "signature");
      expect(crypto.verify(key, message, bytes)).toBe(true);
      for (let at = 0; at < message.length; at += 16) expect(crypto.verify(key, flip(message, at), bytes)).toBe(false);
      for (let at = 0; at < bytes.length; at += 5) {
        const spoiled = toBase58(flip(bytes, at)) as Signature;
        expect(verify(crypto, type, payload, spoiled).form, `byte ${at}`).toBeUndefined();
      }
    }
  });

  test("a statement keeps the form it came in and stands by its own id", () => {
    const signature = known(row.tagged ?? row.bare, "a signature");
    const statement = statementOf(crypto, type, payload, signature, "tagged");
    expect(statement).toMatchObject({ signer: row.signer, bare: null, tagged: signature, idForm: "plain" });
    if (type.creates === undefined) return;
    const idForm = type.naming !== "id" ? "earned" : "plain";
    const named = { ...payload, id: earnedId(crypto, type, payload) };
    expect(statementOf(crypto, type, named, signature, "bare").idForm).toBe(
      type.creates === "reservation" ? "void" : idForm,
    );
  });

  const wire = wireOf(vector);
  if (wire === undefined) return;
  test("wire bytes", () => {
    const document = { [type.outer]: payload, signature: wire.signature };
    expect(toHex(encodeCompact(type.wire, document))).toBe(wire.hex);
    expect(decodeCompact(type.wire, known(fromHex(wire.hex), "bytes"))).toEqual(document);
  });
});

test("commitments hash the vote's wire index, then the secret", () => {
  for (const { vote, secret, sha256 } of commitmentRows) {
    expect(toHex(crypto.sha256(concat(Uint8Array.of(vote), secretOf(secret))))).toBe(sha256);
  }
});

function flip(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
