/**
 * Goal: one statement that frees many others, or that many wait for, keeps no node from everything else: a step looks
 * at 64 of them, the rest follows by itself, a call first finishes what it is about, and a restart loses none of it
 * (CONVERGENCE B5).
 * Method: one node of memory, with requests of several people that wait for another price or for an advertisement;
 * another node is told the same in the order in which nothing waits.
 */
import { expect, test } from "vitest";
import { AdvertisementCreate, AdvertisementPriceUpdate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { ATTACHED_AT_ONCE, Attaching } from "../../core/engine/statements/attaching.ts";
import { ANSWERED_AT_ONCE, HeldCalls, SLICES_AWAITED } from "../../core/engine/statements/held-calls.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { Amount } from "../../core/kernel/values.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { advertisement, at, merchant, request, T } from "../rpc/node-with-settlement.ts";

const PRICE: Amount = { base_units: 777n, decimals: 2 };
const MANY = 3 * ATTACHED_AT_ONCE - 10;
const people = [0x31, 0x32, 0x33, 0x34].map(person);
/** The offer that nobody waits for, and what is asked of it. */
const other = { ...advertisement, id: "ad-2" };

function ask(node: LoneNode, n: number, of: string, price: Amount = PRICE): void {
  const by = people[n % people.length] as (typeof people)[number];
  const own = { requester: by.peer, requester_public_key: by.key, timestamp: at(n) };
  const amount = { ...request.amount, base_units: 5_000_000n };
  const asked = { ...request, ...own, id: `${1_000 + n}`, advertisement_id: of, agreed_price: price, amount };
  node.gossip(ReservationRequest, asked, by);
}

function askAll(node: LoneNode, many = MANY): void {
  for (let n = 0; n < many; n++) ask(node, n, "ad-1");
}

const edit = { id: "ad-1", merchant: merchant.peer, pricing: { Fixed: { price: PRICE } }, timestamp: at(-1_000) };
const offer = (node: LoneNode) => node.gossip(AdvertisementCreate, advertisement, merchant);
const reprice = (node: LoneNode) => node.gossip(AdvertisementPriceUpdate, edit, merchant);

/** What a node holds after the next slice of its queue. */
function slice(node: LoneNode): number {
  node.accept({ type: "timer.fired", timer: "attach" });
  return node.view.size(Statements);
}

function timersOf(node: LoneNode): number {
  return node.effects.filter((effect) => effect.type === "timer.set" && effect.timer === "attach").length;
}

/** A node on which nothing ever waited. */
function inOrder(): LoneNode {
  const node = loneNode(T + 400_000n);
  offer(node);
  reprice(node);
  askAll(node);
  return node;
}

function waiting(): LoneNode {
  const node = loneNode(T + 400_000n);
  offer(node);
  askAll(node);
  expect([node.view.size(Statements), node.view.size(Pending)]).toEqual([1, MANY]);
  reprice(node);
  return node;
}

test("a price frees what waits for it in slices, and the rest follows by itself", () => {
  const node = waiting();
  expect(node.view.size(Statements)).toBe(2);
  expect([1, 2, 3].map(() => slice(node))).toEqual([2 + 64, 2 + 128, 2 + MANY]);
  // One order to go on after the edit, and one after every slice that left something.
  expect(timersOf(node)).toBe(3);
  expect(node.view.size(Attaching)).toBe(0);
  expect(node.roots()).toEqual(inOrder().roots());
});

test("an advertisement takes what waits for it in slices", () => {
  const node = loneNode(T + 400_000n);
  askAll(node);
  reprice(node);
  offer(node);
  expect(node.view.size(Attaching)).toBe(1);
  while (node.view.size(Attaching) > 0) {
    const before = node.view.size(Statements);
    expect(slice(node) - before).toBeLessThanOrEqual(ATTACHED_AT_ONCE + 1);
  }
  expect(node.roots()).toEqual(inOrder().roots());
});

test("more edits of a record that the queue goes through make it no longer", () => {
  const node = waiting();
  slice(node);
  for (let n = 1; n <= 20; n++) node.gossip(AdvertisementPriceUpdate, { ...edit, timestamp: at(-1_000 - n) }, merchant);
  expect(node.view.size(Attaching)).toBe(1);
  let slices = 0;
  for (; node.view.size(Attaching) > 0; slices++) slice(node);
  expect(slices).toBeLessThanOrEqual(4);
  expect(node.view.size(Pending)).toBe(0);
});

test("a read first finishes what it is about, and nothing else", () => {
  const node = waiting();
  node.gossip(AdvertisementCreate, other, merchant);
  ask(node, 900, "ad-2", request.agreed_price);
  expect(node.call("getReservation", { id: "1900" })).toMatchObject({ id: "1900" });
  expect(node.view.size(Attaching)).toBe(1);
  expect(node.call("getReservation", { id: `${1_000 + MANY - 1}` })).toMatchObject({ id: `${1_000 + MANY - 1}` });
  expect([node.view.size(Attaching), node.view.size(Pending)]).toEqual([0, 0]);
});

test.each(["getReservations", "getAdvertisement"])("%s finishes all of it", (method) => {
  const node = waiting();
  node.call(method, { id: "ad-1" });
  expect(node.view.size(Pending)).toBe(0);
});

test("a read changes no root: it waits for the slices that finish what it is about", () => {
  const node = waiting();
  const before = node.roots();
  const last = `${1_000 + MANY - 1}`;
  const challenge = bodyOf("getWalletChallenge", { wallet: merchant.peer });
  const calls = { a: bodyOf("getReservation", { id: last }), b: challenge, c: challenge };
  for (const [replyTo, body] of Object.entries(calls)) node.accept({ type: "rpc.called", replyTo, body });
  expect(node.roots()).toEqual(before);
  for (let n = 0; n < 3; n++) {
    expect(repliesOf(node)).toEqual([]);
    slice(node);
  }
  slice(node);
  const replies = repliesOf(node);
  expect(replies.map(({ replyTo }) => replyTo)).toEqual(["a", "b", "c"]);
  expect(replies[0]?.body).toContain(`"id":"${last}"`);
  // Each as of the input that brought it, so no nonce comes twice.
  expect(new Set(replies.map(({ body }) => body)).size).toBe(3);
  expect([node.view.size(HeldCalls), node.view.size(Attaching)]).toEqual([0, 0]);
});

test("a call makes no slice longer, and the slice that ends the queue answers nobody yet", () => {
  const node = waiting();
  node.accept({ type: "rpc.called", replyTo: "a", body: bodyOf("getReservations", {}) });
  const sizes = [1, 2, 3].map(() => slice(node));
  expect(sizes).toEqual([2 + 64, 2 + 128, 2 + MANY]);
  expect(repliesOf(node)).toEqual([]);
  slice(node);
  expect(repliesOf(node).map(({ replyTo }) => replyTo)).toEqual(["a"]);
});

test("calls that waited are answered a few a step, in the order in which they came", () => {
  const node = waiting();
  const many = 2 * ANSWERED_AT_ONCE + 1;
  for (let n = 0; n < many; n++)
    node.accept({ type: "rpc.called", replyTo: `${n}`, body: bodyOf("getReservations", {}) });
  for (let n = 0; n < 3; n++) slice(node);
  const answered = [1, 2, 3].map(() => {
    slice(node);
    return repliesOf(node).length;
  });
  expect(answered).toEqual([ANSWERED_AT_ONCE, 2 * ANSWERED_AT_ONCE, many]);
  expect(repliesOf(node).map(({ replyTo }) => replyTo)).toEqual(Array.from({ length: many }, (_, n) => `${n}`));
  // Nothing is left to do: the last of them orders no slice.
  const timers = timersOf(node);
  slice(node);
  expect([node.view.size(HeldCalls), timersOf(node) - timers]).toEqual([0, 0]);
});

test("who fills the queue again and again keeps a call waiting for so many slices and no longer", () => {
  const node = loneNode(T + 400_000n);
  const never = { base_units: 3n, decimals: 2 };
  offer(node);
  for (let n = 0; n < ATTACHED_AT_ONCE + 6; n++) ask(node, n, "ad-1", never);
  reprice(node);
  node.accept({ type: "rpc.called", replyTo: "a", body: bodyOf("getReservations", {}) });
  let slices = 0;
  for (; repliesOf(node).length === 0; slices++) {
    node.gossip(AdvertisementPriceUpdate, { ...edit, timestamp: at(-2_000 - slices) }, merchant);
    slice(node);
  }
  expect(slices).toBe(SLICES_AWAITED + 1);
  expect(node.view.size(Attaching)).toBe(1);
});

function bodyOf(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function repliesOf(node: LoneNode) {
  return node.effects.flatMap((effect) => (effect.type === "rpc.reply" ? [effect] : []));
}

test("a restart in the middle of the queue loses nothing", () => {
  const node = waiting();
  slice(node);
  const again = node.restart();
  expect([again.view.size(Attaching), again.view.size(Pending)]).toEqual([0, 0]);
  expect(again.roots()).toEqual(inOrder().roots());
});

test("where records have no end, all is attached at once, in the order in which it came", () => {
  const node = parityNode(T + 400_000n);
  askAll(node);
  reprice(node);
  offer(node);
  expect(node.view.size(Attaching)).toBe(0);
});
