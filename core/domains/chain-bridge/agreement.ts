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
import type { Ending } from "./fact-names.ts";
import type { AccountText, PendingFact } from "./tables.ts";

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

/** A fact that accounts alone tell, and how its case ended; no ending is a release. */
export interface FactOfAccounts {
  readonly fact: ChainFact;
  readonly ending: Ending | null;
}

/**
 * What a closed escrow and its case, if it ever had one, say by themselves; undefined while they do not fit together.
 * The balance of the escrow's tokens says nothing: anybody may send it some.
 */
export function factOfAccounts(
  profile: ChainProfile,
  held: {
    readonly reservation: bigint;
    readonly escrow: string;
    readonly escrow_account: AccountText;
    readonly dispute_account: AccountText | null;
  },
): FactOfAccounts | "returned" | undefined {
  const escrow = decodeAccount(tradeEscrow, profile, held.escrow_account);
  if (!escrow.ok || escrow.value.reservation_id !== held.reservation) return undefined;
  const state = vaultStates[escrow.value.state];
  if (held.dispute_account === null) {
    if (state === "Cancelled") return "returned";
    const fact = factOf({ kind: "released", reservation: held.reservation }, escrow.value, null, null);
    // Without its merchant's approval nothing but a case releases it.
    return state === "Released" && escrow.value.approved ? { fact, ending: null } : undefined;
  }
  const reading = readCase(profile, held.dispute_account);
  if (!reading.ok) return undefined;
  const { resolved, outcome, round, terminalReason } = reading.value;
  const fits =
    reading.value.reservationId === held.reservation &&
    reading.value.tradeEscrow === held.escrow &&
    resolved &&
    state === (reachedBuyer(outcome) ? "Released" : "Cancelled");
  if (!fits || (outcome === null && terminalReason === null)) return undefined;
  const split = outcome === null ? terminalReason : null;
  const fact = factOf({ kind: "decided", reservation: held.reservation }, escrow.value, outcome, split);
  return { fact, ending: { round, outcome: outcome === null ? null : outcomes.indexOf(outcome) } };
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
  return agrees ? decorated(factOf(pendingFact, escrow, null, null), pendingFact, event.timestamp) : undefined;
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
    value.round === event.round &&
    vaultStates[escrow.state] === (reachedBuyer(outcome) ? "Released" : "Cancelled");
  if (!agrees) return undefined;
  const split = outcome === null ? (value.terminalReason ?? pendingFact.reason) : null;
  if (outcome === null && split === null) return undefined;
  return decorated(factOf(pendingFact, escrow, outcome, split), pendingFact, event.timestamp);
}

function sameParties(event: { readonly buyer: string; readonly seller: string }, escrow: TradeEscrow): boolean {
  return event.buyer === escrow.buyer && event.seller === escrow.seller;
}

/** With what the event and its transaction add. */
function decorated(fact: ChainFact, { transaction }: PendingFact, seconds: bigint): ChainFact {
  return { ...fact, transaction, timestamp: (seconds < 0n ? 0n : seconds * 1_000n) as EpochMillis };
}

function factOf(
  { kind, reservation }: Pick<ChainFact, "kind" | "reservation">,
  escrow: TradeEscrow,
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
    transaction: null,
    timestamp: null,
  };
}
