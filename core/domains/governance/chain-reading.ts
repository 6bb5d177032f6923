/**
 * When a node with a chain endpoint reads for governance: at its start, when statements come, and every ten seconds
 * while anything is still to be read. A node without one reads nothing, so it counts no vote and adopts no result.
 * Source: protocol 04 §3.5, §3.6, §7; 01 §13.2.
 */

import { childrenOfType, Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ChainObservation } from "../../inputs.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { askLinks, followClaim, hasOpenLinks, onProposalAccount } from "./chain-links.ts";
import { ProposalCreate, VoteCast } from "./schema.ts";
import { Proposals, ReadingFlags } from "./tables.ts";
import { askStakes, checkNext, checksUnderWay, onStakeAccount, READ_EVERY_MS, resumeWaiting } from "./vote-checks.ts";

const TIMER_SET = "timer-set";

/** Takes up everything that the store held. */
export function readGovernanceFromStart(context: StepContext): void {
  if (context.configuration.chain !== "RpcConnected") return;
  takeUpAll(context);
  keepTicking(context, context.now);
}

/** A reaction: takes up the votes and claims that this step brought. */
export function readNewGovernance(context: StepContext): void {
  if (context.configuration.chain !== "RpcConnected") return;
  for (const { table, key, record } of context.draft.changes()) {
    if (table !== Statements.name || record === undefined || context.base.get(Statements, key) !== undefined) continue;
    const statement = record as Statement;
    if (statement.type.name === VoteCast.name) checkNext(context, statement as Statement<VoteCast>);
    if (statement.type.name === ProposalCreate.name) takeUpProposal(context, statement as Statement<ProposalCreate>);
  }
  keepTicking(context, context.now);
}

/** The timer: reads what is due, and sets itself again while anything is left. */
export function readGovernance(context: StepContext): void {
  if (context.configuration.chain !== "RpcConnected") return;
  context.draft.put(ReadingFlags, TIMER_SET, undefined);
  askStakes(context);
  resumeWaiting(context);
  askLinks(context);
  keepTicking(context, later(context.now, READ_EVERY_MS));
}

/** An account that the endpoint answered with; what nobody asked for changes nothing. */
export function onGovernanceAccount(
  context: StepContext,
  seen: Extract<ChainObservation, { readonly type: "account" }>,
): void {
  onStakeAccount(context, seen);
  onProposalAccount(context, seen);
}

function takeUpAll(context: StepContext): void {
  for (const identity of [...context.draft.keys(Proposals)]) {
    const create = context.draft.get(Statements, identity) as Statement<ProposalCreate> | undefined;
    if (create !== undefined) takeUpProposal(context, create);
  }
}

function takeUpProposal(context: StepContext, create: Statement<ProposalCreate>): void {
  if (create.idForm === "void") return;
  followClaim(context, create.payload.onchain_proposal_id);
  for (const vote of childrenOfType<VoteCast>(context.draft, create, VoteCast)) checkNext(context, vote);
}

function keepTicking(context: StepContext, at: EpochMillis): void {
  if (context.draft.get(ReadingFlags, TIMER_SET) !== undefined) return;
  if (checksUnderWay(context) === 0 && !hasOpenLinks(context)) return;
  context.draft.put(ReadingFlags, TIMER_SET, {});
  context.emit({ type: "timer.set", timer: "governance", at });
}
