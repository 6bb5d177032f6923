// Goal: the checker of proofs finds every answer that a proof should not have opened, and leaves alone those that it
// should. Method: a node by hand, which issues nonces and answers whatever it is told to.
import { assert, describe, test } from "vitest";
import type { Reader } from "../../core/index.ts";
import { toBase58, toBase64, utf8 } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";
import { proofsOpenOnce } from "../../sim/checkers/proofs-open-once.ts";
import type { Wallet } from "../../sim/wallet.ts";
import { alice, bob, noView, step, watch } from "./checker-bench.ts";

const SERVICE = "svc-alice";
const NONCE = "ab".repeat(32);
const EXPIRES_AT = 1_000;
/** A node that knows of one service, which is Alice's. */
const view: Reader = {
  ...noView,
  keys: (table) => (table.name === Statements.name ? ["r", "o"] : []),
  get: (_, key) =>
    ({
      type: { name: key === "r" ? "Registration" : "Other" },
      payload: { service_id: SERVICE, provider_public_key: key === "r" ? alice.publicKey : bob.publicKey },
    }) as never,
};

function node(parity = false) {
  const { checker, found } = watch(proofsOpenOnce, { parity });
  const asks = (request: unknown, answer: unknown, now = 0n) => {
    const seen = step(0, { type: "rpc.called", body: JSON.stringify(request), now } as never, "", "");
    const effects = [{ type: "rpc.reply", replyTo: "c", body: JSON.stringify(answer) } as const];
    checker.onStep?.({ ...seen, effects, view });
  };
  return {
    found,
    asks,
    checker,
    issues(params: object, method = "getWalletChallenge", nonce = NONCE) {
      asks({ id: 1, method, params }, { id: 1, result: { nonce, expires_at: EXPIRES_AT, subject: "" } });
    },
    reads: (params: object, method = "getMyTrades", now = 0n) =>
      asks({ id: 2, method, params }, { id: 2, result: [] }, now),
    refuses: (params: object, code: number, method = "getMyTrades") =>
      asks({ id: 3, method, params }, { id: 3, error: { code: -32000, data: { ofsErrorCode: code } } }),
    notes: () => found.map((text) => text.replace(/^node 0: get\w+ opens to /, "")),
  };
}

/** A proof as its holder makes it; `named` and `key` may be another's. */
function proof(
  by: Wallet,
  named = by,
  key = named,
  domain = "openfiat-my-trades",
  form: "base58" | "base64" = "base64",
) {
  const spell = form === "base58" ? toBase58 : toBase64;
  const wallet = named.parameter(form);
  const signature = spell(by.sign(utf8(`${domain}:${wallet}:${NONCE}`)));
  return { wallet, public_key: spell(key.keypair.publicKey), nonce: NONCE, signature };
}
const earned = (by: Wallet) => ({
  id: SERVICE,
  nonce: NONCE,
  signature: toBase58(by.sign(utf8(`openfiat-earnings:${SERVICE}:${NONCE}`))),
});

describe("proofs open once", () => {
  test("an answer to a right proof is right, however it is spelled", () => {
    for (const form of ["base58", "base64"] as const) {
      for (const named of [alice.peer, alice.publicKey, alice.parameter("base64")]) {
        const own = node();
        own.issues({ wallet: named });
        own.reads(proof(alice, alice, alice, "openfiat-my-trades", form));
        assert.deepEqual(own.found, []);
      }
    }
    const service = node();
    service.issues({ id: SERVICE }, "getProviderEarningsChallenge");
    service.reads(earned(alice), "getProviderEarnings");
    const aliased = node();
    aliased.issues({ id: alice.peer });
    const { wallet: id, ...rest } = proof(alice, alice, alice, "openfiat-my-notifications");
    aliased.reads({ id, ...rest }, "getNotificationDispatchesByWallet");
    assert.deepEqual([...service.found, ...aliased.found], []);
  });

  test("finds a nonce that was never issued, for such a read, for that wallet, or in this memory", () => {
    const unknown = "a nonce that this node did not issue for such a read";
    const never = node();
    never.reads(proof(alice));
    assert.deepEqual(never.notes(), [unknown]);
    const kind = node();
    kind.issues({ id: SERVICE }, "getProviderEarningsChallenge");
    kind.reads(proof(alice));
    assert.deepEqual(kind.notes(), [unknown]);
    const other = node();
    other.issues({ wallet: bob.peer });
    other.reads(proof(alice));
    assert.deepEqual(other.notes(), [`a nonce that was issued for ${bob.peer}, not for ${alice.peer}`]);
    const crashed = node();
    crashed.issues({ wallet: alice.peer });
    crashed.checker.onCrash?.({ node: 0, view: undefined, lied: 0 });
    crashed.reads(proof(alice));
    assert.deepEqual(crashed.notes(), [unknown]);
    const failed = node();
    failed.issues({ wallet: alice.peer });
    failed.checker.onCommit?.({ node: 0, report: { type: "kept", writes: [], safe: true }, view: undefined });
    failed.checker.onCommit?.({ node: 1, report: { type: "failed" }, view: undefined });
    failed.reads(proof(alice));
    assert.deepEqual(failed.found, []);
    failed.checker.onCommit?.({ node: 0, report: { type: "failed" }, view: undefined });
    failed.reads(proof(alice));
    assert.deepEqual(failed.notes(), [unknown]);
  });

  test("finds a nonce that was used, by an answer or by a refusal that looked it up, and one that is issued twice", () => {
    const again = node();
    again.issues({ wallet: alice.peer });
    again.reads(proof(alice));
    again.reads(proof(alice));
    assert.deepEqual(again.notes(), ["a nonce that was used before"]);
    for (const [code, burned] of [
      [2, true],
      [1003, true],
      [2001, false],
      [6, false],
    ] as const) {
      const own = node();
      own.issues({ wallet: alice.peer });
      own.refuses({ ...proof(alice), signature: proof(bob).signature }, code);
      own.reads(proof(alice));
      assert.equal(own.found.length, burned ? 1 : 0, `${code}`);
    }
    const twice = node();
    twice.issues({ wallet: alice.peer });
    twice.issues({ wallet: alice.peer });
    assert.deepEqual(twice.found, [`node 0 issues the nonce ${NONCE} twice`]);
  });

  test("finds a right signature that is refused as wrong, and nothing in other refusals of it", () => {
    for (const [code, used, wrong] of [
      [1003, false, ["node 0: getMyTrades refuses a signature that is right"]],
      [1003, true, []],
      [2, false, []],
      [6, false, []],
    ] as const) {
      const own = node();
      own.issues({ wallet: alice.peer });
      if (used) own.reads(proof(alice));
      own.refuses(proof(alice), code);
      assert.deepEqual(own.found, [...wrong]);
    }
    // Bob may have registered the same id, and before her.
    const service = node();
    service.issues({ id: SERVICE }, "getProviderEarningsChallenge");
    service.refuses(earned(alice), 1003, "getProviderEarnings");
    assert.deepEqual(service.found, []);
  });

  test("finds a nonce that has expired, and not one in its last millisecond", () => {
    for (const [now, late] of [
      [1_000n, false],
      [1_001n, true],
    ] as const) {
      const own = node();
      own.issues({ wallet: alice.peer });
      own.reads(proof(alice), "getMyTrades", now);
      assert.deepEqual(own.notes(), late ? ["a nonce that has expired"] : []);
    }
  });

  test("finds another's key, another's signature, and one for another read", () => {
    const judged = (params: object, method = "getMyTrades") => {
      const own = node();
      own.issues({ wallet: alice.peer });
      own.reads(params, method);
      return own.notes();
    };
    const none = `a signature that is none of ${alice.peer} for it`;
    assert.deepEqual(judged(proof(bob, alice, bob)), [`a key that is not that of ${alice.peer}`]);
    assert.deepEqual(judged(proof(bob, alice)), [none]);
    assert.deepEqual(judged(proof(alice), "getMyDisputes"), [none]);
    assert.deepEqual(judged({ ...proof(alice), signature: "AAAA" }), [none]);
    assert.deepEqual(judged({ ...proof(alice), public_key: "AAAA" }), [`a key that is not that of ${alice.peer}`]);
    const service = node();
    service.issues({ id: SERVICE }, "getProviderEarningsChallenge");
    service.reads(earned(bob), "getProviderEarnings");
    assert.deepEqual(service.notes(), [`a signature that is none of service ${SERVICE}`]);
  });

  test("reads batches in order, without notifications, and leaves alone reads without a proof and other profiles", () => {
    const own = node();
    own.issues({ wallet: alice.peer });
    const call = (params: object) => ({ method: "getMyTrades", params });
    const unasked = { method: "getNotificationDispatchesByWallet", params: { wallet: bob.peer } };
    const calls = [
      call(proof(bob)),
      { id: 1, ...call(proof(alice)) },
      { id: 2, ...unasked },
      { id: 3, ...call(proof(alice)) },
    ];
    own.asks(calls, [{ result: [] }, { result: [] }, { result: [] }]);
    assert.deepEqual(own.notes(), ["a nonce that was used before"]);
    const parity = node(true);
    parity.reads(proof(bob, alice, bob));
    assert.deepEqual(parity.found, []);
  });
});
