/**
 * A dispute off chain: opened by a party, staffed by arbitrators, voted on by commit and reveal. What they reveal is
 * evidence for people; no node makes an outcome of it. Source: protocol 03 A.4.
 */

import { utf8 } from "../../core/index.ts";
import type { Resolution, Vote } from "../../core/testing.ts";
import { ArbitratorJoin, commitmentOf, DisputeOpen, VoteCommit, VoteReveal } from "../../core/testing.ts";
import type { Scene } from "../scene.ts";
import type { CodeAction as Action } from "./action-row.ts";
import { settlementIs, until } from "./trade.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** An arbitrator and the vote that the evidence brings them to. */
export interface Juror {
  readonly name: string;
  readonly vote: Vote;
  /** What they vote for on chain, where it is something else. */
  readonly chainVote?: Resolution;
  /** Whose commitments they hand in as their own. */
  readonly copies?: string;
  /** OPEN base units that stand behind it on chain, for the story. */
  readonly stake?: bigint;
}

/** A party opens the case once its node shows the payment. */
export function openDispute(terms: CaseTerms, when: When): Action {
  const { trade } = terms;
  return {
    ...{ name: `open ${terms.id}`, actor: trade.buyer, ...when },
    *run(person, scene) {
      yield* settlementIs(person, trade, "PaymentSubmitted");
      yield* person.send("sendDisputeOpen", DisputeOpen, {
        id: terms.id,
        settlement_id: trade.settlement,
        opener: person.wallet.peer,
        opener_public_key: person.wallet.publicKey,
        reason: terms.reason,
        timestamp: person.now(),
      });
      told(scene, person, `opens ${terms.id}: ${terms.reason}`);
    },
  };
}

/** Takes a seat on a case that the arbitrator's node shows. */
export function join(terms: CaseTerms, juror: Juror, when: When): Action {
  return {
    ...{ name: `join ${terms.id}`, actor: juror.name, ...when },
    *run(person, scene) {
      yield* until(person, "getDispute", terms.id, () => true);
      yield* person.send("sendArbitratorJoin", ArbitratorJoin, {
        dispute_id: terms.id,
        arbitrator: person.wallet.peer,
        arbitrator_public_key: person.wallet.publicKey,
        timestamp: person.now(),
      });
      told(scene, person, `takes a seat on ${terms.id}`);
    },
  };
}

/** Commits to the vote once the case is locked. */
export function commit(terms: CaseTerms, juror: Juror, when: When): Action {
  return {
    ...{ name: `commit on ${terms.id}`, actor: juror.name, ...when },
    *run(person, scene) {
      yield* until(person, "getDispute", terms.id, ({ status }) => status !== "Open");
      yield* person.send("sendVoteCommit", VoteCommit, {
        dispute_id: terms.id,
        arbitrator: person.wallet.peer,
        commitment: commitmentOf(scene.world.crypto.sha256, juror.vote, secretOf(scene, juror, terms.id)),
        timestamp: person.now(),
      });
      told(scene, person, `commits to a vote on ${terms.id}`);
    },
  };
}

/** Reveals once all seats must have committed on chain. */
export function reveal(terms: CaseTerms, juror: Juror, when: When): Action {
  return {
    ...{ name: `reveal on ${terms.id}`, actor: juror.name, ...when },
    *run(person, scene) {
      yield* until(person, "getDispute", terms.id, ({ status }) => status !== "Open" && status !== "CaseLocked");
      yield* person.send("sendVoteReveal", VoteReveal, {
        dispute_id: terms.id,
        arbitrator: person.wallet.peer,
        vote: juror.vote,
        secret: secretOf(scene, juror, terms.id),
        timestamp: person.now(),
      });
      told(scene, person, `reveals ${juror.vote} to the network`);
    },
  };
}

/** What hides an arbitrator's vote until it is revealed: only his key can make it, or whose commitment he copies. */
export function secretOf(scene: Scene, juror: Juror, purpose: string): Uint8Array {
  const wallet = scene.world.person(juror.copies ?? juror.name);
  return scene.world.crypto.sha256(wallet.sign(utf8(`secret of my vote on ${purpose}`)));
}
