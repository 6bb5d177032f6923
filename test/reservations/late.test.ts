/**
 * Goal: reads mark a request that this node received when its half hour was over, and no other (CONVERGENCE B8); the
 * mark counts in no root, outlives restart and seal, names nobody, and goes with its request when that is dropped.
 * Method: a lone node on which a trade begins; requests come over RPC, from a peer, before their advertisement and
 * after it, on each side of the bound; all six reads are asked, under either profile.
 */
import { expect, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { RESERVATION_WINDOW_MS, ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { LateRequests } from "../../core/domains/trade/reservations/tables.ts";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { RECOVERY_AGE_MS_MAX } from "../../core/engine/admission/ingress.ts";
import { Pending, Seals } from "../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, signedData } from "../rpc/lone-node.ts";
import { advertisement, buyer, merchant, request, T } from "../rpc/node-with-settlement.ts";
import { proofFor } from "../wallet-proofs/caller.ts";

const WINDOW = BigInt(RESERVATION_WINDOW_MS);
/** The first instant at which a request reads late. */
const LATE = request.timestamp + WINDOW + 1n;

function offering(node = loneNode(T)): LoneNode {
  node.call("sendAdvertisementCreate", { data: signedData(AdvertisementCreate, advertisement, merchant) });
  return node;
}

function told(node: LoneNode, now: bigint): LoneNode {
  node.now = now;
  node.gossip(ReservationRequest, request, buyer);
  return node;
}

type Read = Readonly<Record<string, unknown>>;

/** The request as each read shows it. */
function reads(node: LoneNode): readonly Read[] {
  const id = { id: request.id };
  const own = (method: string) => node.call(method, proofFor(node, method, buyer)) as readonly Read[];
  const trades = [node.call("getTrade", id) as Read, ...(node.call("getTrades") as readonly Read[])];
  return [
    node.call("getReservation", id) as Read,
    ...(node.call("getReservations") as readonly Read[]),
    ...own("getMyReservations"),
    ...[...trades, ...own("getMyTrades")].map(({ reservation }) => reservation as Read),
  ];
}

function receivedAt(node: LoneNode): readonly unknown[] {
  return reads(node).map((read) => ("received_at" in read ? read["received_at"] : "no member"));
}

const six = (value: unknown) => Array.from({ length: 6 }, () => value);

test("a request that a peer brings after its half hour reads late, one millisecond before it does not", () => {
  expect(receivedAt(told(offering(), LATE))).toEqual(six(Number(LATE)));
  expect(receivedAt(told(offering(), LATE - 1n))).toEqual(six(null));
});

test("so does one that a client sends", () => {
  const node = offering();
  node.now = LATE;
  node.call("sendReservationRequest", { data: signedData(ReservationRequest, request, buyer) });
  expect(receivedAt(node)).toEqual(six(Number(LATE)));
});

test("what counts is when it came first, also where it waited for its advertisement", () => {
  const node = told(told(loneNode(T), LATE), LATE + 5_000n);
  expect([node.view.size(Pending), node.view.size(LateRequests)]).toEqual([1, 1]);
  expect(receivedAt(offering(node))).toEqual(six(Number(LATE)));
  const early = told(told(offering(), request.timestamp), LATE);
  expect(receivedAt(early)).toEqual(six(null));
});

test("a mark counts in no root, and a restart keeps it", () => {
  const [late, early] = [told(offering(), LATE), told(offering(), request.timestamp)];
  expect(late.roots()).toEqual(early.roots());
  expect(receivedAt(late.restart())).toEqual(six(Number(LATE)));
});

test("the reference's reads lack the member", () => {
  const node = told(offering(parityNode(T)), LATE);
  expect(receivedAt(node)).toEqual(six("no member"));
});

function sweptAt(node: LoneNode, now: bigint): LoneNode {
  node.now = now;
  node.accept({ type: "timer.fired", timer: "sweep" });
  return node;
}

test("what is sealed reads as it did", () => {
  const node = told(offering(), LATE);
  sweptAt(node, hourAfter((request.timestamp + 2n * WINDOW) as EpochMillis) * SEAL_EVERY_MS);
  expect(node.view.size(Seals)).toBe(1);
  expect([receivedAt(node), receivedAt(node.restart())]).toEqual([six(Number(LATE)), six(Number(LATE))]);
});

test("a mark goes with a request that waited in vain", () => {
  const node = sweptAt(told(loneNode(T), LATE), request.timestamp + BigInt(RECOVERY_AGE_MS_MAX) + 120_000n);
  expect([node.view.size(Pending), node.view.size(LateRequests)]).toEqual([0, 0]);
});
