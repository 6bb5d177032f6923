/**
 * How the endpoint of a node behaves, which faults change while the node runs. Source: DESIGN section 4 "Cluster".
 */
import type { Distribution } from "./distributions.ts";

/** How an endpoint behaves. Chances are millionths of a request. */
export interface EndpointConditions {
  readonly latency: Distribution;
  /** A request is answered with an error. */
  readonly failure: number;
  /** A request is never answered. */
  readonly timeout: number;
  /** Requests in a second, beyond which it refuses; null takes all. */
  readonly requestsPerSecond: number | null;
  /** The endpoint is so many slots behind. */
  readonly lagSlots: bigint;
  /** The branch it follows while the chain is forked; `either` answers now from one, now from the other. */
  readonly follows: "main" | "rival" | "either";
  /** An observation is a lie. */
  readonly lie: number;
  /** A transaction is handed on twice. */
  readonly repeat: number;
  /** A transaction is told without its log, what programs invoked and what was looked up: it failed to keep them. */
  readonly withhold: number;
  /** An execution that failed is told as one that decided the case, each in its own way. */
  readonly forge: number;
}

/** An endpoint that fails at nothing. */
export const healthyEndpoint: EndpointConditions = {
  latency: { type: "uniform", least: 30, most: 120 },
  failure: 0,
  timeout: 0,
  requestsPerSecond: null,
  lagSlots: 0n,
  follows: "main",
  lie: 0,
  repeat: 0,
  withhold: 0,
  forge: 0,
};
