// Goal: a review is shown when its author is a party of a settled trade, and never says which trade or which party;
// what is said first or by strangers changes nothing (protocol 02 H, K; 04 §2.12; DESIGN L2, L4).
// Method: the ingress and the reads on one node with a real trade; sets of words through the whole engine in every
// order.

import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import { reviewsAbout, reviewsOfParty } from "../../core/domains/reviews/views.ts";
import { SettlementApproved, SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { nameOfIdentity } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { identityOf } from "../../core/kernel/signed.ts";
import { toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, PeerId } from "../../core/kernel/values.ts";
import { peerOfKey, publicKeyText } from "../../core/kernel/values.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import { at, merchant, nameOf, rival, sign, stranger, taker } from "../convergence/actors.ts";
import { divergence } from "../convergence/convergence-law.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations, shuffleOf } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { reviewed } from "../identity/fixtures.ts";
import { forAll } from "../property/for-all.ts";
import type { Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";
import { buyer, seller, T, trading } from "./trade.ts";

const later = (ms: number) => (T + BigInt(ms)) as EpochMillis;
const third = person(0x33);
const review = (by: Person, fields: Parameters<typeof reviewed>[2] = {}, when = T) => ({
  data: signedData(ReviewPublish, reviewed(by, when, { settlement: "set-1", ...fields }), by),
});

describe("the ingress", () => {
  test("parties of a settled trade may speak, others and before may not", () => {
    for (const [steps, expected] of [
      ["initiated", 2001],
      ["paid", 2001],
      ["approved", undefined],
    ] as const) {
      const node = trading(steps);
      for (const by of [buyer, seller]) {
        const answer = node.call("sendReviewPublish", review(by));
        if (expected === undefined) expect(answer).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
        else expect(answer).toBe(expected);
      }
      expect(node.call("sendReviewPublish", review(third))).toBe(2001);
    }
  });

  test.each([
    ["500 code points", "😀".repeat(500), true],
    ["501 code points", "😀".repeat(501), false],
    ["a line feed", "one\ntwo", true],
    ["a carriage return", "one\r\ntwo", false],
    ["DEL", "\u007f", false],
    ["a C1 control", "\u0085", false],
    ["a bidirectional override", "\u202e", false],
    ["an isolate", "\u2066", false],
    ["its neighbours", "\u2029\u202f\u2065\u206a", true],
    ["nothing", "", true],
  ])("a comment with %s", (_, comment, fits) => {
    for (const node of [trading("approved"), trading("approved", parityNode(T))]) {
      const answer = node.call("sendReviewPublish", review(buyer, { comment }));
      expect(typeof answer === "string").toBe(fits);
      if (!fits) expect(answer).toBe(3);
      const [shown] = node.call("getReviews", { wallet: seller.peer }) as { comment: string }[];
      expect(shown?.comment).toBe(fits ? comment : undefined);
      const gossiped = trading("approved");
      gossiped.gossip(ReviewPublish, reviewed(buyer, T, { settlement: "set-1", comment }), buyer);
      expect((gossiped.call("getReviews", { wallet: seller.peer }) as unknown[]).length).toBe(fits ? 1 : 0);
    }
  });

  test("a rating is 1 to 5", () => {
    for (const [rating, expected] of [
      [0, -32602],
      [6, -32602],
      [1, "string"],
    ] as const) {
      const answer = trading("approved").call("sendReviewPublish", review(buyer, { rating }));
      expect(typeof answer === "string" ? "string" : answer).toBe(expected);
    }
  });

  test("the newer of two counts, an equal or older one is refused", () => {
    const node = trading("approved");
    expect(node.call("sendReviewPublish", review(buyer, { comment: "later" }, later(5)))).toEqual(expect.any(String));
    expect(node.call("sendReviewPublish", review(buyer, { comment: "later" }, later(5)))).toBe(7);
    expect(node.call("sendReviewPublish", review(buyer, { comment: "older" }, later(4)))).toBe(7);
    expect(node.call("sendReviewPublish", review(buyer, { comment: "newer" }, later(6)))).toEqual(expect.any(String));
    expect(node.call("getReviews", { wallet: seller.peer })).toMatchObject([{ comment: "newer" }]);
  });

  test("an id of two trades of the author's must be said by identity", () => {
    const node = trading("paid");
    const amount = { base_units: 19_999_999n, decimals: 6 };
    const parties = {
      buyer: buyer.peer,
      buyer_public_key: buyer.key,
      seller: seller.peer,
      seller_public_key: seller.key,
    };
    const again = { id: "set-1", reservation_id: "1", ...parties, amount, timestamp: T };
    node.gossip(SettlementInitiate, again, buyer);
    const name = nameOfIdentity(identityOf(crypto, SettlementInitiate, again));
    for (const settlement_id of ["set-1", name]) {
      const approved = { settlement_id, seller: seller.peer, timestamp: T };
      node.gossip(SettlementApproved, approved, seller);
    }
    expect(node.call("sendReviewPublish", review(buyer))).toBe(3);
    expect(node.call("sendReviewPublish", review(buyer, { settlement: name }))).toEqual(expect.any(String));
    expect((node.call("getReviews", { wallet: seller.peer }) as unknown[]).length).toBe(1);
  });

  test("of a settlement that is not known it waits, is on the wire, and is shown once the trade has settled", () => {
    const node = loneNode(T);
    expect(node.call("sendReviewPublish", review(buyer))).toEqual(expect.any(String));
    expect(node.call("sendReviewPublish", review(buyer))).toBe(7);
    expect([...node.view.keys(Events)].length).toBe(1);
    expect(node.call("getReviews", { wallet: seller.peer })).toEqual([]);
    trading("paid", node);
    expect(node.call("getReviews", { wallet: seller.peer })).toEqual([]);
    trading("approve alone", node);
    expect((node.call("getReviews", { wallet: seller.peer }) as unknown[]).length).toBe(1);
    expect((node.restart().call("getReviews", { wallet: seller.peer }) as unknown[]).length).toBe(1);
  });

  test("what strangers say is no part of the set, however many they are and whenever they say it", () => {
    const strangers = Array.from({ length: 80 }, (_, n): Person => {
      const secret = crypto.sha256(Uint8Array.of(n));
      const key = crypto.publicKey(secret);
      return { secret, key: publicKeyText(key), peer: peerOfKey(key) };
    });
    const [early, late] = [loneNode(T), trading("approved")];
    for (const node of [early, late])
      for (const by of strangers) node.gossip(ReviewPublish, reviewed(by, T, { settlement: "set-1" }), by);
    trading("approved", early);
    expect(early.roots()).toEqual(late.roots());
    expect(late.roots()).toEqual(trading("approved").roots());
    for (const node of [early, late]) {
      node.gossip(ReviewPublish, reviewed(buyer, T, { settlement: "set-1" }), buyer);
      expect(node.call("getReviews", { wallet: seller.peer })).toMatchObject([{ comment: "fast" }]);
    }
  });
});

describe("redaction", () => {
  test("neither the read, nor the answer, nor the stream names the author or the trade, nor more of the date than its day", () => {
    const node = trading("approved");
    const from = node.published.length;
    const answer = node.body(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendReviewPublish", params: review(buyer) }),
    );
    node.gossip(ReviewPublish, reviewed(seller, later(1), { settlement: "set-1", comment: "slow" }), seller);
    const read = node.body(`{"jsonrpc":"2.0","id":1,"method":"getReviews","params":{"wallet":"${seller.key}"}}`) ?? "";
    for (const text of [answer ?? "", ...node.published.slice(from), read.replaceAll(`"about":"${seller.peer}"`, "")]) {
      for (const secret of [buyer.peer, buyer.key, seller.peer, seller.key, "set-1", T.toString()]) {
        expect(text).not.toContain(secret);
      }
    }
    const day = ((T / 86_400_000n) * 86_400_000n).toString();
    expect(read).toBe(
      `{"jsonrpc":"2.0","id":1,"result":[{"about":"${seller.peer}","comment":"fast","created_on":${day},"rating":5}]}`,
    );
  });

  test("only the parties read it in full", () => {
    const node = trading("approved");
    node.call("sendReviewPublish", review(buyer));
    const full = [
      {
        id: `set-1:${buyer.peer}`,
        settlement: "set-1",
        author: buyer.peer,
        about: seller.peer,
        rating: 5,
        comment: "fast",
        created_at: Number(T),
      },
    ];
    const mine = (by: Person) => {
      const { nonce } = node.call("getWalletChallenge", { wallet: by.peer }) as { nonce: string };
      const signature = toBase64(crypto.sign(by.secret, utf8(`openfiat-my-reviews:${by.peer}:${nonce}`)));
      return node.call("getMyReviews", { wallet: by.peer, public_key: by.key, nonce, signature });
    };
    expect([mine(buyer), mine(seller), mine(third)]).toEqual([full, full, []]);
  });
});

const settled = [
  fixtures.advertisement(merchant, at(0)),
  fixtures.request(taker, at(1)),
  fixtures.initiate(taker, merchant, at(2)),
  fixtures.payment(taker, at(3)),
  fixtures.approve(merchant, at(4)),
];
const initiate = settled[2] as Statement;
const reviewBy = (...args: Parameters<typeof reviewed>) => sign(ReviewPublish, reviewed(...args));
const commentsAbout = (who: { readonly peer: PeerId }, statements: readonly Statement[]) =>
  reviewsAbout(replicaOf(received(...statements)).store(), who.peer).map(({ comment }) => comment);

describe("the review table", () => {
  test("review × review of the other party: both", () => {
    const both = [...settled, reviewBy(taker, at(5)), reviewBy(merchant, at(5), { comment: "paid" })];
    assert.deepEqual(commentsAbout(merchant, both), ["fast"]);
    assert.deepEqual(commentsAbout(taker, both), ["paid"]);
  });

  test("review × own review: the greatest (created_at, identity), also by another name of the settlement", () => {
    const rows = [
      reviewBy(taker, at(6), { comment: "b" }),
      reviewBy(taker, at(5)),
      reviewBy(taker, at(6), { comment: "a" }),
    ];
    const last = rows.filter((row) => row.timestamp === at(6)).sort((a, b) => (a.identity < b.identity ? 1 : -1))[0];
    for (const order of permutations(rows)) {
      assert.deepEqual(commentsAbout(merchant, [...settled, ...order]), [last?.payload.comment]);
    }
    const named = reviewBy(taker, at(7), { settlement: nameOf(initiate), comment: "by identity" });
    assert.deepEqual(commentsAbout(merchant, [...settled, ...rows, named]), ["by identity"]);
    const older = reviewBy(taker, at(5.5), { settlement: nameOf(initiate), comment: "by identity" });
    assert.deepEqual(commentsAbout(merchant, [...settled, ...rows, older]), [last?.payload.comment]);
  });

  test("review × approve, fact, cancel, open: shown while the trade is settled, whatever came first", () => {
    const word = reviewBy(taker, at(-7));
    assert.deepEqual(commentsAbout(merchant, [...settled.slice(0, 4), word]), []);
    assert.deepEqual(commentsAbout(merchant, [...settled, word]), ["fast"]);
    assert.deepEqual(commentsAbout(merchant, [...settled, word, fixtures.open(taker, at(5))]), []);
  });

  test("a stranger's is never shown, nor one of a trade that he invents", () => {
    assert.deepEqual(commentsAbout(merchant, [...settled, reviewBy(stranger, at(5))]), []);
    const invented = fixtures.initiate(stranger, merchant, at(2), { id: "t" });
    assert.deepEqual(
      commentsAbout(merchant, [...settled, invented, reviewBy(stranger, at(5), { settlement: "t" })]),
      [],
    );
  });

  test("one author's reviews of two trades: both", () => {
    const second = [
      fixtures.request(taker, at(1), { id: "43" }),
      fixtures.initiate(taker, merchant, at(2), { id: "a", about: "43" }),
      fixtures.payment(taker, at(3), "a"),
      fixtures.approve(merchant, at(4), "a"),
    ];
    const rows = [reviewBy(taker, at(5), { comment: "s" }), reviewBy(taker, at(6), { settlement: "a", comment: "a" })];
    assert.deepEqual(commentsAbout(merchant, [...settled, ...second, ...rows]), ["a", "s"]);
  });

  test("newest first, then by id", () => {
    const second = [
      fixtures.request(rival, at(1), { id: "43" }),
      fixtures.initiate(rival, merchant, at(2), { id: "a", about: "43" }),
      fixtures.payment(rival, at(3), "a"),
      fixtures.approve(merchant, at(4), "a"),
    ];
    const rows = [reviewBy(taker, at(5), { comment: "s" }), reviewBy(rival, at(5), { settlement: "a", comment: "a" })];
    assert.deepEqual(commentsAbout(merchant, [...settled, ...second, ...rows]), ["a", "s"]);
    const newer = reviewBy(taker, at(6), { comment: "newer" });
    assert.deepEqual(commentsAbout(merchant, [...settled, ...second, ...rows, newer]), ["newer", "a"]);
  });
});

test.each([true, false])(
  "a later trade of the same id takes no review from one that has ended; sealed: %s",
  (isSealed) => {
    const day = (n: number) => at(24 * 60 * n);
    const later = [
      fixtures.request(taker, day(35), { id: "43" }),
      fixtures.initiate(taker, merchant, day(35), { about: "43" }),
      fixtures.payment(taker, day(35)),
      fixtures.approve(merchant, day(35)),
    ];
    const node = openReplica(true);
    node.receive(received(...settled, reviewBy(taker, at(5), { comment: "first" })));
    if (isSealed) node.seal(day(45));
    node.receive(received(...later, reviewBy(taker, day(36), { comment: "second" })));
    const comments = () => reviewsAbout(node.store(), merchant.peer).map(({ comment }) => comment);
    assert.deepEqual(comments(), ["second", "first"]);
    node.seal(day(90));
    node.restart();
    assert.deepEqual(comments(), ["second", "first"]);
  },
);

test("every order of a settled trade and its reviews gives one state and one answer", () => {
  const statements = [
    ...settled.slice(2),
    reviewBy(taker, at(5)),
    reviewBy(merchant, at(5)),
    reviewBy(taker, at(6), { rating: 1 }),
  ];
  const known = received(...settled.slice(0, 2));
  const whole = replicaOf([...known, ...received(...statements)]);
  for (const order of permutations(statements)) {
    const replica = openReplica();
    replica.receive(known);
    for (const each of order) replica.receive(received(each));
    assert.equal(rootsOf(replica), rootsOf(whole));
    assert.deepEqual(reviewsOfParty(replica.store(), merchant.peer), reviewsOfParty(whole.store(), merchant.peer));
  }
});

test("any set of reviews, trades and strangers folds to one state under any schedule", () => {
  const word = fc
    .record({
      by: fc.constantFrom(taker, merchant, rival),
      minutes: fc.integer({ min: -2, max: 2 }),
      settlement: fc.constantFrom("s", "t", nameOf(initiate)),
      rating: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ by, minutes, ...rest }) => reviewBy(by, at(minutes), rest));
  const others = [
    fixtures.initiate(taker, merchant, at(2), { amount: 9 }),
    fixtures.initiate(rival, merchant, at(2), { id: "t" }),
    fixtures.open(taker, at(5)),
    fixtures.settlementCancel(taker, at(6)),
  ];
  const holds = (some: readonly Statement[], rows: readonly Statement[], order: number) => {
    const observations = received(...some, ...rows);
    assert.isUndefined(divergence(observations, order));
    const [one, other] = [replicaOf(observations), replicaOf(shuffleOf(order).shuffled(observations))];
    for (const who of [merchant, taker, rival]) {
      assert.deepEqual(reviewsOfParty(one.store(), who.peer), reviewsOfParty(other.store(), who.peer));
    }
  };
  const mostly = fc.oneof(
    fc.subarray([...settled, ...others]),
    fc.subarray(others).map((some) => [...settled, ...some]),
  );
  forAll([mostly, fc.array(word, { maxLength: 12 }), fc.nat()], holds, {
    runs: 100,
    sample: 100,
    classes: (some, rows) => {
      const { length } = reviewsOfParty(replicaOf(received(...some, ...rows)).store(), merchant.peer);
      return [
        length === 0 ? "no review" : length === 1 ? "one review" : "several reviews",
        ...statementLabels([...some, ...rows]),
      ];
    },
    shares: {
      "no review": 0.2,
      "one review": 0.1,
      "several reviews": 0.1,
      "named by content": 0.3,
      DisputeOpen: 0.3,
      SettlementCancelled: 0.3,
    },
  });
});
