/**
 * What the commands of `ofs-node` share: where they speak, how they refuse, which version they are.
 */
import { readFileSync } from "node:fs";

export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Ends a command with exit code 2 and one line. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** The version of this software, from its own package. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
