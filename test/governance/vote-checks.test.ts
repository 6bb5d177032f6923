/**
 * Goal: a vote counts exactly when this node read the stake behind it, with what the chain would weigh; everything
 * that an endpoint may answer instead is survived and bounded (protocol 04 §3.5, §3.11, §9 #6).
 * Method: one node, its reads as effects, and the answers as facts.
 */
import { expect, test } from "vitest";
import { readingsThatCount } from "../../core/domains/governance/agreeing-readings.ts";
import { ProposalCreate, VoteCast } from "../../core/domains/governance/schema.ts";
import { VoteChecks } from "../../core/domains/governance/tables.ts";
import { STAKE_READS_MAX, VERIFY_TICKS_MAX, VOTE_CHECKS_MAX } from "../../core/domains/governance/vote-checks.ts";
import { concat, fromHex } from "../../core/kernel/bytes.ts";
import { peerOfKey, publicKeyText } from "../../core/kernel/values.ts";
import { systemProgram } from "../../core/solana/addresses.ts";
import { crypto, loneNode, parityNode } from "../rpc/lone-node.ts";
import {
  addresses,
  answer,
  answerConfig,
  answerOften,
  at,
  author,
  ballot,
  chainNode,
  MINIMUM,
  OPEN,
  proposal,
  propose,
  readsIn,
  reasons,
  shown,
  stake,
  stakeOf,
  T,
  tick,
  timersSet,
  unavailable,
  vote,
  voters,
  weights,
} from "./fixtures.ts";

const [first, second, third] = voters as [(typeof voters)[0], (typeof voters)[0], (typeof voters)[0]];
const config = addresses.stakingConfig().address;

function voted() {
  const node = chainNode();
  propose(node, { onchain_proposal_id: null });
  node.now = at(60_000);
  expect(vote(node, first)).toBe(null);
  return node;
}

test("the worked example: the recorded weight is the stake, not what the voter says", () => {
  const node = parityNode(T, { chain: "RpcConnected" });
  propose(node);
  node.now = at(60_000);
  vote(node, first);
  expect(tick(node, 0)).toContain("GbNv1RKWy8nwaeWtnaELFRvSfVyraWs8S9ydwzURUQTS");
  const head = fromHex(
    "509e437c32bdc0ffea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c020088526a74000000",
  );
  const data = concat(head ?? new Uint8Array(0));
  expect(data).toEqual(stake(first, 500_000_000_000n).data.slice(0, 49));
  answer(node, stakeOf(first), { ...stake(first, 0n), data });
  expect(node.body('{"jsonrpc":"2.0","id":24,"method":"getProposal","params":{"id":"ofip-0001"}}')).toBe(
    '{"jsonrpc":"2.0","id":24,"result":{"author":"12D3KooWRawPbxPtP1eZaJpumGnyWX2DcUyd3RQnydr3eAto4Az7",' +
      '"author_public_key":"GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB","category":"Protocol",' +
      '"created_at":1700000000000,"id":"ofip-0001","onchain_proposal_id":7,"status":"Voting",' +
      '"summary":"Raise the window to 45 minutes.","title":"Longer window","updated_at":1700000060000,' +
      '"votes":[{"choice":"Approve","timestamp":1700000060000,' +
      '"voter":"12D3KooWRawPbxPtP1eZaJpumGnyWX2DcUyd3RQnydr3eAto4Az7","weight":500000000000}],' +
      '"voting_closes_at":1700604800000}}',
  );
});

test("parity records a stake as it is; the default weighs nothing below the role's minimum", () => {
  for (const [amount, byParity, byDefault] of [
    [42n, 42, 0],
    [MINIMUM - 1n, Number(MINIMUM) - 1, 0],
    [MINIMUM, Number(MINIMUM), Number(MINIMUM)],
  ] as const) {
    const parity = parityNode(T, { chain: "RpcConnected" });
    propose(parity);
    vote(parity, first, { weight: 999_999n });
    answer(parity, stakeOf(first), stake(first, amount));
    expect(weights(parity)).toEqual([byParity]);
    const node = voted();
    expect(tick(node, 0)).toEqual([stakeOf(first), config]);
    answer(node, stakeOf(first), stake(first, amount));
    expect(weights(node), "what the role needs is not known yet").toEqual([]);
    answerConfig(node);
    expect(weights(node), "one reading is one endpoint's word").toEqual([]);
    for (const [slot, counted] of [
      [1_001n, []],
      [1_002n, [byDefault]],
    ] as const) {
      expect(tick(node)).toEqual([stakeOf(first), config]);
      answer(node, stakeOf(first), stake(first, amount), slot);
      answerConfig(node, slot);
      expect(weights(node)).toEqual(counted);
    }
    expect(shown(node).updated_at).toBe(Number(at(60_000)));
  }
});

test("a node without an endpoint reads nothing and counts nothing, whatever it is told", () => {
  const node = loneNode(T);
  propose(node);
  vote(node, first, { timestamp: T });
  answer(node, stakeOf(first), stake(first, MINIMUM));
  answerConfig(node);
  node.accept({ type: "timer.fired", timer: "governance" });
  expect(readsIn(node.effects)).toEqual([]);
  expect(timersSet(node)).toBe(0);
  expect(weights(node)).toEqual([]);
});

test("an account that nobody asked for, or as of an older slot, counts for nothing", () => {
  const node = chainNode();
  node.accept({ type: "chain.observed", observation: { type: "slot", slot: 500n, blockhash: "b" } });
  propose(node);
  vote(node, first, { timestamp: T });
  answerOften(node, stakeOf(second), stake(first, MINIMUM), 480n);
  tick(node, 0);
  const told = (slot: bigint) => {
    answer(node, stakeOf(first), stake(first, MINIMUM), slot);
    answerConfig(node, slot);
    return weights(node);
  };
  expect([told(499n), told(499n), told(500n), told(500n), told(501n), told(501n)].flat()).toEqual([]);
  expect(told(502n)).toEqual([Number(MINIMUM)]);
  vote(node, second, { timestamp: T });
  tick(node);
  answerOften(node, stakeOf(second), stake(second, MINIMUM), 503n);
  expect(weights(node)).toEqual([Number(MINIMUM), Number(MINIMUM)]);
  answerOften(node, stakeOf(first), stake(first, 0n), 900n);
  expect(weights(node), "what counts stays").toEqual([Number(MINIMUM), Number(MINIMUM)]);
});

test("what roles need is read as of the vote's slot too", () => {
  const node = chainNode();
  node.accept({ type: "chain.observed", observation: { type: "slot", slot: 500n, blockhash: "b" } });
  propose(node, { onchain_proposal_id: null });
  vote(node, first, { timestamp: T });
  tick(node, 0);
  answer(node, stakeOf(first), stake(first, MINIMUM), 500n);
  answerConfig(node, 499n, OPEN);
  answer(node, stakeOf(first), stake(first, MINIMUM), 501n);
  answerConfig(node, 500n, OPEN);
  expect(weights(node)).toEqual([]);
  answer(node, stakeOf(first), stake(first, MINIMUM), 502n);
  answerConfig(node, 502n, MINIMUM + 1n);
  expect(weights(node), "read differently before").toEqual([]);
  for (const slot of [503n, 504n]) {
    answer(node, stakeOf(first), stake(first, MINIMUM), slot);
    answerConfig(node, slot, MINIMUM + 1n);
  }
  expect(weights(node)).toEqual([0]);
});

test.each([
  ["another's stake", "another's stake", stake(second, MINIMUM)],
  ["another program's account", "wrong program", { ...stake(first, MINIMUM), owner: config }],
  ["another kind of account", "not a stake account", { ...stake(first, MINIMUM), data: new Uint8Array(90) }],
  ["an account cut short", "not a stake account", cut(stake(first, MINIMUM), 48)],
  ["an empty account", "not a stake account", cut(stake(first, MINIMUM), 0)],
  ["a role that is none", "unknown role", stake(first, MINIMUM, 7)],
])("%s is never counted, and not read again once it was read so often", (_, why, account) => {
  const node = voted();
  tick(node, 0);
  answerOften(node, stakeOf(first), account);
  expect(reasons(node)).toEqual([why]);
  answerOften(node, stakeOf(first), stake(first, MINIMUM), 1_100n);
  expect(tick(node)).toEqual([]);
  expect(weights(node)).toEqual([]);
  // What could not count stands in nobody's way.
  expect(vote(node, first, { timestamp: at(61_000), choice: "Reject" })).toBe(null);
  tick(node, 0);
  answerOften(node, stakeOf(first), stake(first, MINIMUM), 1_200n);
  expect(shown(node).votes.map((cast) => cast.choice)).toEqual(["Reject"]);
});

test("lamports at the address of a stake that is not made yet are waited out as nothing is", () => {
  const node = voted();
  tick(node, 0);
  const paid = { ...stake(first, 0n), owner: systemProgram, data: new Uint8Array(0) };
  for (let slot = 1_000n; slot < 1_010n; slot += 1n) answer(node, stakeOf(first), paid, slot);
  expect(reasons(node)).toEqual([]);
  answerOften(node, stakeOf(first), stake(first, MINIMUM), 1_100n);
  expect(weights(node)).toEqual([Number(MINIMUM)]);
});

/** What one answer of an endpoint may be made into. */
const misread: readonly (readonly [name: string, account: ReturnType<typeof stake> | null])[] = [
  ["more", stake(first, 9n * MINIMUM)],
  ["less", stake(first, 1n)],
  ["another role", stake(first, MINIMUM, 3)],
  ["a role that is none", stake(first, MINIMUM, 7)],
  ["another's stake", stake(second, MINIMUM)],
  ["another program's account", { ...stake(first, MINIMUM), owner: config }],
  ["another kind of account", { ...stake(first, MINIMUM), data: new Uint8Array(90) }],
  ["nothing there", null],
];
test.each(misread)("a stake that is misread once, as %s, weighs what it is", (_, account) => {
  for (const place of [0n, 1n, 2n]) {
    const node = voted();
    tick(node, 0);
    for (let slot = 1_000n; slot < 1_006n; slot += 1n) {
      answer(node, stakeOf(first), slot === 1_000n + place ? account : stake(first, MINIMUM), slot);
      answerConfig(node, slot);
      const isOpen = weights(node).length === 0;
      if (slot > 1_000n) expect(tick(node).includes(stakeOf(first)), "asked for until it counts").toBe(isOpen);
      else tick(node);
    }
    expect(reasons(node)).toEqual([]);
    expect(weights(node)).toEqual([Number(MINIMUM)]);
  }
});

test("what roles need, misread now and then, weighs nothing", () => {
  const node = voted();
  tick(node, 0);
  for (const [slot, minimum] of [1n, MINIMUM, 1n, MINIMUM, MINIMUM, MINIMUM].entries()) {
    answer(node, stakeOf(first), stake(first, MINIMUM - 1n), BigInt(slot));
    answerConfig(node, BigInt(slot), minimum);
  }
  expect(weights(node)).toEqual([0]);
});

test("49 bytes are enough", () => {
  const node = voted();
  tick(node, 0);
  answerOften(node, stakeOf(first), cut(stake(first, MINIMUM), 49));
  expect(weights(node)).toEqual([Number(MINIMUM)]);
});

test("a stake account that is no address is never asked for", () => {
  const node = chainNode();
  propose(node, { onchain_proposal_id: null });
  expect(vote(node, first, { timestamp: T, stake_account: "my stake" })).toBe(null);
  expect(timersSet(node)).toBe(0);
  expect(reasons(node)).toEqual(["no such address"]);
});

test("what does not show is asked for at doubling distances and given up after thirty ticks", () => {
  const node = voted();
  const asked: number[] = [];
  for (let ticks = 0; ticks <= VERIFY_TICKS_MAX; ticks += 1) {
    if (tick(node, ticks === 0 ? 0 : 10_000).includes(stakeOf(first))) asked.push(ticks);
    if (ticks % 2 === 0) unavailable(node);
    else answer(node, stakeOf(first), null);
  }
  expect(asked).toEqual([0, 1, 3, 7, 15]);
  expect(reasons(node)).toEqual(["timeout"]);
  const set = timersSet(node);
  tick(node);
  expect(timersSet(node), "nothing is left to read").toBe(set);
  answerOften(node, stakeOf(first), stake(first, MINIMUM));
  expect(weights(node)).toEqual([]);
});

test("under the reference's rules every tick asks, thirty times", () => {
  const node = parityNode(T, { chain: "RpcConnected" });
  propose(node, { onchain_proposal_id: null });
  vote(node, first);
  let asked = tick(node, 0).length;
  for (let ticks = 0; ticks < 2 * VERIFY_TICKS_MAX; ticks += 1) asked += tick(node).length;
  expect(asked).toBe(VERIFY_TICKS_MAX);
  expect(reasons(node)).toEqual(["timeout"]);
});

test("a stake that shows within the time counts; one that disappears afterwards stays counted", () => {
  const node = voted();
  tick(node, 0);
  answer(node, stakeOf(first), null);
  for (let ticks = 1; ticks < VERIFY_TICKS_MAX; ticks += 1) tick(node);
  answerOften(node, stakeOf(first), stake(first, MINIMUM));
  expect(weights(node)).toEqual([Number(MINIMUM)]);
  answerOften(node, stakeOf(first), null, 2_000n);
  expect(weights(node)).toEqual([Number(MINIMUM)]);
});

test("a restart keeps what was read and asks again for what was given up", () => {
  const node = voted();
  vote(node, second);
  tick(node, 0);
  answerOften(node, stakeOf(first), stake(first, MINIMUM));
  tick(node, 300_000);
  expect(reasons(node)).toEqual(["timeout"]);
  const again = node.restart();
  expect(weights(again)).toEqual([Number(MINIMUM)]);
  expect(again.roots()).toEqual(node.roots());
  expect(tick(again, 0)).toEqual([stakeOf(second), config]);
  answerOften(again, stakeOf(second), stake(second, MINIMUM));
  expect(weights(again)).toEqual([Number(MINIMUM), Number(MINIMUM)]);
});

test("one place in the queue for a voter; the smallest vote whose stake shows counts", () => {
  const node = voted();
  const later = ballot(first, { timestamp: at(30_000), choice: "Reject" });
  node.gossip(VoteCast, later, first);
  expect(tick(node, 0), "the one that came first is being read").toEqual([stakeOf(first), config]);
  answerOften(node, stakeOf(first), stake(first, MINIMUM), 1_000n, readingsThatCount(false));
  expect(shown(node).votes.map((cast) => cast.choice)).toEqual(["Approve"]);
  expect(tick(node)).toEqual([stakeOf(first), config]);
  answerOften(node, stakeOf(first), stake(first, MINIMUM + 1n), 1_100n);
  expect(shown(node).votes).toEqual([
    { choice: "Reject", timestamp: Number(at(30_000)), voter: first.peer, weight: Number(MINIMUM) + 1 },
  ]);
  // A greater one can no longer count, so it costs no read.
  node.gossip(VoteCast, ballot(first, { timestamp: at(90_000), choice: "Abstain" }), first);
  expect(tick(node)).toEqual([]);
});

test("votes are shown in order of date, then voter", () => {
  const node = voted();
  vote(node, second, { timestamp: at(59_000) });
  vote(node, third);
  tick(node, 0);
  for (const [place, voter] of [third, second, first].entries())
    answerOften(node, stakeOf(voter), stake(voter, MINIMUM), BigInt(1_000 + 10 * place));
  const [, ...others] = shown(node).votes.map((cast) => cast.voter);
  expect(shown(node).votes[0]?.voter).toBe(second.peer);
  expect(others).toEqual([first.peer, third.peer].sort((a, b) => (a < b ? -1 : 1)));
});

test("a vote that waited for its proposal is read when that comes", () => {
  const node = chainNode(at(60_000));
  node.gossip(VoteCast, ballot(first), first);
  expect(timersSet(node)).toBe(0);
  node.gossip(ProposalCreate, proposal, author);
  expect(tick(node, 0)).toContain(stakeOf(first));
});

test("the queue is bounded, and what found no place comes to its turn", () => {
  const node = chainNode(at(60_000));
  node.gossip(ProposalCreate, { ...proposal, onchain_proposal_id: null }, author);
  const count = VOTE_CHECKS_MAX + 3;
  for (let n = 0; n < count; n += 1) {
    const secret = new Uint8Array(32).fill(0xaa);
    secret[0] = n & 255;
    secret[1] = n >> 8;
    const one = { secret, key: publicKeyText(crypto.publicKey(secret)), peer: peerOfKey(crypto.publicKey(secret)) };
    node.gossip(VoteCast, { ...ballot(one), stake_account: stakeOf(first) }, one);
  }
  expect(node.view.find(VoteChecks, "state", "reading").length).toBe(VOTE_CHECKS_MAX);
  expect(tick(node, 0).length).toBe(STAKE_READS_MAX + 1);
  answerOften(node, stakeOf(first), stake(first, MINIMUM));
  expect(node.view.find(VoteChecks, "state", "reading").length).toBe(0);
  expect(timersSet(node)).toBe(2);
  tick(node);
  expect(node.view.find(VoteChecks, "state", "reading").length).toBe(count - VOTE_CHECKS_MAX);
});

function cut(account: ReturnType<typeof stake>, length: number): ReturnType<typeof stake> {
  return { ...account, data: account.data.slice(0, length) };
}
