// Goal: what is terminal is sealed in slices, so many looks a step, whatever there ever was; a record with much about
// it is sealed in several, itself last, and a restart in between loses nothing (CONVERGENCE B5, B7).
// Method: many old requests, and one case with many joiners, on nodes that seal slice by slice, restart, or seal at
// once.
import { expect, test } from "vitest";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SEALED_AT_ONCE, sealOld } from "../../core/domains/trade/sealing/sealing.ts";
import { SealingHours, Unsealed } from "../../core/domains/trade/sealing/tables.ts";
import { SETTLEMENT_LIFE_MS } from "../../core/domains/trade/settlements/schema.ts";
import { marketplace } from "../../core/domains.ts";
import { isSealed, Seals } from "../../core/engine/statements/table.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { actor, at, merchant, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received, rootsOf } from "../convergence/replica.ts";
import { loneNode } from "../rpc/lone-node.ts";

/** When everything here is over. */
const OVER = (hourAfter(at(10) + 2n * BigInt(SETTLEMENT_LIFE_MS)) * SEAL_EVERY_MS) as EpochMillis;
const MANY = 3 * SEALED_AT_ONCE - 20;
const offer = fixtures.advertisement(merchant, at(0));
const requests = Array.from({ length: MANY }, (_, n) => fixtures.request(taker, at(1), { id: `${n + 1}` }));
const open = fixtures.open(taker, at(4));
const joins = Array.from({ length: MANY }, (_, n) => fixtures.join(actor(`joiner ${n}`), at(5)));
const grounds = [offer, fixtures.request(taker, at(1)), fixtures.initiate(taker, merchant, at(2)), open];
const crowded: readonly Statement[] = [...grounds, fixtures.payment(taker, at(3)), ...joins];

function told(statements: readonly Statement[]): Replica {
  const replica = openReplica();
  replica.receive(received(...statements));
  return replica;
}

/** One slice; how many statements it sealed, and whether that was all. */
function slice(replica: Replica): readonly [sealed: number, isAll: boolean] {
  const draft = draftOf(replica.store());
  const before = draft.size(Seals);
  const isAll = sealOld(draft, OVER, marketplace.types, SEALED_AT_ONCE);
  replica.store().commit(draft.changes());
  return [replica.store().size(Seals) - before, isAll];
}

function atOnce(statements: readonly Statement[]): string {
  const replica = told(statements);
  replica.seal(OVER);
  return rootsOf(replica);
}

test("many records are sealed so many a step, and end as if at once", () => {
  const replica = told([offer, ...requests]);
  expect([1, 2, 3].map(() => slice(replica))).toEqual([
    [64, false],
    [64, false],
    [MANY - 128, true],
  ]);
  expect(rootsOf(replica)).toBe(atOnce([offer, ...requests]));
  expect([replica.store().size(Unsealed), replica.store().size(SealingHours)]).toEqual([0, 0]);
  expect(slice(replica)).toEqual([0, true]);
});

test("a case with many joiners is sealed in slices, itself last", () => {
  const replica = told(crowded);
  for (let isAll = false; !isAll; ) {
    const [sealed, all] = slice(replica);
    expect(sealed).toBeLessThanOrEqual(SEALED_AT_ONCE + 1);
    isAll = all;
    const left = joins.filter(({ identity }) => !isSealed(replica.store(), identity)).length;
    expect(isSealed(replica.store(), open.identity) && left > 0).toBe(false);
  }
  expect(isSealed(replica.store(), open.identity)).toBe(true);
  expect(rootsOf(replica)).toBe(atOnce(crowded));
});

test("a restart between two slices goes on, whenever it comes", () => {
  for (const slices of [1, 2, 3, 4]) {
    const replica = told(crowded);
    for (let n = 0; n < slices; n++) slice(replica);
    replica.restart();
    for (let isAll = false; !isAll; ) [, isAll] = slice(replica);
    expect(rootsOf(replica), `after ${slices}`).toBe(atOnce(crowded));
  }
});

test("what comes between two slices is sealed with its record, though the slices are past its place", () => {
  const many = joins.map((_, n) => fixtures.commit(actor(`joiner ${n}`), at(6), "Invalid", n));
  const [late, ...few] = joins.slice(0, 4) as [Statement, ...Statement[]];
  const replica = told([...grounds, ...few, ...many]);
  while (!many.some(({ identity }) => isSealed(replica.store(), identity))) slice(replica);
  replica.receive(received(late));
  for (let isAll = false; !isAll; ) [, isAll] = slice(replica);
  expect(rootsOf(replica)).toBe(atOnce([...grounds, late, ...few, ...many]));
});

test("a node goes on by itself, and looks at nothing sealed again after a restart", () => {
  const node = loneNode(at(10));
  const people = [merchant, taker];
  for (const each of [offer, ...requests])
    node.gossip(each.type, each.payload as never, people.find(({ peer }) => peer === each.signer) as never);
  node.now = OVER;
  // What carried them leaves the log first, in slices of its own.
  const isSwept = () =>
    node.effects.some((each) => each.type === "timer.set" && each.timer === "sweep" && each.at > OVER);
  while (!isSwept()) node.accept({ type: "timer.fired", timer: "sweep" });
  expect(node.view.size(Seals)).toBe(SEALED_AT_ONCE);
  const timers = () => node.effects.filter((effect) => effect.type === "timer.set" && effect.timer === "seal").length;
  expect(timers()).toBe(1);
  const halfway = node.restart();
  expect(halfway.view.size(Unsealed)).toBe(MANY - SEALED_AT_ONCE);
  for (let n = 0; n < 2; n++) node.accept({ type: "timer.fired", timer: "seal" });
  expect([node.view.size(Seals), timers()]).toEqual([MANY, 2]);
  expect(node.restart().view.size(Unsealed)).toBe(0);
});
