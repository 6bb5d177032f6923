/**
 * Goal: around each bound of what counts, no order of arrival shows: every subset and order of a few statements by two
 * parties and one stranger comes to one state (DESIGN L2; CONVERGENCE B1, B2).
 * Method: scopes of seven statements, more of a kind than count; every order of every subset of up to five of them
 * (seven by night) is received one by one, as an ingress admits, each order going on from the state that its beginning
 * came to, and held against the first order of the same subset.
 */
import { expect, test } from "vitest";
import { marketplace, tables } from "../../core/domains.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore, rootText } from "../../core/kernel/state.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { profile } from "../property/profile.ts";
import { arbitrators, at, crypto, merchant, stranger, taker } from "./actors.ts";
import * as fixtures from "./fixtures.ts";

type Fold = Pick<typeof import("../../core/engine/statements/fold.ts"), "foldInto"> &
  Pick<typeof import("../../core/domains.ts"), "marketplace">;

/** Statements of a subset at most. */
const MOST = profile === "nightly" ? 7 : 5;
const [ada] = arbitrators as [typeof merchant];

const begun = [fixtures.advertisement(merchant, at(0)), fixtures.request(taker, at(10))];
const initiated = [...begun, fixtures.initiate(taker, merchant, at(11))];
const opened = [...initiated, fixtures.open(taker, at(12))];
const minutes = (...each: readonly number[]) => each.map((minute) => at(20 + minute));

interface Scope {
  readonly about: string;
  /** What is there before. */
  readonly ground: readonly Statement[];
  readonly acts: readonly Statement[];
}

const scopes: readonly Scope[] = [
  {
    about: "payments of a buyer, more than count, and those of a stranger",
    ground: begun,
    acts: [
      fixtures.initiate(taker, merchant, at(11)),
      ...minutes(0, 1, 2, 3, 4).map((when) => fixtures.payment(taker, when)),
      fixtures.payment(stranger, at(21)),
    ],
  },
  {
    about: "payments and reversals of a buyer, more of either than count",
    ground: initiated,
    acts: [
      ...minutes(0, 2, 4, 6, 8).map((when) => fixtures.reversal(taker, when)),
      fixtures.payment(taker, at(23)),
      fixtures.payment(stranger, at(24)),
    ],
  },
  {
    about: "acts of both parties, each of a kind of which one or four count",
    ground: initiated,
    acts: [
      fixtures.payment(taker, at(20)),
      fixtures.reversal(taker, at(21)),
      fixtures.approve(merchant, at(22)),
      fixtures.approve(merchant, at(23)),
      fixtures.reject(merchant, at(24)),
      fixtures.settlementCancel(taker, at(25)),
      fixtures.approve(stranger, at(26)),
    ],
  },
  {
    about: "joins of one date and another, by an arbitrator, a party and a stranger",
    ground: initiated,
    acts: [
      fixtures.open(taker, at(12)),
      ...minutes(0, 1, 2).map((when) => fixtures.join(ada, when)),
      fixtures.join(merchant, at(20)),
      ...minutes(0, 1).map((when) => fixtures.join(stranger, when)),
    ],
  },
  {
    about: "commitments, more than count, and a reveal that opens the first",
    ground: [...opened, fixtures.join(ada, at(20))],
    acts: [
      ...minutes(1, 2, 3, 4, 5).map((when, nth) => fixtures.commit(ada, when, "BuyerWins", nth)),
      fixtures.reveal(ada, at(26), "BuyerWins", 0),
      fixtures.commit(stranger, at(22), "BuyerWins", 0),
    ],
  },
  {
    about: "requests of one number that wait for a price, and the advertisements of its name",
    ground: [],
    acts: [
      fixtures.advertisement(merchant, at(0)),
      fixtures.advertisement(stranger, at(1)),
      fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(5)),
      fixtures.request(taker, at(10)),
      fixtures.request(taker, at(11), { price: 105 }),
      fixtures.initiate(taker, merchant, at(12)),
      fixtures.reservationCancel(taker, "42", at(13)),
    ],
  },
];

interface Counted {
  readonly orders: number;
  /** The first order that came to something else, as the names of its statements. */
  readonly different: string | undefined;
}

/** Every order of every subset of a scope. */
function ordersOf({ ground, acts }: Scope, most: number, engine: Fold = { foldInto, marketplace }): Counted {
  const roots = new Map<number, string>();
  let orders = 0;

  function receive(store: Store, statement: Statement): Store {
    const next = openStore(crypto, tables, { from: store.copy() });
    const draft = draftOf(next);
    const fold = engine.foldInto(draft, engine.marketplace.units(crypto), true);
    fold.admit(statement);
    fold.run();
    next.commit(draft.changes());
    return next;
  }

  function goOn(store: Store, received: readonly number[]): string | undefined {
    for (const [n, statement] of acts.entries()) {
      if (received.includes(n)) continue;
      const order = [...received, n];
      const next = receive(store, statement);
      orders += 1;
      const subset = order.reduce((bits, each) => bits | (1 << each), 0);
      const root = [next.roots.statements, next.roots.facts, next.roots.state].map(rootText).join(" ");
      if ((roots.get(subset) ?? root) !== root) return order.map((each) => acts[each]?.type.name).join(", ");
      roots.set(subset, root);
      const found = order.length < most ? goOn(next, order) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  const different = goOn(ground.reduce(receive, openStore(crypto, tables)), []);
  return { orders, different };
}

test.each(scopes)("$about: every order comes to one state", (scope) => {
  const { orders, different } = ordersOf(scope, MOST);
  expect(different).toBe(undefined);
  console.log(`${scope.about}: ${orders} orders`);
});

test("a planted bug is found: of one's own words the last to arrive count", async () => {
  const bug = {
    file: "core/engine/statements/own-statements.ts",
    find: "const later = own.filter((each) => compareStatements(each, statement) > 0);",
    replace: "const later = own;",
  };
  const found = await withPlantedBug(bug, async (load: Load) => {
    const engine = {
      ...(await load<Fold>("core/engine/statements/fold.ts")),
      ...(await load<Fold>("core/domains.ts")),
    };
    return scopes.filter((scope) => ordersOf(scope, 3, engine).different !== undefined).map(({ about }) => about);
  });
  expect(found).toContain(scopes[3]?.about);
});
