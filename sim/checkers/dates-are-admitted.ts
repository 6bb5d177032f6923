/**
 * What a node takes into its set, or keeps waiting, bears a date that the ingress takes on which it came: at most five
 * minutes ahead of the node's own clock on every one, and at most so old as that ingress allows. What was held before,
 * and what a node loads from its own store, is not asked again. Bounds are written down here apart from the core.
 * Source: CONVERGENCE "Three layers" (door policy); protocol 01 §13.1.
 */
import { Pending, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

const HOUR_MS = 3_600_000n;
const DAY_MS = 24n * HOUR_MS;
const AHEAD_MS = 300_000n;

/** How old a statement may be by what brings it; nothing is said of an input that is not here, such as a file. */
const AGES: Partial<Record<StepSeen["input"]["type"], bigint>> = {
  "rpc.called": DAY_MS,
  "message.received": 7n * DAY_MS,
  "message.answered": 14n * DAY_MS,
};

interface Dated {
  readonly type: { readonly name: string; readonly dated: boolean };
  readonly timestamp: bigint;
}

/** No ingress takes what its dates keep out. */
export function datesAreAdmitted({ violate, keep, profile }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Set<string>>());
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "dates-are-admitted",
    onStep({ node, input, changes }) {
      // The reference asks for dates elsewhere.
      if (profile.parity || changes.length === 0) return;
      const held = nodes.get(node) ?? new Set<string>();
      nodes.set(node, held);
      const ours = changes.filter(({ table }) => table === Statements.name || table === Pending.name);
      for (const { key, record } of ours) {
        if (record === undefined || held.has(key)) continue;
        held.add(key);
        const wrong = wrongDate(record as Dated, input);
        if (wrong !== undefined) violate(`node ${node} takes a statement ${wrong}`);
      }
      const stays = new Set(ours.flatMap(({ key, record }) => (record === undefined ? [] : [key])));
      for (const { key } of ours) if (!stays.has(key)) held.delete(key);
    },
    // What a memory that is built again lacks is taken again, as anything new.
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

function wrongDate({ type, timestamp }: Dated, { type: by, now }: StepSeen["input"]): string | undefined {
  if (!type.dated || by === "store.loaded") return undefined;
  if (timestamp > now + AHEAD_MS) return `${type.name} that is dated ${timestamp - now} ms ahead, by ${by}`;
  const age = AGES[by];
  if (age === undefined || timestamp >= now - age) return undefined;
  return `${type.name} that is ${now - timestamp} ms old, by ${by}, which takes ${age} at most`;
}
