/**
 * Signed payloads for property tests: a payload of any type, its signer named in it, signed by that signer in a form
 * that the type accepts. Source: protocol 01 §3.4, §4.
 */
import fc from "fast-check";
import type { Fields, RecordOf, Signature, SignedType } from "../../core/index.ts";
import { TRANSCRIPT, tagged, toBase58, utf8 } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { TRANSCRIPT_ECMASCRIPT } from "../../core/testing.ts";
import { arbitraryOf } from "./of-schema.ts";
import type { Signer } from "./people.ts";
import { arbSigner } from "./people.ts";

/** A payload with a signature that verifies. */
export interface SignedPayload<F extends Fields = Fields> {
  readonly type: SignedType<F>;
  readonly payload: RecordOf<F>;
  readonly signature: Signature;
  readonly form: "bare" | "tagged";
  readonly signer: Signer;
}

/** Payloads of a type that name a given signer, with the key where the type has one. */
export function arbPayload<F extends Fields>(type: SignedType<F>, signer: Signer): fc.Arbitrary<RecordOf<F>> {
  return arbitraryOf(type.payload).map((payload) => nameSigner(type, payload, signer));
}

/** Payloads of a type with a signature that verifies, in either form and either float spelling. */
export function arbSigned<F extends Fields>(crypto: CryptoPort, type: SignedType<F>): fc.Arbitrary<SignedPayload<F>> {
  const forms = type.forms === "both" ? (["bare", "tagged"] as const) : (["tagged"] as const);
  const parts = fc.tuple(
    arbSigner(),
    arbitraryOf(type.payload),
    fc.constantFrom(...forms),
    fc.constantFrom(TRANSCRIPT, TRANSCRIPT_ECMASCRIPT),
  );
  return parts.map(([signer, unnamed, form, style]) => {
    const payload = nameSigner(type, unnamed, signer);
    const json = utf8(type.payload.write(payload, style));
    const message = form === "bare" ? json : tagged(type as unknown as SignedType, json);
    return { type, payload, form, signer, signature: toBase58(crypto.sign(signer.secretKey, message)) as Signature };
  });
}

/** A payload whose signer's members name this signer. The members are those through which the type reads them. */
export function nameSigner<F extends Fields>(
  type: SignedType<F>,
  payload: RecordOf<F>,
  signer: Pick<Signer, "peer" | "publicKey">,
): RecordOf<F> {
  const peerMember = memberRead(payload, type.signerOf);
  const keyMember = memberRead(payload, type.keyOf);
  const named = { ...payload, [peerMember ?? ""]: signer.peer, ...(keyMember && { [keyMember]: signer.publicKey }) };
  return named as RecordOf<F>;
}

/** Which member of a record a function reads. */
export function memberRead<R extends object>(record: R, read: (record: R) => unknown): string | undefined {
  let member: string | undefined;
  const watched = new Proxy(record, {
    get(target, name) {
      if (typeof name === "string") member = name;
      return Reflect.get(target, name);
    },
  });
  read(watched);
  return member;
}
