/**
 * Refusals as data: how each error that a method declares comes about. A domain's file lists its own;
 * `refusals.test.ts` provokes every one and compares them with what the method table declares.
 */
import type { ErrorCode } from "../../core/errors.ts";

/** What a node may answer: a refusal with a code, that its parameters are malformed, or nothing against it. */
export type Outcome = ErrorCode | "misfit" | "taken";

export interface Refusal {
  readonly method: string;
  readonly code: ErrorCode;
  /** What a node that plays the reference answers instead, if anything; core/parity/README.md has the reasons. */
  readonly parity?: Outcome | undefined;
  /** Brings the error about on a node of its own; answers the whole JSON-RPC body. */
  readonly provoke: () => string | null;
}
