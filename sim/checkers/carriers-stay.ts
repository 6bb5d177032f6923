/**
 * A node that has an event which carries a statement that waits has it still when the statement joins the set: peers
 * that were away recover it as its origin signed it. Without it the node would put it into an envelope of its own, and
 * nothing else sees that. Source: protocol 01 §7.2; DESIGN "Gossip and sync".
 */
import type { Reader } from "../../core/index.ts";
import { Events, Pending, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** How long an event is kept, less what clocks do beside, in milliseconds. Source: protocol 01 §13.1. */
const KEPT_MS = 7n * 86_400_000n - 600_000n;

/** Nodes keep what carried a statement when it joins. */
export function carriersStay({ violate, keep, profile }: CheckContext): Checker {
  /** By node: statements that wait, and of what date the newest event is that carries each. */
  const nodes = keep(() => new Map<number, Map<string, bigint>>());
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "carriers-stay",
    onStep(step) {
      const { node, input, changes, view } = step;
      if (profile.parity) return;
      if (input.type === "store.loaded" || input.type === "started") return forget(node);
      const carried = nodes.get(node) ?? new Map<string, bigint>();
      for (const { table, key, record } of changes) {
        if (table !== Pending.name) continue;
        const date = carried.get(key);
        const newest = newestOf(view, key);
        if (record !== undefined && newest !== undefined) carried.set(key, newest);
        else carried.delete(key);
        if (record !== undefined || newest !== undefined || date === undefined || !joins(step, key)) continue;
        if (date > input.now - KEPT_MS) violate(`node ${node} drops what carried ${key} when that joins the set`);
      }
      if (carried.size > 0) nodes.set(node, carried);
      else nodes.delete(node);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

function newestOf(view: Reader, statement: string): bigint | undefined {
  const dates = view
    .find(Events, "statement", statement)
    .flatMap((key) => view.get(Events, key)?.event.timestamp ?? []);
  return dates.reduce<bigint | undefined>(
    (newest, each) => (newest === undefined || each > newest ? each : newest),
    undefined,
  );
}

function joins({ changes }: StepSeen, identity: string): boolean {
  return changes.some(
    ({ table, key, record }) => table === Statements.name && key === identity && record !== undefined,
  );
}
