/**
 * One node with a disputed trade on reservation 42, and what an endpoint could tell it of that trade's escrow: real
 * signed transactions, event lines and account bytes. Source: protocol 03 D.3-D.5, D.9.
 */

import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { PaymentSubmitted, SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import type * as CoreIndex from "../../core/index.ts";
import type { ChainObservation, Commitment, Effect, NodeConfiguration } from "../../core/inputs.ts";
import { toBase58, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import {
  disputeCase,
  encodeAccount,
  outcomes,
  terminalReasons,
  tradeEscrow,
  vaultStates,
} from "../../core/solana/accounts.ts";
import { chainAddresses, simulatedProfile } from "../../core/solana/addresses.ts";
import { encodeEventLine } from "../../core/solana/events.ts";
import { parseTransaction } from "../../core/solana/transaction.ts";
import { settlementMints, treasuriesFor } from "../../sim/chain/genesis.ts";
import { executeDisputeOutcome, releaseEscrow } from "../../sim/chain/instructions.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";

export type Core = Pick<typeof CoreIndex, "createDriver" | "devnetNetwork">;

export const T = 1_786_000_000_000n as EpochMillis;
export const at = chainAddresses(crypto, simulatedProfile);
const [merchant, taker, payer] = [person(0x11), person(0x22), person(0x66)];
export const people = { merchant, taker };
export const [seller, buyer] = [merchant.key as string, taker.key as string];
export const mint = settlementMints[1] as (typeof settlementMints)[number];
export const otherMint = settlementMints[2] as (typeof settlementMints)[number];
export const AMOUNT = 25_000_000n;
const units = (base_units: bigint, decimals = 6) => ({ base_units, decimals });

interface Setting {
  readonly core?: Core;
  readonly told?: Partial<NodeConfiguration>;
  readonly reservation?: string;
  readonly disputed?: boolean;
  /** When the trade was begun. */
  readonly start?: EpochMillis;
  /** Who sells and who buys. */
  readonly parties?: { readonly merchant: Person; readonly taker: Person };
  readonly amount?: bigint;
}

/** A chain-connected node that knows a paid trade, disputed unless said otherwise. */
export function caseNode(setting: Setting = {}): LoneNode {
  const { core, told = {}, reservation = "42", disputed = true, start = T, amount = AMOUNT } = setting;
  const { merchant, taker } = setting.parties ?? people;
  const node = loneNode(start + 100n, core, undefined, { chain: "RpcConnected", ...told });
  const ad = {
    ...{ id: "ad-1", merchant: merchant.peer, merchant_public_key: merchant.key, direction: "Sell" as const },
    ...{ asset_mint: mint.mint as MintAddress, fiat_currency: "KES" as FiatCurrency, timestamp: start },
    ...{ min_trade: units(1n), max_trade: units(amount), initial_liquidity: units(10n * amount) },
    pricing: { Fixed: { price: units(13_000n, 2) } },
    payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
  };
  node.gossip(AdvertisementCreate, ad, merchant);
  const request = {
    ...{ id: reservation, advertisement_id: "ad-1", requester: taker.peer, requester_public_key: taker.key },
    ...{
      amount: units(amount),
      agreed_price: units(13_000n, 2),
      agreed_mid: null,
      timestamp: (start + 1n) as EpochMillis,
    },
  };
  node.gossip(ReservationRequest, request, taker);
  const initiate = {
    ...{ id: "s-1", reservation_id: reservation, buyer: taker.peer, buyer_public_key: taker.key },
    ...{ seller: merchant.peer, seller_public_key: merchant.key, amount: units(amount) },
    timestamp: (start + 2n) as EpochMillis,
  };
  node.gossip(SettlementInitiate, initiate, taker);
  const payment = {
    ...{ settlement_id: "s-1", buyer: taker.peer, payment_reference: "r", timestamp: (start + 3n) as EpochMillis },
  };
  node.gossip(PaymentSubmitted, payment, taker);
  if (disputed) openDispute(node, 4n, start, taker);
  return node;
}

export function openDispute(node: LoneNode, ms = 4n, start: EpochMillis = T, taker = people.taker): void {
  const open = {
    ...{ id: "d-1", settlement_id: "s-1", opener: taker.peer, opener_public_key: taker.key, reason: "unpaid" },
    timestamp: (start + ms) as EpochMillis,
  };
  node.gossip(DisputeOpen, open, taker);
}

/** How the chain closed an escrow, and how it is told. */
export interface Closed {
  readonly reservation?: bigint;
  /** Null is a terminal split. */
  readonly outcome?: (typeof outcomes)[number] | null;
  readonly reason?: (typeof terminalReasons)[number];
  readonly round?: number;
  /** Whether the merchant approved the release. */
  readonly approved?: boolean;
  readonly buyer?: string;
  readonly seller?: string;
  readonly mint?: typeof mint;
  readonly amount?: bigint;
  readonly slot?: bigint;
  readonly commitment?: Commitment;
  readonly succeeded?: boolean;
  /** Chain seconds in the event. */
  readonly seconds?: bigint;
  /** The round began anew: no event. */
  readonly reopened?: boolean;
  /** The escrow stands as it was funded. */
  readonly open?: boolean;
  /** Another program invoked the instruction. */
  readonly inner?: boolean;
  /** Tells transactions with equal contents apart. */
  readonly nth?: number;
}

const usual = {
  ...{
    reservation: 42n,
    outcome: "BuyerWins" as const,
    reason: "NoConsensus" as const,
    round: 0,
    approved: false,
    buyer,
    seller,
    mint,
  },
  ...{ amount: AMOUNT, slot: 1_000n, commitment: "finalized" as const, succeeded: true, seconds: 1_786_000_100n },
  ...{ reopened: false, open: false, inner: false, nth: 0 },
};

type SeenTransaction = Extract<ChainObservation, { readonly type: "transaction" }>;

/** The transaction that executes a case. */
export function execution(closed: Closed = {}): SeenTransaction {
  const all = { ...usual, ...closed };
  const ref = {
    reservation: all.reservation,
    mint: all.mint.mint,
    tokenProgram: all.mint.tokenProgram,
    merchant: seller,
  };
  const instruction = executeDisputeOutcome(at, ref, tokens(), treasuriesFor(at, all.mint));
  return seen(all, instruction, all.reopened ? [] : decisionLines(all));
}

/** The transaction that releases an escrow. */
export function release(closed: Closed = {}): SeenTransaction {
  const all = { ...usual, ...closed };
  const ref = {
    reservation: all.reservation,
    mint: all.mint.mint,
    tokenProgram: all.mint.tokenProgram,
    merchant: seller,
  };
  const line = encodeEventLine("EscrowReleased", {
    ...{ reservation_id: all.reservation, buyer: all.buyer, seller: all.seller, mint: all.mint.mint },
    ...{ amount: all.amount, buyer_amount: all.amount, fee: 0n, dev: 0n, ecosystem: 0n, infra: 0n },
    ...{ emergency: 0n, via_dispute: false, timestamp: all.seconds },
  });
  return seen(all, releaseEscrow(at, ref, tokens(), treasuriesFor(at, all.mint)), [line]);
}

/** The escrow and the case as the chain has them afterwards. */
export function accounts(closed: Closed = {}): readonly Extract<ChainObservation, { readonly type: "account" }>[] {
  const all = { ...usual, ...closed };
  const { slot, commitment, reservation } = all;
  const read = (address: string, data: Uint8Array) => {
    const account = { owner: at.profile.escrowProgram, lamports: 1n, data };
    return { type: "account" as const, address, slot, commitment, account };
  };
  return [
    read(at.tradeEscrow(reservation).address, escrowBytes(all)),
    read(at.disputeCase(reservation).address, caseBytes(all)),
  ];
}

/** The endpoint tells something. */
export function tell(node: LoneNode, ...observations: readonly ChainObservation[]): void {
  for (const observation of observations) node.accept({ type: "chain.observed", observation });
}

/** Time passes and the timer fires; answers what the node asked for then. */
export function later(node: LoneNode, ms: number): readonly Effect[] {
  node.now += BigInt(ms);
  const before = node.effects.length;
  node.accept({ type: "timer.fired", timer: "chain-retry" });
  return node.effects.slice(before);
}

export interface Shown {
  readonly resolution: string | null;
  readonly status: string;
  readonly terminal_split: string | null;
  readonly onchain_execution_signature: string | null;
  readonly updated_at: number;
}

export function shown(node: LoneNode): Shown {
  return node.call("getDispute", { id: "d-1" }) as Shown;
}

/** Dispute, settlement and reservation as a stranger reads them. */
export function settlementState(node: LoneNode, reservation = "42"): string {
  const { status, resolution } = shown(node);
  const { state } = node.call("getSettlement", { id: "s-1" }) as { readonly state: string };
  const held = node.call("getReservation", { id: reservation }) as { readonly state: string };
  return `${status} ${resolution ?? "none"}, ${state}, ${held.state}`;
}

export const STANDS = "Open none, Disputed, Settling";
export const BUYER_WON = "Resolved BuyerWins, Completed, Settled";

function tokens(): string {
  return at.tokenAccount(buyer, mint.mint, mint.tokenProgram).address;
}

type All = Required<Closed>;

function decisionLines({
  reservation,
  outcome,
  reason,
  round,
  buyer: to,
  seller: from,
  seconds,
}: All): readonly string[] {
  const decided = encodeEventLine("DisputeResolved", {
    ...{ reservation_id: reservation, buyer: to, seller: from, round, winning_weight: 5n, arbitrator_count: 3 },
    ...{ outcome: outcome === null ? null : outcomes.indexOf(outcome), reward_pool: 0n, deposit_refunded: 0n },
    timestamp: seconds,
  });
  if (outcome !== null) return [decided];
  const split = encodeEventLine("DisputeTerminalSplit", {
    ...{ reservation_id: reservation, reason: terminalReasons.indexOf(reason), round: 2, seats_this_round: 1 },
    ...{ counted_reveals: 1, barred: 2, seats_taken_total: 7, required_pool: 17, published_pool: 17 },
    timestamp: seconds,
  });
  return [decided, split];
}

/** Another program that calls the escrow's. */
const CALLER = toBase58(crypto.sha256(utf8("a program that calls others")));

function seen(all: All, instruction: Instruction, lines: readonly string[]): SeenTransaction {
  const called = all.inner ? { program: CALLER, accounts: instruction.accounts, data: new Uint8Array(1) } : instruction;
  const blockhash = toBase58(crypto.sha256(utf8(`blockhash ${all.nth}`)));
  const keypair = { publicKey: crypto.publicKey(payer.secret), secretKey: payer.secret };
  const wire = signTransaction({ payer: payer.key, instructions: [called], blockhash }, [keypair], crypto);
  const parsed = parseTransaction(wire);
  const signature = toBase58((parsed.ok && parsed.value.signatures[0]) || new Uint8Array(64));
  const { program } = instruction;
  const framed = [`Program ${program} invoke [1]`, ...lines, `Program ${program} success`];
  const addresses = instruction.accounts.map((account) => account.address);
  return {
    type: "transaction",
    ...{ address: at.tradeEscrow(all.reservation).address, signature, slot: all.slot, commitment: all.commitment },
    ...{ succeeded: all.succeeded, wire, logs: all.succeeded ? framed : [] },
    ...{ loaded: [], inner: all.inner ? [{ program, accounts: addresses, data: instruction.data }] : [] },
  };
}

function escrowBytes({
  reservation,
  buyer: to,
  seller: from,
  mint: moved,
  amount,
  outcome,
  approved,
  open,
}: All): Uint8Array {
  const back = outcome === "MerchantWins" || outcome === "Invalid";
  return encodeAccount(tradeEscrow, {
    ...{ reservation_id: reservation, buyer: to, seller: from, mint: moved.mint, amount, approved },
    ...{
      state: vaultStates.indexOf(open ? "AwaitingFiatSettlement" : back ? "Cancelled" : "Released"),
      created_at: 0n,
      timeout_at: 0n,
    },
    ...{ bump: 255, token_bump: 255 },
  });
}

function caseBytes({ reservation, outcome, reason, round, reopened }: All): Uint8Array {
  return encodeAccount(disputeCase, {
    ...{ reservation_id: reservation, trade_escrow: at.tradeEscrow(reservation).address, opened_at: 0n },
    ...{ commit_deadline: 0n, reveal_deadline: 0n, resolved: !reopened, round: reopened ? round + 1 : round },
    ...{ commit_window_secs: 60n, reveal_window_secs: 60n, case_seed: new Uint8Array(32), round_opened_at: 0n },
    ...{ arbitrators: [], commitments: [], revealed_outcomes: [], weights: [], reward_claimed: [], barred: [] },
    ...{ deposit_vault: mint.mint, deposit_mint: mint.mint, deposit: 0n, deposit_shortfall: 0n },
    outcome: outcome === null || reopened ? null : outcomes.indexOf(outcome),
    ...{ winning_weight: 5n, reward_pool: 0n, reward_remaining: 0n, deposit_settled: true, bump: 255 },
    ...{ seats_taken_total: 3, terminal_reason: outcome === null ? terminalReasons.indexOf(reason) : null },
  });
}
