/**
 * Random disputes: who votes what, on chain and off, in which round; who agrees, who tags what, whose number a stranger
 * took; and what breaks meanwhile. And the scenario that plays them. Source: DESIGN §5 "Named suites".
 */
import fc from "fast-check";
import type { Vote } from "../../core/testing.ts";
import { BUYER, caseOf, disputed, MERCHANT, offer, offered, tradeOf } from "../../scenarios/parts/disputed-trade.ts";
import type { Action } from "../../sim/action-kinds.ts";
import type { Disguise } from "../../sim/actions/chain-dispute.ts";
import { openCase } from "../../sim/actions/chain-dispute.ts";
import { fundEscrow, provideLiquidity } from "../../sim/actions/chain-trade.ts";
import { openDispute } from "../../sim/actions/dispute.ts";
import { initiate, pay, reserve } from "../../sim/actions/trade.ts";
import { agree } from "../../sim/actions/trade-ends.ts";
import type { CaseTerms } from "../../sim/actions/trade-terms.ts";
import { ARBITRATOR_STAKE_MIN } from "../../sim/chain/genesis.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { noResolutionWithoutExecution } from "../../sim/checkers/no-resolution-without-execution.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import * as faults from "../../sim/fault-plans.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, minutes, seconds } from "../../sim/scenario.ts";
import type { ChainVote, Judge } from "./dispute-people.ts";
import { executesUntilTerminal, readsAll, sits, votesByTheClock } from "./dispute-people.ts";

export const NODES = 8;
export const CONFIRMED = [3, 4];
export const GOSSIP_ONLY = [6, 7];
/** Nodes with an endpoint that wait for finality. */
export const PATIENT = [0, 1, 2, 5];
/** The node whose endpoint may lie; it starts again once it no longer does. */
const LIAR = 5;
const JUDGES = ["ada", "ben", "cleo", "dora", "emil"];
const SQUATTER = "mallory";
const VOTES: readonly Vote[] = ["BuyerWins", "MerchantWins", "Invalid"];
/** Everything is opened and final by then, and everything works again. */
const [QUIET_UNTIL, HEALED_AT] = [80, 270];

/** What one arbitrator is like: stakes, a node, three rounds, and what he says off chain. */
interface JudgeStory {
  readonly via: number;
  readonly rounds: readonly ChainVote[];
  readonly vote: Vote | null;
  readonly again: { readonly vote: Vote; readonly via: number } | null;
  readonly delay: number;
}

interface CaseStory {
  readonly via: number;
  readonly judges: readonly JudgeStory[];
  readonly agrees: "nobody" | "buyer" | "both";
  /** A stranger made the escrow of this number. */
  readonly squatted: boolean;
  /** Whose execution claims to be about another's dispute. */
  readonly tagged: boolean;
  /** How its executions are hidden: behind memos that fill the log, by another program, or through a lookup table. */
  readonly hidden: Disguise | null;
}

interface Trouble {
  readonly kind: number;
  readonly from: number;
  readonly lasts: number;
  readonly a: number;
  readonly b: number;
}

export interface DisputeStory {
  readonly cases: readonly CaseStory[];
  readonly stakes: readonly number[];
  readonly troubles: readonly Trouble[];
}

/** Outcomes that a panel on chain can vote for. */
export const VOTED = ["BuyerWins", "MerchantWins", "MutualSettlement", "Invalid"] as const satisfies ChainVote[];

const arbRound: fc.Arbitrary<ChainVote> = fc.oneof(
  { weight: 3, arbitrary: fc.constant("BuyerWins" as const) },
  { weight: 3, arbitrary: fc.constant("MerchantWins" as const) },
  fc.constantFrom("MutualSettlement", "Invalid", "silent", "absent"),
);

const arbJudge: fc.Arbitrary<JudgeStory> = fc.record({
  via: fc.nat(NODES - 1),
  rounds: fc.tuple(arbRound, arbRound, arbRound),
  vote: fc.option(fc.constantFrom(...VOTES), { freq: 5 }),
  again: fc.option(fc.record({ vote: fc.constantFrom(...VOTES), via: fc.nat(NODES - 1) }), { freq: 3 }),
  delay: fc.nat(4_000),
});

const arbJudges = fc.array(arbJudge, { minLength: JUDGES.length, maxLength: JUDGES.length });
/** What all of them do on chain, now and then: nobody comes, or they agree. */
const arbUnanimous = fc.option(fc.constantFrom<ChainVote>("MutualSettlement", "Invalid", "absent", "silent"), {
  freq: 2,
});

const arbCase: fc.Arbitrary<CaseStory> = fc.record({
  via: fc.nat(NODES - 1),
  judges: fc
    .tuple(arbJudges, arbUnanimous)
    .map(([judges, all]) => (all === null ? judges : judges.map((judge) => ({ ...judge, rounds: [all, all, all] })))),
  agrees: fc.constantFrom("nobody", "nobody", "buyer", "both"),
  squatted: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  tagged: fc.boolean(),
  hidden: fc.constantFrom("memos", "call", "table", null),
});

export const arbDisputes: fc.Arbitrary<DisputeStory> = fc.record({
  cases: fc.array(arbCase, { minLength: 1, maxLength: 3 }),
  stakes: fc.array(fc.constantFrom(1, 1, 2, 3), { minLength: JUDGES.length, maxLength: JUDGES.length }),
  troubles: fc.array(
    fc.record({
      // What undoes an execution more often than anything else.
      kind: fc.oneof({ weight: 3, arbitrary: fc.nat(99) }, fc.constant(0)),
      // Every second time while the first executions are confirmed and not yet final.
      from: fc.oneof(fc.integer({ min: QUIET_UNTIL, max: HEALED_AT - 50 }), fc.integer({ min: 184, max: 206 })),
      lasts: fc.integer({ min: 3, max: 50 }),
      a: fc.nat(99),
      b: fc.nat(99),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** What a story is about, in labels: votes of the first round, what people do beside, and what breaks. */
export function kindsOf({ cases, troubles }: DisputeStory): readonly string[] {
  const judges = cases.flatMap((one) => one.judges);
  return [
    ...judges.map(({ rounds: [first] }) => `votes ${first}`),
    ...judges.flatMap(({ vote, again }) => [
      ...(vote === null ? ["says nothing"] : [`says ${vote}`]),
      ...(vote !== null && again !== null && again.vote !== vote ? ["commits to two votes"] : []),
    ]),
    ...cases.flatMap(({ agrees, squatted, tagged, hidden }) => [
      ...(agrees === "nobody" ? [] : [`${agrees} agreed`]),
      ...(squatted ? ["a squatted escrow"] : []),
      ...(tagged ? ["an execution of another's case"] : []),
      ...(hidden === null ? [] : [`hidden by ${hidden}`]),
    ]),
    ...(cases.length > 1 ? ["several cases"] : []),
    ...(cases.every(({ squatted }) => squatted) ? ["nothing but squatted escrows"] : []),
    ...troubles.map(({ kind }) => TROUBLES[kind % TROUBLES.length] ?? ""),
  ];
}

/** What each kind of trouble is, as `faultOf` and `forkOf` make it. */
export const TROUBLES = [
  ...["a final fork", "a reorganization", "a fork that loses", "a fork that wins", "a cut", "bad submissions"],
  ...["a lying endpoint", "stalled finality", "lost messages", "a bad endpoint", "a crash"],
];

/** A case, its terms on chain, which a squatter's are, and whether the chain's decision is about it. */
interface Staged {
  readonly story: CaseStory;
  readonly terms: CaseTerms;
  readonly onChain: CaseTerms;
}

/** The terms of a story's cases, in order, and which of them a stranger's escrow stands for. */
export function casesOf({ cases }: DisputeStory): readonly Staged[] {
  return cases.map((story, place) => {
    const terms = caseOf(tradeOf(3_001n + BigInt(place), { buyer: `${BUYER}-${place}` }));
    const theirs = { ...terms.trade, offer: { ...offer, merchant: SQUATTER }, buyer: `eve-${place}` };
    return { story, terms, onChain: story.squatted ? { ...terms, trade: theirs } : terms };
  });
}

export function disputesScenario(story: DisputeStory, chain: "bankrun" | "litesvm" | "model"): Scenario {
  const staged = casesOf(story);
  return defineScenario({
    provesFaults: false,
    name: "dispute-resolution",
    description: "Disputes of every kind, decided on chain and nowhere else.",
    source: "OFS-2400; protocol 03 A.10.3",
    nodes: NODES,
    chain,
    confirmed: CONFIRMED,
    gossipOnly: GOSSIP_ONLY,
    lookupTables: staged.map(({ terms }) => terms.trade.reservation),
    participants: [
      { name: MERCHANT, merchant: true },
      { name: SQUATTER, merchant: true },
      ...JUDGES.map((name, place) => ({
        name,
        arbitratorStake: BigInt(story.stakes[place] ?? 1) * ARBITRATOR_STAKE_MIN,
      })),
    ],
    actions: [
      ...offered,
      ...(story.cases.some(({ squatted }) => squatted)
        ? [provideLiquidity({ ...offer, merchant: SQUATTER }, { at: seconds(1), via: 2 })]
        : []),
      ...staged.flatMap((one, place) => actionsOf(one, place, staged)),
      ...Array.from({ length: NODES }, (_, node) =>
        readsAll(
          node,
          staged.map(({ terms }) => terms),
        ),
      ),
    ],
    faults: faultsOf(story, chain !== "bankrun"),
    lasts: seconds(HEALED_AT + 10),
    safety: [equalSetsEqualStates, readsChangeNothing, noResolutionWithoutExecution],
    liveness: { within: minutes(15), checks: [replicasConverge] },
  });
}

function actionsOf({ story, terms, onChain }: Staged, place: number, all: readonly Staged[]): readonly Action[] {
  const { via, judges, agrees, tagged } = story;
  const { trade } = terms;
  const bought: readonly ChainVote[] = ["BuyerWins", "BuyerWins", "BuyerWins"];
  const panel: readonly Judge[] = judges.map((judge, at) => ({
    ...judge,
    ...(story.squatted && { rounds: bought }),
    name: JUDGES[at] ?? "",
  }));
  const other = all[(place + 1) % all.length]?.terms ?? terms;
  const begun = story.squatted
    ? [
        reserve(trade, { via, at: seconds(4) }),
        initiate(trade, { via, at: seconds(4) }),
        fundEscrow(onChain.trade, { via: 2, at: seconds(4) }),
        pay(trade, { via, at: seconds(4) }),
        openDispute(terms, { via, at: seconds(50) }),
        openCase(onChain, { via: 2, at: seconds(52) }),
      ]
    : disputed(terms, via);
  return [
    ...begun,
    ...panel.map((judge) => sits(terms, judge)),
    ...panel.map((judge) => votesByTheClock(onChain, judge)),
    ...(agrees === "nobody" ? [] : [agree(terms, trade.buyer, { via, at: seconds(70) })]),
    ...(agrees === "both" ? [agree(terms, MERCHANT, { via: 0, at: seconds(75) })] : []),
    executesUntilTerminal(onChain, trade.buyer, {
      via: PATIENT[place % 3] ?? 0,
      hidden: story.hidden,
      tag: tagged ? `dispute:${other.id}` : null,
      // No node will ever show a squatter's case decided.
      rounds: story.squatted ? 1 : 3,
    }),
  ];
}

/** Reorganizations follow one another; everything else may overlap. */
function faultsOf({ troubles }: DisputeStory, forks: boolean): readonly FaultPlan[] {
  let forkedUntil = 0;
  const plans = troubles.flatMap((trouble) => {
    const isFork = trouble.kind % 11 < 4;
    if (!isFork) return [faultOf(trouble)];
    const from = forksFrom(trouble);
    if (!forks || from <= forkedUntil) return [];
    forkedUntil = from + trouble.lasts + 1;
    return forkOf(trouble);
  });
  // A node that was lied to reads everything again once its endpoint is honest.
  return [...plans, faults.restart(LIAR, { at: seconds(HEALED_AT + 5) })];
}

/** The second at which it forks: what is to undo final blocks waits for the first execution. */
function forksFrom({ kind, from }: Pick<Trouble, "kind" | "from">): number {
  return kind % 11 === 0 ? Math.max(from, 190) : from;
}

function forkOf({ kind, from, lasts, a, b }: Trouble): readonly FaultPlan[] {
  const terms = { lost: [0, 300_000, 1_000_000, 1_000_000][a % 4] ?? 0, late: b % 2 === 0 ? 200_000 : 0 };
  const depth = 1 + (a % 60);
  if (kind % 11 === 0) {
    const at = forksFrom({ kind, from });
    // Nothing becomes final from before the first execution until a branch without it has won.
    const stall = faults.stalledFinality({ from: seconds(178), until: seconds(at + 1) });
    return [stall, faults.reorganization(seconds(at), Math.ceil((at - 179) / 0.4), { lost: 1_000_000 })];
  }
  if (kind % 11 === 1) return [faults.reorganization(seconds(from), depth, terms)];
  const followers = [0, 1, 2, 3, 4, 5].filter((node) => (b >> node) % 2 === 1);
  const winner = kind % 11 === 2 ? "main" : "rival";
  const fork = faults.forkedChain(followers, winner, { ...span(from, lasts), ...terms, depth: depth % 20 });
  return [fork];
}

function faultOf({ kind, from, lasts, a, b }: Trouble): FaultPlan {
  const when = span(from, lasts);
  switch (kind % 11) {
    case 10:
      return faults.crash(a % NODES, span(from, Math.min(lasts, 20)));
    case 4: {
      const size = 1 + (a % (NODES - 1));
      const nodes = Array.from({ length: NODES }, (_, node) => (node + b) % NODES);
      return faults.partition([nodes.slice(0, size), nodes.slice(size)], when);
    }
    case 5:
      return faults.badSubmissions({ drop: 400_000, late: 200_000, lateSlots: 8n, fail: 100_000 }, when);
    case 6:
      return faults.badEndpoint(LIAR, { lie: 300_000 }, when);
    case 7:
      return faults.stalledFinality(when);
    case 8:
      return faults.networkConditions({ loss: 200_000, duplication: 100_000 }, when);
    default: {
      const kinds = [
        { failure: 500_000 },
        { timeout: 300_000 },
        { requestsPerSecond: 1 },
        { lagSlots: 25n },
        { repeat: 500_000 },
        { withhold: 1_000_000 },
      ];
      return faults.badEndpoint(a % 5, kinds[b % kinds.length] ?? {}, when);
    }
  }
}

function span(from: number, lasts: number) {
  return { from: seconds(from), until: seconds(from + lasts) };
}
