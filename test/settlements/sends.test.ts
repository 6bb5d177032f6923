/**
 * Goal: a party's act is taken exactly when it changes what the settlement says, and under the reference's rules from
 * the one state that protocol 02 D.4 names; whatever is refused changes nothing.
 * Method: a node's JSON-RPC ingress; a table of every step that somebody may try by every stage of a settlement.
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
  ["a payment", (sends) => sends.pay({ buyer: merchant.peer }, merchant)],
  ["a reversal", (sends) => sends.reverse({ buyer: merchant.peer }, merchant)],
  ["an approve", (sends) => sends.approve({ seller: buyer.peer }, buyer)],
  ["a reject", (sends) => sends.reject({ seller: buyer.peer }, buyer)],
  ["a cancel", (sends) => sends.cancel({ canceller: third.peer }, third)],
] as const satisfies readonly (readonly [string, Step<Stage>["send"]])[];
const unknown = [
  ["a payment", (sends) => sends.pay(UNKNOWN)],
  ["a reversal", (sends) => sends.reverse(UNKNOWN)],
  ["an approve", (sends) => sends.approve(UNKNOWN)],
  ["a reject", (sends) => sends.reject(UNKNOWN)],
  ["a cancel", (sends) => sends.cancel(UNKNOWN)],
] as const satisfies readonly (readonly [string, Step<Stage>["send"]])[];

const again = { cancelled: "taken", "cancelled by the seller": "taken", rejected: "taken" } as const;
const steps: readonly Step<Stage>[] = [
  {
    name: "the buyer begins under the same id",
    send: (sends) => sends.initiate(),
    answers: { default: row(EXISTS), parity: row(EXISTS) },
  },
  {
    name: "the buyer begins once more",
    send: (sends) => sends.initiate({ id: "set-2" }),
    answers: { default: row(RESERVATION, { ...again, "won by the merchant": "taken" }), parity: row("taken") },
  },
  {
    name: "the buyer pays",
    send: (sends) => sends.pay(),
    answers: {
      default: row(STATE, {
        ...{ begun: "taken", reversed: "taken", "cancelled by the seller": "taken" },
        "disputed before a payment": "taken",
      }),
      parity: row(STATE, { begun: "taken", reversed: "taken" }),
    },
  },
  {
    name: "the buyer takes the payment back",
    send: (sends) => sends.reverse(),
    answers: { default: row(STATE, { paid: "taken" }), parity: row(STATE, { paid: "taken" }) },
  },
  {
    name: "the seller approves",
    send: (sends) => sends.approve(),
    answers: {
      default: row(STATE, { paid: "taken", reversed: "taken", rejected: "taken", disputed: "taken" }),
      parity: row(STATE, { paid: "taken" }),
    },
  },
  {
    name: "the seller rejects",
    send: (sends) => sends.reject(),
    answers: {
      default: row(STATE, { paid: "taken", reversed: "taken", disputed: "taken" }),
      parity: row(STATE, { paid: "taken" }),
    },
  },
  {
    name: "the buyer cancels",
    send: (sends) => sends.cancel(),
    answers: {
      default: row(STATE, { begun: "taken", paid: "taken", reversed: "taken" }),
      parity: row(STATE, { begun: "taken", reversed: "taken" }),
    },
  },
  {
    name: "the seller cancels",
    send: (sends) => sends.cancel({ canceller: merchant.peer }, merchant),
    answers: {
      default: row(STATE, { begun: "taken", reversed: "taken" }),
      parity: row(STATE, { begun: "taken", reversed: "taken" }),
    },
  },
  ...strange.map(([what, send]) => {
    return { name: `${what} of somebody else`, send, answers: { default: row(WHO), parity: row(WHO) } };
  }),
  ...unknown.map(([what, send]) => {
    return { name: `${what} about nothing`, send, answers: { default: row(NOT_FOUND), parity: row(NOT_FOUND) } };
  }),
];

const cells = profiles.flatMap((profile) => stages.map((stage) => [stage, profile] as const));

test.each(cells)("every step at the stage %s, %s", (stage, profile) => {
  expectSteps(() => staged(stage, profile), steps, profile, stage);
});
