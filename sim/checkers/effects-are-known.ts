/**
 * Whatever a node asks of the outside is something that the outside does: an order under another name is obeyed by
 * nobody, and lost without a word. Source: DESIGN section 3 "Effects".
 */
import type { Effect } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";

const KNOWN: Readonly<Record<Effect["type"], true>> = {
  "rpc.reply": true,
  "ws.publish": true,
  "message.send": true,
  "message.reply": true,
  "peer.dial": true,
  "peer.disconnect": true,
  "chain.submit": true,
  "chain.watch": true,
  "chain.unwatch": true,
  "chain.read": true,
  "chain.check": true,
  "notification.deliver": true,
  "snapshot.write": true,
  "snapshot.fetch": true,
  "timer.set": true,
  log: true,
};

/** Every effect has somebody who carries it out. */
export function effectsAreKnown({ violate }: CheckContext): Checker {
  return {
    name: "effects-are-known",
    onStep({ node, effects }) {
      for (const { type } of effects)
        if (!Object.hasOwn(KNOWN, type)) violate(`node ${node} asks for "${type}", which nobody does`);
    },
  };
}
