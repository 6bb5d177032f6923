/**
 * Goal: what strangers' requests cost a merchant, as core/domains/trade/reservations/README.md states it: a hold costs
 * a signature, so many keys keep an offer from everybody for as long as they go on; and what ends it.
 * Method: requests of keys that nobody knows hold all of an offer; somebody honest asks, and the merchant defends
 * himself by one means after the other.
 */
import { describe, expect, test } from "vitest";
import { GRANTED } from "../../core/domains/trade/advertisements/allocation.ts";
import { verdictOf } from "../../core/domains/trade/advertisements/ledger.ts";
import { Ledgers } from "../../core/domains/trade/advertisements/tables.ts";
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import { bytesOf } from "../../core/engine/statements/space.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { actor, at, merchant, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { received, replicaOf } from "../convergence/replica.ts";

const LIQUIDITY = 100;
const MOST = 10;
const WINDOW_MINUTES = 30;
/** Holds of the most that one may ask for, of all that there is. */
const FILLING = LIQUIDITY / MOST;

const offer = (direction: "Sell" | "Buy") =>
  fixtures.advertisement(merchant, at(0), { direction, max: MOST, liquidity: fixtures.units(LIQUIDITY) });

/** Requests by as many keys, each for the most there is to ask for, one a second from an instant on. */
function holds(many: number, minute: number, amount = MOST): readonly Statement[] {
  return Array.from({ length: many }, (_, n) =>
    fixtures.request(actor(`stranger ${minute} ${n}`), at(minute + n / 60), { id: `${1_000 * minute + n}`, amount }),
  );
}

/** Whether what somebody honest asks for is granted, beside all else that was said. */
function isGranted(create: Statement, honest: Statement, others: readonly Statement[]): boolean {
  const store = replicaOf(received(create, ...others, honest)).store();
  expect(store.get(Reservations, `${create.identity}:${honest.identity}`), "it has its row").toBeDefined();
  return verdictOf(store.get(Ledgers, create.identity), honest) === GRANTED;
}

const asked = (minute: number, amount = MOST) => fixtures.request(taker, at(minute), { amount });

describe("holds that cost nothing", () => {
  test("of an offer take as many signatures as it has pieces, and last for half an hour", () => {
    const create = offer("Sell");
    const short = holds(FILLING - 1, 1);
    expect(isGranted(create, asked(10), short)).toBe(true);
    const all = holds(FILLING, 1);
    expect(isGranted(create, asked(10), all)).toBe(false);
    expect(isGranted(create, asked(1 + WINDOW_MINUTES + 1), all)).toBe(true);
    const again = [...all, ...holds(FILLING, 1 + WINDOW_MINUTES + 1)];
    expect(isGranted(create, asked(1 + WINDOW_MINUTES + 5), again)).toBe(false);
    for (const hold of all) expect(bytesOf(hold)).toBeLessThan(512);
  });

  test("take as many times more as the merchant makes the pieces smaller", () => {
    const create = offer("Sell");
    const smaller = fixtures.termsUpdate(merchant, "ad", 1, 1, at(1));
    const later = 1 + WINDOW_MINUTES + 10;
    const pieces = [smaller, ...holds(LIQUIDITY - 1, later, 1)];
    expect(isGranted(create, asked(later + 5, 1), pieces)).toBe(true);
    expect(isGranted(create, asked(later + 5, 1), [smaller, ...holds(LIQUIDITY, later, 1)])).toBe(false);
    // The larger ones are refused once the smaller terms alone are in force.
    expect(isGranted(create, asked(later + 5, 1), [smaller, ...holds(FILLING, later)])).toBe(true);
  });

  test("keep nobody out whom the merchant takes", () => {
    const all = holds(FILLING, 1);
    const buys = offer("Buy");
    const sold = fixtures.initiate(merchant, taker, at(11), { amount: MOST });
    expect(isGranted(buys, asked(10), all)).toBe(false);
    expect(isGranted(buys, asked(10), [...all, sold]), "he begins the settlement").toBe(true);
    const sells = offer("Sell");
    const paid = [fixtures.initiate(taker, merchant, at(11), { amount: MOST }), fixtures.payment(taker, at(12))];
    expect(isGranted(sells, asked(10), [...all, ...paid])).toBe(false);
    expect(isGranted(sells, asked(10), [...all, ...paid, fixtures.approve(merchant, at(13))])).toBe(true);
  });

  test("are of one offer: the same liquidity offered anew is free", () => {
    const all = holds(FILLING, 1);
    const anew = fixtures.advertisement(merchant, at(5), {
      id: "anew",
      max: MOST,
      liquidity: fixtures.units(LIQUIDITY),
    });
    const closed = fixtures.disable(merchant, "ad", at(5));
    const honest = fixtures.request(taker, at(10), { about: "anew", amount: MOST });
    expect(isGranted(anew, honest, [offer("Sell"), ...all, closed])).toBe(true);
  });
});
