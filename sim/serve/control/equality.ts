/**
 * Whether all nodes hold the same, and running the network until they do.
 */
import { replicasConverge } from "../../checkers/replicas-converge.ts";
import type { WorldHost } from "../world-host.ts";

/** Between two looks, in milliseconds of the network's. Source: DESIGN "Simulated world". */
const LOOK_MS = 250;

/** What keeps the nodes from being equal, in one line; nothing when they are. */
export function unequal(host: WorldHost): string | undefined {
  const nodes = host.nodes();
  const down = nodes.find((node) => node.driver()?.ready() !== true);
  return down === undefined ? replicasConverge.missing({ ...host.world(), nodes }) : `${down.name} is down`;
}

/** Runs the network until all nodes are equal, so long at most; answers what kept them from it. Within `exclusive`. */
export async function runUntilEqual(host: WorldHost, withinMs: number): Promise<string | undefined> {
  const until = host.world().loop.now() + withinMs;
  for (let why = unequal(host); ; why = unequal(host)) {
    const now = host.world().loop.now();
    if (why === undefined || now >= until) return why;
    await host.advance(Math.min(until, now + LOOK_MS));
  }
}
