/**
 * Settlement rules: one record per initiate, folded from its parties' statements and bound chain facts by
 * precedence. Dates order only one signer's own payments and reversals; nobody's act is undone by a date.
 * Owns: settlements. Sees: reservation pairs, chain facts. Source: CONVERGENCE "Settlement"; protocol 02 D.
 * Not here: allocation, statuses and reservation cancels, on which a settlement never depends.
 */

import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { later, latest } from "../../../kernel/values.ts";
import { DISPUTE_LIFE_MS, DisputeOpen } from "../disputes/schema.ts";
import type { Pair } from "../reservations/queries.ts";
import { reachedBuyer } from "./queries.ts";
import type { ChainFact, SettlementInitiate, SettlementRow, SettlementState } from "./schema.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  SETTLEMENT_LIFE_MS,
  SettlementApproved,
  SettlementCancelled,
  SettlementRejected,
} from "./schema.ts";

/** What the parties of one settlement signed, strangers left out, each list in (timestamp, identity) order. */
export interface Acts {
  readonly payments: readonly Statement<PaymentSubmitted>[];
  /** Payments and reversals together: the buyer's register. */
  readonly moves: readonly Statement[];
  readonly approves: readonly Statement[];
  readonly rejects: readonly Statement<SettlementRejected>[];
  readonly buyerCancels: readonly Statement[];
  readonly sellerCancels: readonly Statement[];
  readonly opens: readonly Statement<DisputeOpen>[];
}

/** Sorts the statements about a settlement by what they are and whose. */
export function actsOf(initiate: SettlementInitiate, statements: readonly Statement[]): Acts {
  const { buyer, seller } = initiate;
  const sorted = [...new Map(statements.map((statement) => [statement.identity, statement])).values()].sort(
    compareStatements,
  );
  const of = (type: { readonly name: string }, ...signers: readonly string[]) =>
    sorted.filter((statement) => statement.type.name === type.name && signers.includes(statement.signer));
  const payments = of(PaymentSubmitted, buyer) as Statement<PaymentSubmitted>[];
  return {
    payments,
    moves: [...payments, ...of(PaymentReversed, buyer)].sort(compareStatements),
    approves: of(SettlementApproved, seller),
    rejects: of(SettlementRejected, seller) as Statement<SettlementRejected>[],
    buyerCancels: of(SettlementCancelled, buyer),
    sellerCancels: of(SettlementCancelled, seller),
    opens: (of(DisputeOpen, buyer, seller) as Statement<DisputeOpen>[]).filter((open) => open.idForm !== "void"),
  };
}

/** Whether the buyer's newest move is a payment. */
export function isPaidNow(acts: Acts): boolean {
  return acts.moves.at(-1)?.type.name === PaymentSubmitted.name;
}

/** The state that statements alone give: lines 3 to 9 of the table. Source: CONVERGENCE "Settlement". */
export function signedStateOf(acts: Acts): SettlementState {
  const everPaid = acts.payments.length > 0;
  if (acts.opens.length > 0) return "Disputed";
  if (everPaid && acts.approves.length > 0) return "Approved";
  if (everPaid && acts.rejects.length > 0) return "Rejected";
  if (acts.buyerCancels.length > 0) return "Cancelled";
  if (isPaidNow(acts)) return "PaymentSubmitted";
  if (acts.sellerCancels.length > 0) return "Cancelled";
  return "AwaitingPayment";
}

/** The record of one settlement. `facts` are those bound to it, in order of their keys. */
export function settlementRow(
  initiate: Statement<SettlementInitiate>,
  pair: Pair,
  acts: Acts,
  facts: readonly ChainFact[],
): SettlementRow {
  const { id, reservation_id, buyer, buyer_public_key, seller, seller_public_key, amount } = initiate.payload;
  const signedState = signedStateOf(acts);
  const everPaid = acts.payments.length > 0;
  const approve = everPaid ? acts.approves[0] : undefined;
  const reject = everPaid && approve === undefined ? acts.rejects[0] : undefined;
  const payment = isPaidNow(acts) || approve || reject ? acts.payments.at(-1) : undefined;
  const decided = facts.find((fact) => fact.kind === "decided");
  const released = facts.find((fact) => fact.kind === "released");
  const state = stateOf(signedState, decided, released);
  return {
    id,
    reservation_id,
    buyer,
    buyer_public_key,
    seller,
    seller_public_key,
    amount,
    state,
    payment_reference: payment?.payload.payment_reference ?? null,
    escrow_release_signature: releaseSignature(decided, released),
    payment_submitted_at: payment?.timestamp ?? null,
    merchant_responded_at: (approve ?? reject)?.timestamp ?? null,
    payment_discrepancy: reject?.payload.discrepancy ?? null,
    disputed_at: acts.opens[0]?.timestamp ?? null,
    created_at: initiate.timestamp,
    updated_at: latest([...effective(initiate, acts)].map((act) => act.timestamp)),
    advertisement: pair.advertisement.identity,
    request: pair.request.identity,
    signed_state: signedState,
    ever_paid: everPaid,
    approved: approve !== undefined,
    rejected: reject !== undefined,
    reject_signed: acts.rejects.length > 0,
    cancelled_by_buyer: acts.buyerCancels.length > 0,
    cancelled_by_seller: acts.sellerCancels.length > 0,
    released: released !== undefined || (decided !== undefined && reachedBuyer(decided.resolution)),
    decided: decided !== undefined,
    resolution: decided?.resolution ?? null,
    terminal_split: decided?.terminal_split ?? null,
    execution_signature: decided?.transaction ?? null,
    closed_at: (decided ?? released)?.timestamp ?? null,
    turned_at: turnedAt(signedState, acts, approve ?? reject),
    ends_at: latest([
      later(initiate.timestamp, SETTLEMENT_LIFE_MS),
      ...acts.opens.map((open) => later(open.timestamp, DISPUTE_LIFE_MS)),
    ]),
  };
}

/**
 * The statements in effect on a settlement: those whose absence could change what it says. A payment, an
 * approve and an open stay in effect whatever anybody else signs (no retroactive veto).
 */
export function effective(initiate: Statement, acts: Acts): ReadonlySet<Statement> {
  const everPaid = acts.payments.length > 0;
  const approved = everPaid && acts.approves.length > 0;
  const rejected = everPaid && acts.rejects.length > 0;
  const inEffect: Statement[] = [initiate, ...acts.opens];
  const move = acts.moves.at(-1);
  if (move !== undefined && everPaid) inEffect.push(move, ...acts.payments);
  if (approved) inEffect.push(...acts.approves.slice(0, 1));
  if (rejected && !approved) inEffect.push(...acts.rejects.slice(0, 1));
  if (!approved && !rejected) {
    inEffect.push(...acts.buyerCancels.slice(0, 1));
    if (!isPaidNow(acts) && acts.buyerCancels.length === 0) inEffect.push(...acts.sellerCancels.slice(0, 1));
  }
  return new Set(inEffect);
}

function stateOf(signedState: SettlementState, decided?: ChainFact, released?: ChainFact): SettlementState {
  if (decided !== undefined) return reachedBuyer(decided.resolution) ? "Completed" : "Cancelled";
  return released === undefined ? signedState : "Completed";
}

function releaseSignature(decided?: ChainFact, released?: ChainFact): string | null {
  if (released !== undefined) return released.transaction;
  return decided !== undefined && reachedBuyer(decided.resolution) ? decided.transaction : null;
}

function turnedAt(state: SettlementState, acts: Acts, response: Statement | undefined): EpochMillis | null {
  if (state === "Approved" || state === "Rejected") return response?.timestamp ?? null;
  if (state !== "Cancelled") return null;
  return (acts.buyerCancels[0] ?? acts.sellerCancels[0])?.timestamp ?? null;
}
