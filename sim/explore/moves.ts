/** What can happen in a small world, and the states between. Source: DESIGN section 5.1. */
import type { TimerName } from "../../core/index.ts";

/** Something that can happen next. */
export type Move =
  | { readonly kind: "deliver" | "drop" | "copy"; readonly item: number }
  | { readonly kind: "deliver-and-crash"; readonly item: number; readonly performed: number }
  | { readonly kind: "timer"; readonly node: number; readonly timer: TimerName }
  | { readonly kind: "call"; readonly client: number }
  | { readonly kind: "crash" | "start" | "sync"; readonly node: number }
  | { readonly kind: "sync-and-crash"; readonly node: number; readonly performed: number }
  | { readonly kind: "tick" | "jump" }
  /** The chain comes to a stage. */
  | { readonly kind: "chain"; readonly stage: number }
  /** The endpoint of a node shows one stage more. */
  | { readonly kind: "look"; readonly node: number };

/** A state: numbers of nodes' values, of what is under way, and of what is between. Never changed once made. */
export interface WorldState {
  readonly nodes: readonly number[];
  /** What is under way to each node. */
  readonly flights: readonly number[];
  /** Each node's endpoint; none at all where the scope has no chain. */
  readonly endpoints: readonly number[];
  readonly environment: number;
}
