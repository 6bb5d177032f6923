/**
 * Goal: what a stranger, a party and an arbitrator read of a case is the record of protocol 03 A.2 at every stage, and
 * nobody reads people who may not (A.7, W-3, W-8).
 * Method: one case brought to every stage by a node's own RPC ingress; counts written down here; whole answers, so that
 * a member too many is seen; the chain's four outcomes and its two splits under both rules.
 */
import { describe, expect, test } from "vitest";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { proofOf } from "../rpc/prove.ts";
import { buyer, merchant, signedSends, third } from "../rpc/signed-sends.ts";
import type { Profile } from "../rpc/step-table.ts";
import { profiles } from "../rpc/step-table.ts";
import type { Stage } from "./stages.ts";
import { ada, bob, cyd, dan, NOW, staged, stages } from "./stages.ts";

/** Seconds after `NOW` at which things are said: three for the trade, then one for each word about the case. */
const second = (n: number) => Number(NOW) + n * 1_000;
const OPENED = second(4);

/** Status, seats, commitments, reveals, and the second of the last word, which dates the record. */
const cases: Readonly<Record<Stage, readonly [string, number, number, number, number]>> = {
  open: ["Open", 0, 0, 0, 4],
  seated: ["Open", 1, 0, 0, 5],
  locked: ["CaseLocked", 3, 0, 0, 7],
  committed: ["CaseLocked", 3, 1, 0, 8],
  reveal: ["RevealPhase", 3, 3, 0, 10],
  revealed: ["RevealPhase", 3, 3, 1, 11],
  shown: ["AwaitingChainExecution", 3, 3, 3, 13],
  agreed: ["AwaitingChainExecution", 0, 0, 0, 6],
  resolved: ["Resolved", 3, 3, 3, 13],
};

function publicCase(stage: Stage, profile: Profile) {
  const [status, seats, commitments, reveals, last] = cases[stage];
  const isTerminal = stage === "resolved";
  return {
    id: "d-1",
    settlement_id: "set-1",
    status,
    required_arbitrators: 3,
    arbitrators_seated: seats,
    commitments,
    reveals,
    resolution: isTerminal ? "BuyerWins" : null,
    onchain_execution_signature: isTerminal ? "signature" : null,
    opened_at: OPENED,
    updated_at: second(last),
    ...(profile === "default" && { revealed_votes: Array(reveals).fill("BuyerWins"), terminal_split: null }),
  };
}

const cells = profiles.flatMap((profile) => stages.map((stage) => [stage, profile] as const));

test.each(cells)("a stranger's view at the stage %s, %s", (stage, profile) => {
  const node = staged(stage, profile);
  expect(node.call("getDispute", { id: "d-1" })).toEqual(publicCase(stage, profile));
  expect(node.call("getDisputes")).toEqual([publicCase(stage, profile)]);
  expect(node.call("getDispute", { id: "d-2" })).toBeNull();
});

/** Ids of the cases that a wallet reads in full. */
function ownOf(node: LoneNode, who: Person) {
  return node.call("getMyDisputes", proofOf(node, "openfiat-my-disputes", who)) as readonly Record<string, unknown>[];
}

test.each(cells)("who reads the whole case at the stage %s, %s", (stage, profile) => {
  const node = staged(stage, profile);
  const [, seats, commitments] = cases[stage];
  const may = [true, true, false, ...[0, 1, 2].map((n) => n < (profile === "parity" ? seats : commitments)), false];
  expect([buyer, merchant, third, ada, bob, cyd, dan].map((who) => ownOf(node, who).length === 1)).toEqual(may);
});

describe("the whole case", () => {
  const seat = ({ peer, key }: Person) => [peer, key];
  const whole = {
    id: "d-1",
    settlement_id: "set-1",
    buyer: buyer.peer,
    buyer_public_key: buyer.key,
    seller: merchant.peer,
    seller_public_key: merchant.key,
    opener: buyer.peer,
    reason: "late",
    status: "AwaitingChainExecution",
    required_arbitrators: 3,
    arbitrators: [ada.peer, bob.peer, cyd.peer],
    arbitrator_keys: [ada, bob, cyd].map(seat),
    reveals: [ada, bob, cyd].map(({ peer }) => ({ arbitrator: peer, vote: "BuyerWins" })),
    resolution: null,
    buyer_agreed_mutual_settlement: false,
    seller_agreed_mutual_settlement: false,
    onchain_execution_signature: null,
    opened_at: OPENED,
    updated_at: second(13),
  };

  test.each(["default", "parity"] as const)("is every member of the record, %s", (profile) => {
    const [mine] = ownOf(staged("shown", profile), ada);
    const { commitments, ...rest } = mine as { readonly commitments: readonly { readonly arbitrator: string }[] };
    expect(rest).toEqual(profile === "default" ? { ...whole, terminal_split: null } : whole);
    expect(commitments.map(({ arbitrator }) => arbitrator)).toEqual([ada.peer, bob.peer, cyd.peer]);
  });

  test("says which party agreed", () => {
    const flags = (node: LoneNode) =>
      ["buyer", "seller"].map((party) => ownOf(node, buyer)[0]?.[`${party}_agreed_mutual_settlement`]);
    const node = staged("open", "default");
    expect(flags(node)).toEqual([false, false]);
    signedSends(node).agree({ party: merchant.peer }, merchant);
    expect(flags(node)).toEqual([false, true]);
    signedSends(node).agree();
    expect(flags(node)).toEqual([true, true]);
  });
});

describe("what the chain decided", () => {
  const shownAs = (fact: Partial<ChainFact>, profile: Profile) => {
    const node = staged("resolved", profile, fact);
    const { status, resolution, terminal_split, onchain_execution_signature, updated_at } = node.call("getDispute", {
      id: "d-1",
    }) as Readonly<Record<string, unknown>>;
    expect(ownOf(node, ada)[0]).toMatchObject({ status, resolution, onchain_execution_signature, updated_at });
    return [status, resolution, terminal_split, onchain_execution_signature, updated_at];
  };
  const SHOWN = second(13);
  const waits = ["AwaitingChainExecution", null, undefined, "signature", SHOWN];

  test.each([
    [{ resolution: "BuyerWins" }, ["Resolved", "BuyerWins", undefined, "signature", SHOWN]],
    [{ resolution: "MerchantWins" }, ["Resolved", "MerchantWins", undefined, "signature", SHOWN]],
    [{ resolution: "Invalid" }, ["Resolved", "Invalid", undefined, "signature", SHOWN]],
    [{ resolution: "MutualSettlement" }, waits],
    [{ resolution: null, terminal_split: "NoConsensus" }, waits],
    [{ resolution: null, terminal_split: "RoundUnstaffed" }, waits],
  ] as const)("%j: at the date of the last statement, by ours and to the reference", (fact, reference) => {
    const { resolution, terminal_split = null } = fact as Partial<ChainFact>;
    expect(shownAs(fact, "default")).toEqual(["Resolved", resolution, terminal_split, "signature", SHOWN]);
    expect(shownAs(fact, "parity")).toEqual(reference);
  });
});
