/**
 * Every call that a node has taken is answered: before its memory is given up and built again, because nobody else
 * knows of the call then; and within a minute while the node goes on. A process that ends answers nothing: its caller
 * hears that the connection is gone. Calls are counted here by what a node takes and lets go, apart from the driver.
 * Source: protocol 01 §10.2; CONVERGENCE "Durability".
 */
import type { CheckContext, Checker } from "../checker.ts";

/** Between taking a call and its answer, in virtual milliseconds; a commit and what waits for it take some ten. */
const ANSWER_MS = 60_000;

interface Answering {
  /** When calls were taken that are not answered, by the handle of their answer. */
  readonly open: Map<string, number>;
  /** When the node last took anything. */
  last: number;
}

/** No caller is left waiting. */
export function callsAreAnswered({ violate, keep, time }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Answering>());
  const of = (node: number): Answering => {
    const known = nodes.get(node) ?? { open: new Map(), last: 0 };
    nodes.set(node, known);
    return known;
  };
  return {
    name: "calls-are-answered",
    onStep({ node, input }) {
      const own = of(node);
      own.last = time();
      if (input.type === "rpc.called") own.open.set(input.replyTo, own.last);
      if (input.type !== "store.loaded" || own.open.size === 0) return;
      violate(`node ${node} builds its memory again and leaves ${own.open.size} calls without an answer`);
      own.open.clear();
    },
    onEffect({ node, effect }) {
      if (effect.type === "rpc.reply") of(node).open.delete(effect.replyTo);
    },
    onCrash: ({ node }) => void nodes.delete(node),
    onEnd(end) {
      for (const { node } of end.nodes) {
        const { open, last } = of(node);
        const late = [...open.values()].filter((since) => last - since > ANSWER_MS).length;
        if (late > 0) violate(`node ${node} has not answered ${late} calls within ${ANSWER_MS} ms`);
      }
    },
  };
}
