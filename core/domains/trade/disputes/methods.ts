/**
 * Dispute methods: redacted reads, a party's or arbitrator's own, and the validation orders of what they send.
 * Source: OFS-2400; protocol 03 A.5, A.7, W-5, W-7, W-15.
 */

import type {
  Candidate,
  CheckResult,
  ValidationOrder,
  ValidationView,
} from "../../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  REASON_BYTES_MAX,
  refuseWhen,
  signedChecks,
  signedThenNamed,
} from "../../../engine/admission/validation-order.ts";
import { idParams, mutation, query, signedTypes } from "../../../engine/method.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { listedAs, listOrPage, pageParams } from "../../../engine/pages.ts";
import { childrenBySigner } from "../../../engine/statements/own-statements.ts";
import { contenders } from "../../../engine/statements/table.ts";
import type { ErrorCode } from "../../../errors.ts";
import { equalBytes } from "../../../kernel/bytes.ts";
import { ok } from "../../../kernel/result.ts";
import { list, option } from "../../../kernel/schema-composites.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { recordsOf } from "../../../kernel/table.ts";
import { utf8 } from "../../../kernel/text.ts";
import type { PeerId } from "../../../kernel/values.ts";
import { proven } from "../../wallet-proofs/proven.ts";
import type { SettlementInitiate, SettlementRow } from "../settlements/schema.ts";
import { Settlements } from "../settlements/tables.ts";
import { unfoldedSettlements } from "../settlements/views.ts";
import { disputeIn, seatOn } from "./panels.ts";
import { openedBy } from "./rules.ts";
import type { DisputeStatus } from "./schema.ts";
import {
  ArbitratorJoin,
  Dispute,
  DisputeOpen,
  MutualSettlementAgree,
  PublicDispute,
  publicDispute,
  VoteCommit,
  VoteReveal,
} from "./schema.ts";
import type { CaseRow, DisputeRow } from "./tables.ts";
import { Disputes } from "./tables.ts";
import {
  allDisputes,
  casesNamed,
  disputeRead,
  disputeShown,
  disputesOfWallet,
  isReadBy,
  unfoldedDisputes,
  withUnfoldedDisputes,
} from "./views.ts";

/** Largest payload of a dispute statement, in bytes. Source: protocol 03 W-7. */
export const DISPUTE_PAYLOAD_BYTES_MAX = 16_384;

/** Source: protocol 03 A.5; an open by each party is a case of its own, so only the opener's second is refused. */
const openChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as DisputeOpen;
  const settlements = contenders<SettlementInitiate>(view.reader, "settlement", payload.settlement_id);
  const folded = settlements.flatMap(({ identity }) => {
    const row = view.reader.get(Settlements, identity);
    return row === undefined ? [] : [{ identity, row }];
  });
  const beside = () => ruleOf(view.configuration, unfoldedSettlements)(view.reader);
  const rows = folded.length > 0 ? folded : beside().filter(({ row }) => row.id === payload.settlement_id);
  const mine = rows.filter(({ row }) => row.buyer === payload.opener || row.seller === payload.opener);
  const closed = ruleOf(view.configuration, isClosed);
  return firstOf(
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => refuseWhen(!ruleOf(view.configuration, hasBoundedReason)(payload), "INVALID_PARAMETER", "out-of-bounds"),
    () => refuseWhen(isTaken(view, payload.id), "DISPUTE_ALREADY_OPEN"),
    () => refuseWhen(rows.length === 0, "SETTLEMENT_NOT_FOUND"),
    () => refuseWhen(mine.length === 0, "INVALID_IDENTITY_CLAIM", "not-a-party"),
    () => refuseWhen(mine.length > 1, "INVALID_PARAMETER", "ambiguous"),
    () =>
      refuseWhen(
        mine.every((each) => closed(view, each, payload)),
        "INVALID_DISPUTE_STATE",
      ),
  );
};

function isTaken(view: ValidationView, id: string): boolean {
  return contenders(view.reader, "dispute", id).length > 0 || disputesBeside(view, id).length > 0;
}

/** Cases of an id that are not folded. */
function disputesBeside({ reader, configuration, crypto }: ValidationView, id: string): readonly DisputeRow[] {
  const beside = ruleOf(configuration, unfoldedDisputes)(reader, (bytes) => crypto.sha256(bytes));
  return beside.filter((row) => row.id === id);
}

/** A settlement that an open names. */
export interface NamedSettlement {
  readonly identity: string;
  readonly row: SettlementRow;
}

/** Whether a settlement takes no more of an opener's cases: the chain has spoken, or he has one. */
export function isClosed(
  { reader }: ValidationView,
  { identity, row }: NamedSettlement,
  { opener }: DisputeOpen,
): boolean {
  const held = recordsOf(reader, Disputes, "settlement", identity);
  return row.decided || held.some((dispute) => dispute.opener === opener);
}

/** Whether a reason is of a sane length. Source: protocol 03 W-7. */
export function hasBoundedReason({ reason }: DisputeOpen): boolean {
  return utf8(reason).length <= REASON_BYTES_MAX;
}

/** A case as a send is held against it: one person's seat, and the whole panel only for a rule that needs it. */
export interface Case {
  readonly buyer: PeerId;
  readonly seller: PeerId;
  readonly isDecided: boolean;
  readonly status: () => DisputeStatus;
  readonly seatOf: (
    person: PeerId,
  ) => { readonly commitment: Uint8Array | undefined; readonly hasRevealed: boolean } | undefined;
}

/** The cases that a statement names. */
function casesOf(view: ValidationView, candidate: Candidate): readonly Case[] {
  const { dispute_id } = candidate.payload as { readonly dispute_id: string };
  const { reader } = view;
  const folded = casesNamed(reader, dispute_id);
  return folded.length > 0
    ? folded.map((row) => foldedCase(reader, row))
    : disputesBeside(view, dispute_id).map(unfoldedCase);
}

function foldedCase(reader: Reader, row: CaseRow): Case {
  return {
    buyer: row.buyer,
    seller: row.seller,
    isDecided: row.decided,
    status: () => disputeIn(reader, row).status,
    seatOf(person) {
      const seat = seatOn(reader, row, person);
      return seat && { commitment: seat.commits[0]?.payload.commitment, hasRevealed: seat.reveal !== undefined };
    },
  };
}

function unfoldedCase({ buyer, seller, status, arbitrators, commitments, reveals }: DisputeRow): Case {
  return {
    buyer,
    seller,
    isDecided: status === "Resolved",
    status: () => status,
    seatOf(person) {
      if (!arbitrators.includes(person)) return undefined;
      const { commitment } = commitments.find(({ arbitrator }) => arbitrator === person) ?? {};
      return { commitment, hasRevealed: reveals.some(({ arbitrator }) => arbitrator === person) };
    },
  };
}

/** Whether a case takes a step: the chain has not decided it, in whatever phase it is. Source: protocol 03 A.5. */
export function takesStep({ isDecided }: Case, _phase: DisputeStatus | undefined): boolean {
  return !isDecided;
}

/** The checks of everything about a case: it is known, and takes the step of a `phase`. Source: protocol 03 A.5. */
function caseChecks(
  phase: DisputeStatus | undefined,
  own: (view: ValidationView, candidate: Candidate, cases: readonly Case[]) => CheckResult,
): ValidationOrder {
  return (view, candidate) => {
    const cases = casesOf(view, candidate);
    const takes = ruleOf(view.configuration, takesStep);
    const open = cases.filter((row) => takes(row, phase));
    return firstOf(
      () => refuseWhen(cases.length === 0, "DISPUTE_NOT_FOUND"),
      () => refuseWhen(open.length === 0, "INVALID_DISPUTE_STATE"),
      () => own(view, candidate, open),
    );
  };
}

const joinCase = caseChecks("Open", (view, candidate, cases) =>
  firstOf(
    () => refuseWhen(ruleOf(view.configuration, isPartyOfAll)(cases, candidate), "INVALID_IDENTITY_CLAIM"),
    () => (cases.some((row) => isSeated(row, candidate)) ? "unchanged" : undefined),
  ),
);
const joinChecks: ValidationOrder = (view, candidate) =>
  firstOf(
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => joinCase(view, candidate),
  );

const commitChecks = caseChecks("CaseLocked", (view, candidate, cases) => {
  const payload = candidate.payload as VoteCommit;
  const [held] = cases.flatMap((row) => row.seatOf(payload.arbitrator)?.commitment ?? []);
  return firstOf(
    () =>
      ruleOf(view.configuration, signedThenNamed)(
        () => signedChecks(view, candidate),
        () => refuseWhen(!cases.some((row) => isSeated(row, candidate)), "INVALID_IDENTITY_CLAIM"),
      ),
    () => (held === undefined ? undefined : ruleOf(view.configuration, secondCommitment)(held, payload)),
  );
});

/** What a second commitment answers. Source: protocol 03 W-15. */
export function secondCommitment(held: Uint8Array, { commitment }: VoteCommit): CheckResult {
  return equalBytes(held, commitment) ? "unchanged" : "INVALID_DISPUTE_STATE";
}

const revealChecks = caseChecks("RevealPhase", (view, candidate, cases) => {
  const payload = candidate.payload as VoteReveal;
  const commits = commitsOf(view, payload);
  const hash = (bytes: Uint8Array) => view.crypto.sha256(bytes);
  return firstOf(
    () =>
      ruleOf(view.configuration, signedThenNamed)(
        () => signedChecks(view, candidate),
        () => refuseWhen(!cases.some((row) => isSeated(row, candidate)), "INVALID_IDENTITY_CLAIM"),
      ),
    () => refuseWhen(commits.length === 0, "INVALID_IDENTITY_CLAIM"),
    () => refuseWhen(openedBy(hash, payload, commits).length === 0, "INVALID_EVIDENCE"),
    () => (cases.some((row) => hasRevealed(row, candidate)) ? "unchanged" : undefined),
  );
});

const agreeChecks = caseChecks(undefined, (view, candidate, cases) =>
  ruleOf(view.configuration, signedThenNamed)(
    () => signedChecks(view, candidate),
    () => refuseWhen(!cases.some((row) => isParty(row, candidate)), "INVALID_IDENTITY_CLAIM"),
  ),
);

/** What the three reads answer. Source: protocol 03 A.7. */
export const DisputeAnswer = option(PublicDispute);
export const DisputesAnswer = listOrPage("DisputePage", "disputes", PublicDispute);
export const OwnDisputesAnswer = list(Dispute);

export const disputeMethods = {
  getDispute: query({
    params: idParams,
    about: "dispute",
    result: DisputeAnswer,
    source: "OFS-8200 §6; protocol 03 A.7",
    doc: "One dispute without people: counts, revealed votes as evidence, and what the chain decided.",
    read(reader, { id }, context) {
      const row = disputeShown(reader, id, context);
      return row === undefined ? null : publicDispute(disputeRead(reader, row, context));
    },
  }),
  getDisputes: query({
    params: pageParams,
    need: "paged",
    result: DisputesAnswer,
    source: "OFS-8200 §6; protocol 03 A.7",
    doc: "Lists disputes without people, or with `page` one page of them.",
    read: (reader, { page }, context) =>
      listedAs(
        "disputes",
        withUnfoldedDisputes(reader, allDisputes(reader), context, () => true),
        page,
        {
          idOf: ({ id }) => id,
          viewOf: (row) => publicDispute(disputeRead(reader, row, context)),
        },
      ),
  }),
  getMyDisputes: proven({
    domain: "openfiat-my-disputes",
    result: OwnDisputesAnswer,
    source: "OFS-8200 §7; protocol 03 A.7",
    doc: "The disputes of the proven party, or of an arbitrator who has committed, in full.",
    run(context, wallet) {
      const { rules } = context.configuration;
      const own = disputesOfWallet(context.draft, wallet, rules);
      const isOwn = (row: DisputeRow) => isReadBy(row, wallet, rules);
      const shown = withUnfoldedDisputes(context.draft, own, context, isOwn);
      return ok(shown.map((row) => disputeRead(context.draft, row, context)));
    },
  }),
  sendDisputeOpen: send(DisputeOpen, openChecks, "id", "Freezes a trade and opens a case about it.", [
    "INVALID_SIGNATURE",
    "INVALID_IDENTITY_CLAIM",
    "INVALID_PARAMETER",
    "DISPUTE_ALREADY_OPEN",
    "SETTLEMENT_NOT_FOUND",
    "INVALID_DISPUTE_STATE",
  ]),
  sendArbitratorJoin: send(ArbitratorJoin, joinChecks, "null", "Takes a seat on a case.", [
    "INVALID_SIGNATURE",
    "INVALID_IDENTITY_CLAIM",
    "INVALID_PARAMETER",
    "DISPUTE_NOT_FOUND",
    "INVALID_DISPUTE_STATE",
  ]),
  sendVoteCommit: send(VoteCommit, commitChecks, "null", "Commits to a vote without showing it.", [
    "DISPUTE_NOT_FOUND",
    "INVALID_DISPUTE_STATE",
    "INVALID_SIGNATURE",
    "INVALID_PARAMETER",
    "INVALID_IDENTITY_CLAIM",
  ]),
  sendVoteReveal: send(VoteReveal, revealChecks, "null", "Shows a committed vote: evidence, never a tally.", [
    "DISPUTE_NOT_FOUND",
    "INVALID_DISPUTE_STATE",
    "INVALID_SIGNATURE",
    "INVALID_PARAMETER",
    "INVALID_IDENTITY_CLAIM",
    "INVALID_EVIDENCE",
  ]),
  sendMutualSettlementAgree: send(MutualSettlementAgree, agreeChecks, "null", "Agrees to an even split of the trade.", [
    "DISPUTE_NOT_FOUND",
    "INVALID_DISPUTE_STATE",
    "INVALID_SIGNATURE",
    "INVALID_PARAMETER",
    "INVALID_IDENTITY_CLAIM",
  ]),
};

function send<const T, const A extends "id" | "null">(
  signed: T,
  checks: ValidationOrder,
  answers: A,
  doc: string,
  errors: readonly ErrorCode[],
) {
  return mutation({
    signed: signedTypes(signed),
    checks,
    answers,
    doc,
    errors,
    source: "OFS-2400; protocol 03 A.5",
    bytesMax: DISPUTE_PAYLOAD_BYTES_MAX,
  });
}

function commitsOf(view: ValidationView, payload: VoteReveal): readonly Statement<VoteCommit>[] {
  const held = contenders<DisputeOpen>(view.reader, "dispute", payload.dispute_id).flatMap((open) =>
    childrenBySigner(view.reader, open, payload.arbitrator),
  );
  const waiting = ruleOf(view.configuration, waitingAbout)(view.reader, payload);
  return [...held, ...waiting].filter((child): child is Statement<VoteCommit> => child.type.name === VoteCommit.name);
}

/** What the arbitrator of a reveal said before about a case that is not folded: nothing. Source: DESIGN §7 #21. */
export function waitingAbout(_reader: Reader, _reveal: VoteReveal): readonly Statement[] {
  return [];
}

/** Whether who takes a seat is a party of every case that he names. */
export function isPartyOfAll(cases: readonly Case[], candidate: Candidate): boolean {
  return cases.every((row) => isParty(row, candidate));
}

function isParty({ buyer, seller }: Case, { statement }: Candidate): boolean {
  return buyer === statement.signer || seller === statement.signer;
}

function isSeated({ seatOf }: Case, { statement }: Candidate): boolean {
  return seatOf(statement.signer) !== undefined;
}

function hasRevealed({ seatOf }: Case, { statement }: Candidate): boolean {
  return seatOf(statement.signer)?.hasRevealed === true;
}
