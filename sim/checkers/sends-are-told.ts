/**
 * What a client sends goes on the wire: once a node has it, its log has an event that carries it, which peers are pushed
 * or asked about. A comparison of sets would bring it all the same, twenty seconds later, so nothing else sees it.
 * Source: protocol 01 §7.3, §7.4.
 */
import { Events, Pending, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";

/** No node keeps to itself what its clients send. */
export function sendsAreTold({ violate, profile }: CheckContext): Checker {
  return {
    name: "sends-are-told",
    onStep({ node, input, changes, view }) {
      if (profile.parity || input.type !== "rpc.called") return;
      for (const { table, key, record } of changes) {
        if ((table !== Statements.name && table !== Pending.name) || record === undefined) continue;
        const { type, bare, tagged } = record as { readonly type: { readonly name: string } } & Signatures;
        // A second signature of what is here, or what waited for this one: it came at another time.
        const isOld = (bare !== null && tagged !== null) || changes.some((one) => one.key === key && isLeft(one));
        if (!isOld && view.find(Events, "statement", key).length === 0)
          violate(`node ${node} tells nobody of a ${type.name} that a client sent`);
      }
    },
  };
}

interface Signatures {
  readonly bare: string | null;
  readonly tagged: string | null;
}

function isLeft({ table, record }: { readonly table: string; readonly record: unknown }): boolean {
  return table === Pending.name && record === undefined;
}
