/**
 * Goal: records and rates are a function of the set of statements, whatever the order, batches, repeats and restarts
 * (L2), and equal the pure model at every instant. Nobody's publication is moved by another's statement.
 * Method: every permutation of small contested sets, random orders of large ones, through the whole engine; rates read
 * at random instants and around every expiry.
 */

import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { exchangeRate } from "../../core/domains/oracles/queries.ts";
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { OracleRecords, oracleKey } from "../../core/domains/oracles/tables.ts";
import { HealthUpdate, Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { publishedBy, rateModel } from "../../sim/checkers/rate-model.ts";
import { actor, sign } from "../convergence/actors.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import { marketRules } from "../rpc/lone-node.ts";
import { plus, publication, registration, T, usdcKes, withdrawal } from "./market.ts";

const providers = ["ora", "pia", "quo"].map(actor);
const [ora, pia] = providers as [(typeof providers)[0], (typeof providers)[0]];
const publish = (by: typeof ora, over: Partial<OraclePublish> = {}) => sign(OraclePublish, publication(by, over));
const register = (by: typeof ora, ms = 0) => sign(Registration, registration(by, { timestamp: plus(ms) }));
const leave = (by: typeof ora, ms: number) => sign(Withdrawal, withdrawal(by, plus(ms)));

function everyOrder(statements: readonly Statement[]): Replica {
  const whole = replicaOf(received(...statements));
  for (const order of permutations(statements)) {
    const replica = openReplica();
    for (const each of order) replica.receive(received(each));
    assert.equal(rootsOf(replica), rootsOf(whole));
  }
  return whole;
}

function rateAt(replica: Replica, now: EpochMillis) {
  return exchangeRate(replica.store(), "USDC", "KES", { now, rules: marketRules(false) });
}

describe("the precedence table", () => {
  test("publication × publication of one record: the highest (version, date, identity), the other leaves the set", () => {
    const later = publish(ora, { version: 1n, timestamp: plus(9), data: usdcKes(3) });
    const higher = publish(ora, { version: 2n, timestamp: plus(-9), data: usdcKes(2) });
    const same = publish(ora, { version: 2n, timestamp: plus(-9), data: usdcKes(4) });
    const winner = higher.identity > same.identity ? higher : same;
    const replica = everyOrder([register(ora), publish(ora), later, higher, same]);
    const row = replica.store().get(OracleRecords, oracleKey(ora.peer, "usdc-kes"));
    assert.equal(row?.publication, winner.identity);
    assert.deepEqual(
      new Set(publishedBy(replica.store()).map(({ type }) => type.name)),
      new Set(["Registration", "OraclePublish"]),
    );
    assert.equal(publishedBy(replica.store()).length, 2);
  });

  test("publication × another id of the same provider: both, one vote", () => {
    const replica = everyOrder([
      register(ora),
      publish(ora, { id: "a", data: usdcKes(1) }),
      publish(ora, { id: "b", data: usdcKes(2), timestamp: plus(1) }),
    ]);
    assert.deepInclude(rateAt(replica, plus(1)), { status: "current", rate: 2 });
  });

  test("publication × the same id of another provider: both, each votes, neither moves the other", () => {
    const loud = publish(pia, { version: 10n ** 15n, timestamp: plus(-5), data: usdcKes(200) });
    const replica = everyOrder([register(ora), register(pia), publish(ora), loud]);
    assert.equal(replica.store().size(OracleRecords), 2);
    assert.deepInclude(rateAt(replica, T), { status: "current", rate: 200 });
    assert.deepInclude(rateAt(everyOrder([register(ora), publish(ora), loud]), T), { rate: 129.52 });
  });

  test("publication × withdrawal, registration, health of its provider: asked when read, any order", () => {
    const health = sign(HealthUpdate, {
      ...{ service_id: "svc", provider: ora.peer, state: "Degraded", timestamp: plus(1) },
    } as HealthUpdate);
    const gone = everyOrder([register(ora), publish(ora), leave(ora, 5), health]);
    assert.deepEqual(rateAt(gone, plus(5)), { status: "noData" });
    const back = everyOrder([register(ora), publish(ora), leave(ora, 5), register(ora, 6)]);
    assert.deepInclude(rateAt(back, plus(6)), { status: "current", rate: 129.52 });
  });

  test("publication × anything that others sign: nothing", () => {
    const replica = everyOrder([register(ora), publish(ora), leave(pia, -99), register(pia, -100), leave(pia, 99)]);
    assert.deepInclude(rateAt(replica, T), { status: "current", rate: 129.52 });
  });
});

const arbStatement: fc.Arbitrary<Statement> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.tuple(arbProvider(), fc.integer({ min: -50, max: 50 })).map(([by, ms]) => register(by, ms)),
  },
  { weight: 1, arbitrary: fc.tuple(arbProvider(), fc.integer({ min: -50, max: 50 })).map(([by, ms]) => leave(by, ms)) },
  {
    weight: 5,
    arbitrary: fc
      .record({
        by: arbProvider(),
        id: fc.constantFrom("a", "b"),
        version: fc.bigInt({ min: 0n, max: 3n }),
        timestamp: fc.integer({ min: -50, max: 50 }).map(plus),
        lifetime: fc.integer({ min: 1, max: 60 }),
        rate: fc.constantFrom(0.1, 1e-7, 129.51, 129.52, 130),
        quote: fc.constantFrom("KES", "KES", "NGN"),
      })
      .map(({ by, lifetime, rate, quote, ...rest }) =>
        publish(by, {
          ...rest,
          data: { ExchangeRate: { base: "USDC", quote, rate } },
          expires_at: (rest.timestamp + BigInt(lifetime)) as EpochMillis,
        }),
      ),
  },
);

/** What the rate is from publication to expiry. */
function ratesOf(statements: readonly Statement[]): readonly string[] {
  const dates = statements.map(({ timestamp }) => timestamp);
  const without = providers.map(({ peer }) => statements.filter(({ signer }) => signer !== peer));
  const isCurrent = (told: readonly Statement[], now: bigint) =>
    rateModel(told, "USDC", "KES", now).status === "current";
  return [
    ...new Set(dates.map((now) => rateModel(statements, "USDC", "KES", now).status)),
    ...(dates.some((now) => without.every((told) => isCurrent(told, now))) ? ["several votes"] : []),
  ];
}

function arbProvider() {
  return fc.constantFrom(...providers);
}

test("every order, batch, repeat and restart gives equal roots and the model's rate at every instant", () => {
  const told = fc
    .array(arbStatement, { minLength: 1, maxLength: 24 })
    .chain((statements) =>
      fc.tuple(
        fc.constant(statements),
        fc.shuffledSubarray(statements, { minLength: statements.length, maxLength: statements.length }),
        fc.array(fc.integer({ min: -60, max: 120 }), { maxLength: 5 }),
      ),
    );
  forAll(
    [told],
    ([statements, order, instants]) => {
      const whole = replicaOf(received(...statements));
      const other = openReplica();
      for (const [place, each] of order.entries()) {
        other.receive(received(each, ...(place % 3 === 0 ? statements.slice(0, place % 5) : [])));
        if (place % 7 === 3) other.restart();
      }
      assert.equal(rootsOf(other), rootsOf(whole));
      const ends = statements.flatMap(({ payload }) => {
        const { expires_at } = payload as Partial<OraclePublish>;
        return expires_at === undefined ? [] : [-1n, 0n, 1n].map((off) => (expires_at + off) as EpochMillis);
      });
      for (const now of [...instants.map(plus), ...ends]) {
        // The model sees everything that was ever said; the node only what stayed in its set.
        assert.deepEqual(rateAt(whole, now), rateModel(statements, "USDC", "KES", now));
      }
    },
    {
      runs: 200,
      classes: ([statements]) => [...statementLabels(statements), ...ratesOf(statements)],
      shares: {
        "more than ten": 0.5,
        "one id twice by one signer": 0.7,
        "one id by two signers": 0.7,
        Registration: 0.6,
        Withdrawal: 0.6,
        current: 0.4,
        stale: 0.2,
        noData: 0.3,
        "several votes": 0.1,
      },
    },
  );
});
