/**
 * A node holds for good only what the finalized chain did: a decision or a release that a fork may still undo waits
 * among what is pending, so that it can be taken back. Looked at on the chain itself, when the node ceases to wait.
 * Source: DESIGN L3; protocol 03 A.10.3 R4.
 */
import type { ChainFact } from "../../core/testing.ts";
import { ChainFacts, PendingFacts } from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { closingOfAccount } from "./closings.ts";

/** Nothing is final for a node before it is final on the chain. */
export function factsAreFinal({ violate, chain, profile }: CheckContext): Checker {
  return {
    name: "facts-are-final",
    onStep({ node, input, changes, view }) {
      // What a store held was final when it was written, and no row of those that wait goes with it.
      if (input.type === "store.loaded") return;
      const touched = changes.filter(({ table }) => table === ChainFacts.name || table === PendingFacts.name);
      for (const key of new Set(touched.map(({ key }) => key))) {
        const fact = view.get(ChainFacts, key);
        if (fact === undefined || view.get(PendingFacts, key) !== undefined) continue;
        const seen = chain();
        if (seen !== undefined && !isFinal(seen, fact, profile.escrowProgram))
          violate(`node ${node} holds for good that ${told(fact)}, which the finalized chain does not say`);
      }
    },
  };
}

function isFinal(chain: ChainView, { kind, reservation, resolution }: ChainFact, program: string): boolean {
  for (const account of chain.accounts("finalized").values()) {
    const closing = closingOfAccount(account, program);
    if (closing?.reservation !== reservation.toString()) continue;
    if (kind === "released" ? closing.outcome === undefined : closing.outcome === resolution) return true;
  }
  return false;
}

function told({ kind, reservation, resolution, terminal_split }: ChainFact): string {
  if (kind === "released") return `the escrow of ${reservation} was released`;
  return `the case of ${reservation} was decided as ${resolution ?? terminal_split}`;
}
