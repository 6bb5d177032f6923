/**
 * Goal: a file counts whole, however much in it rests on one statement that comes late in it (CONVERGENCE "Snapshots").
 * Method: more requests than one step attaches, all at a price that the merchant said in an edit whose identity is the
 * last of all, so that they wait while the file is taken; each has begun a settlement. The same where the edit's date
 * is later than theirs, as that of a merchant may be whose clock is ahead.
 */
import { expect, test } from "vitest";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { merchant, rival, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Person } from "../rpc/lone-node.ts";
import type { Shelf, SignedBy } from "./stage.ts";
import { EVERY_MS, taker as importer, producer, replay, SLOT, snapshotting, stage, taking } from "./stage.ts";

/** More of each buyer than may wait, and of all than one step attaches. */
const EACH = 70;
const START = 1_786_000_000_000n;
const at = (ms: number) => (START + BigInt(ms)) as Statement["timestamp"];
const buyers = [taker, rival];

const requests = buyers.flatMap((by, nth) =>
  Array.from({ length: EACH }, (_, n) => fixtures.request(by, at(100 + n), { id: `${100 * nth + n}`, price: 120 })),
);
const identities = requests.map(({ identity }) => identity as string).sort();
const [offer, edit] = outermost();
const file: readonly SignedBy[] = [
  signed(offer, merchant),
  signed(edit, merchant),
  ...requests.map((each) => signed(each, buyerOf(each))),
  ...requests.map((each, n) => {
    const by = buyerOf(each);
    return signed(fixtures.initiate(by, merchant, at(300 + n), { id: `s-${n}`, about: each.payload.id }), by);
  }),
];

function buyerOf({ signer }: Statement): Actor {
  return buyers.find(({ peer }) => peer === signer) as Actor;
}

function signed({ type, payload }: Statement, by: Actor | Person): SignedBy {
  return { type, payload: payload as RecordOf<Fields>, by: by as Person };
}

/** The offer and the price that they ask at, at instants at which their identities are the first and the last. */
function outermost(): readonly [Statement, Statement] {
  const found = <S extends Statement>(make: (ms: number) => S, isOutermost: (identity: string) => boolean): S => {
    for (let ms = 1; ; ms++) {
      const each = make(ms);
      if (isOutermost(each.identity)) return each;
    }
  };
  return [
    found(
      (ms) => fixtures.advertisement(merchant, at(-ms)),
      (identity) => identity < (identities[0] ?? ""),
    ),
    found(
      (ms) => fixtures.priceUpdate(merchant, "ad", fixtures.fixed(120), at(-ms)),
      (identity) => identity > (identities.at(-1) ?? ""),
    ),
  ];
}

/** What a taker lacks of a file, and what waits there once it was taken. */
function lacking(contents: readonly SignedBy[]): readonly [lacking: number, waiting: number] {
  const shelf: Shelf = new Map();
  const source = stage({ who: producer, now: at(600), shelf, told: snapshotting(producer) });
  replay(source, contents);
  source.observe(SLOT);
  source.pass(EVERY_MS);
  const node = stage({ who: importer, now: source.now, shelf, told: taking });
  const held = [...source.view.keys(Statements)].flatMap((key) => source.view.get(Statements, key) ?? []);
  replay(
    node,
    held.filter(({ signer }) => signer === producer.peer).map((each) => signed(each, producer)),
  );
  node.pass(EVERY_MS);
  return [
    held.filter(({ identity }) => node.view.get(Statements, identity) === undefined).length,
    node.view.size(Pending),
  ];
}

test("what rests on what waits is taken with it, however much waits", () => {
  expect(lacking(file)).toEqual([0, 0]);
});

test("and so is what an edit of a later date lets in", () => {
  const later = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(120), at(200));
  expect(lacking(file.map((each, place) => (place === 1 ? signed(later, merchant) : each)))).toEqual([0, 0]);
});
