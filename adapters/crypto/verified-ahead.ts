/**
 * Verdicts before they are asked for: signatures are verified on threads, and who verifies them afterwards is told what
 * came of it. A verdict is a function of key, message and signature, so nothing but time shows whether one was kept.
 * Source: DESIGN section 3 "Sends".
 */
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { NativeCrypto } from "./native.ts";

/** Verdicts kept that nobody asked for yet; the oldest go first. Source: DESIGN "Bounds". */
export const VERDICTS_AHEAD_MAX = 8_192;

/** What a signature is verified with. */
export interface Question {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export interface VerifiedAhead {
  /** The cryptography of whoever asks afterwards. A verdict is told once, then forgotten. */
  readonly crypto: CryptoPort;
  /** Verifies on threads, one after the other up to the first that holds; `done` comes later, and once. */
  readonly verify: (questions: readonly Question[], done: () => void) => void;
  /** Verdicts that are kept. */
  readonly size: () => number;
}

interface Verdict extends Question {
  readonly valid: boolean;
}

/** Keeps nothing yet. */
export function openVerifiedAhead(base: NativeCrypto): VerifiedAhead {
  const verdicts = new Map<string, Verdict>();

  function keep(question: Question, valid: boolean): void {
    if (verdicts.size >= VERDICTS_AHEAD_MAX) {
      const oldest = verdicts.keys().next();
      if (oldest.done !== true) verdicts.delete(oldest.value);
    }
    verdicts.set(nameOf(question.message, question.signature), { ...question, valid });
  }
  function verifyFrom(questions: readonly Question[], at: number, done: () => void): void {
    const question = questions[at];
    if (question === undefined) return done();
    base.verifyLater(question.key, question.message, question.signature, (valid) => {
      keep(question, valid);
      if (valid) done();
      else verifyFrom(questions, at + 1, done);
    });
  }
  return {
    crypto: {
      ...base,
      verify(publicKey, message, signature) {
        const name = verdicts.size === 0 ? "" : nameOf(message, signature);
        const known = verdicts.get(name);
        if (known === undefined || !same(known.key, publicKey) || !same(known.message, message))
          return base.verify(publicKey, message, signature);
        verdicts.delete(name);
        return known.valid;
      },
    },
    verify: (questions, done) => (questions.length === 0 ? void setImmediate(done) : verifyFrom(questions, 0, done)),
    size: () => verdicts.size,
  };
}

/** One signature is tried on two forms of a payload; each has a verdict of its own. */
function nameOf(message: Uint8Array, signature: Uint8Array): string {
  return `${Buffer.from(signature.buffer, signature.byteOffset, signature.length).toString("latin1")}${message.length}`;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
