// Goal: what is sealed leaves the roots and the comparison, stays what it reads, survives a restart, and gathers
// nothing new at any ingress. Method: a finished trade on one node and on two linked ones; clocks go on for 2H + 30
// min.
import { assert, expect, test } from "vitest";
import { RESERVATION_WINDOW_MS } from "../../core/domains/trade/reservations/schema.ts";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SETTLEMENT_LIFE_MS } from "../../core/domains/trade/settlements/schema.ts";
import { isSealed, Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Actor } from "../convergence/actors.ts";
import { merchant, rival, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Link } from "../gossip/two-nodes.ts";
import { linkedNodes } from "../gossip/two-nodes.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode, pushFrame, signedData } from "../rpc/lone-node.ts";

/** A full hour, in which everything is signed. */
const HOUR = (1_786_000_000_000n / SEAL_EVERY_MS) * SEAL_EVERY_MS;
/** The first full hour at which nothing may be said any more of what settles since that one, and the last before it. */
const OVER = hourAfter(HOUR + BigInt(SETTLEMENT_LIFE_MS) + 2n * 60_000n) * SEAL_EVERY_MS;
const NOT_YET = OVER - SEAL_EVERY_MS;
/** The same of what only asked. */
const ASKED = hourAfter(HOUR + BigInt(RESERVATION_WINDOW_MS) + 4n * 60_000n) * SEAL_EVERY_MS;
const everybody: readonly Actor[] = [merchant, taker, rival, stranger];

function minute(n: number): EpochMillis {
  return (HOUR + BigInt(n) * 60_000n) as EpochMillis;
}

const offer = fixtures.advertisement(merchant, minute(0));
/** Signed by a stranger, and inert. */
const inert = fixtures.approve(rival, minute(6));
const trade: readonly Statement[] = [
  fixtures.request(taker, minute(1)),
  fixtures.initiate(taker, merchant, minute(2)),
  fixtures.payment(taker, minute(3)),
  fixtures.approve(merchant, minute(40)),
  inert,
];
const unpaid: readonly Statement[] = [
  fixtures.request(taker, minute(4), { id: "43" }),
  fixtures.initiate(taker, merchant, minute(5), { id: "waits", about: "43" }),
];

/** Asked for, and nothing more. */
const lonely = fixtures.request(taker, minute(4), { id: "44" });

function signerOf({ signer }: Statement): Person {
  return everybody.find(({ peer }) => peer === signer) as Person & Actor;
}

function tell(node: LoneNode, statements: readonly Statement[]): void {
  for (const each of statements) node.gossip(each.type, each.payload as never, signerOf(each));
}

function sweepAt(node: LoneNode, now: bigint): void {
  node.now = now;
  node.accept({ type: "timer.fired", timer: "sweep" });
}

function told(node: LoneNode = loneNode(minute(45))): LoneNode {
  tell(node, [offer, ...trade, ...unpaid]);
  return node;
}

function sealedOf(node: LoneNode): readonly Statement[] {
  return [offer, ...trade, ...unpaid, lonely].filter(({ identity }) => isSealed(node.view, identity));
}

function answers(node: LoneNode): readonly unknown[] {
  const reads = [
    ["getSettlement", { id: "s" }],
    ["getReservation", { id: "42" }],
    ["getAdvertisement", { id: "ad" }],
    ["getTrades", undefined],
    ["getReputation", { wallet: merchant.peer }],
  ] as const;
  return reads.map(([method, params]) => node.call(method, params));
}

test("a trade seals 2H and 30 minutes after its last date that counts, and so does an unpaid one; no stranger is in it", () => {
  const node = told();
  tell(node, [lonely]);
  sweepAt(node, ASKED - SEAL_EVERY_MS);
  assert.lengthOf(sealedOf(node), 0);
  sweepAt(node, ASKED);
  assert.deepEqual(sealedOf(node), [lonely]);
  sweepAt(node, NOT_YET);
  assert.deepEqual(sealedOf(node), [lonely]);
  const before = answers(node);
  sweepAt(node, OVER);
  const ofParties = trade.filter((each) => each !== inert);
  assert.sameMembers([...sealedOf(node)], [...ofParties, ...unpaid, lonely]);
  assert.deepEqual(answers(node), before);
  const unsealed = loneNode(minute(45));
  tell(unsealed, [offer]);
  assert.equal(node.roots().statements, unsealed.roots().statements);
  assert.notEqual(node.roots().archive, unsealed.roots().archive);
});

test("a request seals with those of its number within half an hour of it, and not with a whole chain of them", () => {
  const node = loneNode(minute(75));
  const numbered = (by: Actor, at: number) => fixtures.request(by, minute(at), { id: "45" });
  const [first, near, far] = [numbered(stranger, 0), numbered(taker, 24), numbered(rival, 54)] as const;
  const begun = fixtures.initiate(taker, merchant, minute(25), { id: "late", about: "45" });
  const ended = fixtures.initiate(rival, merchant, minute(55), { id: "later", about: "45" });
  tell(node, [offer, first, near, far, begun, ended]);
  const isSealedAt = (hour: bigint) => {
    sweepAt(node, hour * SEAL_EVERY_MS);
    return [first, near, far].map(({ identity }) => isSealed(node.view, identity));
  };
  const endOf = (initiated: number) => hourAfter(minute(initiated) + BigInt(SETTLEMENT_LIFE_MS));
  // By itself the first would have been over a month before.
  assert.deepEqual(isSealedAt(endOf(25) - 1n), [false, false, false]);
  assert.deepEqual(isSealedAt(endOf(25)), [true, false, false]);
  assert.deepEqual(isSealedAt(endOf(55)), [true, true, true]);
});

test("what is dated outside a record's life is taken at no ingress, and what waited for it does not count", () => {
  const node = told();
  node.now = (HOUR + BigInt(SETTLEMENT_LIFE_MS) + 6n * 60_000n) as EpochMillis;
  const late = fixtures.payment(taker, node.now as EpochMillis, "waits");
  const params = { data: signedData(late.type, late.payload as never, taker as Person & Actor) };
  expect(node.call("sendPaymentSubmitted", params)).toBe(5_009);
  tell(node, [late]);
  assert.isUndefined(node.view.get(Statements, late.identity));
  const waiting = loneNode(minute(45));
  const early = fixtures.payment(taker, minute(-6), "waits");
  tell(waiting, [offer, early, ...unpaid]);
  assert.isUndefined(waiting.view.get(Statements, early.identity));
});

test("a restart keeps what is sealed", () => {
  const node = told();
  sweepAt(node, OVER);
  assert.deepEqual(node.restart().roots(), node.roots());
});

test("a node that plays the reference never seals", () => {
  const node = told(parityNode(minute(45)));
  sweepAt(node, OVER);
  assert.lengthOf(sealedOf(node), 0);
});

test("what names only what is sealed is taken at no ingress", () => {
  const node = told();
  sweepAt(node, OVER);
  const late = fixtures.open(taker, OVER as EpochMillis);
  const params = { data: signedData(late.type, late.payload as never, signerOf(late)) };
  expect(node.call("sendDisputeOpen", params)).toBe(2);
  tell(node, [late]);
  assert.isUndefined(node.view.get(Statements, late.identity));
  const again = { data: signedData(trade[3]?.type as never, trade[3]?.payload as never, signerOf(trade[3] as never)) };
  expect(node.call("sendSettlementApproved", again)).not.toBe(2);
  const price = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(101), OVER as EpochMillis);
  tell(node, [price]);
  assert.isDefined(node.view.get(Statements, price.identity));
});

/** Tells one end of a link things, by push. */
function push(link: Link, end: 0 | 1, now: EpochMillis, statements: readonly Statement[]): void {
  for (const each of statements) {
    const bytes = pushFrame(each.type, each.payload as never, signerOf(each), now);
    link.ends[end].driver.accept({ type: "message.received", from: rival.peer, replyTo: "push", bytes });
  }
}

function sealAt(link: Link, end: 0 | 1): void {
  link.ends[end].driver.accept({ type: "timer.fired", timer: "sweep" });
}

test("nodes that seal at different moments end with equal roots", () => {
  const clock = { now: minute(45) };
  const link = linkedNodes(undefined, clock);
  push(link, 0, clock.now, [offer, ...trade, ...unpaid]);
  link.connect();
  const roots = () => link.ends.map(({ driver }) => driver.roots());
  assert.deepEqual(roots()[0], roots()[1]);
  clock.now = OVER as EpochMillis;
  sealAt(link, 0);
  assert.notEqual(roots()[0]?.statements, roots()[1]?.statements);
  link.compare();
  clock.now = (OVER + SEAL_EVERY_MS) as EpochMillis;
  sealAt(link, 1);
  assert.deepEqual(roots()[0], roots()[1]);
});

test("what is sealed is compared with nobody: one that never had it holds an equal set", () => {
  const clock = { now: minute(45) };
  const link = linkedNodes(undefined, clock);
  push(link, 0, clock.now, [offer, ...trade, ...unpaid]);
  push(link, 1, clock.now, [offer, ...unpaid]);
  clock.now = OVER as EpochMillis;
  sealAt(link, 0);
  link.connect();
  link.compare();
  const requests = link.moved.requests;
  link.compare();
  assert.equal(link.moved.requests - requests, 1);
});
