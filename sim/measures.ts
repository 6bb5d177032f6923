/**
 * What is measured of a run besides its report: when all nodes came to hold the same statements, when cases were
 * decided, how many trades came to their end, and what nodes sent. Watches, and has no part in what the run comes to.
 * Source: DESIGN section 6.
 */
import type { CaseRow, SettlementRow } from "../core/testing.ts";
import type { MakeChecker } from "./checker.ts";

/** What was measured. */
export interface Measures {
  /**
   * Virtual milliseconds from the last statement's first being held by any node until all nodes hold the same
   * statements for good; nothing where they do not in the end, or there was no statement.
   */
  readonly converge_ms: number | null;
  /**
   * Virtual milliseconds from a case's first being held by any node until the last node that comes to hold the chain's
   * decision about it does so; the longest of the run, and nothing where no node comes to hold any.
   */
  readonly decided_ms: number | null;
  /** Different settlements in which a node came to hold the seller's approval, or the chain's release. */
  readonly trades: number;
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
  const opened = new Map<string, number>();
  /** When the last node came to hold its decision, by case, and who holds one. */
  const decided = new Map<string, number>();
  const deciders = new Set<string>();
  const trades = new Set<string>();
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
          if (record === undefined) continue;
          if (table === "statements" && !statements.has(key)) {
            statements.add(key);
            at.newest = time();
          } else if (table === "disputes") {
            if (!opened.has(key)) opened.set(key, time());
            const decider = `${node} ${key}`;
            if (!(record as CaseRow).decided) deciders.delete(decider);
            else if (!deciders.has(decider)) {
              deciders.add(decider);
              decided.set(key, time());
            }
          } else if (table === "settlements" && isTraded(record)) trades.add(key);
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
      const took = [...decided].map(([key, time]) => time - (opened.get(key) ?? time));
      return {
        converge_ms: isSame ? at.same - at.newest : null,
        decided_ms: took.length === 0 ? null : Math.max(...took),
        ...{ trades: trades.size, bytes, statements: statements.size },
      };
    },
  };
}

function isTraded(record: unknown): boolean {
  const { state } = record as SettlementRow;
  return state === "Approved" || state === "Completed";
}
