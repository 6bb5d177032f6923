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
import type { Sighting } from "./tables.ts";

/** The fact behind a sighting; undefined while accounts are missing or disagree. */
export function agreedFact(profile: ChainProfile, sighting: Sighting): ChainFact | undefined {
  if (sighting.escrow_account === null) return undefined;
  const escrow = decodeAccount(tradeEscrow, profile, sighting.escrow_account);
  const event = decodeEvent(sighting.event);
  if (!escrow.ok || escrow.value.reservation_id !== sighting.reservation) return undefined;
  if (escrow.value.mint !== sighting.mint) return undefined;
  if (sighting.kind === "released") {
    return event?.type === "EscrowReleased" ? released(sighting, event.fields, escrow.value) : undefined;
  }
  return event?.type === "DisputeResolved" ? decided(profile, sighting, event.fields, escrow.value) : undefined;
}

function released(
  sighting: Sighting,
  event: EventFields<"EscrowReleased">,
  escrow: TradeEscrow,
): ChainFact | undefined {
  const agrees =
    sameParties(event, escrow) &&
    event.mint === escrow.mint &&
    event.amount === escrow.amount &&
    vaultStates[escrow.state] === "Released";
  return agrees ? factOf(sighting, escrow, event.timestamp, null, null) : undefined;
}

function decided(
  profile: ChainProfile,
  sighting: Sighting,
  event: EventFields<"DisputeResolved">,
  escrow: TradeEscrow,
): ChainFact | undefined {
  const reading = sighting.dispute_account && readCase(profile, sighting.dispute_account);
  const outcome = named(outcomes, event.outcome);
  if (!reading?.ok || outcome === undefined) return undefined;
  const { value } = reading;
  const agrees =
    sameParties(event, escrow) &&
    value.reservationId === sighting.reservation &&
    value.tradeEscrow === sighting.escrow &&
    value.resolved &&
    value.outcome === outcome &&
    vaultStates[escrow.state] === (reachedBuyer(outcome) ? "Released" : "Cancelled");
  if (!agrees) return undefined;
  const split = outcome === null ? (value.terminalReason ?? sighting.reason) : null;
  if (outcome === null && split === null) return undefined;
  return factOf(sighting, escrow, event.timestamp, outcome, split);
}

function sameParties(event: { readonly buyer: string; readonly seller: string }, escrow: TradeEscrow): boolean {
  return event.buyer === escrow.buyer && event.seller === escrow.seller;
}

function factOf(
  { kind, reservation, transaction }: Sighting,
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
