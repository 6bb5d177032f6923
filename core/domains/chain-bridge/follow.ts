/**
 * What a node does with transactions and accounts that its endpoint tells: it follows every sighting of a closed
 * escrow until the chain has borne it out for good, or has not. A gossip-only node follows nothing.
 * Source: protocol 03 A.10.3 R3-R9.
 */

import type { Turn } from "../../engine/step-context.ts";
import type { ChainObservation, Commitment } from "../../inputs.ts";
import { toBase58 } from "../../kernel/text.ts";
import { acceptTransaction } from "../../solana/transaction.ts";
import { inquire, wakeAt } from "./asking.ts";
import { decide, drop, factId, noteClosing } from "./chain-facts.ts";
import type { Reading, SeenTransaction } from "./reading.ts";
import { readTransaction } from "./reading.ts";
import { onAbsentSubmission, onLanded } from "./submissions.ts";
import { Inquiries, Sightings, Watches } from "./tables.ts";
import { addressesOf } from "./watches.ts";

/** A transaction as the endpoint tells it; its bytes are verified, its level is the endpoint's word. */
export function onTransaction(turn: Turn, seen: SeenTransaction): void {
  if (!sees(turn) || !reaches(seen.commitment, turn.configuration.chainCommitment ?? "finalized")) return;
  const read = readVerified(turn, seen);
  if (read === undefined) return;
  onLanded(turn, seen);
  const told = new Set(read.closings.map((closing) => factId(turn, seen.signature, closing.event)));
  for (const id of turn.draft.find(Sightings, "transaction", seen.signature)) {
    const final = turn.draft.get(Sightings, id)?.final === true;
    if (!told.has(id) && (seen.commitment === "finalized" || !final)) drop(turn, id);
  }
  for (const closing of read.closings) noteClosing(turn, seen, closing);
  if (read.doubtful) doubt(turn, seen.signature);
  else forgetDoubt(turn, seen.signature);
}

/** An account that was read for a sighting. What a fork says of it does not vouch for what is final. */
export function onAccount(turn: Turn, seen: Extract<ChainObservation, { readonly type: "account" }>): void {
  if (!sees(turn)) return;
  for (const id of turn.draft.find(Sightings, "address", seen.address)) {
    const held = turn.draft.get(Sightings, id);
    if (held === undefined || seen.account === null || seen.slot < held.slot) continue;
    if (held.final && seen.commitment === "confirmed") continue;
    const account = { owner: seen.account.owner, data: seen.account.data };
    const part = seen.address === held.escrow ? { escrow_account: account } : { dispute_account: account };
    turn.draft.put(Sightings, id, { ...held, ...part });
    decide(turn, id);
  }
}

/** A transaction that the chain does not hold: a fork dropped it, or it never landed. */
export function onAbsent(turn: Turn, absent: Extract<ChainObservation, { readonly type: "absent" }>): void {
  if (!sees(turn)) return;
  for (const id of turn.draft.find(Sightings, "transaction", absent.signature)) {
    const held = turn.draft.get(Sightings, id);
    // An endpoint that is behind the sighting cannot know.
    if (held !== undefined && (held.final ? absent.finalized : absent.confirmed) >= held.slot) drop(turn, id);
  }
  onAbsentSubmission(turn, absent);
}

function sees(turn: Turn): boolean {
  return turn.configuration.chain === "RpcConnected";
}

function reaches(commitment: Commitment, needed: Commitment): boolean {
  return commitment === "finalized" || needed === "confirmed";
}

/** What a transaction says, if its bytes are the ones that were signed under this signature. */
function readVerified(turn: Turn, seen: SeenTransaction): Reading | undefined {
  const accepted = acceptTransaction(seen.wire, turn.crypto);
  const [signature] = accepted.ok ? accepted.value.signatures : [];
  if (!accepted.ok || signature === undefined || toBase58(signature) !== seen.signature) return undefined;
  const at = addressesOf(turn);
  return readTransaction(seen, accepted.value.message, turn.configuration.profile.escrowProgram, (escrow) => {
    const watch = turn.draft.get(Watches, escrow);
    return watch && { ...watch, escrow, dispute: at.disputeCase(watch.reservation).address };
  });
}

/** Asks for a transaction again that would have closed an escrow and, by what was told, did not. */
function doubt(turn: Turn, signature: string): void {
  if (turn.draft.get(Inquiries, signature) !== undefined) return;
  const fresh = { submitted: false, slot: 0n, valid_until: null, attempts: 0, again_at: turn.now };
  const again = inquire(turn, signature, fresh);
  if (again !== undefined) wakeAt(turn, again);
}

function forgetDoubt(turn: Turn, signature: string): void {
  const held = turn.draft.get(Inquiries, signature);
  if (held !== undefined && !held.submitted) turn.draft.put(Inquiries, signature, undefined);
}
