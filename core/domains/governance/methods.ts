/**
 * Governance methods: open reads, and the validation orders of what authors and voters send.
 * Source: OFS-4000; protocol 04 §3.5, §3.7, §3.11.
 */

import { withinDomainLimits } from "../../engine/admission/bounds.ts";
import type {
  Candidate,
  CheckResult,
  ValidationOrder,
  ValidationView,
} from "../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  refuseWhen,
  signatureCheck,
} from "../../engine/admission/validation-order.ts";
import { call, idParams, mutation, noParams, query, signedTypes } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { contenders } from "../../engine/statements/table.ts";
import { err, ok } from "../../kernel/result.ts";
import { list, option } from "../../kernel/schema-composites.ts";
import type { Statement } from "../../kernel/signed.ts";
import { chainLinkOf, chainVotingEnded } from "./chain-links.ts";
import { offchainIdHash, votesOf } from "./fold.ts";
import { isInWindow, votingClosesAt } from "./rules.ts";
import type { ProposalRow, ProposalStatus } from "./schema.ts";
import {
  hasBoundedTexts,
  Proposal,
  ProposalActivate,
  ProposalCreate,
  ProposalWithdraw,
  TimedChainLink,
  VoteCast,
} from "./schema.ts";
import { Proposals, VoteChecks } from "./tables.ts";
import { allProposals, proposalById, proposalView } from "./views.ts";

/** Source: protocol 04 §3.5; the bounds of texts are §3.11. */
const createChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as ProposalCreate;
  return firstOf(
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => refuseWhen(!ruleOf(view.configuration, hasBoundedTexts)(payload), "INVALID_PARAMETER", "out-of-bounds"),
    () => refuseWhen(contenders(view.reader, "proposal", payload.id).length > 0, "PROPOSAL_ALREADY_EXISTS"),
  );
};

/** Source: protocol 04 §3.5, §3.11: nothing here says whether the stake will be found. */
const voteChecks: ValidationOrder = (view, candidate) =>
  firstOf(
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => ruleOf(view.configuration, againstProposals)(view, candidate as Candidate<VoteCast>),
  );

/** A vote needs a proposal that is voted on. */
export function againstProposals(view: ValidationView, candidate: Candidate<VoteCast>): CheckResult {
  const { reader, now } = view;
  const { payload, statement } = candidate;
  const named = contenders<ProposalCreate>(reader, "proposal", payload.proposal_id);
  const open = named.filter(
    (create) =>
      reader.get(Proposals, create.identity)?.status === "Voting" &&
      now < votingClosesAt(create.payload) &&
      isInWindow(create, statement.timestamp),
  );
  return firstOf(
    () => refuseWhen(named.length === 0, "PROPOSAL_NOT_FOUND"),
    () => refuseWhen(open.length === 0, "VOTING_CLOSED"),
    () =>
      refuseWhen(
        open.every((create) => hasVoted(view, create, statement)),
        "DUPLICATE_VOTE",
      ),
    () => refuseWhen(!withinDomainLimits(view.registry, reader, statement), "DUPLICATE_VOTE"),
  );
}

/** The checks of what an author says about a proposal of his own. Source: protocol 04 §3.5. */
function authorChecks(own: (view: ValidationView, row: ProposalRow) => CheckResult): ValidationOrder {
  return (view, candidate) => {
    const { proposal_id } = candidate.payload as ProposalWithdraw;
    const named = contenders<ProposalCreate>(view.reader, "proposal", proposal_id);
    const mine = named.filter((create) => create.signer === candidate.statement.signer);
    const [row] = mine.flatMap((create) => view.reader.get(Proposals, create.identity) ?? []);
    return firstOf(
      () => refuseWhen(named.length === 0, "PROPOSAL_NOT_FOUND"),
      () => refuseWhen(mine.length === 0, "INVALID_IDENTITY_CLAIM", "not-a-party"),
      () => signatureCheck(candidate.verdict),
      () => commonChecks(view, candidate),
      () => refuseWhen(mine.length > 1, "INVALID_PARAMETER", "ambiguous"),
      () => (row === undefined ? "INVALID_PROPOSAL_STATE" : own(view, row)),
    );
  };
}

/** Source: protocol 04 §3.5; once the chain's own vote is over, its result is awaited (§3.11). */
const withdrawChecks = authorChecks((view, row) => {
  const hash = offchainIdHash((bytes) => view.crypto.sha256(bytes), row.id);
  const hasEnded = ruleOf(view.configuration, chainVotingEnded);
  const ended = hasEnded(view.reader, row.onchain_proposal_id, hash, view.now);
  return mustBe("Voting", row) ?? refuseWhen(ended, "INVALID_PROPOSAL_STATE");
});

const activateChecks = authorChecks((_, row) => mustBe("Accepted", row));

const authorErrors = [
  "PROPOSAL_NOT_FOUND",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_SIGNATURE",
  "INVALID_PARAMETER",
  "INVALID_PROPOSAL_STATE",
] as const;

export const governanceMethods = {
  getProposal: query({
    params: idParams,
    result: option(Proposal),
    source: "OFS-8200 §6; protocol 04 §3.7",
    doc: "One proposal with the votes whose stake this node read from the chain; none on a node without an endpoint.",
    read(reader, { id }) {
      const shown = proposalById(reader, id);
      return shown === undefined ? null : proposalView(reader, shown);
    },
  }),
  getProposals: query({
    params: noParams,
    need: "none",
    result: list(Proposal),
    source: "OFS-8200 §6; protocol 04 §3.7",
    doc: "Every proposal in order of id.",
    read: (reader) => allProposals(reader).map((shown) => proposalView(reader, shown)),
  }),
  getProposalChainLink: call({
    kind: "query",
    params: idParams,
    result: TimedChainLink,
    errors: ["PROPOSAL_NOT_FOUND"],
    source: "OFS-4200 §6; protocol 04 §3.7, §3.10",
    doc: "How a proposal stands to the on-chain one that it claims, by the account that this node read last.",
    run(context, { id }) {
      const shown = proposalById(context.draft, id);
      if (shown === undefined) return err({ type: "domain", code: "PROPOSAL_NOT_FOUND" });
      return ok(chainLinkOf(context, shown.row));
    },
  }),
  sendProposalCreate: mutation({
    signed: signedTypes(ProposalCreate),
    checks: createChecks,
    answers: "id",
    errors: ["INVALID_SIGNATURE", "INVALID_IDENTITY_CLAIM", "INVALID_PARAMETER", "PROPOSAL_ALREADY_EXISTS"],
    source: "OFS-4000; protocol 04 §3.7",
    doc: "Publishes a proposal and opens its voting window.",
  }),
  sendVoteCast: mutation({
    signed: signedTypes(VoteCast),
    checks: voteChecks,
    answers: "null",
    errors: [
      "INVALID_SIGNATURE",
      "INVALID_IDENTITY_CLAIM",
      "INVALID_PARAMETER",
      "PROPOSAL_NOT_FOUND",
      "VOTING_CLOSED",
      "DUPLICATE_VOTE",
    ],
    source: "OFS-4000; protocol 04 §3.5, §3.7",
    doc: "Casts a vote. It is taken and passed on; whether its stake is found shows in the proposal alone.",
  }),
  sendProposalWithdraw: mutation({
    signed: signedTypes(ProposalWithdraw),
    checks: withdrawChecks,
    answers: "null",
    errors: authorErrors,
    source: "ours; protocol 04 §3.7",
    doc: "Withdraws the author's own proposal while it is voted on.",
  }),
  sendProposalActivate: mutation({
    signed: signedTypes(ProposalActivate),
    checks: activateChecks,
    answers: "null",
    errors: authorErrors,
    source: "ours; protocol 04 §3.7",
    doc: "Says that the author's own proposal, accepted on chain, is in force.",
  }),
};

/** Whether a voter's vote stands already. One whose stake this node could not find may be followed by another. */
function hasVoted({ reader }: ValidationView, create: Statement<ProposalCreate>, { signer }: Statement): boolean {
  return votesOf(reader, create, signer).some(({ identity }) => reader.get(VoteChecks, identity)?.state !== "given-up");
}

function mustBe(status: ProposalStatus, row: ProposalRow): CheckResult {
  return refuseWhen(row.status !== status, "INVALID_PROPOSAL_STATE");
}
