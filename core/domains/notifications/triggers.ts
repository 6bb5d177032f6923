/**
 * What makes a notification: the one table of triggers. A row looks at one changed record as it was and as it is, and
 * says whether something happened, what caused it, and whom to tell. Nothing is planned for a statement that changed
 * no record: a forgery, a repeat, an act without effect. Source: protocol 04 §6.6, §6.12.
 */

import { childrenBySigner } from "../../engine/statements/own-statements.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { fromHex } from "../../kernel/bytes.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Table } from "../../kernel/table.ts";
import { compareText, utf8 } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { Events } from "../../network/gossip/envelope.ts";
import type { ProposalRow } from "../governance/schema.ts";
import { ProposalActivate } from "../governance/schema.ts";
import { Proposals } from "../governance/tables.ts";
import { newest, readRegisters } from "../trade/advertisements/registers.ts";
import type { AdvertisementCreate, AdvertisementRow } from "../trade/advertisements/schema.ts";
import { Advertisements } from "../trade/advertisements/tables.ts";
import type { CaseRow } from "../trade/disputes/tables.ts";
import { Disputes } from "../trade/disputes/tables.ts";
import type { ReservationRequest, ReservationRow } from "../trade/reservations/schema.ts";
import { Reservations } from "../trade/reservations/tables.ts";
import { reservationAt } from "../trade/reservations/views.ts";
import { actsAbout } from "../trade/settlements/fold.ts";
import type { SettlementInitiate, SettlementRow } from "../trade/settlements/schema.ts";
import { Settlements } from "../trade/settlements/tables.ts";
import type { Trigger } from "./schema.ts";

/** Something that happened: what its ids are derived from, and whom to tell, in order. */
export interface Occasion {
  readonly source: Uint8Array;
  /** `subscribers`: every wallet that enables the trigger's category. */
  readonly recipients: readonly PeerId[] | "subscribers";
}

/** A record of a trigger's table that this step wrote. */
export interface Changed<R> {
  readonly key: string;
  readonly before: R | undefined;
  readonly after: R;
}

interface TriggerRow {
  readonly trigger: Trigger;
  readonly table: Table<unknown>;
  readonly occasion: (context: StepContext, changed: Changed<never>) => Occasion | undefined;
}

/** Every trigger that something fires. */
export const triggers: readonly TriggerRow[] = [
  on("AdvertisementDisabled", Advertisements, advertisementDisabled),
  on("ReservationCreated", Reservations, reservationCreated),
  on("PaymentSubmitted", Settlements, paymentSubmitted),
  on("SettlementApproved", Settlements, settlementApproved),
  on("EscrowReleased", Settlements, escrowReleased),
  on("EvidenceRequested", Disputes, evidenceRequested),
  on("ResolutionIssued", Disputes, resolutionIssued),
  on("ProposalPublished", Proposals, proposalPublished),
  on("ProposalActivated", Proposals, proposalActivated),
];

function on<R>(
  trigger: Trigger,
  table: Table<R>,
  occasion: (context: StepContext, changed: Changed<R>) => Occasion | undefined,
): TriggerRow {
  return { trigger, table: table as Table<unknown>, occasion: occasion as TriggerRow["occasion"] };
}

/** The merchant set a status other than Active, whichever; an advertisement is born Active. */
function advertisementDisabled(
  context: StepContext,
  { key, before, after }: Changed<AdvertisementRow>,
): Occasion | undefined {
  if (after.status === "Active" || after.status === before?.status) return undefined;
  const create = context.draft.get(Statements, key) as Statement<AdvertisementCreate> | undefined;
  if (create === undefined) return undefined;
  const { statuses } = readRegisters(context.draft, create);
  return causedBy(context, newest(statuses.filter(({ value }) => value === after.status))?.statement, [after.merchant]);
}

/** A request found its place in an advertisement: one that does not fit, or that was given up, creates nothing. */
function reservationCreated(context: StepContext, { before, after }: Changed<ReservationRow>): Occasion | undefined {
  const request = context.draft.get(Statements, after.request) as Statement<ReservationRequest> | undefined;
  if (before !== undefined || request === undefined) return undefined;
  if (reservationAt(context.draft, { row: after, request }, context.now).state === "Cancelled") return undefined;
  const merchant = context.draft.get(Advertisements, after.advertisement)?.merchant;
  return causedBy(context, request, merchant === undefined ? [request.signer] : [request.signer, merchant]);
}

function paymentSubmitted(context: StepContext, changed: Changed<SettlementRow>): Occasion | undefined {
  if (!cameTo(changed, "PaymentSubmitted")) return undefined;
  return causedBy(context, actsOf(context, changed.key)?.payments.at(-1), [changed.after.seller]);
}

function settlementApproved(context: StepContext, changed: Changed<SettlementRow>): Occasion | undefined {
  if (!cameTo(changed, "Approved")) return undefined;
  return causedBy(context, actsOf(context, changed.key)?.approves[0], partiesOf(changed.after));
}

/** A transaction released the escrow to the buyer, on its own or in execution of a decision. */
function escrowReleased(_: StepContext, { key, before, after }: Changed<SettlementRow>): Occasion | undefined {
  if (!after.released || before?.released === true) return undefined;
  return { source: utf8(after.escrow_release_signature ?? key), recipients: partiesOf(after) };
}

/** A case was opened and still waits for a decision. */
function evidenceRequested(context: StepContext, { before, after }: Changed<CaseRow>): Occasion | undefined {
  if (before !== undefined || after.decided) return undefined;
  return causedBy(context, context.draft.get(Statements, after.open), partiesOf(after));
}

/** The chain closed a case; reveals never do. */
function resolutionIssued(context: StepContext, { key, before, after }: Changed<CaseRow>): Occasion | undefined {
  if (!after.decided || before?.decided === true) return undefined;
  const { execution_signature } = context.draft.get(Settlements, after.settlement) ?? {};
  return { source: utf8(execution_signature ?? key), recipients: partiesOf(after) };
}

function proposalPublished(context: StepContext, { key, before }: Changed<ProposalRow>): Occasion | undefined {
  return before === undefined ? causedBy(context, context.draft.get(Statements, key), "subscribers") : undefined;
}

/** The author set an accepted proposal in force: a date or a claim alone does nothing. */
function proposalActivated(context: StepContext, { key, before, after }: Changed<ProposalRow>): Occasion | undefined {
  if (after.status !== "Activated" || before?.status === "Activated") return undefined;
  const create = context.draft.get(Statements, key);
  const acts = create === undefined ? [] : childrenBySigner(context.draft, create, create.signer);
  const [activate] = acts.filter(({ type }) => type.name === ProposalActivate.name).sort(compareStatements);
  return causedBy(context, activate, "subscribers");
}

/** The cause is the gossip event that carried a statement here; of several, the one with the smallest id. */
function causedBy(
  context: StepContext,
  statement: Statement | undefined,
  recipients: Occasion["recipients"],
): Occasion | undefined {
  if (statement === undefined) return undefined;
  const [event] = [...context.draft.find(Events, "statement", statement.identity)].sort(compareText);
  // A full log keeps no event; the statement's own hash then stands for it.
  const source = fromHex(event ?? statement.identity);
  return source && { source, recipients };
}

function cameTo({ before, after }: Changed<SettlementRow>, state: SettlementRow["state"]): boolean {
  return after.state === state && before?.state !== state;
}

function actsOf(context: StepContext, settlement: string) {
  const initiate = context.draft.get(Statements, settlement) as Statement<SettlementInitiate> | undefined;
  return initiate && actsAbout(context.draft, initiate);
}

function partiesOf({ buyer, seller }: { readonly buyer: PeerId; readonly seller: PeerId }): readonly PeerId[] {
  return [buyer, seller];
}
