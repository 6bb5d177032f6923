/**
 * What a fork dropped counts no longer: once a node is told that the chain does not hold a transaction, as of a slot at
 * or past the transaction's own, nothing that it read from it is left, neither a fact nor a pending one. An endpoint
 * that is behind that slot cannot know. Source: protocol 03 A.10.3 R6; DESIGN L3.
 */
import { PendingFacts } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";

/** Nothing that a node is told is gone from the chain stays with it. */
export function absencesAreHeeded({ violate }: CheckContext): Checker {
  return {
    name: "absences-are-heeded",
    onStep({ node, input, view }) {
      if (input.type !== "chain.observed" || input.observation.type !== "absent") return;
      const { signature, confirmed, finalized } = input.observation;
      for (const key of view.find(PendingFacts, "transaction", signature)) {
        const held = view.get(PendingFacts, key);
        if (held !== undefined && (held.final ? finalized : confirmed) >= held.slot)
          violate(`node ${node} is told that the chain does not hold ${signature}, and keeps what it read from it`);
      }
    },
  };
}
