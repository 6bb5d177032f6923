/**
 * Goal: lists of cases are ordered by id, show under a contested id the oldest, and give
 * nobody but parties and committed arbitrators a case in full; two nodes that heard the same read the same
 * (CONVERGENCE "Records and ids"; protocol 03 A.7).
 * Method: random opens under few ids by parties and strangers of two trades of one id, seats and commitments; every
 * record that a replica holds, ordered and picked here by plain tuples; a second replica in another order.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { disputeIn } from "../../core/domains/trade/disputes/panels.ts";
import { DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import type { DisputeRow } from "../../core/domains/trade/disputes/tables.ts";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import { allDisputes, disputeById, disputesOfWallet } from "../../core/domains/trade/disputes/views.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Reader } from "../../core/kernel/table.ts";
import { compareText } from "../../core/kernel/text.ts";
import { arbitrators, at, earning, merchant, nameOf, rival, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { received, replicaOf } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import { marketRules } from "../rpc/lone-node.ts";

/** Two trades under one settlement id: one open may stand in both. */
const trades: readonly Statement[] = [
  fixtures.advertisement(merchant, at(-9)),
  fixtures.request(taker, at(-8)),
  fixtures.initiate(taker, merchant, at(-7)),
  fixtures.initiate(taker, merchant, at(-6), { amount: 9 }),
  fixtures.request(rival, at(-8), { id: "43" }),
  fixtures.initiate(rival, merchant, at(-7), { id: "t", about: "43" }),
];
const people = [taker, merchant, rival, stranger, ...arbitrators];

const arbOpen = fc
  .record({
    by: fc.constantFrom(taker, taker, merchant, merchant, rival, stranger),
    minute: fc.integer({ min: 0, max: 3 }),
    id: fc.constantFrom("d", "e", "D"),
    about: fc.constantFrom("s", "t"),
    earns: fc.nat(3),
  })
  .map(({ by, minute, id, about, earns }) => {
    const open = fixtures.open(by, at(minute), { id, about: by === rival ? "t" : about });
    return earns === 0 ? earning(DisputeOpen, open) : open;
  });

/** Opens, another under the id that one of them earned, and what arbitrators do about them by id or by content. */
const arbSet = fc
  .tuple(fc.array(arbOpen, { minLength: 1, maxLength: 8 }), fc.constantFrom(taker, merchant), fc.nat(3))
  .chain(([opens, by, squats]) => {
    const earned = opens.find(({ idForm }) => idForm === "earned")?.payload.id ?? "d";
    const all = squats === 0 ? [...opens, fixtures.open(by, at(-1), { id: earned, about: "t" })] : opens;
    const names = [...new Set(all.flatMap((open) => [open.payload.id, nameOf(open)]))];
    const arbAct = fc
      .tuple(fc.constantFrom(...arbitrators), fc.constantFrom(...names), fc.boolean())
      .map(([who, name, commits]) => [
        fixtures.join(who, at(4), name),
        ...(commits ? [fixtures.commit(who, at(5), "BuyerWins", 0, name)] : []),
      ]);
    return fc.array(arbAct, { maxLength: 6 }).map((acts): readonly Statement[] => [...all, ...acts.flat()]);
  });

const rowsOf = (store: Reader): readonly DisputeRow[] =>
  [...store.keys(Disputes)].flatMap((key) => store.get(Disputes, key) ?? []).map((row) => disputeIn(store, row));
const textOf = ({ open, settlement }: DisputeRow) => `${open}:${settlement}`;
const inOrder = (keys: readonly (readonly [string, string])[]) =>
  [...keys].sort(([a], [b]) => compareText(a, b)).map(([, text]) => text);

/** What a bare id shows of its records, as texts that sort: the oldest, then by content. */
function shownOf(rows: readonly DisputeRow[]): string | undefined {
  return inOrder(rows.map((row) => [`${row.opened_at} ${textOf(row)}`, textOf(row)]))[0];
}

function readOf(store: Reader) {
  return {
    all: allDisputes(store).map(textOf),
    own: people.map(({ peer }) => disputesOfWallet(store, peer, marketRules(false)).map(textOf)),
    seated: people.map(({ peer }) => disputesOfWallet(store, peer, marketRules(true)).map(textOf)),
  };
}

test("lists are in order of id, one for each id, and only of those who may read", () => {
  const holds = (statements: readonly Statement[], order: number) => {
    const observations = received(...trades, ...statements);
    const store = replicaOf(observations).store();
    const rows = rowsOf(store);
    const ids = [...new Set(rows.map(({ id }) => id))].sort(compareText);
    const contested = ids.map((id) => rows.filter((row) => row.id === id));
    const read = readOf(store);
    expect(read.all).toEqual(contested.map((each) => shownOf(each)));
    expect(ids.map((id) => disputeById(store, id)).map((row) => row && textOf(row))).toEqual(read.all);
    for (const [n, { peer }] of people.entries()) {
      const isParty = (row: DisputeRow) => row.buyer === peer || row.seller === peer;
      const committed = (row: DisputeRow) => row.commitments.some(({ arbitrator }) => arbitrator === peer);
      const keyed = (own: readonly DisputeRow[]) =>
        inOrder(own.map((row) => [`${row.id} ${textOf(row)}`, textOf(row)]));
      expect(read.own[n]).toEqual(keyed(rows.filter((row) => isParty(row) || committed(row))));
      expect(read.seated[n]).toEqual(keyed(rows.filter((row) => isParty(row) || row.arbitrators.includes(peer))));
    }
    expect(readOf(replicaOf(shuffleOf(order).shuffled(observations)).store())).toEqual(read);
    return [...statementLabels(statements), ...labelsOf(store, statements, contested)];
  };
  forAll([arbSet, fc.nat()], holds, {
    runs: 80,
    sample: 120,
    shares: {
      "several ids": 0.5,
      "a contested id": 0.4,
      "equal opening dates": 0.2,
      "an earned id": 0.2,
      squatted: 0.1,
      "one open in two trades": 0.3,
      "seated and not committed": 0.3,
      "committed to": 0.3,
      "by a stranger": 0.4,
    },
  });
});

function labelsOf(store: Reader, statements: readonly Statement[], contested: readonly (readonly DisputeRow[])[]) {
  const rows = contested.flat();
  const dates = contested.map((each) => each.map(({ opened_at }) => opened_at));
  const opens = rows.map(({ open }) => open);
  const earned = rows.filter((row) => store.get(Statements, row.open)?.idForm === "earned");
  const opened = statements.flatMap(({ type, payload }) =>
    type.name === DisputeOpen.name ? [(payload as DisputeOpen).id] : [],
  );
  return [
    ...(contested.length > 1 ? ["several ids"] : []),
    ...(contested.some((each) => new Set(each.map(({ open }) => open)).size > 1) ? ["a contested id"] : []),
    ...(dates.some((each) => new Set(each).size < each.length) ? ["equal opening dates"] : []),
    ...(earned.length > 0 ? ["an earned id"] : []),
    ...(earned.some(({ id }) => opened.filter((each) => each === id).length > 1) ? ["squatted"] : []),
    ...(new Set(opens).size < opens.length ? ["one open in two trades"] : []),
    ...(rows.some((row) => row.arbitrators.length > row.commitments.length) ? ["seated and not committed"] : []),
    ...(rows.some((row) => row.commitments.length > 0) ? ["committed to"] : []),
    ...(statements.some(({ type, signer }) => type.name === DisputeOpen.name && signer === stranger.peer)
      ? ["by a stranger"]
      : []),
  ];
}
