/**
 * Looking at a watched escrow that may be closed although no event says so: a log can be cut, missing or unknown, and a
 * transaction can be hidden. Then escrow and case alone decide, finalized and read alike at two slots at least, under
 * the same binding, and give the fact that the event would have given. One look of an escrow at a time, whatever
 * strangers do to it. Source: protocol 03 A.10.3 R3, R4; DESIGN "A decision cannot be hidden".
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { ChainObservation } from "../../inputs.ts";
import { toHex } from "../../kernel/bytes.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import { decodeAccount, isUnused, tradeEscrow, vaultStates } from "../../solana/accounts.ts";
import { devnetProfile } from "../../solana/addresses.ts";
import { ChainFact } from "../trade/settlements/schema.ts";
import type { FactOfAccounts } from "./agreement.ts";
import { agreedFact, factOfAccounts } from "./agreement.ts";
import { beginLook, endLook, look, UNREAD, wakeAt } from "./asking.ts";
import { RECHECKS_MAX, takeFinal } from "./chain-facts.ts";
import { factName } from "./fact-names.ts";
import type { AccountText, Look } from "./tables.ts";
import { Looks, PendingFacts, Watches } from "./tables.ts";
import { isNamed } from "./watches.ts";

/** What a look finds when the escrow went back to its merchant without a case. */
const RETURNED = "returned";
/** What a look finds when the escrow is not closed. */
const OPEN = "open";

/** Equal readings, each as of a later slot, that make a fact. Source: protocol 03 A.10.3 R4. */
export const READINGS_MIN = 2;

type SeenAccount = Extract<ChainObservation, { readonly type: "account" }>;

/**
 * An account that was read. A watched escrow that is told to be closed is looked at, asked for or not; what is only
 * confirmed begins a look, since whoever polls accounts at that level is told of no other, and is no reading of one.
 */
export function onAccountOfLook(context: StepContext, seen: SeenAccount): void {
  const watch = context.draft.get(Watches, seen.address);
  if (watch !== undefined && context.draft.get(Looks, seen.address) === undefined) {
    if (!isClosed(context, seen.account) || isBeingExplained(context, watch.reservation)) return;
    beginLook(context, { escrow: seen.address, reservation: watch.reservation }, seen.slot, null);
  }
  if (seen.commitment === "confirmed") return;
  const escrow = watch === undefined ? context.draft.find(Looks, "dispute", seen.address)[0] : seen.address;
  const held = escrow === undefined ? undefined : context.draft.get(Looks, escrow);
  if (escrow === undefined || held === undefined || seen.slot < held.slot) return;
  const account =
    seen.account && !isUnused(seen.account) ? { owner: seen.account.owner, data: seen.account.data } : null;
  if (seen.address !== escrow) {
    return conclude(context, escrow, { ...held, dispute_account: account, dispute_slot: seen.slot });
  }
  if (!isClosed(context, account)) return concludeOpen(context, escrow, held, seen.slot);
  conclude(context, escrow, { ...held, escrow_account: account, escrow_slot: seen.slot });
}

/**
 * It is open, so there is nothing to explain: once it was read so as often as what is easily claimed. A closed one that
 * was misread once would be told of no more, since whoever polls tells what changed.
 */
function concludeOpen(context: StepContext, escrow: string, held: Look, slot: bigint): void {
  const readings = held.found === OPEN ? held.readings + 1 : 1;
  if (readings >= READINGS_MIN + RECHECKS_MAX) return endLook(context, escrow);
  wakeAt(context, look(context, escrow, { ...held, ...UNREAD, slot: slot + 1n, found: OPEN, readings }));
}

/** Notes a whole reading; enough of them that agree are a fact. */
function conclude(context: StepContext, escrow: string, held: Look): void {
  context.draft.put(Looks, escrow, held);
  const { escrow_account, escrow_slot, dispute_slot } = held;
  if (escrow_account === null || escrow_slot === null || dispute_slot === null) return;
  const profile = { ...devnetProfile, escrowProgram: context.configuration.profile.escrowProgram };
  const told = factOfAccounts(profile, { ...held, escrow, escrow_account });
  const anew = { ...held, ...UNREAD, slot: (escrow_slot > dispute_slot ? escrow_slot : dispute_slot) + 1n };
  if (told === undefined) return context.draft.put(Looks, escrow, { ...anew, found: null, readings: 0 });
  const found = told === "returned" ? RETURNED : `${nameOf(context, escrow, held.dispute, told)} ${termsOf(told)}`;
  const readings = found === held.found ? held.readings + 1 : 1;
  // That there is no case is easily claimed, and a fact about nobody's trade may be a misread account.
  const certain = told !== "returned" && told.ending !== null && isNamed(context, escrow, told.fact);
  if (readings < (certain ? READINGS_MIN : READINGS_MIN + RECHECKS_MAX)) {
    return wakeAt(context, look(context, escrow, { ...anew, found, readings }));
  }
  if (told === "returned") return endLook(context, escrow);
  const name = nameOf(context, escrow, held.dispute, told);
  // An event of the same decision, or a transaction that would have brought it about, tells who did it, and when.
  const pending = context.draft.get(PendingFacts, name);
  const evented = pending && agreedFact(profile, { ...pending, escrow_account, dispute_account: held.dispute_account });
  const transaction = pending?.transaction ?? held.transaction;
  takeFinal(context, name, escrow, evented ?? { ...told.fact, transaction });
}

/** What the name of a fact leaves out: number, parties, mint and amount; a misread account may have others. */
function termsOf({ fact }: FactOfAccounts): string {
  return toHex(encodeCompact(ChainFact, fact));
}

function nameOf(context: StepContext, escrow: string, dispute: string, { ending }: FactOfAccounts): string {
  return ending === null ? factName(context, escrow) : factName(context, dispute, ending);
}

/** Whether an event says how, and the accounts may yet agree with it. */
function isBeingExplained(context: StepContext, reservation: bigint): boolean {
  return context.draft
    .find(PendingFacts, "reservation", reservation.toString())
    .some((id) => (context.draft.get(PendingFacts, id)?.attempts ?? 0) <= RECHECKS_MAX);
}

function isClosed(context: StepContext, account: AccountText | null): boolean {
  const profile = { ...devnetProfile, escrowProgram: context.configuration.profile.escrowProgram };
  const escrow = account === null ? undefined : decodeAccount(tradeEscrow, profile, account);
  const state = escrow?.ok === true ? vaultStates[escrow.value.state] : undefined;
  return state === "Released" || state === "Cancelled";
}
