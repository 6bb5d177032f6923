/**
 * Law L2: two nodes with equal sets of statements and facts, sealed ones included, have equal states, whenever they had
 * them.
 * Every pair of sets that occurred is remembered with the state it gave, up to a bound.
 */
import type { CheckContext, Checker } from "../checker.ts";

/** Pairs of sets that are remembered; the oldest go first. Source: DESIGN "Simulated world". */
export const SETS_REMEMBERED_MAX = 65_536;

/** Nodes that hold the same set show the same state. Law L2. */
export function equalSetsEqualStates({ violate, keep }: CheckContext): Checker {
  const seen = keep(() => new Map<string, { readonly state: string; readonly node: number }>());
  return {
    name: "equal-sets-equal-states",
    onStep({ node, roots, rootsBefore }) {
      if (roots === rootsBefore) return;
      const sets = roots.statements + roots.facts + roots.archive;
      const known = seen.get(sets);
      if (known === undefined) {
        if (seen.size >= SETS_REMEMBERED_MAX) {
          const oldest = seen.keys().next();
          if (oldest.done !== true) seen.delete(oldest.value);
        }
        seen.set(sets, { state: roots.state, node });
        return;
      }
      if (known.state === roots.state) return;
      const sum = `statements ${roots.statements} and facts ${roots.facts}`;
      violate(`nodes ${known.node} and ${node} hold ${sum}, yet ${known.state} is not ${roots.state}`);
    },
  };
}
