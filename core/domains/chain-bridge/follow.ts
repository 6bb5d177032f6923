/**
 * What a node does with transactions and accounts that its endpoint tells: it follows every pending fact of a closed
 * escrow until the chain has borne it out for good, or has not. A gossip-only node follows nothing.
 * Source: protocol 03 A.10.3 R3-R9.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { ChainObservation, Commitment } from "../../inputs.ts";
import { toBase58 } from "../../kernel/text.ts";
import { acceptTransaction } from "../../solana/transaction.ts";
import { beginLook } from "./asking.ts";
import { decide, drop, noteClosing } from "./chain-facts.ts";
import { factNameOfEvent } from "./fact-names.ts";
import { onAccountOfLook } from "./looks.ts";
import type { Reading, SeenTransaction } from "./reading.ts";
import { readTransaction } from "./reading.ts";
import { onAbsentSubmission, onLanded } from "./submissions.ts";
import { PendingFacts, Watches } from "./tables.ts";
import { addressesOf } from "./watches.ts";

/** A transaction as the endpoint tells it; its bytes are verified, its level is the endpoint's word. */
export function onTransaction(context: StepContext, seen: SeenTransaction): void {
  if (!sees(context) || !reaches(seen.commitment, context.configuration.chainCommitment ?? "finalized")) return;
  const read = readVerified(context, seen);
  if (read === undefined) return;
  onLanded(context, seen);
  // What is told in part denies no event.
  const whole = seen.loaded !== undefined && seen.inner !== undefined;
  const told = new Set(read.closings.map((closing) => factNameOfEvent(context, closing)));
  for (const id of context.draft.find(PendingFacts, "transaction", seen.signature)) {
    const final = context.draft.get(PendingFacts, id)?.final === true;
    if (whole && !told.has(id) && (seen.commitment === "finalized" || !final)) drop(context, id);
  }
  for (const closing of read.closings) noteClosing(context, seen, closing);
  for (const { escrow, reservation, closes } of read.unexplained) {
    beginLook(context, { escrow, reservation }, seen.slot, closes ? seen.signature : null);
  }
}

/** An account that was read for a pending fact. What a fork says of it does not attest what is final. */
export function onAccount(context: StepContext, seen: Extract<ChainObservation, { readonly type: "account" }>): void {
  if (!sees(context)) return;
  for (const id of context.draft.find(PendingFacts, "address", seen.address)) {
    const held = context.draft.get(PendingFacts, id);
    if (held === undefined || seen.account === null || seen.slot < held.slot) continue;
    if (held.final && seen.commitment === "confirmed") continue;
    const account = { owner: seen.account.owner, data: seen.account.data };
    const part = seen.address === held.escrow ? { escrow_account: account } : { dispute_account: account };
    context.draft.put(PendingFacts, id, { ...held, ...part });
    decide(context, id);
  }
  onAccountOfLook(context, seen);
}

/** A transaction that the chain does not hold: a fork dropped it, or it never landed. */
export function onAbsent(context: StepContext, absent: Extract<ChainObservation, { readonly type: "absent" }>): void {
  if (!sees(context)) return;
  for (const id of context.draft.find(PendingFacts, "transaction", absent.signature)) {
    const held = context.draft.get(PendingFacts, id);
    // An endpoint that is behind it cannot know.
    if (held !== undefined && (held.final ? absent.finalized : absent.confirmed) >= held.slot) drop(context, id);
  }
  onAbsentSubmission(context, absent);
}

function sees(context: StepContext): boolean {
  return context.configuration.chain === "RpcConnected";
}

function reaches(commitment: Commitment, needed: Commitment): boolean {
  return commitment === "finalized" || needed === "confirmed";
}

/** What a transaction says, if its bytes are the ones that were signed under this signature. */
function readVerified(context: StepContext, seen: SeenTransaction): Reading | undefined {
  const accepted = acceptTransaction(seen.wire, context.crypto);
  const [signature] = accepted.ok ? accepted.value.signatures : [];
  if (!accepted.ok || signature === undefined || toBase58(signature) !== seen.signature) return undefined;
  const at = addressesOf(context);
  return readTransaction(seen, accepted.value.message, context.configuration.profile.escrowProgram, (escrow) => {
    const watch = context.draft.get(Watches, escrow);
    return watch && { ...watch, escrow, dispute: at.disputeCase(watch.reservation).address };
  });
}
