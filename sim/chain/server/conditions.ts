/**
 * How one RPC server behaves: behind the others, failing, refusing for the rate, silent, cutting the line, or lying.
 * Source: DESIGN section 4 "Cluster": views that lag, fail, rate-limit, lie or contradict each other.
 */
import type { JsonValue } from "./json-text.ts";

export interface ServerConditions {
  /** Slots by which its view is behind. */
  readonly lagSlots: bigint;
  /** The branch that it follows while the chain is forked; the main one unless said. */
  readonly branch?: number;
  /** What becomes of a request. */
  readonly conduct: "serves" | "fails" | "limits" | "hangs" | "cuts" | "babbles";
  /** Which methods the conduct is for; all when absent. */
  readonly methods?: readonly string[];
  /** Seconds that a limiting server names in `Retry-After`. */
  readonly retryAfterSecs?: number;
  /** Changes the result of a method before it is told. */
  readonly lie?: (method: string, params: readonly unknown[], result: JsonValue) => JsonValue;
}

export const healthyServer: ServerConditions = { lagSlots: 0n, conduct: "serves" };

/** What becomes of a body that asks for these methods. */
export function conductToward(conditions: ServerConditions, methods: readonly string[]): ServerConditions["conduct"] {
  const { conduct, methods: only } = conditions;
  return only === undefined || methods.some((method) => only.includes(method)) ? conduct : "serves";
}
