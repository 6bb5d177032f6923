/**
 * What a client sends goes on the wire: once a node has it, its log has an event that carries it, and that is pushed at
 * least to those who never ask for what is announced to them. A comparison of sets would bring it all the same, twenty
 * seconds later, so nothing else sees it. Source: protocol 01 §7.3, §7.4; DESIGN "Gossip and sync".
 */
import type { Effect } from "../../core/index.ts";
import { Events, Pending, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { pushedIn } from "./frames.ts";
import { awaiting } from "./hops-are-counted.ts";

/** No node keeps to itself what its clients send. */
export function sendsAreTold({ violate, profile }: CheckContext): Checker {
  return {
    name: "sends-are-told",
    onStep({ node, input, changes, effects, view }) {
      if (profile.parity || input.type !== "rpc.called") return;
      for (const { table, key, record } of changes) {
        if ((table !== Statements.name && table !== Pending.name) || record === undefined) continue;
        const { type, bare, tagged } = record as { readonly type: { readonly name: string } } & Signatures;
        // A second signature of what is here, or what waited for this one: it came at another time.
        const isOld = (bare !== null && tagged !== null) || changes.some((one) => one.key === key && isLeft(one));
        if (isOld) continue;
        const carriers = view.find(Events, "statement", key);
        if (carriers.length === 0) violate(`node ${node} tells nobody of a ${type.name} that a client sent`);
        const waiting = awaiting(view, true);
        const reached = waiting.length === 0 ? waiting : reachedBy(effects, carriers);
        const left = carriers.length === 0 ? undefined : waiting.find((peer) => !reached.includes(peer));
        if (left !== undefined) violate(`node ${node} does not push a ${type.name} that a client sent to ${left}`);
      }
    },
  };
}

/** Whom one of these events was pushed to. */
function reachedBy(effects: readonly Effect[], carriers: readonly string[]): readonly string[] {
  return effects.flatMap((effect) => {
    const event = effect.type === "message.send" ? pushedIn(effect.bytes)?.key : undefined;
    return effect.type === "message.send" && event !== undefined && carriers.includes(event) ? [effect.to] : [];
  });
}

interface Signatures {
  readonly bare: string | null;
  readonly tagged: string | null;
}

function isLeft({ table, record }: { readonly table: string; readonly record: unknown }): boolean {
  return table === Pending.name && record === undefined;
}
