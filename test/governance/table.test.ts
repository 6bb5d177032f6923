/**
 * Goal: every row of the precedence table in core/domains/governance/README.md, and the boundaries of time and size.
 * Method: whole sets of statements and facts in every order of arrival; the ingresses through a node.
 */
import { assert, describe, expect, test } from "vitest";
import { ProposalCreate, ProposalWithdraw, VoteCast } from "../../core/domains/governance/schema.ts";
import { CastVotes, Proposals, VOTES_PER_VOTER_MAX } from "../../core/domains/governance/tables.ts";
import { proposalById } from "../../core/domains/governance/views.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { Store } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { arbitrators, at, earning, nameOf, rival, stranger } from "../convergence/actors.ts";
import { permutations } from "../convergence/shuffle.ts";
import { loneNode } from "../rpc/lone-node.ts";
import * as admission from "./fixtures.ts";
import type { Observation } from "./replica.ts";
import { fixtures, openReplica, read, received, resolved, rootsOf } from "./replica.ts";

const WEEK = 7 * 24 * 60;
const [ada, bob] = arbitrators as [(typeof arbitrators)[0], (typeof arbitrators)[0]];
const create = fixtures.create(rival, at(0));
const vote = fixtures.vote(ada, at(10));

/** The one state that every order of arrival, in one batch or many, leads to. */
function everyOrder(observations: readonly Observation[]): Store {
  let first: { readonly roots: string; readonly store: Store } | undefined;
  for (const order of permutations(observations)) {
    const replica = openReplica();
    for (const one of order) replica.receive([one]);
    first ??= { roots: rootsOf(replica), store: replica.store() };
    assert.equal(rootsOf(replica), first.roots);
    replica.restart();
    assert.equal(rootsOf(replica), first.roots);
  }
  if (first === undefined) throw new Error("nothing was heard");
  return first.store;
}

const statusOf = (store: Store, of = create) => store.get(Proposals, of.identity)?.status;
const votes = (store: Store) =>
  [...store.keys(CastVotes)].map((key) => {
    const row = store.get(CastVotes, key);
    return `${key.slice(0, 4)} ${row?.choice} ${row?.weight}`;
  });
const place = (of: { readonly identity: string }) => of.identity.slice(0, 4);

describe("one proposal", () => {
  test("create alone is Voting, whatever strangers say about it", () => {
    const store = everyOrder(received(create, fixtures.withdraw(stranger, at(5)), fixtures.activate(stranger, at(6))));
    assert.equal(statusOf(store), "Voting");
    assert.equal(store.get(Proposals, create.identity)?.updated_at, at(0));
  });

  test("withdraw × anything signed: Withdrawn; votes stay", () => {
    const gone = fixtures.withdraw(rival, at(5));
    const store = everyOrder([...received(create, gone, fixtures.activate(rival, at(1)), vote), read(vote, 9n)]);
    assert.equal(statusOf(store), "Withdrawn");
    assert.deepEqual(votes(store), [`${place(create)} Approve 9`]);
  });

  test("result × withdraw, whatever the dates: the result", () => {
    for (const state of ["Accepted", "Rejected"] as const) {
      for (const when of [-1, 5, 9_999]) {
        const store = everyOrder([...received(create, fixtures.withdraw(rival, at(when))), resolved(state)]);
        assert.equal(statusOf(store), state);
      }
    }
  });

  test("result × activate: inert until accepted, and for ever when rejected", () => {
    const go = fixtures.activate(rival, at(1));
    assert.equal(statusOf(everyOrder([...received(create, go), resolved("Accepted")])), "Activated");
    assert.equal(statusOf(everyOrder([...received(create, go), resolved("Rejected")])), "Rejected");
    assert.equal(
      statusOf(everyOrder([...received(create, go, fixtures.withdraw(rival, at(2))), resolved("Accepted")])),
      "Activated",
    );
    assert.equal(statusOf(everyOrder(received(create, go))), "Voting");
  });

  test("a result for another number, or linked with another id, is not this one's", () => {
    assert.equal(statusOf(everyOrder([...received(create), resolved("Accepted", { number: 8n })])), "Voting");
    assert.equal(statusOf(everyOrder([...received(create), resolved("Accepted", { offchain: "other" })])), "Voting");
  });
});

describe("votes", () => {
  test("vote × vote of another voter never interact", () => {
    const other = fixtures.vote(bob, at(11), { choice: "Reject" });
    const store = everyOrder([...received(create, vote, other), read(vote, 9n), read(other, 4n)]);
    assert.sameMembers(votes(store), [`${place(create)} Approve 9`, `${place(create)} Reject 4`]);
  });

  test("vote × own vote: the smallest (timestamp, identity) whose stake was read", () => {
    const second = fixtures.vote(ada, at(20), { choice: "Reject" });
    assert.deepEqual(votes(everyOrder([...received(create, vote, second), read(vote, 9n), read(second, 9n)])), [
      `${place(create)} Approve 9`,
    ]);
    assert.deepEqual(votes(everyOrder([...received(create, vote, second), read(second, 8n)])), [
      `${place(create)} Reject 8`,
    ]);
    const twin = fixtures.vote(ada, at(10), { choice: "Abstain" });
    const smaller = twin.identity < vote.identity ? "Abstain" : "Approve";
    assert.deepEqual(votes(everyOrder([...received(create, vote, twin), read(vote, 9n), read(twin, 9n)])), [
      `${place(create)} ${smaller} 9`,
    ]);
  });

  test("a stake below the role's minimum weighs nothing, and the vote shows", () => {
    assert.deepEqual(votes(everyOrder([...received(create, vote), read(vote, 9n, 10n)])), [
      `${place(create)} Approve 0`,
    ]);
  });

  test.each([
    [-5, true],
    [-5 - 1 / 60_000, false],
    [0, true],
    [WEEK - 1 / 60_000, true],
    [WEEK, false],
  ])("dated %d minutes after the proposal: %s", (minutes, counts) => {
    const dated = fixtures.vote(ada, at(minutes));
    const store = everyOrder([...received(create, dated), read(dated, 9n)]);
    assert.equal(votes(store).length, counts ? 1 : 0);
  });

  test("a window that would end after the last instant ends there", () => {
    const last = ((1n << 64n) - 1n) as EpochMillis;
    const late = fixtures.create(rival, last);
    const store = everyOrder(received(late));
    assert.equal(store.get(Proposals, late.identity)?.voting_closes_at, last);
  });
});

describe("contenders of one id", () => {
  const other = fixtures.create(stranger, at(5), { title: "Another" });

  test("are records of their own; a bare vote counts in each, a named one in its own", () => {
    const named = fixtures.vote(bob, at(12), { proposal_id: nameOf(other) });
    const store = everyOrder([...received(create, other, vote, named), read(vote, 9n), read(named, 4n)]);
    assert.sameMembers(votes(store), [
      `${place(create)} Approve 9`,
      `${place(other)} Approve 9`,
      `${place(other)} Approve 4`,
    ]);
    assert.equal(proposalById(store, create.payload.id)?.row.title, "Longer window");
    assert.equal(proposalById(store, nameOf(other))?.row.title, "Another");
  });

  test("one author's withdrawal is his own record's alone", () => {
    const store = everyOrder(received(create, other, fixtures.withdraw(stranger, at(6))));
    assert.deepEqual([statusOf(store), statusOf(store, other)], ["Voting", "Withdrawn"]);
  });

  test("the on-chain proposer's own contender takes the result alone; without one each does", () => {
    const observations = [...received(create, other), resolved("Accepted", { proposer: rival.key })];
    const store = everyOrder(observations);
    assert.deepEqual([statusOf(store), statusOf(store, other)], ["Accepted", "Voting"]);
    const foreign = everyOrder([...received(create, other), resolved("Accepted", { proposer: ada.key })]);
    assert.deepEqual([statusOf(foreign), statusOf(foreign, other)], ["Accepted", "Accepted"]);
  });

  test("an earned id is shown first, and one that looks like a hash and is not earned is void", () => {
    const earned = earning(ProposalCreate, fixtures.create(rival, at(50)));
    const bait = fixtures.create(stranger, at(0), { id: earned.payload.id });
    const cast = fixtures.vote(ada, at(60), { proposal_id: earned.payload.id });
    const store = everyOrder([...received(earned, bait, cast), read(cast, 3n)]);
    assert.equal(store.get(Proposals, bait.identity), undefined);
    assert.deepEqual(votes(store), [`${place(earned)} Approve 3`]);
    assert.equal(proposalById(store, earned.payload.id)?.identity, earned.identity);
  });
});

describe("ingresses", () => {
  test("texts are bounded for peers too, ids as everywhere", () => {
    const node = loneNode(admission.T);
    const long = { ...admission.proposal, id: "long" };
    node.gossip(ProposalCreate, { ...long, title: "t".repeat(257) }, admission.author);
    node.gossip(ProposalCreate, { ...long, summary: "é".repeat(8_193) }, admission.author);
    expect(node.view.size(Statements)).toBe(0);
    node.gossip(ProposalCreate, { ...long, title: "t".repeat(256), summary: "é".repeat(8_192) }, admission.author);
    expect(node.view.size(Statements)).toBe(1);
    expect(admission.propose(node, { title: "t".repeat(256), summary: "s".repeat(16_384) })).toBe("ofip-0001");
  });

  test("a voter has room for so many votes on one proposal", () => {
    const node = loneNode(admission.at(60_000));
    node.gossip(ProposalCreate, admission.proposal, admission.author);
    const [voter] = admission.voters as [(typeof admission.voters)[0]];
    for (let n = 0; n < VOTES_PER_VOTER_MAX + 3; n += 1)
      node.gossip(VoteCast, admission.ballot(voter, { timestamp: admission.at(n) }), voter);
    expect(node.view.size(Statements)).toBe(1 + VOTES_PER_VOTER_MAX);
  });

  test("votes that waited for their proposal have no more room than those that came after it", () => {
    const node = loneNode(admission.at(60_000));
    const [voter] = admission.voters as [(typeof admission.voters)[0]];
    for (let n = 0; n < VOTES_PER_VOTER_MAX + 3; n += 1)
      node.gossip(VoteCast, admission.ballot(voter, { timestamp: admission.at(n) }), voter);
    node.gossip(ProposalCreate, admission.proposal, admission.author);
    expect(node.view.size(Statements)).toBe(1 + VOTES_PER_VOTER_MAX);
  });

  test("votes are taken while the clock is inside the window, whatever they are dated", () => {
    const closes = admission.at(7 * 86_400_000);
    const [voter] = admission.voters as [(typeof admission.voters)[0]];
    for (const [now, dated, code] of [
      [closes - 1n, closes - 1n, null],
      [closes - 1n, closes, 7001],
      [closes, closes - 1n, 7001],
    ] as const) {
      const node = loneNode(admission.T);
      admission.propose(node);
      node.now = now;
      expect(admission.vote(node, voter, { timestamp: dated as EpochMillis })).toBe(code);
    }
  });

  test("a bare vote reaches every contender; an author with two of them must say which he withdraws", () => {
    const node = loneNode(admission.T);
    node.gossip(ProposalCreate, admission.proposal, admission.author);
    const foreign = {
      ...admission.proposal,
      author: admission.squatter.peer,
      author_public_key: admission.squatter.key,
    };
    node.gossip(ProposalCreate, foreign, admission.squatter);
    const [, voter] = admission.voters as [unknown, (typeof admission.voters)[0]];
    expect(admission.vote(node, voter, { timestamp: admission.T })).toBe(null);
    expect(admission.vote(node, voter, { timestamp: admission.T, choice: "Reject" })).toBe(7002);
    expect(admission.withdraw(node, 0)).toBe(null);
    node.gossip(ProposalCreate, { ...admission.proposal, title: "Twice" }, admission.author);
    expect(admission.withdraw(node, 1)).toBe(3);
    const gone = { proposal_id: admission.proposal.id, author: admission.author.peer, timestamp: admission.at(2) };
    node.gossip(ProposalWithdraw, gone, admission.author);
    const all = [...node.view.keys(Proposals)].map((key) => node.view.get(Proposals, key)?.status);
    expect(all.sort((a, b) => ((a ?? "") < (b ?? "") ? -1 : 1))).toEqual(["Voting", "Withdrawn", "Withdrawn"]);
  });
});
