/**
 * When a law of the chain looks at it: whenever so many slots went by that some node observed, and in the end.
 * Source: DESIGN "Simulated world".
 */
import type { ChainView } from "../chain/chain-view.ts";
import type { CheckContext, Checker } from "../checker.ts";

/** How many observed slots pass between two looks at the whole chain. Source: DESIGN "Simulated world". */
const LOOK_EVERY_SLOTS = 64n;

/** The hooks of a checker that looks at the chain; `held` remembers the slot of its last look. */
export function looksAtChain(
  chain: CheckContext["chain"],
  held: { slot: bigint },
  look: (view: ChainView) => void,
): Pick<Checker, "onStep" | "onEnd"> {
  return {
    onStep({ input }) {
      if (input.type !== "chain.observed" || input.observation.type !== "slot") return;
      const { slot } = input.observation;
      const view = chain();
      // An endpoint that lies says slots of its own; the chain's are what counts.
      if (view === undefined || slot > view.slot("processed") || slot < held.slot + LOOK_EVERY_SLOTS) return;
      held.slot = slot;
      look(view);
    },
    onEnd() {
      const view = chain();
      if (view !== undefined) look(view);
    },
  };
}
