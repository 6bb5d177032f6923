/**
 * No retroactive veto, as a check that returns what was vetoed. Whatever statements others add, of whatever date, an
 * act that was in effect stays in effect. In effect means that the records say so:
 * - a payment: its settlement's state without facts is PaymentSubmitted, Approved, Rejected or Disputed;
 * - an approve: its settlement carries it, and the reservation of its pair is acknowledged unless a fact gave it back;
 * - an open: there is its dispute, and its settlement is Disputed;
 * - a commit: the dispute shows its signer among those committed; a reveal: among those revealed;
 * Source: CONVERGENCE "No retroactive veto" (ours).
 */
import { DisputeOpen, VoteCommit, VoteReveal } from "../../core/disputes/schema.ts";
import { Disputes } from "../../core/disputes/tables.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import { recordsOf } from "../../core/kernel/table.ts";
import { Reservations } from "../../core/reservations/tables.ts";
import type { SettlementInitiate } from "../../core/settlements/schema.ts";
import { PaymentSubmitted, SettlementApproved } from "../../core/settlements/schema.ts";
import { Settlements } from "../../core/settlements/tables.ts";
import { parentsOf } from "../../core/statements/table.ts";
import type { Heard } from "./replica.ts";
import { replicaOf } from "./replica.ts";

const PAID = ["PaymentSubmitted", "Approved", "Rejected", "Disputed"];

/** What others' statements took out of effect; nothing when the law holds. */
export function vetoes(heard: readonly Heard[], added: readonly Heard[]): readonly string[] {
  const signers = new Set(added.map((each) => (each.type === "said" ? each.statement.signer : undefined)));
  const before = replicaOf(heard).store();
  const after = replicaOf([...heard, ...added]).store();
  const kept = actsInEffect(after, heard);
  const lost: string[] = [];
  for (const [act, signer] of actsInEffect(before, heard)) {
    if (!kept.has(act) && !signers.has(signer as never)) lost.push(act);
  }
  return lost;
}

/** Every act in effect, described, with its signer. */
function actsInEffect(store: Store, heard: readonly Heard[]): ReadonlyMap<string, string> {
  const acts = new Map<string, string>();
  for (const each of heard) {
    if (each.type === "seen") continue;
    for (const where of placesInEffect(store, each.statement)) {
      acts.set(`${each.statement.type.name} ${each.statement.identity} in ${where}`, each.statement.signer);
    }
  }
  return acts;
}

/** The records in which a statement is in effect. */
function placesInEffect(store: Store, statement: Statement): readonly string[] {
  switch (statement.type.name) {
    case PaymentSubmitted.name:
      return settlementsOf(store, statement)
        .filter((initiate) => paymentCounts(store, initiate, statement))
        .map(identity);
    case SettlementApproved.name:
      return settlementsOf(store, statement)
        .filter((initiate) => approveCounts(store, initiate, statement))
        .map(identity);
    case DisputeOpen.name:
      return settlementsOf(store, statement)
        .filter((initiate) => store.get(Disputes, `${initiate.identity}:${statement.identity}`) !== undefined)
        .filter((initiate) => store.get(Settlements, initiate.identity)?.standing === "Disputed")
        .map(identity);
    case VoteCommit.name:
      return disputesOf(store, statement)
        .filter((dispute) => dispute.commitments.some((commitment) => commitment.arbitrator === statement.signer))
        .map((dispute) => `${dispute.settlement}:${dispute.open}`);
    case VoteReveal.name:
      return disputesOf(store, statement)
        .filter((dispute) => dispute.reveals.some((shown) => shown.arbitrator === statement.signer))
        .map((dispute) => `${dispute.settlement}:${dispute.open}`);
    default:
      return [];
  }
}

function paymentCounts(store: Store, initiate: Statement<SettlementInitiate>, payment: Statement): boolean {
  const row = store.get(Settlements, initiate.identity);
  return row !== undefined && row.buyer === payment.signer && row.ever_paid && PAID.includes(row.standing);
}

function approveCounts(store: Store, initiate: Statement<SettlementInitiate>, approve: Statement): boolean {
  const row = store.get(Settlements, initiate.identity);
  if (row === undefined || row.seller !== approve.signer || !row.approved) return false;
  const held = store.get(Reservations, `${row.advertisement}:${row.request}`);
  return held !== undefined && (held.acknowledged || held.returned_at !== null);
}

function settlementsOf(store: Store, statement: Statement): readonly Statement<SettlementInitiate>[] {
  return parentsOf<SettlementInitiate>(store, statement);
}

function disputesOf(store: Store, statement: Statement) {
  return parentsOf<DisputeOpen>(store, statement).flatMap((open) =>
    recordsOf(store, Disputes, "id", open.payload.id).filter((row) => row.open === open.identity),
  );
}

function identity(initiate: Statement): string {
  return initiate.identity;
}
