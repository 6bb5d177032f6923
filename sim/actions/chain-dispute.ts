/**
 * A dispute on chain: the case, the votes by stake, the execution. Windows run on chain time, counted from the
 * block that opened the case; everyone counts from when the opener said so. Source: protocol 03 D.8, W-14.
 */

import type { Infer } from "../../core/index.ts";
import { bool, enumeration, u32 } from "../../core/index.ts";
import type { Resolution } from "../../core/testing.ts";
import { outcomes } from "../../core/testing.ts";
import { behindMemos, closingTableOf, forwarded, withAccounts, withoutLast } from "../chain/disguises.ts";
import { treasuriesFor } from "../chain/genesis.ts";
import { commitDisputeVote, executeDisputeOutcome, openDisputeCase, revealDisputeVote } from "../chain/instructions.ts";
import { commitmentPreimage } from "../chain/model/votes.ts";
import type { Instruction, TransactionPlan } from "../chain/transaction.ts";
import { may, only } from "../data/optional.ts";
import { otherwise } from "../data/values.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { until as untilTime } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { chainOf, failureText, transact, transactAndWait } from "./chain.ts";
import { buyerTokensOf, tradeRefOf } from "./chain-trade.ts";
import type { Juror } from "./dispute.ts";
import { JurorData, ownVote, secretOf } from "./dispute.ts";
import type { Tag } from "./tagged.ts";
import { TagData, tagText } from "./tagged.ts";
import { until } from "./trade.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { CaseData, mintOf, told } from "./trade-terms.ts";

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
  readonly tag?: Tag;
  /** At the action's own time, whatever the windows. */
  readonly early?: boolean;
  /** So that whoever reads transactions does not see it. */
  readonly disguise?: Disguise;
}

/**
 * Behind memos that fill the log before its event, called by another program, or through the case's lookup table;
 * without the account that says how many could still vote, on which it depends whether a round follows; or with the
 * executor's own tokens in place of a treasury's.
 */
const Disguise = enumeration("memos", "call", "table", "short", "treasury");
export type Disguise = Infer<typeof Disguise>;

const Round = otherwise(u32, 0);
const ballot = { case: CaseData, juror: JurorData, round: Round };
export const chainDisputeForms = {
  "open-case": actionForm("open-case", { case: CaseData }),
  "commit-on-chain": actionForm("commit-on-chain", ballot),
  "reveal-on-chain": actionForm("reveal-on-chain", ballot),
  execute: actionForm("execute", {
    case: CaseData,
    round: Round,
    tag: may(TagData),
    early: otherwise(bool, false),
    disguise: may(Disguise),
  }),
};

type Of<K extends keyof typeof chainDisputeForms> = Infer<(typeof chainDisputeForms)[K]>;

/** Opens the case on chain, which freezes the escrow. */
export function openCase(terms: CaseTerms, when: When): Of<"open-case"> {
  return { ...begins("open-case", terms.trade.buyer, when), case: terms };
}

/** Commits on chain to the vote that the arbitrator also committed to off chain. */
export function commitOnChain(terms: CaseTerms, juror: Juror, when: When, round = 0): Of<"commit-on-chain"> {
  return { ...begins("commit-on-chain", juror.name, when), case: terms, juror: only(JurorData, juror), round };
}

/** Reveals on chain, where the vote weighs the arbitrator's stake. */
export function revealOnChain(terms: CaseTerms, juror: Juror, when: When, round = 0): Of<"reveal-on-chain"> {
  return { ...begins("reveal-on-chain", juror.name, when), case: terms, juror: only(JurorData, juror), round };
}

/** Anybody may execute a case whose windows are over; here the buyer does, unless said otherwise. */
export function execute(terms: CaseTerms, when: When, how: ExecutionTerms = {}): Of<"execute"> {
  const { by = terms.trade.buyer, round = 0, tag, early = false, disguise } = how;
  const told = { ...(tag !== undefined && { tag }), ...(disguise !== undefined && { disguise }) };
  return { ...begins("execute", by, when), case: terms, round, early, ...told };
}

export const chainDisputeRows: ActionRows<typeof chainDisputeForms> = {
  "open-case": {
    title: ({ case: { trade } }) => `open case of ${trade.reservation}`,
    *run(person, scene, { case: terms }) {
      const { trade } = terms;
      yield* until(person, "getDispute", terms.id, () => true);
      const party = person.wallet.address;
      const windows = { commitSecs: terms.commitSecs, revealSecs: terms.revealSecs };
      yield* transact(person, [openDisputeCase(chainOf(scene), tradeRefOf(scene, trade), party, party, windows)]);
      told(scene, person, `sends the opening of the case of escrow ${trade.reservation} to the chain`);
      scene.share(caseNews(terms), scene.time.now().toString());
    },
  },
  "commit-on-chain": {
    title: ({ case: { trade } }) => `commit on chain ${trade.reservation}`,
    check: ownVote,
    *run(person, scene, { case: terms, juror, round }) {
      const { reservation } = terms.trade;
      yield* windowOf(scene, terms, "commit", round);
      const { address } = person.wallet;
      const commitment = chainCommitment(scene, terms, juror, round);
      const sent = commitDisputeVote(chainOf(scene), reservation, address, commitment);
      const { err } = yield* transactAndWait(person, scene, [sent]);
      const done = err === null ? "has committed" : `fails (${failureText(err)}) to commit`;
      told(scene, person, `${done} on chain to a vote on the case of escrow ${reservation}`);
    },
  },
  "reveal-on-chain": {
    title: ({ case: { trade } }) => `reveal on chain ${trade.reservation}`,
    check: ownVote,
    *run(person, scene, { case: terms, juror, round }) {
      yield* windowOf(scene, terms, "reveal", round);
      const salt = chainSalt(scene, terms, juror, round);
      const { address } = person.wallet;
      const vote = chainVoteOf(juror);
      const sent = revealDisputeVote(chainOf(scene), terms.trade.reservation, address, byteOf(vote), salt);
      const { err } = yield* transactAndWait(person, scene, [sent]);
      const done = err === null ? "has revealed" : `fails (${failureText(err)}) to reveal`;
      told(scene, person, `${done} ${vote} on chain${stakeText(juror)}`);
    },
  },
  execute: {
    title: ({ case: { trade } }) => `execute case of ${trade.reservation}`,
    *run(person, scene, { case: terms, round, tag, early, disguise }) {
      if (!early) yield* windowOf(scene, terms, "execute", round);
      const claimed = tag && tagText(chainOf(scene), tag);
      const { instructions, tables } = disguised(scene, terms, disguise, person.wallet.name);
      yield* transact(person, instructions, claimed, tables);
      const tagged = claimed === undefined ? "" : `, tagged ${claimed}`;
      told(scene, person, `sends the execution of the case of escrow ${terms.trade.reservation}${tagged}`);
      if (early) return;
      const now = scene.time.now().toString();
      scene.share(executionNews(terms, round), now);
      scene.share(caseNews(terms, round + 1), now);
    },
  },
};

/** The execution of a case so that nobody who reads events, or what a message names, would see it. */
export function disguised(
  scene: Scene,
  terms: CaseTerms,
  disguise: Disguise | undefined,
  by: string = terms.trade.buyer,
): Required<Pick<TransactionPlan, "instructions" | "tables">> {
  const instruction = executionOf(scene, terms);
  const tables = disguise === "table" ? [closingTableOf(chainOf(scene), terms.trade.reservation)] : [];
  if (disguise === "memos") return { instructions: behindMemos(instruction), tables };
  if (disguise === "short") return { instructions: [withoutLast(instruction)], tables };
  if (disguise === "treasury") return { instructions: [withOwnTreasury(scene, terms, instruction, by)], tables };
  return { instructions: [disguise === "call" ? forwarded(instruction) : instruction], tables };
}

/** The execution that would pay the fees of development to somebody's own tokens. */
function withOwnTreasury(scene: Scene, { trade }: CaseTerms, instruction: Instruction, by: string): Instruction {
  const [at, ref] = [chainOf(scene), mintOf(trade.offer.asset)];
  const own = at.tokenAccount(scene.world.person(by).address, ref.mint, ref.tokenProgram).address;
  return withAccounts(instruction, new Map([[treasuriesFor(at, ref).dev, own]]));
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

/** The instruction that executes a case. */
export function executionOf(scene: Scene, { trade }: CaseTerms): Instruction {
  const at = chainOf(scene);
  const treasuries = treasuriesFor(at, mintOf(trade.offer.asset));
  return executeDisputeOutcome(at, tradeRefOf(scene, trade), buyerTokensOf(scene, trade), treasuries);
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
