// Goal: the advertisement table (CONVERGENCE "Advertisement"): registers of the merchant, Deleted over any status, what
// a create must say to count. Method: the whole engine, in both orders.
import { assert, describe, test } from "vitest";
import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { Advertisements } from "../../core/domains/trade/advertisements/tables.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at, called, earning, merchant, nameOf, rival } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";

const create = fixtures.advertisement(merchant, at(0));

function recordOf(of: Statement, ...statements: readonly Statement[]) {
  const replica = replicaOf(received(of, ...statements));
  const reversed = openReplica();
  for (const each of received(of, ...statements).toReversed()) reversed.receive([each]);
  assert.equal(rootsOf(replica), rootsOf(reversed));
  return replica.store().get(Advertisements, of.identity);
}

describe("the advertisement table", () => {
  test("price, terms and status show the merchant's newest", () => {
    const record = recordOf(
      create,
      fixtures.priceUpdate(merchant, "ad", fixtures.fixed(120), at(9)),
      fixtures.priceUpdate(merchant, nameOf(create), fixtures.fixed(110), at(8)),
      fixtures.termsUpdate(merchant, "ad", 5, 50, at(7)),
      fixtures.statusSet(merchant, "ad", "Vacation", at(6)),
      fixtures.disable(merchant, "ad", at(5)),
    );
    assert.deepEqual(record?.pricing, fixtures.fixed(120));
    assert.deepEqual(record?.max_trade, fixtures.units(50));
    assert.equal(record?.status, "Vacation");
    assert.equal(record?.updated_at, at(9));
  });

  test("Deleted stands over any status, whatever the dates", () => {
    const statuses = (["Active", "Vacation", "Disabled"] as const).map((status, i) =>
      fixtures.statusSet(merchant, "ad", status, at(9 + i)),
    );
    assert.equal(
      recordOf(create, fixtures.statusSet(merchant, "ad", "Deleted", at(-5)), ...statuses)?.status,
      "Deleted",
    );
  });

  test("an edit older than the create changes nothing that is shown", () => {
    assert.deepEqual(
      recordOf(create, fixtures.priceUpdate(merchant, "ad", fixtures.fixed(120), at(-1)))?.pricing,
      fixtures.fixed(100),
    );
  });

  test("edits by another key are inert", () => {
    const strange = [
      fixtures.statusSet(rival, "ad", "Deleted", at(1)),
      fixtures.priceUpdate(rival, "ad", fixtures.fixed(1), at(1)),
    ];
    assert.deepEqual(recordOf(create, ...strange), recordOf(create));
  });

  test("terms that no create may carry are inert", () => {
    assert.deepEqual(recordOf(create, fixtures.termsUpdate(merchant, "ad", 9, 5, at(1))), recordOf(create));
    const foreign = [`${rival.peer}:0123456789abcdef` as PaymentMethodId];
    assert.isUndefined(recordOf(fixtures.advertisement(merchant, at(0), { methods: foreign })));
    assert.isUndefined(recordOf(fixtures.advertisement(merchant, at(0), { methods: [] })));
    assert.isUndefined(recordOf(fixtures.advertisement(merchant, at(0), { min: 9, max: 8 })));
    assert.isDefined(
      recordOf(fixtures.advertisement(merchant, at(0), { methods: [`${merchant.peer}:bank` as PaymentMethodId] })),
    );
  });

  test("one id, two creates: two records; the edit of one merchant is not the other's", () => {
    const other = fixtures.advertisement(rival, at(-1));
    const deleted = fixtures.statusSet(merchant, "ad", "Deleted", at(1));
    assert.equal(recordOf(create, other, deleted)?.status, "Deleted");
    assert.equal(recordOf(other, create, deleted)?.status, "Active");
  });

  test("an earned id is its create's alone, and a foreign hash is nobody's", () => {
    const earned = earning(AdvertisementCreate, create);
    assert.isDefined(recordOf(earned));
    assert.isUndefined(
      recordOf(called(AdvertisementCreate, fixtures.advertisement(rival, at(-1)), earned.payload.id), earned),
    );
  });
});
