/**
 * What was refused is remembered until its time has come, what was refused is taken after all, or 65,536 others are
 * remembered: who forgets sooner fetches it again at every comparison, and nothing else sees it.
 * Source: CONVERGENCE B4.
 */
import { Pending, Refusals, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** Refusals that a node remembers, written down apart from the core. Source: CONVERGENCE B4. */
const REMEMBERED = 65_536;

/** By identity when a refusal ends, as a node has it. */
type Ends = Map<string, bigint>;

/** Nodes forget no refusal before its time. */
export function refusalsStay({ violate, keep, profile }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Ends>());
  // A memory that is built again has what its disk kept, which is none of these.
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "refusals-stay",
    onStep(step) {
      const { node, input, view } = step;
      if (profile.parity) return;
      if (input.type === "store.loaded" || input.type === "started") return forget(node);
      const ends: Ends = nodes.get(node) ?? new Map();
      for (const { table, key, record } of step.changes) {
        if (table !== Refusals.name) continue;
        const until = ends.get(key);
        if (record !== undefined) ends.set(key, (record as { readonly until: bigint }).until);
        else ends.delete(key);
        if (record !== undefined || until === undefined || until <= input.now || isTaken(step, key)) continue;
        if (view.size(Refusals) < REMEMBERED - 1)
          violate(`node ${node} forgets at ${input.now} that it refused ${key} until ${until}`);
      }
      if (ends.size > 0) nodes.set(node, ends);
      else nodes.delete(node);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

function isTaken({ changes }: StepSeen, identity: string): boolean {
  return changes.some(
    ({ table, key, record }) =>
      key === identity && record !== undefined && (table === Statements.name || table === Pending.name),
  );
}
