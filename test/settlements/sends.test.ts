/**
 * Goal: a party's act is taken exactly when it changes what the settlement says, and under the reference's rules from
 * the one state that protocol 02 D.4 names; whatever is refused changes nothing.
 * Method: a node's JSON-RPC door; a table of every step that somebody may try by every stage of a settlement.
 */
import { test } from "vitest";
import { buyer, merchant, third } from "../rpc/signed-sends.ts";
import type { Step } from "../rpc/step-table.ts";
import { answersFor, expectSteps, profiles } from "../rpc/step-table.ts";
import type { Stage } from "./stages.ts";
import { staged, stages } from "./stages.ts";

const [NOT_FOUND, STATE, EXISTS, RESERVATION, WHO] = [5008, 5009, 5010, 4006, 2001];
const row = answersFor(stages);
const UNKNOWN = { settlement_id: "set-9" };
const strange = [
  ["a payment", (said) => said.pay({ buyer: merchant.peer }, merchant)],
  ["a reversal", (said) => said.reverse({ buyer: merchant.peer }, merchant)],
  ["an approve", (said) => said.approve({ seller: buyer.peer }, buyer)],
  ["a reject", (said) => said.reject({ seller: buyer.peer }, buyer)],
  ["a cancel", (said) => said.cancel({ canceller: third.peer }, third)],
] as const satisfies readonly (readonly [string, Step<Stage>["say"]])[];
const unknown = [
  ["a payment", (said) => said.pay(UNKNOWN)],
  ["a reversal", (said) => said.reverse(UNKNOWN)],
  ["an approve", (said) => said.approve(UNKNOWN)],
  ["a reject", (said) => said.reject(UNKNOWN)],
  ["a cancel", (said) => said.cancel(UNKNOWN)],
] as const satisfies readonly (readonly [string, Step<Stage>["say"]])[];

const again = { cancelled: "taken", "cancelled by the seller": "taken", rejected: "taken" } as const;
const steps: readonly Step<Stage>[] = [
  {
    name: "the buyer begins under the same id",
    say: (said) => said.initiate(),
    answers: { default: row(EXISTS), parity: row(EXISTS) },
  },
  {
    name: "the buyer begins once more",
    say: (said) => said.initiate({ id: "set-2" }),
    answers: { default: row(RESERVATION, { ...again, "won by the merchant": "taken" }), parity: row("taken") },
  },
  {
    name: "the buyer pays",
    say: (said) => said.pay(),
    answers: {
      default: row(STATE, { begun: "taken", reversed: "taken", "cancelled by the seller": "taken" }),
      parity: row(STATE, { begun: "taken", reversed: "taken" }),
    },
  },
  {
    name: "the buyer takes the payment back",
    say: (said) => said.reverse(),
    answers: { default: row(STATE, { paid: "taken" }), parity: row(STATE, { paid: "taken" }) },
  },
  {
    name: "the seller approves",
    say: (said) => said.approve(),
    answers: {
      default: row(STATE, { paid: "taken", reversed: "taken", rejected: "taken" }),
      parity: row(STATE, { paid: "taken" }),
    },
  },
  {
    name: "the seller rejects",
    say: (said) => said.reject(),
    answers: { default: row(STATE, { paid: "taken", reversed: "taken" }), parity: row(STATE, { paid: "taken" }) },
  },
  {
    name: "the buyer cancels",
    say: (said) => said.cancel(),
    answers: {
      default: row(STATE, { begun: "taken", paid: "taken", reversed: "taken" }),
      parity: row(STATE, { begun: "taken", reversed: "taken" }),
    },
  },
  {
    name: "the seller cancels",
    say: (said) => said.cancel({ canceller: merchant.peer }, merchant),
    answers: {
      default: row(STATE, { begun: "taken", reversed: "taken" }),
      parity: row(STATE, { begun: "taken", reversed: "taken" }),
    },
  },
  ...strange.map(([what, say]) => {
    return { name: `${what} of somebody else`, say, answers: { default: row(WHO), parity: row(WHO) } };
  }),
  ...unknown.map(([what, say]) => {
    return { name: `${what} about nothing`, say, answers: { default: row(NOT_FOUND), parity: row(NOT_FOUND) } };
  }),
];

const cells = profiles.flatMap((profile) => stages.map((stage) => [stage, profile] as const));

test.each(cells)("every step at the stage %s, %s", (stage, profile) => {
  expectSteps(() => staged(stage, profile), steps, profile, stage);
});
