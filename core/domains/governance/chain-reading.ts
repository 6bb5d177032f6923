/**
 * When a node with a chain endpoint reads for governance: at its start, when statements come, and every ten seconds
 * while anything is still to be read. A node without one reads nothing, so it counts no vote and adopts no result.
 * Source: protocol 04 §3.5, §3.6, §7; 01 §13.2.
 */

import { childrenOfType, Statements } from "../../engine/statements/table.ts";
import type { Turn } from "../../engine/step-context.ts";
import type { ChainObservation } from "../../inputs.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { askLinks, followClaim, hasOpenLinks, onProposalAccount } from "./chain-links.ts";
import { ProposalCreate, VoteCast } from "./schema.ts";
import { Proposals, ReadingFlags } from "./tables.ts";
import { askStakes, canResume, checkNext, checksUnderWay, onStakeAccount, READ_EVERY_MS } from "./vote-checks.ts";

const TIMER_SET = "timer-set";

/** Takes up everything that the store held. */
export function readGovernanceFromStart(turn: Turn): void {
  if (turn.configuration.chain !== "RpcConnected") return;
  takeUpAll(turn);
  keepTicking(turn, turn.now);
}

/** A reaction: takes up the votes and claims that this turn brought. */
export function readNewGovernance(turn: Turn): void {
  if (turn.configuration.chain !== "RpcConnected") return;
  for (const { table, key, record } of turn.draft.changes()) {
    if (table !== Statements.name || record === undefined || turn.base.get(Statements, key) !== undefined) continue;
    const statement = record as Statement;
    if (statement.type.name === VoteCast.name) checkNext(turn, statement as Statement<VoteCast>);
    if (statement.type.name === ProposalCreate.name) takeUpProposal(turn, statement as Statement<ProposalCreate>);
  }
  keepTicking(turn, turn.now);
}

/** The timer: reads what is due, and sets itself again while anything is left. */
export function readGovernance(turn: Turn): void {
  if (turn.configuration.chain !== "RpcConnected") return;
  turn.draft.put(ReadingFlags, TIMER_SET, undefined);
  askStakes(turn);
  if (canResume(turn)) takeUpAll(turn);
  askLinks(turn);
  keepTicking(turn, later(turn.now, READ_EVERY_MS));
}

/** An account that the endpoint answered with; what nobody asked for changes nothing. */
export function onGovernanceAccount(turn: Turn, seen: Extract<ChainObservation, { readonly type: "account" }>): void {
  onStakeAccount(turn, seen);
  onProposalAccount(turn, seen);
}

function takeUpAll(turn: Turn): void {
  for (const identity of [...turn.draft.keys(Proposals)]) {
    const create = turn.draft.get(Statements, identity) as Statement<ProposalCreate> | undefined;
    if (create !== undefined) takeUpProposal(turn, create);
  }
}

function takeUpProposal(turn: Turn, create: Statement<ProposalCreate>): void {
  if (create.standing === "void") return;
  followClaim(turn, create.payload.onchain_proposal_id);
  for (const vote of childrenOfType<VoteCast>(turn.draft, create, VoteCast)) checkNext(turn, vote);
}

function keepTicking(turn: Turn, at: EpochMillis): void {
  if (turn.draft.get(ReadingFlags, TIMER_SET) !== undefined) return;
  if (checksUnderWay(turn) === 0 && !hasOpenLinks(turn)) return;
  turn.draft.put(ReadingFlags, TIMER_SET, {});
  turn.emit({ type: "timer.set", timer: "governance", at });
}
