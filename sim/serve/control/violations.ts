/**
 * Laws that broke, as control tells of them.
 */
import { struct, u64 } from "../../../core/index.ts";
import { plainText } from "../../../core/testing.ts";
import type { Violation as Broken } from "../../checker.ts";
import { WORLD_START } from "../../world.ts";

export const Violation = struct("Violation", { law: plainText, message: plainText, at: u64 });

/** A law that broke, and when, in Unix milliseconds. */
export function violationData({ check, message, time }: Broken) {
  return { law: check, message, at: WORLD_START + BigInt(time) };
}
