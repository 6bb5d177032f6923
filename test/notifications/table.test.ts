/**
 * Goal: the precedence table of subscriptions and reports holds for every pair, and no order of arrival, repeat, batch
 * or restart changes a record or a root (DESIGN L2). Method: every permutation of small sets that contest the same
 * registers and services, wrong signers included; random schedules of large ones; all against the whole set at once.
 */

import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import type { Category, DeliveryStatus } from "../../core/domains/notifications/schema.ts";
import { DeliveryReport, deliveryKey, SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { Receipts, receiptKey, Subscriptions } from "../../core/domains/notifications/tables.ts";
import { Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { actor, at, merchant, rival, sign, taker } from "../convergence/actors.ts";
import { difference } from "../convergence/convergence-law.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received, recordsText, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations, shuffleOf } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";

const [gateway, other] = [actor("gateway"), actor("other gateway")];

const update = (by: Actor, minutes: number, enabled_categories: readonly Category[] = ["Trading"]) =>
  sign(SubscriptionUpdate, {
    ...{ wallet: by.peer, wallet_public_key: by.key, enabled_categories, destinations: [], timestamp: at(minutes) },
  });

const service = (by: Actor, minutes: number, service_id = "gw") =>
  sign(Registration, {
    ...{ service_id, service_type: { Notifications: "Email" }, provider: by.peer, provider_public_key: by.key },
    ...{ endpoints: ["https://gw.example.org"], supported_ofs: [], region: null, capabilities: [], branding: null },
    ...{ pricing: null, payout_wallet: null, timestamp: at(minutes) },
  });
const withdrawal = (by: Actor, minutes: number, service_id = "gw") =>
  sign(Withdrawal, { service_id, provider: by.peer, timestamp: at(minutes) });

interface ReportFields {
  readonly status?: DeliveryStatus;
  readonly of?: string;
  readonly service?: string;
  readonly to?: Actor;
}
const report = (by: Actor, minutes: number, fields: ReportFields = {}) =>
  sign(DeliveryReport, {
    ...{ notification_id: fields.of ?? "n", service_id: fields.service ?? "gw" },
    ...{ provider: by.peer, provider_public_key: by.key, recipient_wallet: (fields.to ?? taker).peer },
    ...{ trigger: "PaymentSubmitted", status: fields.status ?? "Delivered", timestamp: at(minutes) },
  });

/** Every order of a set, one by one, against the whole set at once. */
function everyOrder(...statements: readonly Statement[]): Replica {
  const whole = replicaOf(received(...statements));
  for (const order of permutations(received(...statements))) {
    const replica = openReplica();
    for (const each of order) replica.receive([each]);
    if (rootsOf(replica) !== rootsOf(whole)) assert.fail(difference(recordsText(whole), recordsText(replica)));
  }
  return whole;
}

const subscriptionIn = (replica: Replica, by: Actor) =>
  replica.store().get(Subscriptions, by.peer)?.enabled_categories.join();
const receiptIn = (replica: Replica, by: Actor, of = "n", serviceId = "gw") =>
  replica.store().get(Receipts, receiptKey(by.peer, deliveryKey(of, serviceId)))?.status;

describe("pairs", () => {
  test("update × update of one wallet: the newest", () => {
    const replica = everyOrder(update(taker, 2, ["Trading"]), update(taker, 3, ["Governance"]), update(taker, 1, []));
    expect(subscriptionIn(replica, taker)).toBe("Governance");
    expect(replica.store().size(Statements)).toBe(1);
  });

  test("update × update of one date: the greater identity", () => {
    const [a, b] = [update(taker, 1, ["Trading"]), update(taker, 1, ["Governance"])];
    const greater = a.identity > b.identity ? a : b;
    expect(subscriptionIn(everyOrder(a, b), taker)).toBe(greater.payload.enabled_categories.join());
  });

  test("update × update of two wallets: both", () => {
    const replica = everyOrder(update(taker, 1), update(merchant, 2, ["Disputes"]), update(rival, 3, []));
    expect([taker, merchant, rival].map((by) => subscriptionIn(replica, by))).toEqual(["Trading", "Disputes", ""]);
  });

  test("an empty update stops it", () => {
    expect(subscriptionIn(everyOrder(update(taker, 1), update(taker, 2, [])), taker)).toBe("");
  });

  test("report × report of one provider: the newest, whatever its status", () => {
    const replica = everyOrder(
      service(gateway, 0),
      report(gateway, 2, { status: "Read" }),
      report(gateway, 1, { status: "Delivered" }),
      report(gateway, 3, { status: "Queued" }),
    );
    expect(receiptIn(replica, gateway)).toBe("Queued");
  });

  test("report × report of two providers, two notifications or two services: all of them", () => {
    const replica = everyOrder(
      service(gateway, 0),
      service(other, 0),
      report(gateway, 1),
      report(other, 2, { status: "Failed" }),
      report(gateway, 3, { of: "m", status: "Read" }),
    );
    expect([receiptIn(replica, gateway), receiptIn(replica, other)]).toEqual(["Delivered", "Failed"]);
    expect(receiptIn(replica, gateway, "m")).toBe("Read");
  });

  test("report × registration: it waits for one by anybody, and its own later ones change nothing", () => {
    expect(
      replicaOf(received(report(gateway, 1)))
        .store()
        .size(Pending),
    ).toBe(1);
    const replica = everyOrder(report(gateway, 1), service(gateway, 2), service(gateway, 3), service(other, 4));
    expect(receiptIn(replica, gateway)).toBe("Delivered");
  });

  test("report × withdrawal: the report stays", () => {
    const replica = everyOrder(service(gateway, 0), withdrawal(gateway, 2), report(gateway, 1), report(gateway, 3));
    expect(receiptIn(replica, gateway)).toBe("Delivered");
  });

  test("texts that could be taken for one another are different registers", () => {
    const replica = everyOrder(
      service(gateway, 0, "b/c"),
      service(gateway, 0, "c"),
      report(gateway, 1, { of: "a", service: "b/c" }),
      report(gateway, 2, { of: "a/b", service: "c", status: "Read" }),
    );
    expect(receiptIn(replica, gateway, "a", "b/c")).toBe("Delivered");
    expect(receiptIn(replica, gateway, "a/b", "c")).toBe("Read");
  });
});

test("any schedule of a large set ends in the same records and roots, restarts included", () => {
  const actors = [taker, merchant, rival, gateway, other];
  const arbActor = fc.constantFrom(...actors);
  const minutes = fc.integer({ min: 0, max: 6 });
  const arbStatement: fc.Arbitrary<Statement> = fc.oneof(
    fc.tuple(arbActor, minutes, fc.subarray<Category>(["Trading", "Disputes"])).map((args) => update(...args)),
    fc.tuple(arbActor, minutes, fc.constantFrom("gw", "gw-2")).map((args) => service(...args)),
    fc.tuple(arbActor, minutes, fc.constantFrom("gw", "gw-2")).map((args) => withdrawal(...args)),
    fc
      .record({
        by: arbActor,
        at: minutes,
        of: fc.constantFrom("n", "m"),
        service: fc.constantFrom("gw", "gw-2"),
        status: fc.constantFrom<DeliveryStatus>("Delivered", "Read"),
        to: fc.constantFrom(taker, merchant),
      })
      .map(({ by, at: when, ...fields }) => report(by, when, fields)),
  );
  const holds = (statements: readonly Statement[], order: number) => {
    const whole = replicaOf(received(...statements));
    const shuffle = shuffleOf(order);
    const replica = openReplica();
    for (const part of shuffle.parts(shuffle.shuffled(received(...statements, ...shuffle.some(statements))))) {
      replica.receive(part);
      if (shuffle.below(8) === 0) replica.restart();
    }
    if (rootsOf(replica) !== rootsOf(whole)) assert.fail(difference(recordsText(whole), recordsText(replica)));
    expect(recordsText(replica)).toBe(recordsText(whole));
  };
  forAll([fc.array(arbStatement, { minLength: 2, maxLength: 40 }), fc.nat()], holds, {
    runs: 150,
    classes: (statements) => statementLabels(statements),
    shares: { "more than ten": 0.6, "one id by two signers": 0.6, "equal dates": 0.2, repeated: 0.1 },
  });
});
