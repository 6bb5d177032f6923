/**
 * Parts of a world that are loaded when a run wants them: they bring packages and files that not everybody needs. In
 * the playground's bundle portable-parts.ts stands in its place. Source: DESIGN section 5 "Stores", section 8.
 */
import type { Rows } from "../adapters/store/row-store.ts";
import type { OpenCarrier } from "./carrier.ts";
import type { ExecutorName, OpenExecutor } from "./chain/executor.ts";

/** What runs the bytes of the programs; the model is always there. */
export async function loadExecutor(choice: Exclude<ExecutorName, "model">): Promise<OpenExecutor> {
  if (choice === "bankrun") return (await import("./chain/executors/bankrun.ts")).openBankrun;
  return (await import("./chain/executors/litesvm.ts")).openLitesvm;
}

/** The production transport under a world. */
export async function loadLibp2pCarrier(): Promise<OpenCarrier> {
  return (await import("./libp2p-carrier.ts")).libp2pCarrier;
}

/** Payloads drawn of schemas. */
export function loadRandomPayloads(): Promise<typeof import("./actions/random-payloads.ts")> {
  return import("./actions/random-payloads.ts");
}

/** One database a node. */
export async function loadRows(store: "sqljs" | "sqlite", nodes: number): Promise<readonly Rows[]> {
  if (store === "sqlite") {
    const { openScratchRows } = await import("../adapters/sqlite/scratch-file.ts");
    return Array.from({ length: nodes }, openScratchRows);
  }
  const { openSqljsRows } = await import("../adapters/sqlite/sqljs.ts");
  return Promise.all(Array.from({ length: nodes }, () => openSqljsRows()));
}
