/**
 * A line that a node logs bears a level that there is and the name of what happened: what has neither is filtered by
 * nobody and found by nobody. Source: DESIGN section 6.
 */
import type { LogLevel } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Every line can be filtered and found. */
export function logsAreNamed({ violate }: CheckContext): Checker {
  return {
    name: "logs-are-named",
    onLog({ node, level, event }) {
      if (!LEVELS.includes(level)) violate(`node ${node} logs at a level that there is not: "${level}"`);
      if (event.trim() === "") violate(`node ${node} logs something without a name`);
    },
  };
}
