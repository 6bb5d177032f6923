/**
 * Goal: proposals and votes are a function of the set of statements and the set of facts, and no statement of one
 * signer takes another's act out of effect (DESIGN L2).
 * Method: random sets with contested ids, foreign signers, both names and facts; every order of small sets, random
 * orders, batches, repeats and restarts of large ones; then one more statement by somebody else.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { CastVotes, Proposals } from "../../core/domains/governance/tables.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { arbitrators, at, nameOf, rival, stranger } from "../convergence/actors.ts";
import { permutations, shuffleOf } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import type { Observation, Replica } from "./replica.ts";
import { fixtures, openReplica, read, received, resolved, rootsOf } from "./replica.ts";

const people = [rival, stranger, ...arbitrators.slice(0, 2)];
const creates = [
  fixtures.create(rival, at(0)),
  fixtures.create(rival, at(3), { title: "Again" }),
  fixtures.create(stranger, at(-2), { title: "Squatted" }),
  fixtures.create(stranger, at(1), { onchain_proposal_id: 8n }),
  fixtures.create(rival, at(2), { id: "ofip-0002", onchain_proposal_id: null }),
];
const names = ["ofip-0001", "ofip-0002", "nothing", ...creates.map(nameOf)];

const arbPerson = fc.constantFrom(...people);
const arbName = fc.constantFrom(...names);
const arbTime = fc.integer({ min: -20, max: 10_100 }).map(at);
const arbChoice = fc.constantFrom("Approve" as const, "Reject" as const, "Abstain" as const);
const arbVote = fc
  .tuple(arbPerson, arbTime, arbName, arbChoice)
  .map(([by, time, proposal_id, choice]) => fixtures.vote(by, time, { proposal_id, choice }));
const arbReceived: fc.Arbitrary<Observation[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...creates).map((create) => received(create)) },
  { weight: 1, arbitrary: arbVote.map((vote) => received(vote)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(arbVote, fc.bigInt(0n, 9n), fc.bigInt(0n, 9n))
      .map(([vote, amount, minimum]) => [...received(vote), read(vote, amount, minimum)]),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(arbPerson, arbTime, arbName).map(([a, b, c]) => received(fixtures.withdraw(a, b, c))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(arbPerson, arbTime, arbName).map(([a, b, c]) => received(fixtures.activate(a, b, c))),
  },
);
const arbResult = fc
  .record({
    state: fc.constantFrom("Accepted" as const, "Rejected" as const),
    number: fc.constantFrom(7n, 8n),
    proposer: fc.constantFrom(rival.key, stranger.key, "somebody"),
    offchain: fc.constantFrom("ofip-0001", "ofip-0002"),
  })
  .map(({ state, ...told }) => resolved(state, told));
/** One fact for each number, as a node keeps only the first. */
const arbResults = fc
  .array(arbResult, { maxLength: 2 })
  .map((facts) =>
    facts.filter((fact, place) => facts.findIndex((other) => numberOf(other) === numberOf(fact)) === place),
  );
const arbSet = (max: number) =>
  fc
    .tuple(fc.array(arbReceived, { maxLength: max }), arbResults)
    .map(([observations, facts]) => distinct([...observations.flat(), ...facts]));

function numberOf(observation: Observation): string | undefined {
  return observation.type === "result" ? observation.number : undefined;
}

/** One reading for each vote, as a node keeps only the first. */
function distinct(observations: readonly Observation[]): readonly Observation[] {
  const known = new Set<string>();
  return observations.filter((one) => {
    const key =
      one.type === "statement" ? one.statement.identity : one.type === "stake" ? `stake ${one.vote}` : numberOf(one);
    if (key === undefined || known.has(key)) return false;
    known.add(key);
    return true;
  });
}

function receivedInOrder(observations: readonly Observation[]): Replica {
  const replica = openReplica();
  for (const one of observations) replica.receive([one]);
  return replica;
}

function labelsOf(set: readonly Observation[]): readonly string[] {
  const statements = set.flatMap((observation) => (observation.type === "statement" ? [observation.statement] : []));
  const kinds = set
    .map((observation) => (observation.type === "statement" ? "" : observation.type))
    .filter((kind) => kind !== "");
  return [...statementLabels(statements), ...new Set(kinds)];
}

test("every order of a small set leads to the same roots", () => {
  const holds = (set: readonly Observation[]) => {
    const roots = rootsOf(receivedInOrder(set));
    for (const order of permutations(set)) expect(rootsOf(receivedInOrder(order))).toBe(roots);
  };
  forAll([arbSet(6).map((set) => set.slice(-5))], holds, {
    runs: 60,
    classes: (set) => [...labelsOf(set), ...(set.length === 5 ? ["five"] : [])],
    shares: { five: 0.3, result: 0.3, stake: 0.3, ProposalCreate: 0.4, VoteCast: 0.4, "one id by two signers": 0.02 },
  });
});

test("any order, batching, repeat and restart of a large set leads to the same roots", () => {
  const holds = (set: readonly Observation[], order: number) => {
    const whole = openReplica();
    whole.receive(set);
    const { shuffled, parts, some, below } = shuffleOf(order);
    const replica = openReplica();
    for (const batch of parts(shuffled([...set, ...some(set)]))) {
      replica.receive(batch);
      if (below(5) === 0) replica.restart();
    }
    expect(rootsOf(replica)).toBe(rootsOf(whole));
  };
  forAll([arbSet(40), fc.nat()], holds, { runs: 100, classes: (set) => labelsOf(set), shares });
});

const shares = {
  ProposalCreate: 0.8,
  VoteCast: 0.8,
  ProposalWithdraw: 0.5,
  ProposalActivate: 0.5,
  stake: 0.8,
  result: 0.4,
  "more than ten": 0.6,
  "one id by two signers": 0.5,
  "named by content": 0.5,
};

test("one more statement takes no other signer's vote or act out of effect", () => {
  const holds = (set: readonly Observation[], [more]: readonly Observation[]) => {
    if (more?.type !== "statement") return;
    const before = openReplica();
    before.receive(set);
    const after = openReplica();
    after.receive([...set, more]);
    for (const key of before.store().keys(CastVotes)) {
      if (key.endsWith(more.statement.signer)) continue;
      expect(after.store().get(CastVotes, key)).toEqual(before.store().get(CastVotes, key));
    }
    for (const key of before.store().keys(Proposals)) {
      const was = before.store().get(Proposals, key);
      // The on-chain proposer's own contender takes the result to itself: he linked it.
      if (was?.author === more.statement.signer || isCreate(more.statement)) continue;
      expect(after.store().get(Proposals, key)).toEqual(was);
    }
  };
  forAll([arbSet(20), arbReceived], holds, {
    runs: 200,
    classes: (set, [more]) => [
      ...labelsOf(set),
      ...(more?.type === "statement" ? [`and ${more.statement.type.name}`] : []),
    ],
    shares: {
      "and ProposalCreate": 0.1,
      "and VoteCast": 0.2,
      "and ProposalWithdraw": 0.05,
      "and ProposalActivate": 0.05,
      "more than ten": 0.3,
      VoteCast: 0.7,
    },
  });
});

function isCreate(statement: Statement): boolean {
  return statement.type.name === "ProposalCreate";
}
