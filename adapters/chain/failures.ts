/**
 * Why an endpoint did not answer as asked, in words of our own: what an endpoint or a library says may hold addresses
 * and keys in URLs, and such words reach logs. Source: DESIGN L4.
 */
import { SendTransactionError, SolanaJSONRPCError } from "@solana/web3.js";

export type Failure =
  /** It did not answer in time, the line broke, or nobody is there. */
  | { readonly type: "silent" }
  | { readonly type: "unreachable" }
  /** It asks for fewer requests. */
  | { readonly type: "limited"; readonly retryAfterMs: number | undefined }
  /** HTTP of another status than 200. */
  | { readonly type: "failed"; readonly status: number }
  /** What it said is not the answer to what was asked. */
  | { readonly type: "nonsense" }
  /** A JSON-RPC error: it answers, and says no. */
  | { readonly type: "refused"; readonly code: number | undefined; readonly message: string }
  /** It was not asked: it rests after a failure, or too much is waiting for it. */
  | { readonly type: "resting" }
  | { readonly type: "busy" };

/** A failure on its way through a library. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.type);
    this.failure = failure;
  }
}

/** Too many requests, as some endpoints say it in the body. Source: providers of Solana RPC. */
const LIMITED_CODES = new Set([429, -32429]);

export function failureOf(error: unknown): Failure {
  if (error instanceof EndpointError) return error.failure;
  if (error instanceof SendTransactionError) {
    return { type: "refused", code: undefined, message: error.transactionError.message };
  }
  if (!(error instanceof SolanaJSONRPCError)) return { type: "nonsense" };
  const code = typeof error.code === "number" ? error.code : undefined;
  if (code !== undefined && LIMITED_CODES.has(code)) return { type: "limited", retryAfterMs: undefined };
  return { type: "refused", code, message: error.message };
}

/** Whether the endpoint itself is at fault, so that it should be left alone for a while. */
export function isMalfunction({ type }: Failure): boolean {
  return type !== "refused" && type !== "resting" && type !== "busy";
}

export function failureText(failure: Failure): string {
  switch (failure.type) {
    case "silent":
      return "no answer in time";
    case "unreachable":
      return "not reachable";
    case "limited":
      return "too many requests";
    case "failed":
      return `HTTP ${failure.status}`;
    case "nonsense":
      return "not an answer";
    case "refused":
      return failure.code === undefined ? "refused" : `refused with ${failure.code}`;
    case "resting":
      return "resting after failures";
    case "busy":
      return "too much is waiting";
  }
}
