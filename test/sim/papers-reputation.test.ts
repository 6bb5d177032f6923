// Goal: the model that answers are held against takes the length of a trade from the merchant's answer or from the
// chain's date (protocol 04 §2.11), and says nothing of lengths where a node knows an end without a date. Method: one
// trade whose end is known in each way, beside one that is always known.
import { assert, test } from "vitest";
import type { TradeModel } from "../../sim/checkers/papers-model/model.ts";
import { reputationIn } from "../../sim/checkers/papers-model/reputation.ts";

const BEGAN = 1_000n;
const fact = (timestamp: bigint | null) => ({ resolution: "BuyerWins", timestamp });

function lengthOf(ended: object): unknown {
  const payload = { buyer: "buyer", seller: "seller", amount: { base_units: 5n, decimals: 6 } };
  const pair = { request: { at: BEGAN }, offer: { payload: { asset_mint: "mint" } } };
  const begun = { initiate: { payload, at: BEGAN }, pair, state: "Completed", opens: [] };
  const always = { ...begun, state: "Approved", response: { at: 1_007n, payload: {} } };
  const model = { settlements: [{ ...begun, ...ended }, always], offers: new Map() };
  const counters = reputationIn(model as unknown as TradeModel, "buyer", 9_000n);
  assert.equal(counters.trades_completed, 2n);
  return counters.completed_duration_sum_ms;
}

test.each([
  ["the merchant's answer", { response: { at: 1_100n, payload: {} } }, 107n],
  ["a release that has a date", { fact: fact(1_200n) }, 207n],
  [
    "a decision that has a date, whatever the merchant answered",
    { decided: fact(1_300n), response: { at: 5n, payload: {} } },
    307n,
  ],
  ["an end before its beginning", { decided: fact(900n) }, 7n],
  ["a release without a date", { fact: fact(null) }, undefined],
  ["a decision without a date", { decided: fact(null), response: { at: 1_100n, payload: {} } }, undefined],
])("%s", (_, ended, sum) => assert.equal(lengthOf(ended), sum));
