/**
 * Goal: the bytes of the set are counted for whoever signed them, and what is superseded or sealed counts nowhere, so
 * that nobody's room depends on how long he has traded (CONVERGENCE B3).
 * Method: a node with a trade, payments that take the place of others, a restart, and a sweep after all of it is over;
 * the count is held against the statements themselves.
 */
import { expect, test } from "vitest";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { PaymentSubmitted } from "../../core/domains/trade/settlements/schema.ts";
import { REQUESTS_PER_SIGNER_MAX, SIGNER_BYTES_MAX } from "../../core/engine/admission/bounds.ts";
import { bytesOf, spaceOf, spaceOfWaiting } from "../../core/engine/statements/space.ts";
import { isSealed, Pending, Seals, Statements } from "../../core/engine/statements/table.ts";
import { known } from "../../core/kernel/assert.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis, PeerId } from "../../core/kernel/values.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";
import { at, buyer, merchant, request, T, tradeSends } from "../rpc/node-with-settlement.ts";

const DAY_MS = 86_400_000n;

/** What the statements themselves come to, of one signer or of all. */
function counted({ view }: LoneNode, signer?: PeerId): number {
  return [...view.keys(Statements)]
    .filter((key) => !isSealed(view, key))
    .flatMap((key) => view.get(Statements, key) ?? [])
    .filter((statement) => signer === undefined || statement.signer === signer)
    .reduce((sum, statement) => sum + bytesOf(statement, {}), 0);
}

function isCounted(node: LoneNode): void {
  for (const whose of [undefined, buyer.peer, merchant.peer])
    expect(spaceOf(node.view, whose)).toBe(counted(node, whose));
}

function trading(): LoneNode {
  const node = loneNode(T + 400_000n);
  for (const { method, data } of tradeSends) node.call(method, { data });
  return node;
}

test("a trade counts for both who signed it, and again after a restart", () => {
  const node = trading();
  isCounted(node);
  expect(spaceOf(node.view, buyer.peer)).toBeGreaterThan(300);
  isCounted(node.restart());
  expect(spaceOf(node.restart().view)).toBe(spaceOf(node.view));
});

test("what takes the place of an older statement takes its room", () => {
  const node = trading();
  const paid = { settlement_id: "set-1", buyer: buyer.peer };
  const pay = (n: number) =>
    node.gossip(PaymentSubmitted, { ...paid, payment_reference: `${n}`, timestamp: at(300_000 + n) }, buyer);
  for (let n = 1; n <= 4; n++) pay(n);
  const four = spaceOf(node.view, buyer.peer);
  for (let n = 5; n <= 9; n++) pay(n);
  expect(spaceOf(node.view, buyer.peer)).toBe(four);
  isCounted(node);
});

test("what waits counts apart, and as its signer's, until it is attached: nobody exceeds his room by what waited", () => {
  const node = loneNode(T + 400_000n);
  const large = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: "x".repeat(600_000) };
  for (let n = 0; n < 60; n++) {
    // So that the credit of whoever brings it is there again.
    node.now += 20_000n;
    node.gossip(PaymentSubmitted, { ...large, timestamp: at(300_000 + n) }, buyer);
  }
  const waiting = [...node.view.keys(Pending)].map((key) => bytesOf(known(node.view.get(Pending, key), "what waits")));
  const bytes = waiting.reduce((sum, each) => sum + each, 0);
  expect([spaceOfWaiting(node.view, buyer.peer), spaceOfWaiting(node.view)]).toEqual([bytes, bytes]);
  expect(bytes).toBeLessThanOrEqual(SIGNER_BYTES_MAX);
  expect(bytes).toBeGreaterThan(SIGNER_BYTES_MAX - 800_000);
  expect(spaceOfWaiting(node.restart().view, buyer.peer)).toBe(bytes);
  for (const { method, data } of tradeSends) node.call(method, { data });
  expect(spaceOf(node.view, buyer.peer)).toBeLessThanOrEqual(SIGNER_BYTES_MAX);
  expect(spaceOfWaiting(node.view)).toBe(0);
  isCounted(node);
});

test("what is void is held, and counts for its signer like any other", () => {
  const node = trading();
  const before = spaceOf(node.view, buyer.peer);
  // Shaped like a hash, and not its own.
  const foreign = toBase58(new Uint8Array(32).fill(7));
  node.gossip(ReservationRequest, { ...request, id: foreign as never, timestamp: at(1_000) }, buyer);
  const held = [...node.view.keys(Statements)].flatMap((key) => node.view.get(Statements, key) ?? []);
  expect(held.filter(({ idForm }) => idForm === "void").length).toBe(1);
  expect(spaceOf(node.view, buyer.peer)).toBeGreaterThan(before);
  isCounted(node);
});

test("what a buyer may ask of one advertisement does not depend on how long he has traded", () => {
  const node = trading();
  const answers: unknown[] = [];
  for (let n = 0; n < REQUESTS_PER_SIGNER_MAX; n++) {
    const asked = { ...request, id: `${n}`, timestamp: node.now as EpochMillis };
    answers.push(node.call("sendReservationRequest", { data: signedData(ReservationRequest, asked, buyer) }));
    node.now += DAY_MS / 8n;
    node.accept({ type: "timer.fired", timer: "sweep" });
  }
  expect(node.view.size(Seals)).toBeGreaterThan(REQUESTS_PER_SIGNER_MAX / 2 - 10);
  expect(answers.filter((each) => typeof each !== "string")).toEqual([]);
  isCounted(node);
});

test("what is sealed counts nowhere", () => {
  const node = trading();
  const before = spaceOf(node.view, buyer.peer);
  node.now += 60n * DAY_MS;
  for (let n = 0; n < 4; n++) node.accept({ type: "timer.fired", timer: "sweep" });
  expect(node.view.size(Seals)).toBeGreaterThan(1);
  isCounted(node);
  expect([before > 0, spaceOf(node.view, buyer.peer)]).toEqual([true, 0]);
  isCounted(node.restart());
});
