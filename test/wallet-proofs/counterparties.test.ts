// Goal: a wallet's counterparties count each of its settlements once, in the bucket of its state (protocol 03 B.2).
// Method: one trade in each state between two actors, then orders and ties among several.
import { assert, describe, test } from "vitest";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { counterpartiesOf } from "../../core/domains/trade/trades/counterparties.ts";
import { compareBytes } from "../../core/kernel/bytes.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { fromBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, merchant, rival, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Observation } from "../convergence/replica.ts";
import { received, replicaOf, seen } from "../convergence/replica.ts";

const ad = fixtures.advertisement(merchant, at(0), { liquidity: fixtures.units(1_000) });

/** The trade of one number between a buyer and the merchant, up to its settlement `s<number>`. */
function begun(number: number, buyer: Actor = taker): Statement[] {
  return [
    fixtures.request(buyer, at(1), { id: `${number}` }),
    fixtures.initiate(buyer, merchant, at(2), { id: `s${number}`, about: `${number}` }),
  ];
}
const approved = (number: number, minutes: number, buyer: Actor = taker) => [
  ...begun(number, buyer),
  fixtures.payment(buyer, at(3), `s${number}`),
  fixtures.approve(merchant, at(minutes), `s${number}`),
];
const decided = (number: number, resolution: ChainFact["resolution"], timestamp: EpochMillis): Observation =>
  seen({
    kind: "decided",
    reservation: BigInt(number),
    buyer: taker.key,
    seller: merchant.key,
    mint: fixtures.MINTS[0],
    amount: 10n,
    resolution,
    terminal_split: null,
    transaction: `decision ${number}`,
    timestamp,
  });
const summaries = (wallet: Actor, observations: readonly Observation[]) =>
  counterpartiesOf(replicaOf([...received(ad), ...observations]).store(), wallet.peer);
const one = (...observations: readonly Observation[]) => {
  const [summary] = summaries(taker, observations);
  return [summary?.trades, summary?.in_progress, summary?.abandoned, summary?.disputed, summary?.last_traded_at];
};

describe("each state in its bucket", () => {
  const paid = fixtures.payment(taker, at(3), "s1");
  const opened = fixtures.open(taker, at(4), { about: "s1" });

  test("awaiting payment, paid and disputed are in progress", () => {
    assert.deepEqual(one(...received(...begun(1))), [0n, 1n, 0n, 0n, null]);
    assert.deepEqual(one(...received(...begun(1), paid)), [0n, 1n, 0n, 0n, null]);
    assert.deepEqual(one(...received(...begun(1), paid, opened)), [0n, 1n, 0n, 1n, null]);
  });

  test("approved and completed are trades, last traded when the merchant responded, or when it was decided", () => {
    assert.deepEqual(one(...received(...approved(1, 5))), [1n, 0n, 0n, 0n, at(5)]);
    assert.deepEqual(one(...received(...begun(1), opened), decided(1, "BuyerWins", at(9))), [1n, 0n, 0n, 1n, at(9)]);
    assert.deepEqual(one(...received(...approved(1, 5)), decided(1, "BuyerWins", at(9))), [1n, 0n, 0n, 0n, at(5)]);
  });

  test("rejected and cancelled are abandoned, disputed ones too once decided against the buyer", () => {
    assert.deepEqual(one(...received(...begun(1), paid, fixtures.reject(merchant, at(5), "s1"))), [
      0n,
      0n,
      1n,
      0n,
      null,
    ]);
    assert.deepEqual(one(...received(...begun(1), fixtures.settlementCancel(taker, at(5), "s1"))), [
      0n,
      0n,
      1n,
      0n,
      null,
    ]);
    assert.deepEqual(one(...received(...begun(1), opened), decided(1, "MerchantWins", at(9))), [0n, 0n, 1n, 1n, null]);
  });

  test("several add up, and the last trade is the newest", () => {
    const observations = received(...approved(1, 5), ...approved(2, 9), ...approved(3, 7), ...begun(4));
    assert.deepEqual(one(...observations), [3n, 1n, 0n, 0n, at(9)]);
  });
});

test("both sides see each other, and nobody sees himself", () => {
  const observations = received(...approved(1, 5));
  assert.deepEqual(
    [taker, merchant].map((wallet) => summaries(wallet, observations).map((summary) => summary.counterparty)),
    [[merchant.peer], [taker.peer]],
  );
  assert.deepEqual(summaries(stranger, observations), []);
  assert.deepEqual(summaries(merchant, received(...begun(1, merchant))), []);
});

test("most trades first, then the latest, then the peer id's bytes", () => {
  const order = (...statements: readonly Statement[]) =>
    summaries(merchant, received(...statements)).map((each) => each.counterparty);
  const two = [...approved(1, 5), ...approved(2, 5)];
  assert.deepEqual(order(...two, ...approved(3, 9, rival)), [taker.peer, rival.peer]);
  assert.deepEqual(order(...approved(1, 5), ...approved(3, 9, rival)), [rival.peer, taker.peer]);
  assert.deepEqual(order(...approved(1, 9), ...approved(3, 5, rival)), [taker.peer, rival.peer]);
  const [b, c] = [rival, stranger].sort((x, y) =>
    compareBytes(fromBase58(x.peer) ?? new Uint8Array(0), fromBase58(y.peer) ?? new Uint8Array(0)),
  );
  assert.deepEqual(order(...begun(1, stranger), ...begun(2, rival)), [b?.peer, c?.peer]);
});
