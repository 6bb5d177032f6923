/**
 * Verification: what a payload's signature may sign, and which of it it does. A verdict needs no state and is the same
 * at every ingress. Source: protocol 01 §3.4, §4; CONVERGENCE "Three layers" is ours.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import type { JsonStyle } from "./schema.ts";
import { TRANSCRIPT, TRANSCRIPT_ECMASCRIPT } from "./schema.ts";
import type { Fields, RecordOf } from "./schema-composites.ts";
import type { SignedType, Statement } from "./signed.ts";
import { tagged } from "./signed.ts";
import { fromBase58, utf8 } from "./text.ts";
import type { PeerId, Signature } from "./values.ts";
import { keyOfPeer, peerOfKey, SIGNATURE_BYTES } from "./values.ts";

/** What verification found, before anything else looked at the payload. */
export interface Verdict {
  /** Whether the key member, when there is one, is the key inside the signer's peer id. */
  readonly bound: boolean;
  /** Whether the key member, when there is one, is a curve point. */
  readonly point: boolean;
  /** The form that verified. */
  readonly form: "bare" | "tagged" | undefined;
}

/** One thing that a signature may sign, with what is asked to find out. */
export interface Signing {
  readonly form: "bare" | "tagged";
  /** Whether it is the payload without some of its empty members. */
  readonly leavesOut: boolean;
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Verifies a payload: which form was signed by the key inside the signer's peer id, if any. `signings`: what the
 * signature may sign, where it was written already.
 */
export function verify<F extends Fields>(
  crypto: CryptoPort,
  type: SignedType<F>,
  payload: RecordOf<F>,
  signature: Signature,
  signings: readonly Signing[] = signingsOf(type, payload, signature),
): Verdict {
  const signer = type.signerOf(payload);
  const named = type.keyOf(payload);
  const namedBytes = named === undefined ? undefined : fromBase58(named);
  const bound = namedBytes === undefined || peerOfKey(namedBytes) === signer;
  const form = formSigned(crypto, signings);
  // A key that verified something is a point; only a failed verdict needs the answer.
  const point = namedBytes === undefined || (bound && form !== undefined) || crypto.isCurvePoint(namedBytes);
  return { bound, point, form };
}

/** Whether somebody else than the named signer signed a payload. Source: protocol 02 B.6 (parity). */
export function isSignedBy(crypto: CryptoPort, { type, payload, bare, tagged }: Statement, peer: PeerId): boolean {
  const signature = bare ?? tagged;
  if (signature === null) return false;
  return formSigned(crypto, signingsBy(keyOfPeer(peer), type, payload as never, signature)) !== undefined;
}

function formSigned(crypto: CryptoPort, signings: readonly Signing[]): "bare" | "tagged" | undefined {
  return signings.find((one) => crypto.verify(one.key, one.message, one.signature))?.form;
}

/** Everything that a payload's signature may sign, in the order in which it is verified: the first to hold counts. */
export function signingsOf<F extends Fields>(
  type: SignedType<F>,
  payload: RecordOf<F>,
  signature: Signature,
): readonly Signing[] {
  return signingsBy(keyOfPeer(type.signerOf(payload)), type, payload, signature);
}

/** The tagged preimage of a payload, which names its statement, where a signature of all its members may sign it. */
export function preimageIn(signings: readonly Signing[]): Uint8Array | undefined {
  const [first] = signings;
  return first?.form === "tagged" && !first.leavesOut ? first.message : undefined;
}

function signingsBy<F extends Fields>(
  key: Uint8Array | undefined,
  type: SignedType<F>,
  payload: RecordOf<F>,
  signature: Signature,
): readonly Signing[] {
  const kept = fromBase58(signature);
  if (key === undefined || kept === undefined || kept.length < SIGNATURE_BYTES) return [];
  const [bytes, leftOut] = [kept.subarray(0, SIGNATURE_BYTES), [...kept.subarray(SIGNATURE_BYTES)]];
  const common = { leavesOut: leftOut.length > 0, key, signature: bytes };
  return spellings(type, payload, leftOut).flatMap((json): readonly Signing[] => {
    // What our own clients sign comes first: whoever tries the other form before it verifies twice.
    const first: Signing = { form: "tagged", message: tagged(type as SignedType, json), ...common };
    return type.forms === "both" ? [first, { form: "bare", message: json, ...common }] : [first];
  });
}

/** The texts that may have been signed; none when the members that were left out are not written in one way only. */
function spellings<F extends Fields>(
  type: SignedType<F>,
  payload: RecordOf<F>,
  leftOut: readonly number[],
): readonly Uint8Array[] {
  const usual = spelled(type, payload, TRANSCRIPT, leftOut);
  if (usual === undefined) return [];
  if (!type.payload.floats) return [utf8(usual)];
  const other = spelled(type, payload, TRANSCRIPT_ECMASCRIPT, leftOut);
  return other === undefined || usual === other ? [utf8(usual)] : [utf8(usual), utf8(other)];
}

function spelled<F extends Fields>(
  type: SignedType<F>,
  payload: RecordOf<F>,
  style: JsonStyle,
  leftOut: readonly number[],
): string | undefined {
  if (leftOut.length === 0) return type.payload.write(payload, style);
  let [empty, next] = [0, 0];
  const text = type.payload.write(payload, {
    ...style,
    leavesOut() {
      const isNext = leftOut[next] === empty;
      empty += 1;
      next += isNext ? 1 : 0;
      return isNext;
    },
  });
  // Numbers that do not ascend, or name no empty member, are never reached.
  return next === leftOut.length ? text : undefined;
}
