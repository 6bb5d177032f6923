/**
 * Goal: lists of settlements are in order of id, show under a contested id the first in the follow order, and give a
 * party every settlement of its own; two nodes that heard the same read the same (CONVERGENCE "Settlement").
 * Method: random contested trades; every record that a replica holds, ordered and picked here by plain texts; a second
 * replica that heard the same in another order.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SettlementRow } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { allSettlements, settlementById, settlementsOfParty } from "../../core/domains/trade/settlements/views.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Reader } from "../../core/kernel/table.ts";
import { compareText } from "../../core/kernel/text.ts";
import { received, replicaOf } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { forAll } from "../property/for-all.ts";
import { arbContested, followText, opening, people } from "./contested.ts";

interface Held {
  readonly identity: string;
  readonly row: SettlementRow;
}

function heldIn(store: Reader): readonly Held[] {
  return [...store.keys(Settlements)].flatMap((identity) => {
    const row = store.get(Settlements, identity);
    return row === undefined ? [] : [{ identity, row }];
  });
}

/** Identities in the order of texts. */
function sortedBy(held: readonly Held[], textOf: (each: Held) => string): readonly string[] {
  const keyed = held.map((each) => [textOf(each), each.identity] as const);
  return keyed.sort(([a], [b]) => compareText(a, b)).map(([, identity]) => identity);
}

function readOf(store: Reader) {
  return {
    all: allSettlements(store).map(({ identity }) => identity),
    own: people.map(({ peer }) => settlementsOfParty(store, peer).map(({ identity }) => identity)),
  };
}

test("lists are in order of id, one for each id; a party reads all of its own", () => {
  const holds = (statements: readonly Statement[], order: number) => {
    const observations = received(...opening, ...statements);
    const store = replicaOf(observations).store();
    const held = heldIn(store);
    const ids = [...new Set(held.map(({ row }) => row.id))].sort(compareText);
    const contested = ids.map((id) => held.filter(({ row }) => row.id === id));
    const read = readOf(store);
    expect(read.all).toEqual(
      contested.map((each) => sortedBy(each, ({ row, identity }) => followText(row, identity))[0]),
    );
    expect(ids.map((id) => settlementById(store, id)?.identity)).toEqual(read.all);
    for (const [n, { peer }] of people.entries()) {
      const own = held.filter(({ row }) => row.buyer === peer || row.seller === peer);
      expect(read.own[n]).toEqual(sortedBy(own, ({ row, identity }) => `${row.id} ${identity}`));
    }
    expect(readOf(replicaOf(shuffleOf(order).shuffled(observations)).store())).toEqual(read);
    return labelsOf(contested);
  };
  forAll([arbContested, fc.nat()], holds, {
    runs: 120,
    sample: 150,
    shares: {
      "several ids": 0.5,
      "a contested id": 0.3,
      Approved: 0.1,
      Disputed: 0.2,
      PaymentSubmitted: 0.15,
      Cancelled: 0.3,
      AwaitingPayment: 0.3,
      "decided by state": 0.2,
      "decided by date": 0.04,
      "decided by content": 0.005,
    },
  });
});

/** Which states there are, and what picked the one that a contested id shows. */
function labelsOf(contested: readonly (readonly Held[])[]): readonly string[] {
  const rivals = contested.filter((each) => each.length > 1);
  const parts = (n: number) => (each: readonly Held[]) =>
    new Set(each.map(({ row, identity }) => followText(row, identity).split(" ").slice(0, n).join(" "))).size;
  return [
    ...contested.flat().map(({ row }) => row.state),
    ...(contested.length > 1 ? ["several ids"] : []),
    ...(rivals.length > 0 ? ["a contested id"] : []),
    ...(rivals.some((each) => parts(1)(each) > 1) ? ["decided by state"] : []),
    ...(rivals.some((each) => parts(1)(each) === 1 && parts(2)(each) > 1) ? ["decided by date"] : []),
    ...(rivals.some((each) => parts(2)(each) === 1) ? ["decided by content"] : []),
  ];
}
