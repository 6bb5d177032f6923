/**
 * Goal: what a stranger and a party read of a settlement is the record of protocol 02 D at every stage, and nobody
 * reads people who may not (02 D.6, K); its reservation follows it.
 * Method: one trade brought to every stage by a node's own RPC ingress; whole answers, so that a member too many is
 * seen.
 */
import { expect, test } from "vitest";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { proofOf } from "../rpc/prove.ts";
import { buyer, merchant, third } from "../rpc/signed-sends.ts";
import type { Profile } from "../rpc/step-table.ts";
import { profiles } from "../rpc/step-table.ts";
import type { Stage } from "./stages.ts";
import { NOW, staged, stages } from "./stages.ts";

/** Seconds at which things are said: the trade begins at 3, the chain speaks at 60. */
const second = (n: number | null) => (n === null ? null : Number(NOW) + n * 1_000);

interface Shown {
  readonly state: string;
  readonly paid?: number;
  readonly answered?: number;
  readonly disputed?: number;
  readonly released?: true;
  readonly updated: number;
  /** What its reservation reads. */
  readonly reservation: string;
}

const paid = { paid: 4 } as const;
const answered = { paid: 4, answered: 5 } as const;
const disputed = { paid: 4, disputed: 5 } as const;
const shown: Readonly<Record<Stage, Shown>> = {
  begun: { state: "AwaitingPayment", updated: 3, reservation: "Settling" },
  paid: { state: "PaymentSubmitted", ...paid, updated: 4, reservation: "Settling" },
  reversed: { state: "AwaitingPayment", updated: 5, reservation: "Settling" },
  approved: { state: "Approved", ...answered, updated: 5, reservation: "Settled" },
  rejected: { state: "Rejected", ...answered, updated: 5, reservation: "EscrowLocked" },
  cancelled: { state: "Cancelled", updated: 4, reservation: "EscrowLocked" },
  "cancelled by the seller": { state: "Cancelled", updated: 4, reservation: "EscrowLocked" },
  disputed: { state: "Disputed", ...disputed, updated: 5, reservation: "Settling" },
  "disputed before a payment": { state: "Disputed", disputed: 4, updated: 4, reservation: "Settling" },
  released: { state: "Completed", ...answered, released: true, updated: 5, reservation: "Settled" },
  "won by the buyer": { state: "Completed", ...disputed, released: true, updated: 5, reservation: "Settled" },
  "won by the merchant": { state: "Cancelled", ...disputed, updated: 5, reservation: "EscrowLocked" },
  split: { state: "Completed", ...disputed, released: true, updated: 5, reservation: "Settled" },
};
/** The reference reads nothing from a split. Source: protocol 03 W-3. */
const unread: Shown = shown.disputed;

function shownAt(stage: Stage, profile: Profile): Shown {
  if (stage === "split" && profile === "parity") return unread;
  const closed = stage === "released" || stage === "won by the buyer" || stage === "won by the merchant";
  // The chain's date is shown where the reference shows one.
  return closed && profile === "parity" ? { ...shown[stage], updated: 60 } : shown[stage];
}

function publicAt(stage: Stage, profile: Profile) {
  const { state, paid = null, answered = null, released = false, updated } = shownAt(stage, profile);
  return {
    id: "set-1",
    reservation_id: "1",
    amount: { base_units: 20_000_000, decimals: 6 },
    state,
    escrow_release_signature: released ? "signature" : null,
    payment_submitted_at: second(paid),
    merchant_responded_at: second(answered),
    payment_discrepancy: stage === "rejected" ? "IncorrectAmount" : null,
    created_at: second(3),
    updated_at: second(updated),
  };
}

function wholeAt(stage: Stage, profile: Profile) {
  const { paid, disputed = null } = shownAt(stage, profile);
  return {
    ...publicAt(stage, profile),
    buyer: buyer.peer,
    buyer_public_key: buyer.key,
    seller: merchant.peer,
    seller_public_key: merchant.key,
    payment_reference: paid === undefined ? null : "M-1",
    disputed_at: second(disputed),
  };
}

function ownOf(node: LoneNode, who: Person): unknown {
  return node.call("getMySettlements", proofOf(node, "openfiat-my-settlements", who));
}

const cells = profiles.flatMap((profile) => stages.map((stage) => [stage, profile] as const));

test.each(cells)("what is read at the stage %s, %s", (stage, profile) => {
  const node = staged(stage, profile);
  expect(node.call("getSettlement", { id: "set-1" })).toEqual(publicAt(stage, profile));
  expect(node.call("getSettlements")).toEqual([publicAt(stage, profile)]);
  expect(node.call("getSettlement", { id: "set-2" })).toBeNull();
  expect(ownOf(node, buyer)).toEqual([wholeAt(stage, profile)]);
  expect(ownOf(node, merchant)).toEqual([wholeAt(stage, profile)]);
  expect(ownOf(node, third)).toEqual([]);
  const { reservation } = shownAt(stage, profile);
  expect(node.call("getReservation", { id: "1" })).toMatchObject({ id: "1", state: reservation });
});
