/**
 * Goal: nobody keeps others from a case, by repeating himself or by being many, nor makes what they say cost more.
 * Method: one arbitrator joins with many dates, as peers bring it; many join; then others take their seats. The rows
 * that one more word writes are counted beside few and many, under a name that many cases bear.
 */
import { expect, test } from "vitest";
import { ArbitratorJoin } from "../../core/domains/trade/disputes/schema.ts";
import { allDisputes } from "../../core/domains/trade/disputes/views.ts";
import { marketplace } from "../../core/domains.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { arbitrators, at, crypto, merchant, rival, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { received, replicaOf } from "../convergence/replica.ts";
import { disputed, joinOf, taken } from "../limits/situations.ts";
import { person } from "../rpc/lone-node.ts";

const [loud, honest] = [person(0x61), person(0x62)];
const MANY = 66;

test("one key with many joins takes one seat, whichever of them comes last", () => {
  const node = disputed();
  const before = node.store.size(Statements);
  for (let n = 0; n < MANY; n++) node.gossip(ArbitratorJoin, joinOf(loud, 360_000 + ((n * 7) % MANY)), loud);
  expect(node.store.size(Statements)).toBe(before + 1);
  expect(taken(node, ArbitratorJoin, joinOf(honest, 361_000), honest)).toBe("taken");
  expect(node.read("getDispute", { id: "dis-1" })).toMatchObject({ arbitrators_seated: 2 });
});

test("however many have joined, the next one takes a seat, and who has one keeps it when he joins again", () => {
  const node = disputed(loud);
  for (let n = 0; n < MANY; n++) node.gossip(ArbitratorJoin, joinOf(person(0x70 + n), 361_000), person(0x70 + n));
  expect(taken(node, ArbitratorJoin, joinOf(honest, 361_000), honest)).toBe("taken");
  expect(node.read("getDispute", { id: "dis-1" })).toMatchObject({ arbitrators_seated: MANY + 2 });
  const before = node.store.size(Statements);
  node.gossip(ArbitratorJoin, joinOf(loud, 365_000), loud);
  expect(node.store.size(Statements)).toBe(before);
  const joins = [...node.store.keys(Statements)].flatMap((key) => node.store.get(Statements, key) ?? []);
  expect(joins.filter(({ signer }) => signer === loud.peer).map(({ timestamp }) => timestamp)).toEqual([
    joinOf(loud, 365_000).timestamp,
  ]);
});

const [ada, bob, cyd] = arbitrators as [typeof taker, typeof taker, typeof taker];
const trade = [
  fixtures.advertisement(merchant, at(-9)),
  fixtures.request(taker, at(-8)),
  fixtures.initiate(taker, merchant, at(-7)),
];

/** The rows that what Ada says writes, where so many cases bear the name and so many have joined. */
function rowsWritten(opens: number, joiners: readonly (typeof taker)[], acts: readonly Statement[]): number {
  const others = Array.from({ length: opens }, (_, n) => fixtures.open(n % 2 === 0 ? taker : merchant, at(n / 60)));
  const joins = joiners.map((by) => fixtures.join(by, at(5)));
  const draft = draftOf(replicaOf(received(...trade, ...others, ...joins)).store());
  const fold = foldInto(draft, marketplace.units(crypto), true);
  for (const act of acts) fold.admit(act);
  fold.run();
  return draft.changes().length;
}

test("a join, a commit and a reveal write two rows each, whoever joined and however many cases bear the name", () => {
  const acts = [
    fixtures.join(ada, at(6)),
    fixtures.commit(ada, at(7), "Invalid", 1),
    fixtures.reveal(ada, at(8), "Invalid", 1),
  ];
  for (const act of acts) {
    expect(rowsWritten(1, [], [act])).toBe(2);
    expect(rowsWritten(40, [bob, cyd, rival], [act])).toBe(2);
  }
  // All at once, the row of what she said is written once.
  expect(rowsWritten(40, [bob, cyd], acts)).toBe(acts.length + 1);
});

test("under one name, words count in each case in whose life they are, and a party's in none of his own", () => {
  const early = fixtures.open(taker, at(0));
  const late = fixtures.open(merchant, at(60 * 24 * 20));
  const joined = fixtures.join(ada, at(60 * 24 * 40));
  const own = fixtures.join(merchant, at(60 * 24 * 40));
  const store = replicaOf(received(...trade, early, late, joined, own)).store();
  expect(allDisputes(store).map(({ arbitrators: seated }) => seated)).toEqual([[]]);
  expect(allDisputes(replicaOf(received(...trade, late, joined, own)).store())[0]?.arbitrators).toEqual([ada.peer]);
});
