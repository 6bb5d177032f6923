/**
 * People who sign, and the fixtures they sign. The fold takes statements that were verified before, so every
 * signature here is the same one; keys, identities and earned ids are real. Source: CONVERGENCE.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { nameOfIdentity } from "../../core/engine/statements/table.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import { earnedId, earnedNumber, statementOf } from "../../core/kernel/signed.ts";
import { toBase58, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, PeerId, PublicKey, Signature } from "../../core/kernel/values.ts";
import { peerOfKey } from "../../core/kernel/values.ts";

export const crypto = openNativeCrypto();
const SIGNATURE = toBase58(new Uint8Array(64).fill(7)) as Signature;
/** When the stories begin. */
const START = 1_700_000_000_000n;

export interface Actor {
  readonly name: string;
  readonly secret: Uint8Array;
  readonly peer: PeerId;
  readonly key: PublicKey;
}

/** Someone with a key of his own, the same in every run. */
export function actor(name: string): Actor {
  const secret = crypto.sha256(utf8(`actor ${name}`));
  const key = crypto.publicKey(secret);
  return { name, secret, peer: peerOfKey(key), key: toBase58(key) as PublicKey };
}

export const merchant = actor("merchant");
export const taker = actor("taker");
export const rival = actor("rival");
export const stranger = actor("stranger");
export const arbitrators: readonly Actor[] = ["ada", "bob", "cyd", "dan"].map(actor);

/** Minutes after the beginning, fractions allowed. */
export function at(minutes: number): EpochMillis {
  return (START + BigInt(Math.round(minutes * 60_000))) as EpochMillis;
}

export function sign<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>): Statement<RecordOf<F>> {
  return statementOf(crypto, type, payload, SIGNATURE, "bare");
}

/** The same statement under the id that its content earns. */
export function earning<F extends Fields>(
  type: SignedType<F>,
  statement: Statement<RecordOf<F>>,
): Statement<RecordOf<F>> {
  const earn = type.creates === "reservation" ? earnedNumber : earnedId;
  return sign(type, { ...statement.payload, id: earn(crypto, type, statement.payload) } as RecordOf<F>);
}

/** The same statement under another id. */
export function called<F extends Fields>(
  type: SignedType<F>,
  statement: Statement<RecordOf<F>>,
  id: string,
): Statement<RecordOf<F>> {
  return sign(type, { ...statement.payload, id } as RecordOf<F>);
}

/** The name that reaches one statement only. */
export function nameOf(statement: Statement): string {
  return nameOfIdentity(statement.identity);
}
