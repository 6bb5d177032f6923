// Goal: every pair of statements about a claim comes out as the table in core/domains/identity/README.md says, and no
// order of arrival, repeat, batch or restart shows (DESIGN L2).
// Method: each pair in both orders through the whole engine; every order of small sets; random sets under random
// schedules, with contested ids, strangers' words, void ids and values that their type does not take.

import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { claimById, encryptionKeyOf, isLive } from "../../core/domains/identity/queries.ts";
import type { Claim, ClaimType } from "../../core/domains/identity/schema.ts";
import { ClaimPublish, ClaimRevoke, ClaimVerify } from "../../core/domains/identity/schema.ts";
import { Claims } from "../../core/domains/identity/tables.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Reader } from "../../core/kernel/table.ts";
import type { EpochMillis, PeerId } from "../../core/kernel/values.ts";
import { at, called, earning, merchant, nameOf, rival, sign, taker } from "../convergence/actors.ts";
import { difference, divergence } from "../convergence/convergence-law.ts";
import { openReplica, received, recordsText, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import { marketRules } from "../rpc/lone-node.ts";
import { about, claimed } from "./fixtures.ts";

const NOW = at(60);
const publish = (...fields: Parameters<typeof claimed>) => sign(ClaimPublish, claimed(...fields));
const verify = (...fields: Parameters<typeof about>) => sign(ClaimVerify, about(...fields));
const revoke = (...fields: Parameters<typeof about>) => sign(ClaimRevoke, about(...fields));
const first = publish(merchant, at(0));

/** The state after all of it, the same in every order. */
function outcomeOf(...statements: readonly Statement[]): Reader {
  const whole = replicaOf(received(...statements));
  for (const order of permutations(statements)) {
    const replica = openReplica();
    for (const each of order) replica.receive(received(each));
    assert.equal(rootsOf(replica), rootsOf(whole), difference(recordsText(whole), recordsText(replica)));
  }
  return whole.store();
}

function recordOf(reader: Reader, statement: Statement): Claim {
  const claim = reader.get(Claims, statement.identity);
  assert.isDefined(claim);
  return claim as Claim;
}

function live(reader: Reader, statement: Statement, now = NOW, parity = false): boolean {
  return isLive(
    reader,
    { identity: statement.identity, claim: recordOf(reader, statement) },
    { now, rules: marketRules(parity) },
  );
}

describe("the claim table", () => {
  test("publish × publish of the id by another wallet: both, and a bare id shows the smaller", () => {
    const squatter = publish(rival, at(-1));
    const reader = outcomeOf(first, squatter);
    assert.deepEqual([recordOf(reader, first).wallet, recordOf(reader, squatter).wallet], [merchant.peer, rival.peer]);
    assert.equal(claimById(reader, "c", { now: NOW, rules: marketRules(false) })?.identity, squatter.identity);
  });

  test("publish × own publish of the id: both", () => {
    const again = publish(merchant, at(1), { value: "@other" });
    assert.equal(outcomeOf(first, again).size(Claims), 2);
  });

  test("publish × verify: attested, whatever the dates; a stranger's is inert", () => {
    assert.equal(recordOf(outcomeOf(first, verify(merchant, at(-5))), first).verification_status, "SelfAttested");
    const stranger = recordOf(outcomeOf(first, verify(rival, at(5))), first);
    assert.deepEqual([stranger.verification_status, stranger.updated_at], ["Unverified", at(0)]);
  });

  test("publish × revoke: revoked for ever, whatever the dates; a stranger's is inert", () => {
    assert.isTrue(recordOf(outcomeOf(first, revoke(merchant, at(-5))), first).revoked);
    assert.isFalse(recordOf(outcomeOf(first, revoke(rival, at(5))), first).revoked);
  });

  test("verify × revoke: both show, the revocation stays", () => {
    const claim = recordOf(outcomeOf(first, verify(merchant, at(9)), revoke(merchant, at(5))), first);
    assert.deepEqual([claim.verification_status, claim.revoked, claim.updated_at], ["SelfAttested", true, at(9)]);
  });

  test("verify × verify, revoke × revoke: the newest is kept, and dates the record", () => {
    const statements = [
      verify(merchant, at(2)),
      verify(merchant, at(3)),
      revoke(merchant, at(4)),
      revoke(merchant, at(5)),
    ];
    assert.equal(recordOf(outcomeOf(first, ...statements), first).updated_at, at(5));
    const replica = replicaOf(received(first, ...statements));
    assert.equal([...replica.store().keys(Claims)].length, 1);
  });

  test("a word that names the id reaches every claim of that id by its signer, one that names the identity only that", () => {
    const again = publish(merchant, at(1), { value: "@other" });
    const byId = outcomeOf(first, again, revoke(merchant, at(2)));
    assert.deepEqual([recordOf(byId, first).revoked, recordOf(byId, again).revoked], [true, true]);
    const byIdentity = outcomeOf(first, again, revoke(merchant, at(2), nameOf(again)));
    assert.deepEqual([recordOf(byIdentity, first).revoked, recordOf(byIdentity, again).revoked], [false, true]);
  });

  test("publish × its successor: superseded by the own wallet and type only, by id or by identity", () => {
    const next = (by: typeof merchant, type: ClaimType, supersedes: string) =>
      publish(by, at(1), { id: "d", type, supersedes });
    assert.isFalse(live(outcomeOf(first, next(merchant, "Telegram", "c")), first));
    assert.isFalse(live(outcomeOf(first, next(merchant, "Telegram", nameOf(first))), first));
    assert.isTrue(live(outcomeOf(first, next(rival, "Telegram", "c")), first));
    assert.isTrue(live(outcomeOf(first, next(merchant, "Discord", "c")), first));
    assert.isFalse(
      live(outcomeOf(first, next(merchant, "Discord", "c")), first, NOW, true),
      "the reference asks no type",
    );
    assert.equal(recordOf(outcomeOf(first, next(merchant, "Telegram", "c")), first).updated_at, at(0));
  });

  test("custom claims are of one type when their labels are", () => {
    const labelled = (label: string, id: string, supersedes: string | null) =>
      publish(merchant, at(0), { id, type: { Custom: label }, supersedes });
    const old = labelled("site", "c", null);
    assert.isFalse(live(outcomeOf(old, labelled("site", "d", "c")), old));
    assert.isTrue(live(outcomeOf(old, labelled("blog", "d", "c")), old));
  });

  test("a claim once superseded stays so when its successor is revoked or expires; none supersedes itself", () => {
    const next = publish(merchant, at(1), { id: "d", supersedes: "c", expires: at(2) });
    assert.isFalse(live(outcomeOf(first, next, revoke(merchant, at(2), "d")), first));
    const own = publish(merchant, at(0), { supersedes: "c" });
    assert.isTrue(live(outcomeOf(own), own));
  });

  test("an id like a hash that is not its own content's makes a claim void; an earned one stands", () => {
    const earned = earning(ClaimPublish, first);
    assert.isDefined(outcomeOf(earned).get(Claims, earned.identity));
    const squatting = called(ClaimPublish, publish(rival, at(-9)), earned.payload.id);
    const reader = outcomeOf(earned, squatting, revoke(merchant, at(1), earned.payload.id));
    assert.isUndefined(reader.get(Claims, squatting.identity));
    assert.isTrue(recordOf(reader, earned).revoked);
  });

  test("a value that its type does not take makes no record", () => {
    const avatar = publish(merchant, at(0), { type: "Avatar", value: "https://x" });
    assert.equal(outcomeOf(avatar, revoke(merchant, at(1))).size(Claims), 0);
  });
});

test("expiry is an instant: live just before, dead at it", () => {
  const expiring = publish(merchant, at(0), { expires: at(30) });
  const reader = outcomeOf(expiring);
  assert.isTrue(live(reader, expiring, (at(30) - 1n) as EpochMillis));
  assert.isFalse(live(reader, expiring, at(30)));
});

test("the current key is the newest live one, then the greatest id; none is no key", () => {
  const KEYS = ["AZ18KopCSZw3YpzhrFf3zxvNo6FejeCAnHj3FgJSCNGw", "GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB"];
  const key = (id: string, minutes: number, place: number) =>
    publish(merchant, at(minutes), { id, type: "EncryptionKey", value: KEYS[place] as string });
  const asked = (reader: Reader, wallet: PeerId = merchant.peer) =>
    encryptionKeyOf(reader, wallet, { now: NOW, rules: marketRules(false) });
  assert.equal(asked(outcomeOf(key("a", 0, 0), key("b", 1, 1))), KEYS[1]);
  assert.equal(asked(outcomeOf(key("b", 0, 0), key("a", 0, 1))), KEYS[0]);
  assert.equal(asked(outcomeOf(key("a", 0, 0), key("b", 1, 1), revoke(merchant, at(2), "b"))), KEYS[0]);
  assert.isUndefined(asked(outcomeOf(key("a", 0, 0), revoke(merchant, at(2), "a"))));
  assert.isUndefined(asked(outcomeOf(key("a", 0, 0)), taker.peer));
});

test("any set of words about claims folds to one state under any schedule", () => {
  const who = fc.constantFrom(merchant, rival);
  const when = fc.integer({ min: -3, max: 3 }).map((minutes) => at(minutes));
  const id = fc.constantFrom("c", "d", nameOf(first), nameOf(publish(rival, at(1), { id: "d" })));
  const type = fc.constantFrom<ClaimType>("Telegram", "Avatar", { Custom: "x" });
  const word = fc.oneof(
    fc
      .record({ by: who, when, id, type, supersedes: fc.option(id) })
      .map(({ by, when: then, ...fields }) => publish(by, then, fields) as Statement),
    fc.tuple(who, when, id).map((fields) => verify(...fields) as Statement),
    fc.tuple(who, when, id).map((fields) => revoke(...fields) as Statement),
  );
  const holds = (statements: readonly Statement[], schedule: number) => {
    assert.isUndefined(divergence(received(...statements), schedule));
  };
  forAll([fc.array(word, { maxLength: 24 }), fc.nat()], holds, {
    runs: 120,
    classes: (statements) => statementLabels(statements),
    shares: {
      "more than ten": 0.4,
      "one id by two signers": 0.5,
      "one id twice by one signer": 0.5,
      "equal dates": 0.3,
    },
  });
});
