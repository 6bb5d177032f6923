/**
 * That every node which is up in the end has said something in its log: what it noticed and could not refuse.
 */
import type { MakeChecker } from "../checker.ts";

export function flagged(event: string): MakeChecker {
  return ({ violate, keep }) => {
    const logging = keep(() => new Set<number>());
    return {
      name: "flagged",
      onLog(log) {
        if (log.event === event) logging.add(log.node);
      },
      onEnd({ nodes }) {
        for (const { node } of nodes) if (!logging.has(node)) violate(`node ${node} never said: ${event}`);
      },
    };
  };
}
