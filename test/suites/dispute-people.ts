/**
 * People of disputes in a world where things go wrong: each tries what he came for when it is time, and goes on
 * whatever comes of it. Nobody peeks at the chain: votes and executions go by the clock. Source: protocol 03 A.4, D.8.
 */
import type { SignedType } from "../../core/index.ts";
import { toBase64 } from "../../core/index.ts";
import type { Vote } from "../../core/testing.ts";
import { ArbitratorJoin, commitmentOf, VoteCommit, VoteReveal } from "../../core/testing.ts";
import type { Action } from "../../sim/action-kinds.ts";
import { chainOf } from "../../sim/actions/chain.ts";
import type { Disguise } from "../../sim/actions/chain-dispute.ts";
import { byteOf, chainCommitment, chainSalt, disguised } from "../../sim/actions/chain-dispute.ts";
import { secretOf } from "../../sim/actions/dispute.ts";
import type { CaseTerms } from "../../sim/actions/trade-terms.ts";
import { commitDisputeVote, revealDisputeVote } from "../../sim/chain/instructions.ts";
import type { LookupTable } from "../../sim/chain/lookup-tables.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import type { Person } from "../../sim/person.ts";
import { seconds } from "../../sim/scenario.ts";
import type { Scene } from "../../sim/scene.ts";
import type { Script } from "../../sim/script.ts";
import { sleep } from "../../sim/script.ts";

/** What an arbitrator does in one round on chain: a vote, a commitment that is never opened, or nothing. */
export type ChainVote = "BuyerWins" | "MerchantWins" | "MutualSettlement" | "Invalid" | "silent" | "absent";

export interface Judge {
  readonly name: string;
  readonly via: number;
  readonly rounds: readonly ChainVote[];
  /** Off chain: the vote, if any, and where the commitment is sent again with another vote, if anywhere. */
  readonly vote: Vote | null;
  readonly again: { readonly vote: Vote; readonly via: number } | null;
  /** Milliseconds by which this one is later than others. */
  readonly delay: number;
}

/** Times at which rounds are committed to, revealed and executed, so that each window holds its own. */
const ROUNDS = [
  { commit: seconds(62), reveal: seconds(128), execute: [180, 192, 204].map(seconds) },
  { commit: seconds(212), reveal: seconds(270), execute: [330, 342, 354].map(seconds) },
  { commit: seconds(362), reveal: seconds(420), execute: [480, 492, 504].map(seconds) },
];
/** Afterwards executions are sent every so often, for so long. */
const SWEEP_MS = seconds(20);
const SWEEP_UNTIL = seconds(760);
const STEP_MS = seconds(2);
/** Between two looks of a reader. */
const LOOK_MS = seconds(4);

export const terminalNews = (terms: CaseTerms) => `${terms.id} is terminal`;

/** Sits off chain: joins, commits and reveals when he likes, in whatever state his node shows the case. */
export function sits(terms: CaseTerms, judge: Judge): Action {
  const { name, via, vote, again } = judge;
  return {
    kind: "code",
    ...{ name: `sit on ${terms.id}`, actor: name, at: seconds(58) + judge.delay, via },
    *run(person, scene) {
      if (vote === null) return;
      const own = { dispute_id: terms.id, arbitrator: person.wallet.peer };
      const key = { arbitrator_public_key: person.wallet.publicKey };
      const secret = secretOf(scene, { name, vote }, terms.id);
      const committed = (to: Vote) => commitmentOf(scene.world.crypto.sha256, to, secret);
      const publish = (method: string, type: SignedType, more: object, node = via) =>
        tries(node, method, {
          data: person.wallet.data(type, { ...own, ...more, timestamp: person.now() } as never),
        });
      yield* publish("sendArbitratorJoin", ArbitratorJoin as never, key);
      yield* sleep(seconds(5));
      yield* publish("sendVoteCommit", VoteCommit as never, { commitment: committed(vote) });
      if (again !== null)
        yield* publish("sendVoteCommit", VoteCommit as never, { commitment: committed(again.vote) }, again.via);
      yield* sleep(seconds(20));
      yield* publish("sendVoteReveal", VoteReveal as never, { vote, secret });
    },
  };
}

/** Votes on chain, round after round, until the case is terminal. */
export function votesByTheClock(terms: CaseTerms, judge: Judge): Action {
  const { reservation } = terms.trade;
  return {
    kind: "code",
    ...{ name: `vote on ${reservation}`, actor: judge.name, at: seconds(60), via: judge.via },
    *run(person, scene) {
      const at = chainOf(scene);
      const { address } = person.wallet;
      for (const [round, times] of ROUNDS.entries()) {
        const ballot = judge.rounds[round] ?? "absent";
        const vote = ballot === "silent" || ballot === "absent" ? "Invalid" : ballot;
        const juror = { name: judge.name, vote: "Invalid" as const, chainVote: vote };
        if (yield* over(scene, terms, times.commit + judge.delay)) return;
        if (ballot === "absent") continue;
        const commitment = chainCommitment(scene, terms, juror, round);
        yield* sends(person, [commitDisputeVote(at, reservation, address, commitment)]);
        if (yield* over(scene, terms, times.reveal + judge.delay)) return;
        if (ballot === "silent") continue;
        const salt = chainSalt(scene, terms, juror, round);
        yield* sends(person, [revealDisputeVote(at, reservation, address, byteOf(vote), salt)]);
      }
    },
  };
}

/** How somebody executes a case. */
interface Executions {
  readonly via: number;
  /** What the relay is told that it is about. */
  readonly tag: string | null;
  readonly rounds: number;
  /** How its event is kept from whoever reads logs and what a message names. */
  readonly hidden: Disguise | null;
}

/** Executes the case by the clock until his own node, which waits for finality, shows that it is terminal. */
export function executesUntilTerminal(terms: CaseTerms, by: string, { via, tag, rounds, hidden }: Executions): Action {
  return {
    kind: "code",
    ...{ name: `execute ${terms.trade.reservation}`, actor: by, at: seconds(60), via },
    *run(person, scene) {
      const times = ROUNDS.slice(0, rounds).flatMap(({ execute }) => execute);
      const sweeps = rounds < ROUNDS.length ? 0 : SWEEP_UNTIL;
      for (let late = (times.at(-1) ?? 0) + SWEEP_MS; late < sweeps; late += SWEEP_MS) times.push(late);
      for (const time of times) {
        if (yield* over(scene, terms, time)) return;
        const answer = yield* person.ask("getDispute", { id: terms.id });
        const shown = answer.type === "result" ? (answer.result as { readonly status?: string } | null) : null;
        if (shown?.status === "Resolved") return scene.share(terminalNews(terms), "seen");
        const { instructions, tables } = disguised(scene, terms, hidden ?? undefined);
        yield* sends(person, instructions, tag, tables);
      }
      scene.share(terminalNews(terms), "given up");
    },
  };
}

/** A stranger who reads all disputes of a node until every case is terminal. */
export function readsAll(node: number, cases: readonly CaseTerms[]): Action {
  return {
    kind: "code",
    ...{ name: "read disputes", actor: `reader ${node}`, at: seconds(58), via: node },
    *run(person, scene) {
      while (!cases.every((terms) => scene.knows(terminalNews(terms)))) {
        yield* person.ask("getDisputes", {});
        yield* sleep(LOOK_MS);
      }
      yield* person.ask("getDisputes", {});
    },
  };
}

/** Waits for an instant; true when the case was terminal before. */
function* over(scene: Scene, terms: CaseTerms, time: number): Script<boolean> {
  while (scene.world.loop.now() < time) {
    if (scene.knows(terminalNews(terms))) return true;
    yield* sleep(Math.min(STEP_MS, time - scene.world.loop.now()));
  }
  return scene.knows(terminalNews(terms));
}

/** Sends one transaction if the node has a blockhash to build it on. */
function* sends(
  person: Person,
  instructions: readonly Instruction[],
  tag: string | null = null,
  tables: readonly LookupTable[] = [],
): Script {
  const answer = yield* person.ask("getLatestBlockhash", {});
  if (answer.type !== "result") return;
  const { blockhash } = answer.result as { readonly blockhash: string };
  const data = toBase64(person.wallet.transaction({ instructions, blockhash, tables }));
  yield* person.ask("sendTransaction", { data, correlation: tag });
}

/** Says something once or twice; what a node refuses, or cannot hear, is not said to it. */
function* tries(node: number, method: string, params: object): Script {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const first = yield { type: "call", node, body };
  if (typeof first === "string" && !first.includes('"error"')) return;
  yield* sleep(seconds(6));
  yield { type: "call", node, body };
}
