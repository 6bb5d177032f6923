/**
 * Goal: one verdict for one payload and signature: the form that was signed, or none; and ids are earned or plain.
 * Method: payloads of every type, really signed; then a change anywhere, a wrong form or key, arrays of integers.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { marketplace } from "../../core/domains.ts";
import { known } from "../../core/kernel/assert.ts";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { decodeJson, TRANSCRIPT, TRANSCRIPT_ECMASCRIPT } from "../../core/kernel/schema.ts";
import { list, option, pair } from "../../core/kernel/schema-composites.ts";
import { f64, u8 } from "../../core/kernel/schema-scalars.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import {
  compareStatements,
  earnedId,
  earnedNumber,
  identityOf,
  identityOfName,
  idFormOf,
  isHashShaped,
  leavingOut,
  preimageOf,
  signed,
  statementOf,
  tagged,
  transcript,
} from "../../core/kernel/signed.ts";
import { fromBase58, toBase58, utf8 } from "../../core/kernel/text.ts";
import type { Identity, PublicKey, Signature } from "../../core/kernel/values.ts";
import { EpochMillis, PeerId, Text } from "../../core/kernel/values.ts";
import { preimageIn, signingsOf, verify } from "../../core/kernel/verification.ts";
import type { Signer } from "../../sim/arbitraries/people.ts";
import { arbSigner, signerOf } from "../../sim/arbitraries/people.ts";
import type { SignedPayload } from "../../sim/arbitraries/signed.ts";
import { arbPayload, arbSigned } from "../../sim/arbitraries/signed.ts";
import { forAll, samples } from "../property/for-all.ts";

const crypto = openNativeCrypto();
/** Cases that are classified: enough for every type to be among them. */
const SAMPLE = 600;

/** Payload and signature as a client sends them, after a change of the payload's text. */
function decoded(type: SignedType, text: string) {
  const parsed = parseJson(text);
  return decodeJson(type.wire, parsed.ok ? parsed.value : null);
}

function numbersOf(base58: string): string {
  return JSON.stringify([...known(fromBase58(base58), "base58")]);
}

/** Every type is tried; its share says only that it is. */
const everyType = Object.fromEntries(marketplace.types.map(({ name }) => [name, 1 / SAMPLE]));
const creating = marketplace.types.filter(({ naming }) => naming !== "id");

/** A payload of any type, signed by the signer it names; types with floats more often than others. */
const arbAny: fc.Arbitrary<SignedPayload> = fc.oneof(
  ...marketplace.types.map((type) => ({ weight: type.payload.floats ? 4 : 1, arbitrary: arbSigned(crypto, type) })),
);

/** Whether the two float spellings of a payload differ. */
function isSpelledInTwoWays({ type, payload }: SignedPayload): boolean {
  return type.payload.write(payload, TRANSCRIPT) !== type.payload.write(payload, TRANSCRIPT_ECMASCRIPT);
}

test("the form that was signed is found, whichever spelling floats have", () => {
  forAll(
    [arbAny],
    ({ type, payload, signature, form }) => {
      expect(verify(crypto, type, payload, signature)).toEqual({ bound: true, point: true, form });
    },
    {
      runs: 400,
      sample: SAMPLE,
      classes: (signed) => [
        signed.type.name,
        signed.form,
        ...(signed.type.keyOf(signed.payload) === undefined ? ["without a key member"] : []),
        ...(isSpelledInTwoWays(signed) ? [`${signed.form}, floats spelled in two ways`] : []),
      ],
      shares: {
        ...{ ...everyType, bare: 0.15, tagged: 0.3, "without a key member": 0.02 },
        ...{ "bare, floats spelled in two ways": 0.01, "tagged, floats spelled in two ways": 0.01 },
      },
    },
  );
});

test("what a signature of all members may sign has the bytes that name the statement; one of fewer members has not", () => {
  forAll(
    [arbAny, fc.nat(1)],
    ({ type, payload, signature, form }, leftOut) => {
      const signings = signingsOf(type, payload, signature);
      const preimage = preimageIn(signings);
      expect(preimage).toEqual(preimageOf(type, payload));
      expect(statementOf(crypto, type, payload, signature, form, preimage)).toEqual(
        statementOf(crypto, type, payload, signature, form),
      );
      expect(verify(crypto, type, payload, signature, signings)).toEqual(verify(crypto, type, payload, signature));
      const brief = signingsOf(type, payload, known(leavingOut(signature, [leftOut]), "a signature"));
      expect(preimageIn(brief)).toBeUndefined();
      return [type.name, brief.length > 0 ? "has an empty member" : "has none of that number"];
    },
    {
      runs: 200,
      sample: SAMPLE,
      shares: { ...everyType, "has an empty member": 0.01, "has none of that number": 0.2 },
    },
  );
});

test("a change of payload or signature leaves no form", () => {
  forAll(
    [arbAny, arbSigner(), fc.nat(63), fc.integer({ min: 1, max: 255 }), fc.nat()],
    (original, stranger, at, change, pick) => {
      const { type, payload, signature } = original;
      const bytes = known(fromBase58(signature), "signature").slice();
      bytes[at] = (bytes[at] ?? 0) ^ change;
      const longer = toBase58(Uint8Array.of(...known(fromBase58(signature), "signature"), 0));
      for (const wrong of [toBase58(bytes), "", toBase58(bytes.subarray(1)), `1${signature}`, longer, "0"]) {
        expect(verify(crypto, type, payload, wrong as Signature).form).toBeUndefined();
      }
      const changed = expectChangeSeen(original, pick);
      return [type.name, changed, ...expectStrangerSeen(original, stranger)];
    },
    {
      runs: 300,
      sample: SAMPLE,
      shares: {
        ...{ ...everyType, "another payload": 0.2, "no payload": 0.1, stranger: 0.3 },
        "stranger with a key": 0.2,
      },
    },
  );
});

/** Changes one byte of the payload's text: what is still a payload is another one, and nobody signed it. */
function expectChangeSeen({ type, payload, signature }: SignedPayload, pick: number): string {
  const json = transcript(type, payload);
  const place = pick % json.length;
  json[place] = (json[place] ?? 0) ^ 1;
  const changed = decoded(type, `{"${type.outer}":${Buffer.from(json).toString()},"signature":"${signature}"}`);
  const inner = changed.ok ? (changed.value.value[type.outer] as typeof payload) : undefined;
  if (inner === undefined) return "no payload";
  if (type.payload.write(inner, TRANSCRIPT) === type.payload.write(payload, TRANSCRIPT)) return "the same payload";
  expect(verify(crypto, type, inner, signature).form).toBeUndefined();
  return "another payload";
}

/** Puts a stranger in the signer's place: nothing verifies, and a key that stayed is no longer bound. */
function expectStrangerSeen({ type, payload, signature, signer }: SignedPayload, stranger: Signer): readonly string[] {
  if (stranger.peer === signer.peer) return [];
  const names = Object.entries(payload).filter(([, value]) => value === signer.peer);
  const forged = { ...payload, ...Object.fromEntries(names.map(([name]) => [name, stranger.peer])) };
  const verdict = verify(crypto, type, forged, signature);
  expect(verdict.form).toBeUndefined();
  if (type.keyOf(payload) === undefined) {
    expect(verdict).toMatchObject({ bound: true, point: true });
    return ["stranger"];
  }
  expect(verdict).toMatchObject({ bound: false, point: true });
  return ["stranger", "stranger with a key"];
}

test("a bare signature counts only where the type takes it", () => {
  const arb = fc.oneof(
    ...marketplace.types.map((type) =>
      arbSigner().chain((signer) => arbPayload(type, signer).map((payload) => ({ type, signer, payload }))),
    ),
  );
  forAll(
    [arb, fc.constantFrom(...marketplace.types)],
    ({ type, signer, payload }, other) => {
      const bare = toBase58(crypto.sign(signer.secretKey, transcript(type, payload))) as Signature;
      expect(verify(crypto, type, payload, bare).form).toBe(type.forms === "both" ? "bare" : undefined);
      const elsewhere = crypto.sign(signer.secretKey, tagged(other, transcript(type, payload)));
      const form = other.tag === type.tag ? "tagged" : undefined;
      expect(verify(crypto, type, payload, toBase58(elsewhere) as Signature).form).toBe(form);
    },
    {
      runs: 300,
      sample: SAMPLE,
      classes: ({ type }, other) => [type.name, type.forms, other === type ? "its own tag" : "another tag"],
      shares: { ...everyType, both: 0.2, tagged: 0.1, "its own tag": 0.005, "another tag": 0.5 },
    },
  );
});

test("an array of integers for key, peer id or signature is read and taints", () => {
  forAll(
    [arbAny],
    ({ type, payload, signature, signer }) => {
      const inner = type.payload.write(payload, TRANSCRIPT);
      const document = (body: string, signed: string) => `{"${type.outer}":${body},"signature":${signed}}`;
      const text = JSON.stringify(signature);
      expect(decoded(type, document(inner, text))).toMatchObject({ ok: true, value: { tainted: false } });
      const key = type.keyOf(payload);
      const peer = JSON.stringify(signer.peer);
      const tainted = [
        document(inner, numbersOf(signature)),
        document(inner, "[]"),
        document(inner.replaceAll(peer, numbersOf(signer.peer)), text),
        ...(key ? [document(inner.replaceAll(JSON.stringify(key), numbersOf(key)), text)] : []),
      ];
      for (const sent of tainted) expect(decoded(type, sent)).toMatchObject({ ok: true, value: { tainted: true } });
      for (const wrong of ["[256]", "[1.0]", "[-1]", '["1"]', "null", "1", "{}", '"0"']) {
        expect(decoded(type, document(inner, wrong)).ok, wrong).toBe(false);
      }
    },
    {
      runs: 200,
      sample: SAMPLE,
      classes: ({ type, payload }) => [type.name, ...(type.keyOf(payload) ? ["with a key"] : ["without a key"])],
      shares: { ...everyType, "with a key": 0.4, "without a key": 0.02 },
    },
  );
});

test("an earned id is earned by its own content only", () => {
  const arb = fc.oneof(
    ...creating.map((type) => {
      const named = arbSigner().chain((signer) => arbPayload(type, signer));
      return fc.tuple(named, named).map(([payload, other]) => ({ type, payload, other }));
    }),
  );
  forAll(
    [arb],
    ({ type, payload, other }) => {
      const id = earnedId(crypto, type, payload);
      expect(isHashShaped(id)).toBe(true);
      expect(earnedId(crypto, type, { ...payload, id })).toBe(id);
      const same = earnedId(crypto, type, other) === id;
      const idForm = (value: typeof payload, name: string) => idFormOf(crypto, type, { ...value, id: name });
      expect(idForm(payload, "a-1")).toBe("plain");
      if (type.creates !== "reservation") {
        expect(idForm(payload, id)).toBe("earned");
        if (!same) expect(idForm(other, id)).toBe("void");
        return [type.name];
      }
      const number = earnedNumber(crypto, type, payload);
      const isLong = number.length >= 18;
      expect(idForm(payload, number)).toBe(isLong ? "earned" : "plain");
      expect(idForm(payload, id)).toBe("void");
      if (!same) expect(idForm(other, number)).toBe("plain");
      return [type.name, `a number of ${number.length} digits`];
    },
    {
      runs: 200,
      sample: SAMPLE,
      shares: {
        ...Object.fromEntries(creating.map(({ name }) => [name, 0.02])),
        ...{ "a number of 19 digits": 0.02, "a number of 18 digits": 0.005 },
      },
    },
  );
});

test("a key that is no point, and a key that is not the one inside the peer id", () => {
  const type = known(
    marketplace.types.find((candidate) => candidate.name === "ReservationRequest"),
    "type",
  );
  const [signer, stranger] = [
    signerOf(crypto, new Uint8Array(32).fill(1)),
    signerOf(crypto, new Uint8Array(32).fill(2)),
  ];
  const [payload] = samples(arbPayload(type, signer), 1);
  const named = known(payload, "payload");
  const signature = toBase58(crypto.sign(signer.secretKey, transcript(type, named))) as Signature;
  const unbound = { ...named, requester_public_key: stranger.publicKey };
  expect(verify(crypto, type, unbound, signature)).toEqual({ bound: false, point: true, form: undefined });
  const noPoint = toBase58(Uint8Array.of(2, ...new Uint8Array(31))) as PublicKey;
  const spoiled = { ...named, requester_public_key: noPoint };
  expect(verify(crypto, type, spoiled, signature)).toEqual({ bound: false, point: false, form: undefined });
});

test("a float deep inside a pair or a list is tried in both spellings", () => {
  const fields = { who: PeerId, at: EpochMillis, note: Text, rates: list(option(pair(u8, f64))) };
  const Deep = signed("openfiat/test/Deep/v1", {
    ...{ outer: "deep", signer: "who", time: "at", event: "Deep", ofs: 1, priority: 0, fields },
  });
  const signer = signerOf(crypto, new Uint8Array(32).fill(5));
  const payload = { who: signer.peer, at: 1n as EpochMillis, note: "", rates: [null, [1, 130] as const] };
  const bare = utf8(`{"who":"${signer.peer}","at":1,"note":"","rates":[null,[1,130]]}`);
  const signature = toBase58(crypto.sign(signer.secretKey, bare)) as Signature;
  expect(verify(crypto, Deep, payload, signature).form).toBe("bare");
});

test("statements are ordered by time, then identity; a name spells an identity or nothing", () => {
  const type = known(marketplace.types[0], "type");
  const signer = signerOf(crypto, new Uint8Array(32).fill(3));
  const statements = samples(arbPayload(type, signer), 20).map((payload, index) => ({
    ...statementOf(crypto, type, payload, "" as Signature, "bare"),
    timestamp: BigInt(index % 3) as EpochMillis,
  }));
  const key = (at: number) => `${statements[at]?.timestamp}:${statements[at]?.identity}`;
  for (let a = 0; a < statements.length; a++) {
    for (let b = 0; b < statements.length; b++) {
      const order = key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
      expect(Math.sign(compareStatements(known(statements[a], "a"), known(statements[b], "b")))).toBe(order);
    }
  }
  const identity = identityOf(crypto, type, known(statements[0], "one").payload as never);
  const name = toBase58(known(fromHex(identity), "identity"));
  expect(identityOfName(name)).toBe(identity satisfies Identity);
  for (const other of ["", "4711001", "set-1", `${name}1`, name.slice(3)])
    expect(identityOfName(other)).toBeUndefined();
  expect(toHex(tagged(type, new Uint8Array(0)).subarray(0, 4))).toBe("0000002e");
});
