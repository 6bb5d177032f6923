/**
 * Worked examples as data: what is sent to a node through its real ingress, and the bytes that it answers.
 * A folder's `*.json` files hold them; `examples.test.ts` runs every one.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface Step {
  /** The node's clock, in milliseconds; stays where it was when absent. */
  readonly at?: number;
  /** The whole JSON-RPC body, byte for byte. */
  readonly request: string;
  /** The whole answer, byte for byte. */
  readonly answer: string;
}

export interface Story {
  /** Where the example stands, or for a departure of ours the rule that departs. */
  readonly source: string;
  /** `parity`: the reference's rules; `default`: ours, for the row that departs. */
  readonly profile: "parity" | "default";
  readonly at: number;
  readonly steps: readonly Step[];
}

/** Every story by the file that holds it. */
export function allStories(): ReadonlyMap<string, readonly Story[]> {
  const folder = new URL("./", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(
    files.sort().map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8")) as readonly Story[]]),
  );
}
