/**
 * Refusals as data: how each error that a method declares comes about. A domain's file lists its own;
 * `refusals.test.ts` provokes every one and compares them with what the method table declares.
 */
import type { ErrorCode } from "../../core/errors.ts";

export interface Refusal {
  readonly method: string;
  readonly code: ErrorCode;
  /** Brings the error about on a node of its own; answers the whole JSON-RPC body. */
  readonly provoke: () => string | null;
}
