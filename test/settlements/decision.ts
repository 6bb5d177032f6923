/**
 * What the chain decides about the trade that stories tell: reservation 1, its parties, its mint and amount.
 */
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { PublicKey } from "../../core/kernel/values.ts";

/** For the buyer; a test changes what its own case needs. */
export function decision(buyer: PublicKey, seller: PublicKey, timestamp: bigint): ChainFact {
  return {
    ...{ kind: "decided", reservation: 1n, buyer, seller },
    ...{ mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", amount: 20_000_000n },
    ...{ resolution: "BuyerWins", terminal_split: null, transaction: "signature", timestamp },
  } as ChainFact;
}
