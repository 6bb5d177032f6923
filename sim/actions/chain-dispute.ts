/**
 * A dispute on chain: the case, the votes by stake, the execution. Windows run on chain time, counted from the
 * block that opened the case; everyone counts from when the opener said so. Source: protocol 03 D.8, W-14.
 */

import type { Vote } from "../../core/index.ts";
import { outcomes } from "../../core/index.ts";
import { treasuriesFor } from "../chain/genesis.ts";
import { commitDisputeVote, executeDisputeOutcome, openDisputeCase, revealDisputeVote } from "../chain/instructions.ts";
import { commitmentPreimage } from "../chain/model/votes.ts";
import type { Action, Scene } from "../scenario.ts";
import type { Script } from "../script.ts";
import { until as untilTime } from "../script.ts";
import { chainOf, transact, transactAndWait } from "./chain.ts";
import { buyerTokensOf, tradeRefOf } from "./chain-trade.ts";
import type { Juror } from "./dispute.ts";
import { secretOf } from "./dispute.ts";
import { until } from "./trade.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** Between sending a transaction and its block, and then some. Source: ours. */
const BLOCK_MS = 5_000;

const caseNews = (terms: CaseTerms) => `case ${terms.id}`;

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
      told(scene, person, `opens the case of escrow ${trade.reservation} on chain`);
      scene.share(caseNews(terms), scene.world.loop.now().toString());
    },
  };
}

/** Commits on chain to the vote that the arbitrator also committed to off chain. */
export function commitOnChain(terms: CaseTerms, juror: Juror, when: When): Action {
  const { reservation } = terms.trade;
  return {
    ...{ name: `commit on chain ${reservation}`, actor: juror.name, ...when },
    *run(person, scene) {
      yield* windowOf(scene, terms, "commit");
      const at = chainOf(scene);
      const { address } = person.wallet;
      const salt = secretOf(scene, juror, `${terms.id} on chain`);
      const preimage = commitmentPreimage(byteOf(juror.vote), salt, at.disputeCase(reservation).address, address);
      const commitment = scene.world.crypto.sha256(preimage);
      yield* transactAndWait(person, [commitDisputeVote(at, reservation, address, commitment)]);
      told(scene, person, `has committed on chain to a vote on the case of escrow ${reservation}`);
    },
  };
}

/** Reveals on chain, where the vote weighs the arbitrator's stake. */
export function revealOnChain(terms: CaseTerms, juror: Juror, when: When): Action {
  const { reservation } = terms.trade;
  return {
    ...{ name: `reveal on chain ${reservation}`, actor: juror.name, ...when },
    *run(person, scene) {
      yield* windowOf(scene, terms, "reveal");
      const salt = secretOf(scene, juror, `${terms.id} on chain`);
      const { address } = person.wallet;
      yield* transactAndWait(person, [
        revealDisputeVote(chainOf(scene), reservation, address, byteOf(juror.vote), salt),
      ]);
      told(scene, person, `has revealed ${juror.vote} on chain${stakeText(juror)}`);
    },
  };
}

/** Anybody may execute a case whose windows are over; here the buyer does. */
export function execute(terms: CaseTerms, when: When): Action {
  const { trade } = terms;
  return {
    ...{ name: `execute case of ${trade.reservation}`, actor: trade.buyer, ...when },
    *run(person, scene) {
      yield* windowOf(scene, terms, "execute");
      const at = chainOf(scene);
      const ref = tradeRefOf(scene, trade);
      const treasuries = treasuriesFor(at, trade.offer.mint);
      yield* transact(person, [executeDisputeOutcome(at, ref, buyerTokensOf(scene, trade), treasuries, true)]);
      told(scene, person, `sends the execution of the case of escrow ${trade.reservation}`);
    },
  };
}

/** Waits until a step's window of the case has begun on chain. */
export function* windowOf(scene: Scene, terms: CaseTerms, step: "commit" | "reveal" | "execute"): Script {
  const opened = Number(yield* scene.learn(caseNews(terms)));
  const secs = { commit: 0n, reveal: terms.commitSecs, execute: terms.commitSecs + terms.revealSecs }[step];
  yield* untilTime(opened + Number(secs) * 1_000 + BLOCK_MS);
}

function stakeText({ stake }: Juror): string {
  return stake === undefined ? "" : `, with a stake of ${stake / 1_000_000n} OPEN`;
}

/** The byte of a vote on chain; the chain's third outcome is a split, which nobody here votes for. */
function byteOf(vote: Vote): number {
  return outcomes.indexOf(vote);
}
