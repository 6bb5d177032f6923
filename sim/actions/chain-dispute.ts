/**
 * A dispute on chain: the case, the votes by stake, the execution. Windows run on chain time, counted from the
 * block that opened the case; everyone counts from when the opener said so. Source: protocol 03 D.8, W-14.
 */

import type { ChainAddresses, Resolution } from "../../core/testing.ts";
import { outcomes } from "../../core/testing.ts";
import { treasuriesFor } from "../chain/genesis.ts";
import { commitDisputeVote, executeDisputeOutcome, openDisputeCase, revealDisputeVote } from "../chain/instructions.ts";
import { commitmentPreimage } from "../chain/model/votes.ts";
import type { Instruction } from "../chain/transaction.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { until as untilTime } from "../script.ts";
import type { CodeAction as Action } from "./action-row.ts";
import { chainOf, failureText, transact, transactAndWait } from "./chain.ts";
import { buyerTokensOf, tradeRefOf } from "./chain-trade.ts";
import type { Juror } from "./dispute.ts";
import { secretOf } from "./dispute.ts";
import { until } from "./trade.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { mintOf, told } from "./trade-terms.ts";

/** Between sending a transaction and its block, and then some. Source: DESIGN "Simulated world". */
const BLOCK_MS = 5_000;

/** The name under which it is told that a round of a case began: the first with the case, others with an execution. */
export function caseNews(terms: CaseTerms, round = 0): string {
  return round === 0 ? `case ${terms.id}` : `round ${round} of case ${terms.id}`;
}

/** The name under which it is told that somebody sent the execution of a round. */
export function executionNews(terms: CaseTerms, round = 0): string {
  return `execution of round ${round} of ${terms.id}`;
}

/** How a case is executed; the buyer, the first round, once its windows are over, unless said otherwise. */
export interface ExecutionTerms {
  readonly by?: string;
  readonly round?: number;
  /** What the transaction claims to be about. */
  readonly tag?: (at: ChainAddresses) => string;
  /** At the action's own time, whatever the windows. */
  readonly early?: boolean;
}

/** Opens the case on chain, which freezes the escrow. */
export function openCase(terms: CaseTerms, when: When): Action {
  const { trade } = terms;
  return {
    ...{ name: `open case of ${trade.reservation}`, actor: trade.buyer, ...when },
    *run(person, scene) {
      yield* until(person, "getDispute", terms.id, () => true);
      const party = person.wallet.address;
      const windows = { commitSecs: terms.commitSecs, revealSecs: terms.revealSecs };
      yield* transact(person, [openDisputeCase(chainOf(scene), tradeRefOf(scene, trade), party, party, windows)]);
      told(scene, person, `sends the opening of the case of escrow ${trade.reservation} to the chain`);
      scene.share(caseNews(terms), scene.world.loop.now().toString());
    },
  };
}

/** Commits on chain to the vote that the arbitrator also committed to off chain. */
export function commitOnChain(terms: CaseTerms, juror: Juror, when: When, round = 0): Action {
  const { reservation } = terms.trade;
  return {
    ...{ name: `commit on chain ${reservation}`, actor: juror.name, ...when },
    *run(person, scene) {
      yield* windowOf(scene, terms, "commit", round);
      const at = chainOf(scene);
      const { address } = person.wallet;
      const commitment = chainCommitment(scene, terms, juror, round);
      const { err } = yield* transactAndWait(person, scene, [commitDisputeVote(at, reservation, address, commitment)]);
      const done = err === null ? "has committed" : `fails (${failureText(err)}) to commit`;
      told(scene, person, `${done} on chain to a vote on the case of escrow ${reservation}`);
    },
  };
}

/** The commitment of an arbitrator to a vote on chain. */
export function chainCommitment(scene: Scene, terms: CaseTerms, juror: Juror, round = 0): Uint8Array {
  const { address: dispute } = chainOf(scene).disputeCase(terms.trade.reservation);
  const { address } = scene.world.person(juror.copies ?? juror.name);
  const salt = chainSalt(scene, terms, juror, round);
  return scene.world.crypto.sha256(commitmentPreimage(byteOf(chainVoteOf(juror)), salt, dispute, address));
}

/** What hides the vote on chain until it is revealed. */
export function chainSalt(scene: Scene, terms: CaseTerms, juror: Juror, round = 0): Uint8Array {
  return secretOf(scene, juror, `${terms.id} on chain${round === 0 ? "" : `, round ${round}`}`);
}

/** Reveals on chain, where the vote weighs the arbitrator's stake. */
export function revealOnChain(terms: CaseTerms, juror: Juror, when: When, round = 0): Action {
  const { reservation } = terms.trade;
  return {
    ...{ name: `reveal on chain ${reservation}`, actor: juror.name, ...when },
    *run(person, scene) {
      yield* windowOf(scene, terms, "reveal", round);
      const salt = chainSalt(scene, terms, juror, round);
      const { address } = person.wallet;
      const vote = chainVoteOf(juror);
      const reveal = revealDisputeVote(chainOf(scene), reservation, address, byteOf(vote), salt);
      const { err } = yield* transactAndWait(person, scene, [reveal]);
      const done = err === null ? "has revealed" : `fails (${failureText(err)}) to reveal`;
      told(scene, person, `${done} ${vote} on chain${stakeText(juror)}`);
    },
  };
}

/** Anybody may execute a case whose windows are over; here the buyer does, unless said otherwise. */
export function execute(terms: CaseTerms, when: When, how: ExecutionTerms = {}): Action {
  const { trade } = terms;
  const { by = trade.buyer, round = 0, tag, early = false } = how;
  return {
    ...{ name: `execute case of ${trade.reservation}`, actor: by, ...when },
    *run(person, scene) {
      if (!early) yield* windowOf(scene, terms, "execute", round);
      const tagText = tag?.(chainOf(scene));
      yield* transact(person, [executionOf(scene, terms)], tagText);
      const tagged = tagText === undefined ? "" : `, tagged ${tagText}`;
      told(scene, person, `sends the execution of the case of escrow ${trade.reservation}${tagged}`);
      if (early) return;
      const now = scene.world.loop.now().toString();
      scene.share(executionNews(terms, round), now);
      scene.share(caseNews(terms, round + 1), now);
    },
  };
}

/** The instruction that executes a case. */
export function executionOf(scene: Scene, { trade }: CaseTerms): Instruction {
  const at = chainOf(scene);
  const treasuries = treasuriesFor(at, mintOf(trade.offer.asset));
  return executeDisputeOutcome(at, tradeRefOf(scene, trade), buyerTokensOf(scene, trade), treasuries, true);
}

/** Waits until a step's window of the case has begun on chain. */
export function* windowOf(scene: Scene, terms: CaseTerms, step: "commit" | "reveal" | "execute", round = 0): Script {
  const opened = Number(yield* scene.learn(caseNews(terms, round)));
  const secs = { commit: 0n, reveal: terms.commitSecs, execute: terms.commitSecs + terms.revealSecs }[step];
  yield* untilTime(opened + Number(secs) * 1_000 + BLOCK_MS);
}

function stakeText({ stake }: Juror): string {
  return stake === undefined ? "" : `, with a stake of ${stake / 1_000_000n} OPEN`;
}

function chainVoteOf({ vote, chainVote = vote }: Juror): Resolution {
  return chainVote;
}

/** The byte of a vote on chain. */
export function byteOf(vote: Resolution): number {
  return outcomes.indexOf(vote);
}
