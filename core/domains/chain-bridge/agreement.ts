/**
 * Whether the chain's accounts tell the same story as the event of a transaction; only then is it a fact. Everything
 * that binds it to a trade stands in the fact: number, parties, mint, amount. Source: protocol 03 A.10.3 R1b, R4, W-3.
 */

import type { EpochMillis, MintAddress, PublicKey } from "../../kernel/values.ts";
import type { TradeEscrow } from "../../solana/accounts.ts";
import { decodeAccount, named, outcomes, readCase, tradeEscrow, vaultStates } from "../../solana/accounts.ts";
import type { ChainProfile } from "../../solana/addresses.ts";
import type { EventFields } from "../../solana/events.ts";
import { decodeEvent } from "../../solana/events.ts";
import { reachedBuyer } from "../trade/settlements/queries.ts";
import type { ChainFact } from "../trade/settlements/schema.ts";
import type { PendingFact } from "./tables.ts";

/** The fact that a pending one becomes; undefined while accounts are missing or disagree. */
export function agreedFact(profile: ChainProfile, pendingFact: PendingFact): ChainFact | undefined {
  if (pendingFact.escrow_account === null) return undefined;
  const escrow = decodeAccount(tradeEscrow, profile, pendingFact.escrow_account);
  const event = decodeEvent(pendingFact.event);
  if (!escrow.ok || escrow.value.reservation_id !== pendingFact.reservation) return undefined;
  if (escrow.value.mint !== pendingFact.mint) return undefined;
  if (pendingFact.kind === "released") {
    return event?.type === "EscrowReleased" ? released(pendingFact, event.fields, escrow.value) : undefined;
  }
  return event?.type === "DisputeResolved" ? decided(profile, pendingFact, event.fields, escrow.value) : undefined;
}

function released(
  pendingFact: PendingFact,
  event: EventFields<"EscrowReleased">,
  escrow: TradeEscrow,
): ChainFact | undefined {
  const agrees =
    sameParties(event, escrow) &&
    event.mint === escrow.mint &&
    event.amount === escrow.amount &&
    vaultStates[escrow.state] === "Released";
  return agrees ? factOf(pendingFact, escrow, event.timestamp, null, null) : undefined;
}

function decided(
  profile: ChainProfile,
  pendingFact: PendingFact,
  event: EventFields<"DisputeResolved">,
  escrow: TradeEscrow,
): ChainFact | undefined {
  const reading = pendingFact.dispute_account && readCase(profile, pendingFact.dispute_account);
  const outcome = named(outcomes, event.outcome);
  if (!reading?.ok || outcome === undefined) return undefined;
  const { value } = reading;
  const agrees =
    sameParties(event, escrow) &&
    value.reservationId === pendingFact.reservation &&
    value.tradeEscrow === pendingFact.escrow &&
    value.resolved &&
    value.outcome === outcome &&
    vaultStates[escrow.state] === (reachedBuyer(outcome) ? "Released" : "Cancelled");
  if (!agrees) return undefined;
  const split = outcome === null ? (value.terminalReason ?? pendingFact.reason) : null;
  if (outcome === null && split === null) return undefined;
  return factOf(pendingFact, escrow, event.timestamp, outcome, split);
}

function sameParties(event: { readonly buyer: string; readonly seller: string }, escrow: TradeEscrow): boolean {
  return event.buyer === escrow.buyer && event.seller === escrow.seller;
}

function factOf(
  { kind, reservation, transaction }: PendingFact,
  escrow: TradeEscrow,
  seconds: bigint,
  resolution: ChainFact["resolution"],
  split: ChainFact["terminal_split"],
): ChainFact {
  return {
    kind,
    reservation,
    buyer: escrow.buyer as PublicKey,
    seller: escrow.seller as PublicKey,
    mint: escrow.mint as MintAddress,
    amount: escrow.amount,
    resolution,
    terminal_split: split,
    transaction,
    timestamp: (seconds < 0n ? 0n : seconds * 1_000n) as EpochMillis,
  };
}
