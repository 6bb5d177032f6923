/**
 * Goal: each step of a case is taken, ignored or refused as protocol 03 A.5 and W-4, W-5, W-15 say, whatever the case
 * has come to, under our rules and under the reference's; what is refused or ignored changes nothing.
 * Method: a node's JSON-RPC ingress; a table of every step that somebody may try by every stage of a case.
 */
import { describe, expect, test } from "vitest";
import { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { REASON_BYTES_MAX } from "../../core/engine/admission/validation-order.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { buyer, commitmentTo, merchant, resultOf, signedSends, third, usdc } from "../rpc/signed-sends.ts";
import type { Sends, Step } from "../rpc/step-table.ts";
import { answersFor, expectSteps, profiles } from "../rpc/step-table.ts";
import type { Stage } from "./stages.ts";
import { ada, bob, dan, NOW, staged, stages } from "./stages.ts";

const [NOT_FOUND, ALREADY_OPEN, EVIDENCE, STATE, WHO, PARAMETER] = [6000, 6001, 6003, 6005, 2001, 3];
const OTHER = { id: "d-2", opener: merchant.peer, opener_public_key: merchant.key };
const STRANGE = { id: "d-2", opener: third.peer, opener_public_key: third.key };
const UNKNOWN = { dispute_id: "d-9" };

const row = answersFor(stages);
const late = { resolved: STATE } as const;
const unseated = { open: WHO, agreed: WHO, ...late } as const;

const table: readonly (readonly [string, Step<Stage>["send"], Step<Stage>["answers"]])[] = [
  [
    "the opener opens the case again",
    (sends) => sends.open(),
    { default: row(ALREADY_OPEN), parity: row(ALREADY_OPEN) },
  ],
  [
    "the opener opens another case of the trade",
    (sends) => sends.open({ id: "d-2" }),
    { default: row(STATE), parity: row(STATE, { resolved: "taken" }) },
  ],
  [
    "the other party opens a case of its own",
    (sends) => sends.open(OTHER, merchant),
    { default: row("taken", late), parity: row(STATE, { resolved: "taken" }) },
  ],
  ["a stranger opens a case", (sends) => sends.open(STRANGE, third), { default: row(WHO), parity: row(WHO) }],
  [
    "an arbitrator takes a seat",
    (sends) => sends.panel(dan).join(),
    { default: row("taken", late), parity: row(STATE, { open: "taken", seated: "taken" }) },
  ],
  [
    "the first arbitrator takes a seat once more",
    (sends) => sends.panel(ada).join(),
    {
      default: row("ignored", { open: "taken", agreed: "taken", ...late }),
      parity: row(STATE, { open: "taken", seated: "ignored" }),
    },
  ],
  [
    "a party takes a seat",
    (sends) => sends.panel(buyer).join(),
    { default: row(WHO, late), parity: row(STATE, { open: "taken", seated: "taken" }) },
  ],
  [
    "the first arbitrator commits",
    (sends) => sends.panel(ada).commit(),
    {
      default: row("ignored", { seated: "taken", locked: "taken", ...unseated }),
      parity: row(STATE, { locked: "taken", committed: "ignored" }),
    },
  ],
  [
    "the first arbitrator commits otherwise",
    (sends) => sends.panel(ada).commit({ commitment: commitmentTo("MerchantWins") }),
    {
      default: row(STATE, { seated: "taken", locked: "taken", ...unseated }),
      parity: row(STATE, { locked: "taken", committed: "ignored" }),
    },
  ],
  [
    "one without a seat commits",
    (sends) => sends.panel(dan).commit(),
    { default: row(WHO, late), parity: row(STATE, { locked: WHO, committed: WHO }) },
  ],
  [
    "the first arbitrator reveals",
    (sends) => sends.panel(ada).reveal(),
    {
      default: row("ignored", { ...unseated, seated: WHO, locked: WHO, committed: "taken", reveal: "taken" }),
      parity: row(STATE, { reveal: "taken", revealed: "ignored" }),
    },
  ],
  [
    "the first arbitrator reveals what he did not commit to",
    (sends) => sends.panel(ada).reveal({ vote: "MerchantWins" }),
    {
      default: row(EVIDENCE, { ...unseated, seated: WHO, locked: WHO }),
      parity: row(STATE, { reveal: EVIDENCE, revealed: EVIDENCE }),
    },
  ],
  [
    "the second arbitrator reveals",
    (sends) => sends.panel(bob).reveal(),
    {
      default: row("taken", { ...unseated, seated: WHO, locked: WHO, committed: WHO, shown: "ignored" }),
      parity: row(STATE, { reveal: "taken", revealed: "taken" }),
    },
  ],
  ["a party agrees", (sends) => sends.agree(), { default: row("taken", late), parity: row("taken", late) }],
  [
    "a stranger agrees",
    (sends) => sends.agree({ party: third.peer }, third),
    { default: row(WHO, late), parity: row(WHO, late) },
  ],
  ...(["join", "commit", "reveal"] as const).map(
    (word) =>
      [
        `${word} of a case that nobody opened`,
        (sends: Sends) => sends.panel(ada)[word](UNKNOWN),
        { default: row(NOT_FOUND), parity: row(NOT_FOUND) },
      ] as const,
  ),
  [
    "agreeing about a case that nobody opened",
    (sends) => sends.agree(UNKNOWN),
    { default: row(NOT_FOUND), parity: row(NOT_FOUND) },
  ],
];

const steps = table.map(([name, send, answers]): Step<Stage> => ({ name, send, answers }));
const cells = profiles.flatMap((profile) => stages.map((stage) => [stage, profile] as const));

test.each(cells)("every step at the stage %s, %s", (stage, profile) => {
  expectSteps(() => staged(stage, profile), steps, profile, stage);
});

describe("an open", () => {
  test("names one trade of its opener, not several", () => {
    const node = staged("settling", "default");
    const again = { id: "set-1", reservation_id: "1", amount: usdc(20_000_000), timestamp: NOW + 9_000n, ...parties };
    node.gossip(SettlementInitiate, again as never, buyer);
    expect(resultOf(signedSends(node).open())).toBe(PARAMETER);
    const strange = { ...again, buyer: third.peer, buyer_public_key: third.key };
    const other = staged("settling", "default");
    other.gossip(SettlementInitiate, strange as never, third);
    expect(resultOf(signedSends(other).open())).toBe("d-1");
    expect(resultOf(signedSends(other).open(STRANGE, third))).toBe(WHO);
  });

  test.each([
    ["as long as it may be", "default", "!", "d-1"],
    ["one byte longer", "default", "!!", PARAMETER],
    ["one byte longer", "parity", "!!", "d-1"],
  ] as const)("with a reason %s, %s", (_, profile, end, answer) => {
    const reason = `${"€".repeat(1_365)}${end}`;
    expect(utf8(reason).length).toBe(REASON_BYTES_MAX + end.length - 1);
    expect(resultOf(signedSends(staged("settling", profile)).open({ reason }))).toBe(answer);
  });
});

const parties = {
  ...{ buyer: buyer.peer, buyer_public_key: buyer.key },
  ...{ seller: merchant.peer, seller_public_key: merchant.key },
};
