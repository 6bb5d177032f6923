/**
 * Loads what draws random payloads when a scenario has an action that needs it: other simulations run where fast-check
 * is not installed. Source: DESIGN section 8 "install size".
 */
import { loadRandomPayloads } from "../installed-parts.ts";

type Drawing = typeof import("./random-payloads.ts");

let loaded: Drawing | undefined;

/** Loads it; before the run, which waits for nothing but its chain. */
export async function prepareDrawing(): Promise<void> {
  loaded ??= await loadRandomPayloads();
}

export function drawing(): Drawing {
  if (loaded === undefined) throw new Error("bug: an action that draws values was not prepared");
  return loaded;
}
