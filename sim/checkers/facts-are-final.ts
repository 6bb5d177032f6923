/**
 * A node holds for good only what the finalized chain did, word for word: a decision or a release that a fork may still
 * undo waits among what is pending, so that it can be taken back, and a node that waits for finality holds none at all.
 * Looked at on the chain itself, when the node ceases to wait. Source: DESIGN L3; protocol 03 A.10.3 R1b, R3, R4.
 */
import type { Commitment } from "../../core/index.ts";
import type { ChainFact } from "../../core/testing.ts";
import { ChainFacts, PendingFacts } from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { CheckContext, Checker } from "../checker.ts";
import type { EscrowTerms } from "./closings.ts";
import { closingOfAccount, escrowOfAccount } from "./closings.ts";

/** Nothing is final for a node before it is final on the chain. */
export function factsAreFinal({ violate, chain, keep, profile }: CheckContext): Checker {
  /** The level at which each node has escrows watched. */
  const waitsFor = keep(() => new Map<number, Commitment>());
  return {
    name: "facts-are-final",
    onStep({ node, input, changes, effects, view }) {
      for (const effect of effects)
        if (effect.type === "chain.watch") waitsFor.set(node, effect.commitment ?? "finalized");
      // What a store held was final when it was written, and no row of those that wait goes with it.
      if (input.type === "store.loaded") return;
      const touched = changes.filter(({ table }) => table === ChainFacts.name || table === PendingFacts.name);
      for (const key of new Set(touched.map(({ key }) => key))) {
        const fact = view.get(ChainFacts, key);
        const mayBeUndone = waitsFor.get(node) !== "finalized" && view.get(PendingFacts, key) !== undefined;
        const seen = chain();
        if (fact === undefined || mayBeUndone || seen === undefined) continue;
        if (!isFinal(seen, fact, profile.escrowProgram))
          violate(`node ${node} holds for good that ${told(fact)}, which the finalized chain does not say`);
      }
    },
  };
}

/** Whether the finalized chain closed an escrow of these terms so. */
export function isFinal(chain: ChainView, fact: ChainFact, program: string): boolean {
  let [closed, sameTerms] = [false, false];
  for (const account of chain.accounts("finalized").values()) {
    const escrow = escrowOfAccount(account, program);
    if (escrow?.reservation === fact.reservation.toString()) sameTerms ||= isOf(escrow, fact);
    const closing = closingOfAccount(account, program);
    if (closing?.reservation !== fact.reservation.toString()) continue;
    if (fact.kind === "released") closed ||= closing.outcome === undefined;
    else closed ||= closing.outcome === fact.resolution && (closing.split ?? null) === fact.terminal_split;
  }
  return closed && sameTerms;
}

function isOf(escrow: EscrowTerms, { buyer, seller, mint, amount }: ChainFact): boolean {
  return escrow.buyer === buyer && escrow.seller === seller && escrow.mint === mint && escrow.amount === amount;
}

function told({ kind, reservation, resolution, terminal_split, amount }: ChainFact): string {
  if (kind === "released") return `the escrow of ${reservation} over ${amount} was released`;
  return `the case of ${reservation} over ${amount} was decided as ${resolution ?? terminal_split}`;
}
