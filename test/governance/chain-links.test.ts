/**
 * Goal: a status changes by the chain exactly when both halves name each other and the chain has resolved, whatever
 * else an endpoint may answer; the link says how it stands (protocol 04 §3.6, §3.10, §3.11, §9 #7).
 * Method: one node, its reads as effects, and the answers as facts.
 */
import { expect, test } from "vitest";
import { readingsThatCount } from "../../core/domains/governance/agreeing-readings.ts";
import { LINK_READS_MAX } from "../../core/domains/governance/chain-links.ts";
import { ProposalActivate, ProposalCreate, ProposalWithdraw } from "../../core/domains/governance/schema.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import {
  activate,
  addresses,
  agreement,
  answer,
  answerOften,
  at,
  author,
  chainNode,
  onChain,
  proposal,
  proposalAddress,
  propose,
  readsIn,
  shown,
  squatter,
  T,
  tick,
  timersSet,
  unavailable,
  voters,
  withdraw,
} from "./fixtures.ts";

const endsAt = Number(T) + 3_600_000;

function claimed(change = {}) {
  const node = chainNode();
  expect(propose(node, change)).toBe("ofip-0001");
  return node;
}

test("a linked and resolved account changes Voting once, and reading it again is harmless", () => {
  for (const state of ["Accepted", "Rejected"] as const) {
    const node = claimed();
    expect(tick(node, 0)).toEqual([proposalAddress]);
    answerOften(node, proposalAddress, onChain({ state }));
    expect(shown(node)).toMatchObject({ status: state, updated_at: endsAt });
    expect(agreement(node)).toBe("linked_agreed");
    const roots = node.roots();
    answerOften(node, proposalAddress, onChain({ state }), 2_000n);
    expect(node.roots()).toEqual(roots);
    const set = timersSet(node);
    expect(tick(node)).toEqual([]);
    expect(timersSet(node)).toBe(set);
  }
});

test.each([
  ["nothing there", null, "claim_not_reciprocated"],
  ["no link yet", onChain({ state: "Accepted", offchain: null }), "claim_not_reciprocated"],
  ["a link with another id", onChain({ state: "Accepted", offchain: "ofip-0002" }), "claim_not_reciprocated"],
  ["another number inside", onChain({ state: "Accepted", id: 8n }), "claim_not_reciprocated"],
  ["another owner", { ...onChain({ state: "Accepted" }), owner: proposalAddress }, "claim_not_reciprocated"],
  [
    "another kind of account",
    { ...onChain({ state: "Accepted" }), data: new Uint8Array(200) },
    "claim_not_reciprocated",
  ],
  ["bytes cut short", cut(199), "claim_not_reciprocated"],
  ["a state that is none", stateByte(4), "claim_not_reciprocated"],
  ["a flag that is none", flagByte(2), "claim_not_reciprocated"],
  ["a draft", onChain({ state: "Draft" }), "linked_still_voting"],
  ["a vote under way", onChain({ state: "Voting" }), "linked_still_voting"],
])("%s changes no status", (_, account, reading) => {
  const node = claimed();
  tick(node, 0);
  answerOften(node, proposalAddress, account);
  expect(shown(node).status).toBe("Voting");
  expect(agreement(node)).toBe(reading);
});

test.each(["Accepted", "Rejected"] as const)("an account that is misread as %s changes no status", (state) => {
  const node = claimed();
  tick(node, 0);
  const least = readingsThatCount(true);
  let slot = 1_000n;
  const read = (change = {}) => {
    slot += 1n;
    answer(node, proposalAddress, onChain({ state, ...change }), slot);
  };
  for (let times = 1; times < least; times += 1) {
    for (let time = 0; time < times; time += 1) read();
    read({ state: "Voting" });
  }
  // As of no later slot it is the same reading.
  for (let time = 1; time < least; time += 1) read();
  for (let time = 0; time < least; time += 1) answer(node, proposalAddress, onChain({ state }), slot);
  // The same state with other terms is another reading.
  read({ endsAt: 1n });
  expect(shown(node).status).toBe("Voting");
  expect(tick(node)).toEqual([proposalAddress]);
  answerOften(node, proposalAddress, onChain({ state }), slot + 1n);
  expect(shown(node).status).toBe(state);
});

test("an account that disappears, or an endpoint that fails, is asked again every ten seconds", () => {
  const node = claimed();
  tick(node, 0);
  answer(node, proposalAddress, onChain({ state: "Voting" }));
  expect(tick(node)).toEqual([proposalAddress]);
  answer(node, proposalAddress, null, 1_001n);
  expect(agreement(node)).toBe("claim_not_reciprocated");
  for (let ticks = 0; ticks < 50; ticks += 1) {
    unavailable(node);
    expect(tick(node)).toEqual([proposalAddress]);
  }
  for (let time = 0; time < readingsThatCount(true); time += 1)
    answer(node, proposalAddress, onChain({ state: "Rejected" }), 1_000n);
  expect(shown(node).status, "older than what was read").toBe("Voting");
  answerOften(node, proposalAddress, onChain({ state: "Rejected" }), 1_001n);
  expect(shown(node).status).toBe("Rejected");
});

test("a result that was adopted stays; an endpoint that disagrees later is reported", () => {
  const node = claimed();
  tick(node, 0);
  answerOften(node, proposalAddress, onChain({ state: "Accepted" }));
  const roots = node.roots();
  answerOften(node, proposalAddress, onChain({ state: "Accepted", endsAt: 1n }), 1_500n);
  answerOften(node, proposalAddress, onChain({ state: "Rejected" }), 2_000n);
  expect(node.roots()).toEqual(roots);
  expect(shown(node).status).toBe("Accepted");
  expect(agreement(node)).toBe("linked_disagreed");
  const warned = node.effects.filter((effect) => effect.type === "log" && effect.level === "warn");
  expect(warned).toMatchObject([
    { event: "on-chain proposal disagrees", fields: { held: "Accepted", read: "Rejected" } },
  ]);
  answer(node, proposalAddress, null, 3_000n);
  expect(shown(node).status).toBe("Accepted");
});

test("the result lies over a withdrawal, and an activation waits for it", () => {
  const node = claimed();
  tick(node, 0);
  node.now = at(120_000);
  expect(activate(node, 110_000), "not accepted yet").toBe(7006);
  node.gossip(ProposalActivate, { proposal_id: proposal.id, author: author.peer, timestamp: at(110_000) }, author);
  expect(withdraw(node, 120_000)).toBe(null);
  expect(shown(node)).toMatchObject({ status: "Withdrawn", updated_at: Number(at(120_000)) });
  expect(tick(node, 10_000), "a withdrawn one is read on").toEqual([proposalAddress]);
  answerOften(node, proposalAddress, onChain({ state: "Accepted" }));
  expect(shown(node)).toMatchObject({ status: "Activated", updated_at: endsAt });
  expect(agreement(node)).toBe("linked_agreed");
});

test("an accepted one is activated through the ingress, a rejected one never", () => {
  const node = claimed();
  tick(node, 0);
  answerOften(node, proposalAddress, onChain({ state: "Accepted" }));
  node.now = at(180_000);
  expect(activate(node, 180_000, voters[1])).toBe(2001);
  expect(activate(node, 180_000)).toBe(null);
  expect(shown(node).status).toBe("Activated");
  expect(activate(node, 180_000)).toBe(7006);
  const rejected = claimed();
  tick(rejected, 0);
  rejected.now = at(180_000);
  rejected.gossip(ProposalActivate, { proposal_id: proposal.id, author: author.peer, timestamp: at(1_000) }, author);
  answerOften(rejected, proposalAddress, onChain({ state: "Rejected" }));
  expect(shown(rejected).status).toBe("Rejected");
});

test("a withdrawal is refused once the chain's own vote is over, and taken until then", () => {
  for (const [nowMs, code] of [
    [3_599_999, null],
    [3_600_000, 7006],
  ] as const) {
    const node = claimed();
    tick(node, 0);
    answer(node, proposalAddress, onChain({ state: "Voting" }));
    node.now = at(nowMs);
    expect(withdraw(node, nowMs)).toBe(code);
  }
  const unlinked = claimed();
  tick(unlinked, 0);
  answer(unlinked, proposalAddress, onChain({ state: "Voting", offchain: null }));
  unlinked.now = at(3_600_000);
  expect(withdraw(unlinked, 3_600_000)).toBe(null);
});

test("a gossip-only node adopts nothing", () => {
  const node = loneNode(T);
  propose(node);
  answerOften(node, proposalAddress, onChain({ state: "Accepted" }));
  node.accept({ type: "timer.fired", timer: "governance" });
  expect(readsIn(node.effects)).toEqual([]);
  expect(shown(node).status).toBe("Voting");
  expect(agreement(node)).toBe("claim_not_reciprocated");
});

test("what claims nothing is never read", () => {
  const node = claimed({ onchain_proposal_id: null });
  expect(timersSet(node)).toBe(0);
  expect(node.call("getProposalChainLink", { id: proposal.id })).toEqual({
    agreement: "no_claim",
    governance_program: "2k71DBDoxM4SUFYGbyMXFiTSUynPuY2CqFUsx3FuarXF",
    offchain_id_hash: "4298e38755cdf4009f0a9beb84960a10c0705ca506826fc77eb8cfd1a2b40ef1",
    onchain_proposal_address: null,
    onchain_proposal_id: null,
    read_at: null,
    status: "Voting",
  });
});

test("the link says when it was read; under the reference's rules it was never", () => {
  const node = claimed();
  tick(node, 30_000);
  answer(node, proposalAddress, onChain({ state: "Voting" }));
  expect(node.call("getProposalChainLink", { id: proposal.id })).toMatchObject({ read_at: Number(at(30_000)) });
  const parity = parityNode(T, { chain: "RpcConnected" });
  propose(parity);
  tick(parity, 0);
  answer(parity, proposalAddress, onChain({ state: "Accepted" }));
  expect(shown(parity).status).toBe("Accepted");
  expect(agreement(parity)).toBe("claim_not_reciprocated");
  expect(parity.call("getProposalChainLink", { id: proposal.id })).not.toHaveProperty("read_at");
});

test("a restart keeps what was adopted, and reads again", () => {
  const node = claimed();
  tick(node, 0);
  answerOften(node, proposalAddress, onChain({ state: "Accepted" }));
  const again = node.restart();
  expect(again.roots()).toEqual(node.roots());
  expect(shown(again).status).toBe("Accepted");
  expect(agreement(again)).toBe("linked_agreed");
  expect(tick(again, 0)).toEqual([proposalAddress]);
  answerOften(again, proposalAddress, onChain({ state: "Accepted" }));
  expect(tick(again)).toEqual([]);
});

test("a fact is the same whoever read it and whenever", () => {
  const [one, other] = [claimed(), claimed()];
  answerOften(one, proposalAddress, onChain({ state: "Accepted" }), 10n);
  tick(other, 90_000);
  answerOften(other, proposalAddress, onChain({ state: "Accepted" }), 99n);
  expect(other.roots()).toEqual(one.roots());
});

test("of contenders with one claim the one that its proposer signed is meant, and shown", () => {
  const spoof = { ...proposal, title: "Spoof", author: squatter.peer, author_public_key: squatter.key };
  const node = chainNode();
  node.gossip(ProposalCreate, { ...spoof, timestamp: at(-60_000) }, squatter);
  node.gossip(ProposalCreate, proposal, author);
  expect(shown(node).title, "the earlier one, until the chain tells them apart").toBe("Spoof");
  answerOften(node, proposalAddress, onChain({ state: "Accepted" }));
  expect(shown(node)).toMatchObject({ title: "Longer window", status: "Accepted" });
  // Proposed on chain by somebody else, the claim of each is as good.
  const apart = chainNode();
  apart.gossip(ProposalCreate, { ...spoof, timestamp: at(60_000) }, squatter);
  apart.gossip(ProposalCreate, proposal, author);
  answerOften(apart, proposalAddress, onChain({ state: "Accepted", proposer: addresses.depositVault().address }));
  expect(shown(apart)).toMatchObject({ title: "Longer window", status: "Accepted" });
  const gone = { proposal_id: proposal.id, author: squatter.peer, timestamp: at(70_000) };
  apart.gossip(ProposalWithdraw, gone, squatter);
  expect(shown(apart).title).toBe("Longer window");
});

test("so many accounts in one tick, those that waited longest first", () => {
  const node = chainNode();
  const count = LINK_READS_MAX + 5;
  for (let n = 0; n < count; n += 1) propose(node, { id: `p-${n}`, onchain_proposal_id: BigInt(n) });
  const asked = [tick(node, 0), tick(node)];
  expect(asked.map((reads) => reads.length)).toEqual([LINK_READS_MAX, LINK_READS_MAX]);
  expect(new Set(asked.flat()).size).toBe(count);
});

function cut(length: number) {
  const account = onChain({ state: "Accepted" });
  return { ...account, data: account.data.slice(0, length) };
}

function stateByte(byte: number) {
  return withByte(163, byte);
}

function flagByte(byte: number) {
  return withByte(165, byte);
}

function withByte(place: number, byte: number) {
  const account = onChain({ state: "Accepted" });
  const data = account.data.slice();
  data[place] = byte;
  return { ...account, data };
}
