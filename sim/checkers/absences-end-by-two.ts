/**
 * Who was away is so until it compared with two peers or took a file: one peer alone may say that he has nothing else,
 * however often he is asked. What others heard meanwhile would be missing from what is final, which shows only in what
 * such a node seals later. Source: CONVERGENCE B7.
 */
import { Attendances } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";

/** What a node notes of its absence. */
interface Attendance {
  readonly away: boolean;
  readonly peers: readonly string[];
}

/** No peer ends an absence alone. */
export function absencesEndByTwo({ violate, keep }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Attendance>());
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "absences-end-by-two",
    onStep({ node, input, changes }) {
      if (input.type === "store.loaded") return forget(node);
      for (const { table, record } of changes) {
        if (table !== Attendances.name) continue;
        const before = nodes.get(node);
        const now = record as Attendance | undefined;
        if (now === undefined) forget(node);
        else nodes.set(node, { away: now.away, peers: now.peers });
        if (before?.away !== true || now?.away !== false || input.type !== "message.answered") continue;
        if (before.peers.length === 0 || before.peers.includes(input.from))
          violate(`node ${node} ends its absence with ${input.from}, and compared with nobody else`);
      }
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}
