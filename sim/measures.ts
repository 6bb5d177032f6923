/**
 * What is measured of a run besides its report: when all nodes came to hold the same statements, and what nodes sent
 * for that. Watches, and has no part in what the run comes to. Source: DESIGN section 6.
 */
import type { MakeChecker } from "./checker.ts";

/** What was measured. */
export interface Measures {
  /**
   * Virtual milliseconds from the last statement's first being held by any node until all nodes hold the same
   * statements for good; nothing where they do not in the end, or there was no statement.
   */
  readonly converge_ms: number | null;
  /** Bytes of envelopes that nodes sent, asked and answered. */
  readonly bytes: number;
  /** Different statements that nodes came to hold. */
  readonly statements: number;
}

/** Watches one run. */
export interface MeasureWatch {
  readonly checker: MakeChecker;
  /** What was measured, once the run of so many nodes is over. */
  measured(nodes: number): Measures;
}

export function watchMeasures(): MeasureWatch {
  const roots = new Map<number, string>();
  const held = new Map<string, number>();
  const statements = new Set<string>();
  const at = { newest: 0, same: 0 };
  let bytes = 0;
  const counted = (root: string, more: number) => {
    const count = (held.get(root) ?? 0) + more;
    if (count === 0) held.delete(root);
    else held.set(root, count);
  };
  return {
    checker: ({ time }) => ({
      name: "measures",
      onStep({ node, changes, roots: { statements: root } }) {
        for (const { table, key, record } of changes) {
          if (table !== "statements" || record === undefined || statements.has(key)) continue;
          statements.add(key);
          at.newest = time();
        }
        const before = roots.get(node);
        if (before === root) return;
        if (before !== undefined) counted(before, -1);
        counted(root, 1);
        roots.set(node, root);
        at.same = time();
      },
      onEffect({ effect }) {
        if (effect.type === "message.send" || effect.type === "message.reply") bytes += effect.bytes.length;
      },
    }),
    measured(nodes) {
      const isSame = statements.size > 0 && held.size === 1 && roots.size === nodes;
      return { converge_ms: isSame ? at.same - at.newest : null, bytes, statements: statements.size };
    },
  };
}
