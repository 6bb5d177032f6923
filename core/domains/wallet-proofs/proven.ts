/**
 * Rows that only a proven wallet may read. Source: protocol 03 B.3, B.5; 01 §13.4.
 */

import type { CallFailure, TypedRow } from "../../engine/method.ts";
import { call } from "../../engine/method.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Result } from "../../kernel/result.ts";
import type { Schema } from "../../kernel/schema.ts";
import type { Fields, RecordOf } from "../../kernel/schema-composites.ts";
import { struct } from "../../kernel/schema-composites.ts";
import type { PeerId } from "../../kernel/values.ts";
import { proofErrors, proveWallet } from "./queries.ts";
import { ProofParams } from "./schema.ts";

interface ProvenOptions<P extends Fields, R> {
  /** What the proof signs: `<domain>:<subject>:<nonce>`. */
  readonly domain: string;
  /** The method that issues the nonce; `getWalletChallenge` unless said. */
  readonly challenge?: string;
  /** Parameters beside the four of the proof. */
  readonly params?: P;
  readonly result: Schema<R>;
  /** What it can refuse with once the proof holds. */
  readonly errors?: readonly ErrorCode[];
  readonly source: string;
  readonly doc: string;
  readonly run: (context: StepContext, wallet: PeerId, params: RecordOf<P>) => Result<R, CallFailure>;
}

/** A read that first proves its wallet: refused, never narrowed. */
export function proven<const P extends Fields, R>(
  options: ProvenOptions<P, R>,
): TypedRow<RecordOf<P> & ProofParams, R> {
  const { domain, challenge = "getWalletChallenge", result, source, doc } = options;
  const params = struct("WalletProof", { ...ProofParams.fields, ...options.params } as Fields);
  return call({
    kind: "query",
    params,
    result,
    access: "proof",
    proof: { domain, challenge },
    errors: [...proofErrors, ...(options.errors ?? [])],
    source,
    doc,
    run(context, received) {
      const proof = proveWallet(context, domain, received as unknown as ProofParams);
      return proof.ok ? options.run(context, proof.value, received as unknown as RecordOf<P>) : proof;
    },
  }) as unknown as TypedRow<RecordOf<P> & ProofParams, R>;
}
