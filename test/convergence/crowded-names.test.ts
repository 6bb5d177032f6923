// Goal: however many advertisements bear a name, a request that says it comes to the same in every order, takes part in
// a trade with whomever it was begun with, and costs a few pairs (DESIGN L2; CONVERGENCE B2).
// Method: the product with a limit of one or two in the place of sixteen; every order of small sets, and random
// stories, whose people share two names. Sixteen and more by themselves: test/limits.
import { assert, describe, test } from "vitest";
import type { Statement } from "../../core/kernel/signed.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { samples } from "../property/for-all.ts";
import { permutations } from "./shuffle.ts";

type Actors = typeof import("./actors.ts");
type Fixtures = typeof import("./fixtures.ts");
type Laws = typeof import("./convergence-law.ts");
type Replicas = typeof import("./replica.ts");
type Tables = typeof import("../../core/domains/trade/reservations/tables.ts");
type Workload = typeof import("./workload.ts");

const DAY = 24 * 60;
/** Stories of two names that several people bear, and how long they are. */
const [STORIES, INTENTS] = [12, 40];

function withLimit<R>(limit: number, body: (load: Load) => Promise<R>): Promise<R> {
  const bug = { file: "core/domains/trade/advertisements/tables.ts", find: "FIRST_OFFERS_MAX = 16;" };
  return withPlantedBug({ ...bug, replace: `FIRST_OFFERS_MAX = ${limit};` }, body);
}

/** In which advertisements there is a row, the same after every order. */
async function pairsIn(load: Load, statements: readonly Statement[]): Promise<readonly string[]> {
  const { openReplica, received, recordsText, replicaOf, rootsOf } =
    await load<Replicas>("test/convergence/replica.ts");
  const { difference } = await load<Laws>("test/convergence/convergence-law.ts");
  const { Reservations } = await load<Tables>("core/domains/trade/reservations/tables.ts");
  const whole = replicaOf(received(...statements));
  const text = recordsText(whole);
  for (const order of permutations(statements)) {
    const replica = openReplica();
    for (const each of order) replica.receive(received(each));
    if (rootsOf(replica) === rootsOf(whole) && recordsText(replica) === text) continue;
    assert.fail(`${order.map(({ type }) => type.name)}\n${difference(text, recordsText(replica))}`);
  }
  return [...whole.store().keys(Reservations)].map((key) => key.split(":")[0] ?? "").sort(compareText);
}

describe("a name that more bear than a request is tried in", () => {
  test("a request holds where no trade was begun only while few bear the name, and always where one was", () =>
    withLimit(1, async (load) => {
      const { at, merchant, rival, stranger, taker } = await load<Actors>("test/convergence/actors.ts");
      const fixtures = await load<Fixtures>("test/convergence/fixtures.ts");
      const [honest, before] = [fixtures.advertisement(merchant, at(0)), fixtures.advertisement(rival, at(-1))];
      const asked = fixtures.request(taker, at(10));
      const begun = fixtures.initiate(taker, merchant, at(11));
      const later = fixtures.advertisement(stranger, at(20));
      assert.deepEqual(await pairsIn(load, [honest, asked, later]), [honest.identity]);
      assert.deepEqual(await pairsIn(load, [honest, before, asked]), []);
      const paid = fixtures.payment(taker, at(12));
      assert.deepEqual(await pairsIn(load, [honest, before, asked, begun, paid, later]), [honest.identity]);
    }));

  test("nobody takes a hold from an advertisement that nobody can date one before", () =>
    withLimit(1, async (load) => {
      const { at, merchant, rival, stranger, taker } = await load<Actors>("test/convergence/actors.ts");
      const fixtures = await load<Fixtures>("test/convergence/fixtures.ts");
      const old = fixtures.advertisement(merchant, at(-15 * DAY));
      const others = [fixtures.advertisement(rival, at(-13 * DAY)), fixtures.advertisement(stranger, at(-1))];
      const asked = fixtures.request(taker, at(10));
      const cancel = fixtures.reservationCancel(taker, "42", at(11));
      assert.deepEqual(await pairsIn(load, [old, ...others, asked, cancel]), [old.identity]);
    }));

  test("a price and a second advertisement of the merchant's count as ever in a trade with him", () =>
    withLimit(1, async (load) => {
      const { at, merchant, rival, taker } = await load<Actors>("test/convergence/actors.ts");
      const fixtures = await load<Fixtures>("test/convergence/fixtures.ts");
      const [honest, other] = [fixtures.advertisement(merchant, at(0)), fixtures.advertisement(rival, at(-1))];
      const second = fixtures.advertisement(merchant, at(1), { pricing: fixtures.fixed(105) });
      const price = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(5));
      const asked = fixtures.request(taker, at(10), { price: 105 });
      const begun = fixtures.initiate(taker, merchant, at(11));
      const both = [honest.identity, second.identity].sort(compareText);
      assert.deepEqual(await pairsIn(load, [honest, other, second, price, asked, begun]), both);
    }));
});

test.each([1, 2])("stories come to the same in every order with a limit of %i", (limit) =>
  withLimit(limit, async (load) => {
    const { divergence } = await load<Laws>("test/convergence/convergence-law.ts");
    const { arbIntents, arbSchedule, storyOf } = await load<Workload>("test/convergence/workload.ts");
    for (const [index, intents] of samples(arbIntents(INTENTS, INTENTS), STORIES).entries()) {
      const schedule = samples(arbSchedule, STORIES)[index] ?? 0;
      const wrong = divergence(storyOf(intents, ["trade"]).observations, schedule);
      assert.isUndefined(wrong, `story ${index}`);
    }
  }),
);
