/**
 * What the page of the playground and the worker behind it tell each other. A worker holds one network, or makes one
 * run.
 */

/** To the worker. */
export type ToWorld =
  /** Opens a network of so many nodes. */
  | { readonly kind: "open"; readonly seed: string; readonly nodes: number }
  /** A request of JSON-RPC to the control of that network. */
  | { readonly kind: "ask"; readonly id: number; readonly body: string }
  /** Makes one run of the flagship. */
  | { readonly kind: "run"; readonly seed: string };

/** From the worker. */
export type FromWorld =
  | { readonly kind: "opened" }
  | { readonly kind: "answer"; readonly id: number; readonly text: string }
  /** A line of the run's story, and how far the run is. */
  | { readonly kind: "told"; readonly line: string }
  | { readonly kind: "progress"; readonly events: number; readonly share: number }
  | { readonly kind: "ran"; readonly report: FlagshipReport }
  /** It could not do what it was asked; one line. */
  | { readonly kind: "failed"; readonly reason: string };

/** What came of a run of the flagship. */
export interface FlagshipReport {
  readonly scenario: string;
  readonly seed: string;
  readonly nodes: number;
  readonly events: number;
  readonly trace: string;
  readonly violations: readonly string[];
}
