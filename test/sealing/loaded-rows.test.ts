// Goal: rows that are loaded, in any order and pages, seal nothing by themselves: before the last of them a fact may
// seem to be about another settlement of its number, which is sealed already (CONVERGENCE B7, "Durability").
// Method: two settlements of one number, the later one sealed, the earlier one in dispute and decided; each of their
// rows last. The same with a fold that seals while rows come.
import { expect, test } from "vitest";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SETTLEMENT_LIFE_MS } from "../../core/domains/trade/settlements/schema.ts";
import { isSealed } from "../../core/engine/statements/table.ts";
import { checkpointRules, devnetNetwork, marketplace, openCatchUp } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { at, crypto, merchant, taker } from "../convergence/actors.ts";
import { rowsOf } from "../convergence/catch-up-law.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received, rootsOf, seen } from "../convergence/replica.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { gossipOnly } from "../rpc/lone-node.ts";
import { decision } from "../settlements/decision.ts";

const terms = { network: marketplace, crypto, rules: checkpointRules("0", devnetNetwork) };
const LIFE_MINUTES = SETTLEMENT_LIFE_MS / 60_000;
const earlier = fixtures.initiate(taker, merchant, at(2), { id: "earlier" });
const later = fixtures.initiate(taker, merchant, at(82), { id: "later", about: "042" });
const open = fixtures.open(taker, at(LIFE_MINUTES - 60), { about: "earlier" });
const decided = seen({
  ...decision(taker.key, merchant.key, at(LIFE_MINUTES)),
  ...{ reservation: 42n, mint: fixtures.MINTS[0], amount: 10n },
});
const whole = openReplica();
whole.receive([
  ...received(fixtures.advertisement(merchant, at(0))),
  ...received(fixtures.request(taker, at(1)), fixtures.request(taker, at(81), { id: "042" })),
  ...received(earlier, later, open),
]);
whole.seal((hourAfter(at(LIFE_MINUTES + 120)) * SEAL_EVERY_MS) as EpochMillis);
whole.receive([decided]);
const rows = [...rowsOf(whole.store()).values()];

/** The roots of what comes of all rows, those that a word of the trade is in last. */
function rootsWithLast(last: string, open: typeof openCatchUp): string {
  const catchUp = open(undefined, terms, gossipOnly(devnetNetwork));
  for (const isLast of [false, true]) {
    const page = rows.filter(({ key }) => (key === last) === isLast);
    expect(catchUp.take(page)).toMatchObject({ ok: true });
  }
  return rootsOf(openReplica(false, Infinity, catchUp.held().memory));
}

test("one of two settlements of a number is sealed, and the fact is not", () => {
  const sealed = [later, earlier].map(({ identity }) => isSealed(whole.store(), identity));
  expect(sealed).toEqual([true, false]);
  expect(decided.type === "seen" && isSealed(whole.store(), decided.id)).toBe(false);
});

test.each([
  ["the earlier settlement", earlier],
  ["the later settlement", later],
  ["its dispute", open],
])("the row of %s may come last", (_, { identity }) => {
  expect(rootsWithLast(identity, openCatchUp)).toBe(rootsOf(whole));
});

test("a fold that seals while rows come is seen", async () => {
  const bug = {
    file: "core/engine/loaded-rows.ts",
    find: "unit.loading ?? unit",
    replace: "unit",
  };
  const roots = await withPlantedBug(bug, async (load) => {
    const planted = await load<typeof import("../../core/index.ts")>("core/index.ts");
    return rootsWithLast(earlier.identity, planted.openCatchUp);
  });
  expect(roots).not.toBe(rootsOf(whole));
});
