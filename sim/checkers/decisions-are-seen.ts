/**
 * Liveness: what the finalized chain did with the escrow of a trade, every node knows that knows the trade and has an
 * endpoint: a decision cannot be hidden. And it knows nothing else: what a lost branch did is taken back in the end.
 * Looked at on the chain itself. Source: DESIGN L3; protocol 03 A.10.3 R1b, R3, R6.
 */
import type { PublicKey, Reader } from "../../core/index.ts";
import type { ChainAddresses, SettlementRow } from "../../core/testing.ts";
import {
  ChainFacts,
  chainAddresses,
  decodeAccount,
  OWN,
  reservationNumber,
  Settlements,
  SlotObservations,
  Statements,
  simulatedProfile,
  tradeEscrow,
} from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { LivenessCheck } from "../liveness.ts";
import { closingOfAccount } from "./closings.ts";
import { isFinal } from "./facts-are-final.ts";

/** Whose escrow was closed, and of how much. */
interface Closed {
  readonly buyer: string;
  readonly seller: string;
  readonly mint: string;
  readonly amount: bigint;
}

/** In the end every node with an endpoint knows how the escrows of its trades were closed, and of no other closing. */
export const decisionsAreSeen: LivenessCheck = {
  name: "decisions-are-seen",
  missing(world) {
    const chain = world.chain();
    if (chain === undefined) return undefined;
    const addresses = chainAddresses(world.crypto, simulatedProfile);
    for (const { name, driver } of world.nodes) {
      const view = driver()?.view;
      // Without an endpoint it was never told a slot, and is told no decision.
      if (view?.get(SlotObservations, OWN) === undefined) continue;
      for (const key of view.keys(Settlements)) {
        const row = view.get(Settlements, key);
        const closed = row && closedEscrowOf(chain, addresses, row.reservation_id);
        if (row === undefined || closed === undefined || !isEscrowOf(view, closed, row)) continue;
        if (!knows(view, row.reservation_id, closed))
          return `${name} does not know how the escrow of ${row.reservation_id} was closed`;
      }
      const lost = lostFactOf(view, chain);
      if (lost !== undefined) return `${name} holds a closing of escrow ${lost} that the finalized chain did not make`;
    }
    return undefined;
  },
};

/** The reservation of a fact that the finalized chain does not bear out. */
function lostFactOf(view: Reader, chain: ChainView): bigint | undefined {
  for (const key of view.keys(ChainFacts)) {
    const fact = view.get(ChainFacts, key);
    if (fact !== undefined && !isFinal(chain, fact, simulatedProfile.escrowProgram)) return fact.reservation;
  }
  return undefined;
}

function closedEscrowOf(chain: ChainView, addresses: ChainAddresses, reservation: string): Closed | undefined {
  const number = reservationNumber(reservation);
  if (number === undefined) return undefined;
  const escrow = chain.account(addresses.tradeEscrow(number).address, "finalized");
  const dispute = chain.account(addresses.disputeCase(number).address, "finalized");
  const closing = [escrow, dispute].some(
    (account) => closingOfAccount(account ?? null, simulatedProfile.escrowProgram) !== undefined,
  );
  const read = escrow && decodeAccount(tradeEscrow, simulatedProfile, escrow);
  return closing && read?.ok === true ? read.value : undefined;
}

function isEscrowOf(view: Reader, escrow: Closed, row: SettlementRow): boolean {
  const offer = view.get(Statements, row.advertisement)?.payload as { readonly asset_mint?: string } | undefined;
  return (
    escrow.buyer === row.buyer_public_key &&
    escrow.seller === row.seller_public_key &&
    escrow.amount === row.amount.base_units &&
    escrow.mint === offer?.asset_mint
  );
}

function knows(view: Reader, reservation: string, { buyer, seller, mint, amount }: Closed): boolean {
  return view.find(ChainFacts, "reservation", `${reservationNumber(reservation)}`).some((key) => {
    const fact = view.get(ChainFacts, key);
    return (
      fact?.buyer === (buyer as PublicKey) && fact.seller === seller && fact.mint === mint && fact.amount === amount
    );
  });
}
