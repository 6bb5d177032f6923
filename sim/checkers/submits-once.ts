/**
 * A node hands a transaction to the chain once within its life, however many peers ask it to, unless its endpoint
 * refused it. Source: protocol 03 C3.
 */
import type { CheckContext, Checker } from "../checker.ts";

/** A node hands a transaction to the chain once. */
export function submitsOnce({ violate, keep }: CheckContext): Checker {
  const submitted = keep(() => new Map<number, Set<string>>());
  const of = (node: number): Set<string> => {
    const known = submitted.get(node) ?? new Set();
    submitted.set(node, known);
    return known;
  };
  return {
    name: "submits-once",
    onStep({ node, input }) {
      if (input.type === "chain.observed" && input.observation.type === "refused") {
        of(node).delete(input.observation.signature);
      }
    },
    onEffect({ node, effect }) {
      if (effect.type !== "chain.submit") return;
      if (of(node).has(effect.signature)) violate(`node ${node} submitted ${effect.signature} twice`);
      of(node).add(effect.signature);
    },
    // Memory goes, and of what it remembered a disk may lose rows.
    onCommit: ({ node, report }) => void (report.type === "failed" && submitted.delete(node)),
    onCrash: ({ node }) => void submitted.delete(node),
  };
}
