// Goal: every pair of the table in core/domains/sessions/README.md.
// Method: each set folded in every order, one statement at a time; all orders must give one record.
import { assert, describe, test } from "vitest";
import type { Session } from "../../core/domains/sessions/schema.ts";
import { SessionCreate } from "../../core/domains/sessions/schema.ts";
import { Sessions } from "../../core/domains/sessions/tables.ts";
import { sessionById, sessionsOfWallet } from "../../core/domains/sessions/views.ts";
import { Pending } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at, earning, merchant, nameOf, rival, stranger, taker } from "../convergence/actors.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations } from "../convergence/shuffle.ts";
import { marketRules } from "../rpc/lone-node.ts";
import { establish, migrate, renew, revoke } from "./fixtures.ts";

const create = establish(taker, at(0));

/** The record of the first statement's session, the same whatever the order. */
function folded(...statements: readonly [Statement<SessionCreate>, ...Statement[]]): Session {
  const whole = replicaOf(received(...statements));
  for (const order of permutations(statements)) {
    const replica = openReplica();
    for (const each of order) replica.receive(received(each));
    assert.equal(rootsOf(replica), rootsOf(whole));
  }
  const session = whole.store().get(Sessions, statements[0].identity);
  assert.isDefined(session);
  return session as Session;
}

describe("revocation is sticky", () => {
  test.each([
    ["dated before the establishment", -10],
    ["dated between", 5],
    ["dated after the expiry", 600],
  ])("%s", (_, minutes) => {
    const session = folded(create, revoke(taker, at(minutes)), renew(taker, at(10), 1n, at(90)));
    assert.isTrue(session.revoked);
    assert.equal(session.expires_at, at(90));
  });

  test("nothing signed afterwards lifts it", () => {
    const later = [renew(taker, at(20), 9n, at(90)), migrate(taker, at(21), 10n, rival)];
    assert.isTrue(folded(create, revoke(taker, at(1)), ...later).revoked);
  });

  test("a stranger's is inert", () => {
    assert.isFalse(folded(create, revoke(stranger, at(1))).revoked);
  });
});

describe("registers of expiry and host", () => {
  test("the greater version wins, whatever the dates", () => {
    const session = folded(create, renew(taker, at(9), 1n, at(70)), renew(taker, at(2), 2n, at(80)));
    assert.deepEqual([session.expires_at, session.version], [at(80), 2n]);
  });

  test("of equal versions the later date wins, of equal dates the greater identity", () => {
    assert.equal(folded(create, renew(taker, at(3), 1n, at(80)), renew(taker, at(2), 1n, at(70))).expires_at, at(80));
    const twins = [renew(taker, at(3), 1n, at(70)), renew(taker, at(3), 1n, at(80))] as const;
    const greater = twins[0].identity > twins[1].identity ? twins[0] : twins[1];
    assert.equal(folded(create, ...twins).expires_at, greater.payload.new_expires_at);
  });

  test("a renewal and a migration both count, and the greater version shows", () => {
    const session = folded(create, renew(taker, at(9), 1n, at(70)), migrate(taker, at(1), 2n, rival));
    assert.deepEqual([session.expires_at, session.host_node, session.version], [at(70), rival.peer, 2n]);
    const same = folded(create, renew(taker, at(9), 2n, at(70)), migrate(taker, at(1), 2n, rival));
    assert.deepEqual([same.expires_at, same.host_node, same.version], [at(70), rival.peer, 2n]);
  });

  test("a stranger's are inert", () => {
    const session = folded(create, renew(stranger, at(1), 9n, at(90)), migrate(stranger, at(2), 9n, rival));
    assert.deepEqual([session.expires_at, session.host_node, session.version], [at(60), taker.peer, 0n]);
  });
});

describe("an act on a session that had expired by then", () => {
  test("is inert at the instant of expiry and after, and counts just before", () => {
    const just = (at(60) - 1n) as ReturnType<typeof at>;
    assert.equal(folded(create, renew(taker, just, 1n, at(90))).expires_at, at(90));
    assert.equal(folded(create, renew(taker, at(60), 1n, at(90))).expires_at, at(60));
    assert.equal(folded(create, migrate(taker, at(60), 1n, rival)).host_node, taker.peer);
  });

  test("the expiry in force is that of the lower versions", () => {
    const first = renew(taker, at(30), 1n, at(90));
    const second = renew(taker, at(80), 2n, at(120));
    assert.equal(folded(create, second).expires_at, at(60));
    assert.equal(folded(create, first, second).expires_at, at(120));
    const shortened = renew(taker, at(31), 1n, at(40));
    assert.equal(folded(create, shortened, renew(taker, at(45), 2n, at(120))).expires_at, at(40));
  });

  test("counts under parity, where the record is computed when read", () => {
    const store = replicaOf(received(create, renew(taker, at(61), 1n, at(90)))).store();
    assert.equal(sessionById(store, "session", marketRules(false))?.expires_at, at(60));
    assert.equal(sessionById(store, "session", marketRules(true))?.expires_at, at(90));
  });
});

describe("contested ids", () => {
  const squatter = establish(rival, at(-5), { client: "squatter" });

  test("both stand, each under its own wallet's acts", () => {
    const acts = [revoke(rival, at(1)), renew(taker, at(1), 1n, at(70))];
    assert.isTrue(folded(squatter, create, ...acts).revoked);
    const own = folded(create, squatter, ...acts);
    assert.deepEqual([own.revoked, own.expires_at], [false, at(70)]);
  });

  test("a bare id shows the smallest (timestamp, identity), an earned one its own; a wallet lists its own", () => {
    const both = replicaOf(received(create, squatter)).store();
    assert.equal(sessionById(both, "session", marketRules(false))?.wallet, rival.peer);
    assert.deepEqual(
      sessionsOfWallet(both, taker.peer, marketRules(false)).map((session) => session.id),
      ["session"],
    );
    const earned = earning(SessionCreate, establish(taker, at(0)));
    const hashed = establish(rival, at(-5), { id: earned.payload.id });
    const store = replicaOf(received(earned, hashed)).store();
    assert.equal(sessionById(store, earned.payload.id, marketRules(false))?.wallet, taker.peer);
    assert.isUndefined(store.get(Sessions, hashed.identity));
  });

  test("a wallet's own two of one id: a bare act reaches both, a name by identity only one", () => {
    const again = establish(taker, at(1), { client: "mobile" });
    assert.isTrue(folded(create, again, revoke(taker, at(2))).revoked);
    assert.isTrue(folded(again, create, revoke(taker, at(2), nameOf(again))).revoked);
    assert.isFalse(folded(create, again, revoke(taker, at(2), nameOf(again))).revoked);
  });
});

test("acts wait for their establishment", () => {
  const replica = openReplica();
  replica.receive(received(revoke(taker, at(1)), renew(taker, at(2), 1n, at(70))));
  assert.equal(replica.store().size(Pending), 2);
  replica.receive(received(create));
  assert.equal(replica.store().size(Pending), 0);
  assert.isTrue(replica.store().get(Sessions, create.identity)?.revoked);
});

test("texts at their bounds have effect, one byte more has none", () => {
  const has = (fields: Parameters<typeof establish>[2]) => {
    const statement = establish(merchant, at(0), fields);
    return replicaOf(received(statement)).store().get(Sessions, statement.identity) !== undefined;
  };
  assert.isTrue(has({ client: "é".repeat(64), permissions: Array(32).fill("p".repeat(64)) }));
  assert.isFalse(has({ client: `${"é".repeat(64)}x` }));
  assert.isFalse(has({ permissions: Array(33).fill("p") }));
  assert.isFalse(has({ permissions: ["p".repeat(65)] }));
});
