/**
 * Handing over transactions: to every endpoint, one acceptance is success, every refusal a refusal. What fails on the
 * way is tried again, while the blockhash may live. A signature that was taken is not sent again in that time.
 * Source: protocol 03 C.2, C2, C3.
 */
import type { ChainObservation } from "../../core/index.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Failure } from "./failures.ts";
import { failureText } from "./failures.ts";
import type { Tasks } from "./tasks.ts";

/** How long a blockhash lives, and so a signature that was taken is remembered. Source: protocol 03 C.7. */
export const BLOCKHASH_MS = 75_000;
/** Transactions in hand at most, and signatures remembered. Source: DESIGN L10. */
export const SUBMISSIONS_MAX = 1_024;
const REMEMBERED_MAX = 16_384;
/** Between two tries at one endpoint at least, in milliseconds. Source: DESIGN "Waiting times". */
export const RETRY_MS = 500;
/** What endpoints say. Another one may have brought it already, which is as good. Source: Solana's JSON-RPC. */
const sentences = [
  [/already been processed/, "taken"],
  [/blockhash not found/i, "BLOCKHASH_NOT_FOUND"],
  [/signature verification failure/i, "SIGNATURE_INVALID"],
  [/insufficient (funds|lamports)|prior credit/i, "INSUFFICIENT_FUNDS"],
] as const;
const CUSTOM = /custom program error: (0x[0-9a-f]{1,8})/;
/** Said of itself, not of the transaction. */
const UNHEALTHY = /node is (behind|unhealthy)/i;

export interface SubmissionsOptions {
  readonly endpoints: readonly Endpoint[];
  readonly tasks: Tasks;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly retryMs: number;
  readonly tell: (observation: ChainObservation) => void;
}

export type Submit = (signature: string, bytes: Uint8Array) => void;

export function openSubmissions(options: SubmissionsOptions): Submit {
  const { endpoints, tasks, tell, now } = options;
  const inHand = new Set<string>();
  const taken = new Map<string, number>();
  return (signature, bytes) => {
    if (tasks.closed() || inHand.has(signature)) return;
    const takenAt = taken.get(signature) ?? Number.NEGATIVE_INFINITY;
    if (now() - takenAt < BLOCKHASH_MS) return void setImmediate(() => tell({ type: "submitted", signature }));
    if (inHand.size >= SUBMISSIONS_MAX)
      return void setImmediate(() => tell({ type: "refused", signature, reason: "too many transactions in hand" }));
    inHand.add(signature);
    tasks.run(async () => {
      const outcome = await race(endpoints, (endpoint) => deliver(endpoint, bytes, options));
      inHand.delete(signature);
      if (tasks.closed()) return;
      if (outcome !== undefined) return tell({ type: "refused", signature, reason: outcome });
      taken.delete(signature);
      taken.set(signature, now());
      for (const [oldest] of taken) {
        if (taken.size <= REMEMBERED_MAX) break;
        taken.delete(oldest);
      }
      tell({ type: "submitted", signature });
    });
  };
}

/** Undefined as soon as one took it; the reason of the first when none did. */
async function race(
  endpoints: readonly Endpoint[],
  hand: (endpoint: Endpoint) => Promise<string | undefined>,
): Promise<string | undefined> {
  const hands = endpoints.map(async (endpoint) => {
    const reason = await hand(endpoint);
    if (reason !== undefined) throw new Error(reason);
  });
  try {
    await Promise.any(hands);
    return undefined;
  } catch {
    const [first] = await Promise.allSettled(hands);
    return first?.status === "rejected" && first.reason instanceof Error ? first.reason.message : "no endpoint";
  }
}

/** Undefined once the endpoint took it; else why it did not. */
async function deliver(
  endpoint: Endpoint,
  bytes: Uint8Array,
  { tasks, now, retryMs }: SubmissionsOptions,
): Promise<string | undefined> {
  const until = now() + BLOCKHASH_MS;
  for (;;) {
    // Judged at the newest level: what it builds on may be a moment old.
    const answered = await endpoint.ask((connection) =>
      connection.sendRawTransaction(bytes, { preflightCommitment: "processed" }),
    );
    if (answered.ok) return undefined;
    const refusal = refusalOf(answered.error);
    if (refusal === "taken") return undefined;
    const pause = Math.max(retryMs, endpoint.restsFor());
    if (refusal !== undefined || tasks.closed() || now() + pause > until) return refusal ?? failureText(answered.error);
    await tasks.pause(pause);
  }
}

/** What an endpoint said of the transaction itself, in words of ours; undefined when it said nothing of it. */
function refusalOf(failure: Failure): string | undefined {
  if (failure.type !== "refused") return undefined;
  const { message } = failure;
  if (UNHEALTHY.test(message)) return undefined;
  const custom = CUSTOM.exec(message)?.[1];
  if (custom !== undefined) return `custom program error ${custom}`;
  return sentences.find(([sentence]) => sentence.test(message))?.[1] ?? "REFUSED";
}
