/**
 * A dispute off chain: opened by a party, staffed by arbitrators, voted on by commit and reveal. What they reveal is
 * evidence for people; no node makes an outcome of it. Source: protocol 03 A.4.
 */

import type { Infer } from "../../core/index.ts";
import { u64, utf8 } from "../../core/index.ts";
import {
  ArbitratorJoin,
  commitmentOf,
  DisputeOpen,
  Resolution,
  Vote,
  VoteCommit,
  VoteReveal,
} from "../../core/testing.ts";
import { may, only, plain } from "../data/optional.ts";
import { Name } from "../data/values.ts";
import type { Scene } from "../scene.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { settlementIs, until } from "./trade.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { CaseData, told } from "./trade-terms.ts";

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

export const JurorData = plain("juror", {
  name: Name,
  vote: Vote,
  chainVote: may(Resolution),
  copies: may(Name),
  stake: may(u64),
});

const seated = { case: CaseData, juror: JurorData };
export const disputeForms = {
  "open-dispute": actionForm("open-dispute", { case: CaseData }),
  join: actionForm("join", seated),
  commit: actionForm("commit", seated),
  reveal: actionForm("reveal", seated),
};

type Of<K extends keyof typeof disputeForms> = Infer<(typeof disputeForms)[K]>;

/** A party opens the case once its node shows the payment. */
export function openDispute(terms: CaseTerms, when: When): Of<"open-dispute"> {
  return { ...begins("open-dispute", terms.trade.buyer, when), case: terms };
}

/** Takes a seat on a case that the arbitrator's node shows. */
export function join(terms: CaseTerms, juror: Juror, when: When): Of<"join"> {
  return { ...begins("join", juror.name, when), case: terms, juror: only(JurorData, juror) };
}

/** Commits to the vote once the case is locked. */
export function commit(terms: CaseTerms, juror: Juror, when: When): Of<"commit"> {
  return { ...begins("commit", juror.name, when), case: terms, juror: only(JurorData, juror) };
}

/** Reveals once all seats must have committed on chain. */
export function reveal(terms: CaseTerms, juror: Juror, when: When): Of<"reveal"> {
  return { ...begins("reveal", juror.name, when), case: terms, juror: only(JurorData, juror) };
}

export const disputeRows: ActionRows<typeof disputeForms> = {
  "open-dispute": {
    title: ({ case: { id } }) => `open ${id}`,
    *run(person, scene, { case: terms }) {
      const { trade } = terms;
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
  },
  join: {
    title: ({ case: { id } }) => `join ${id}`,
    check: ownVote,
    *run(person, scene, { case: terms }) {
      yield* until(person, "getDispute", terms.id, () => true);
      yield* person.send("sendArbitratorJoin", ArbitratorJoin, {
        dispute_id: terms.id,
        arbitrator: person.wallet.peer,
        arbitrator_public_key: person.wallet.publicKey,
        timestamp: person.now(),
      });
      told(scene, person, `takes a seat on ${terms.id}`);
    },
  },
  commit: {
    title: ({ case: { id } }) => `commit on ${id}`,
    check: ownVote,
    *run(person, scene, { case: terms, juror }) {
      yield* until(person, "getDispute", terms.id, ({ status }) => status !== "Open");
      yield* person.send("sendVoteCommit", VoteCommit, {
        dispute_id: terms.id,
        arbitrator: person.wallet.peer,
        commitment: commitmentOf(scene.world.crypto.sha256, juror.vote, secretOf(scene, juror, terms.id)),
        timestamp: person.now(),
      });
      told(scene, person, `commits to a vote on ${terms.id}`);
    },
  },
  reveal: {
    title: ({ case: { id } }) => `reveal on ${id}`,
    check: ownVote,
    *run(person, scene, { case: terms, juror }) {
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
  },
};

/** Only an arbitrator's own key makes the secret of his vote. */
export function ownVote({ actor, juror }: { readonly actor: string; readonly juror: Juror }): string | undefined {
  return actor === juror.name ? undefined : `the vote is that of ${juror.name}, and the actor is ${actor}`;
}

/** What hides an arbitrator's vote until it is revealed: only his key can make it, or whose commitment he copies. */
export function secretOf(scene: Scene, juror: Juror, purpose: string): Uint8Array {
  const wallet = scene.world.person(juror.copies ?? juror.name);
  return scene.world.crypto.sha256(wallet.sign(utf8(`secret of my vote on ${purpose}`)));
}
