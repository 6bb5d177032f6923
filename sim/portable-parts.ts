/**
 * Parts of a world that a browser cannot load: stands in the place of installed-parts.ts in the playground's bundle,
 * and says so. Source: DESIGN section 6 "playground".
 */
import type { Rows } from "../adapters/store/row-store.ts";
import type { OpenCarrier } from "./carrier.ts";
import type { ExecutorName, OpenExecutor } from "./chain/executor.ts";

/** What runs the bytes of the programs; the model is always there. */
export function loadExecutor(choice: Exclude<ExecutorName, "model">): Promise<OpenExecutor> {
  return lacking(choice);
}

/** The production transport under a world. */
export function loadLibp2pCarrier(): Promise<OpenCarrier> {
  return lacking("libp2p");
}

/** Payloads drawn of schemas. */
export function loadRandomPayloads(): Promise<typeof import("./actions/random-payloads.ts")> {
  return lacking("fast-check");
}

/** One database a node. */
export function loadRows(store: "sqljs" | "sqlite", _nodes: number): Promise<readonly Rows[]> {
  return lacking(store);
}

function lacking(part: string): Promise<never> {
  return Promise.reject(new RangeError(`there is no ${part} in a browser`));
}
