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

/** Ends a command with exit code 1 and one line: it was used rightly, and failed. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** A header that no page of a browser can send unasked: what changes anything at the admin address needs it. */
export const ASKED_BY_OPERATOR = "x-ofs-admin";

/** The longest that a timer of Node.js waits. Source: Node.js, timers (2^31 - 1 ms). */
const SECONDS_MAX = 2_147_483;

/** Seconds as an operator says them, in milliseconds. */
export function millisecondsOf(flag: string, text: string): number {
  if (/^[1-9][0-9]{0,6}$/.test(text) && Number(text) <= SECONDS_MAX) return Number(text) * 1_000;
  throw new Refusal(`${flag} takes whole seconds from 1 to ${SECONDS_MAX}, not "${text}".`);
}

/** The version of this software, from its own package. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
