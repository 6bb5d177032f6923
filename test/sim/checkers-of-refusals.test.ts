// Goal: the laws about refused calls find a refusal that no document knows and one without a ground, or a send that is
// taken in spite of one, and nothing else. Method: calls and answers by hand. That each also finds a bug in the
// product, nodes-planted.test.ts and score show.
import { assert, describe, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { EpochMillis } from "../../core/index.ts";
import { toBase58, toBase64, utf8 } from "../../core/index.ts";
import { Seals, Settlements, Statements } from "../../core/testing.ts";
import { goodSignaturesPass } from "../../sim/checkers/good-signatures-pass.ts";
import { refusalsAreDocumented } from "../../sim/checkers/refusals-are-documented.ts";
import { refusalsHaveGrounds } from "../../sim/checkers/refusals-have-grounds.ts";
import { advertisement, merchant } from "../gossip/advertisements.ts";
import type { Person } from "../rpc/lone-node.ts";
import { person, signedData } from "../rpc/lone-node.ts";
import { watch } from "./checker-bench.ts";
import type { Rows } from "./frame-bench.ts";
import { hex, id, memory, seen } from "./frame-bench.ts";

const asked = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const refused = (ofsErrorCode: number, reason?: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, data: { ofsErrorCode, reason } } });
const TAKEN = JSON.stringify({ jsonrpc: "2.0", id: 1, result: null });

describe("refusals are documented", () => {
  function found(method: string, answer: string) {
    const { checker, found: all } = watch(refusalsAreDocumented);
    checker.onAnswer?.({ node: 0, by: undefined, request: asked(method), answer });
    return all;
  }
  const send = "sendAdvertisementCreate";

  test("finds a code that the method never answers", () => {
    assert.deepEqual(found(send, refused(3_004)), []);
    assert.deepEqual(found(send, refused(9_000)), []);
    assert.deepEqual(found(send, TAKEN), []);
    assert.deepEqual(found(send, refused(5_008)), [`node 0 refuses ${send} with 5008, which it never answers`]);
  });

  test("finds a reason that the code never has, and one that is not said", () => {
    assert.deepEqual(found(send, refused(2_001, "key-of-another")), []);
    assert.deepEqual(found(send, refused(2_001)), []);
    const wrong = `node 0 refuses ${send} with INVALID_IDENTITY_CLAIM for a reason "" that it never has`;
    assert.deepEqual(found(send, refused(2_001, "")), [wrong]);
    assert.deepEqual(found(send, refused(3)), [`node 0 refuses ${send} with INVALID_PARAMETER and does not say why`]);
  });
});

describe("refusals have grounds", () => {
  const terms = {
    payment_methods: ["builtin:cash"],
    min_trade: { base_units: 1n, decimals: 2 },
    max_trade: { base_units: 9n, decimals: 2 },
  };
  const signed = (first: number, type: string, signer: string, payload: object) => ({
    ...{ type: { name: `openfiat/x/${type}/v1` }, identity: hex(first), signer, timestamp: BigInt(first) },
    ...{ idForm: "plain", payload },
  });
  const offer = signed(1, "AdvertisementCreate", "m", { id: "a", ...terms });
  const deleted = signed(2, "AdvertisementStatusSet", "m", { id: "a", status: "Deleted" });
  const initiate = signed(3, "SettlementInitiate", "b", { id: "s", buyer: "b", seller: "m" });
  const rowsOf = (...all: (typeof offer)[]) => ({
    [Statements.name]: Object.fromEntries(all.map((one) => [one.identity, one])),
    [Settlements.name]: { [initiate.identity]: {} },
  });

  function found(method: string, payload: object, answer: string, rows: Rows, come: readonly string[] = []) {
    const { checker, found: all } = watch(refusalsHaveGrounds);
    const data = toBase64(utf8(JSON.stringify({ signature: "x", any: payload })));
    const reply = { type: "rpc.reply", replyTo: "r", body: answer };
    const changes = come.map((key) => ({ table: Statements.name, key, record: {} }));
    const more = { changes, effects: [reply], view: memory(rows) } as never;
    checker.onStep?.(seen({ type: "rpc.called", replyTo: "r", body: asked(method, { data }) }, more));
    return all;
  }

  test("finds a record that is begun twice, or called known and is not", () => {
    const create = (answer: string, rows: Rows, come?: readonly string[]) =>
      found("sendAdvertisementCreate", { id: "a" }, answer, rows, come);
    assert.deepEqual(create(TAKEN, rowsOf(offer), [offer.identity]), []);
    assert.deepEqual(create(refused(3_004), rowsOf(offer)), []);
    const [taken, refuses] = ["takes", "refuses"].map((verb) => `node 0 ${verb} sendAdvertisementCreate`);
    assert.deepEqual(create(TAKEN, rowsOf(offer)), [`${taken}, and the papers refuse it`]);
    assert.deepEqual(create(refused(3_004), rowsOf()), [`${refuses} with 3004, and has no ground for it`]);
    assert.deepEqual(create(refused(3_003), rowsOf()), []);
    // What was sealed is not seen any more.
    assert.deepEqual(create(refused(3_004), { ...rowsOf(), [Seals.name]: { x: {} } }), []);
  });

  test("finds an edit of nothing, of a stranger, or of what is deleted, and one that none of this is", () => {
    const edit = (merchant: string, answer: string, rows: Rows, name = "a") =>
      found("sendAdvertisementPriceUpdate", { id: name, merchant }, answer, rows);
    assert.deepEqual(edit("m", refused(3_000), rowsOf()), []);
    assert.deepEqual(edit("x", refused(1_003), rowsOf(offer)), []);
    assert.deepEqual(edit("m", refused(3_000), rowsOf(offer, deleted)), []);
    assert.deepEqual(edit("m", TAKEN, rowsOf(offer), toBase58(id(1))), []);
    const [takes, refuses] = ["takes", "refuses"].map((verb) => `node 0 ${verb} sendAdvertisementPriceUpdate`);
    assert.deepEqual(edit("m", TAKEN, rowsOf()), [`${takes}, and the papers with 3000`]);
    assert.deepEqual(edit("x", refused(3_000), rowsOf(offer)), [`${refuses} with 3000, and the papers with 1003`]);
    assert.deepEqual(edit("m", TAKEN, rowsOf(offer, deleted)), [`${takes}, and the papers refuse it`]);
    assert.deepEqual(edit("m", refused(3_000), rowsOf(offer)), [`${refuses} with 3000, and has no ground for it`]);
    assert.deepEqual(edit("m", refused(9_000), rowsOf()), []);
    // Wrong bytes come with a reason, and are another law's.
    assert.deepEqual(edit("m", refused(1_003, "other-bytes"), rowsOf(offer)), []);
    assert.deepEqual(edit("m", refused(1_003), rowsOf(offer)), [`${refuses} with 1003, and has no ground for it`]);
    // Of two of one name it is not clear which is meant.
    const second = { ...offer, identity: hex(9) };
    assert.deepEqual(edit("m", refused(3, "ambiguous"), rowsOf(offer, second)), []);
    assert.deepEqual(edit("m", refused(3, "ambiguous"), rowsOf(offer)), [
      `${refuses} with 3, and has no ground for it`,
    ]);
  });

  test("finds what disables an advertisement, and is refused as if it said something else, or says it and is taken", () => {
    const disable = (payload: object, answer: string) =>
      found("sendAdvertisementDisable", { id: "a", merchant: "m", ...payload }, answer, rowsOf(offer));
    const [takes, refuses] = ["takes", "refuses"].map((verb) => `node 0 ${verb} sendAdvertisementDisable`);
    for (const payload of [{}, { status: "Disabled" }]) {
      assert.deepEqual(disable(payload, TAKEN), []);
      assert.deepEqual(disable(payload, refused(3, "another-reason")), []);
      assert.deepEqual(disable(payload, refused(3, "not-disabled")), [`${refuses} with 3, and has no ground for it`]);
    }
    assert.deepEqual(disable({ status: "Active" }, refused(3, "not-disabled")), []);
    assert.deepEqual(disable({ status: "Active" }, TAKEN), [`${takes}, and the papers refuse it`]);
    assert.deepEqual(disable({ merchant: "x" }, refused(1_003)), []);
  });

  test("finds a word about no settlement or by no party of it, and one that is a party's", () => {
    const pay = (buyer: string, answer: string, rows: Rows) =>
      found("sendPaymentSubmitted", { settlement_id: "s", buyer }, answer, rows);
    assert.deepEqual(pay("b", refused(5_008), rowsOf()), []);
    assert.deepEqual(pay("m", refused(2_001), rowsOf(initiate)), []);
    assert.deepEqual(pay("b", refused(5_009), rowsOf(initiate)), []);
    // Of what he did not sign, or not today, nobody is told whether he is a party.
    for (const [code, reason] of [[1_003, "other-bytes"] as const, [3, "date-behind"] as const])
      assert.deepEqual(pay("m", refused(code, reason), rowsOf(initiate)), []);
    assert.equal(pay("m", refused(1_003, "no-curve-point"), rowsOf(initiate)).length, 1);
    assert.equal(pay("m", TAKEN, rowsOf(initiate)).length, 1);
    assert.equal(pay("b", refused(2_001), rowsOf(initiate)).length, 1);
    assert.equal(pay("b", refused(5_008), rowsOf(initiate)).length, 1);
    assert.equal(pay("b", TAKEN, { ...rowsOf(initiate), [Settlements.name]: {} }).length, 1);
    const cancel = { settlement_id: "s", canceller: "m" };
    assert.deepEqual(found("sendSettlementCancelled", cancel, TAKEN, rowsOf(initiate)), []);
  });
});

describe("good signatures pass", () => {
  const method = "sendAdvertisementCreate";
  const offered = advertisement("a", 1n as EpochMillis);
  const dataOf = (by: Person, form: "bare" | "tagged") => signedData(AdvertisementCreate, offered, by, form);

  function found(data: string, answer: string, called = method) {
    const { checker, found: all } = watch(goodSignaturesPass);
    const reply = { type: "rpc.reply", replyTo: "r", body: answer };
    const call = { type: "rpc.called", replyTo: "r", body: asked(called, { data }) } as const;
    checker.onStep?.(seen(call, { effects: [reply] } as never));
    return all;
  }

  test("finds what its signer signed, in either form, and is refused as if nobody had", () => {
    const wrong = `node 0 refuses ${method} as signed by nobody, and its signer signed it`;
    for (const form of ["bare", "tagged"] as const) {
      assert.deepEqual(found(dataOf(merchant, form), refused(1_003, "other-bytes")), [wrong]);
      assert.deepEqual(found(dataOf(person(2), form), refused(1_003, "other-bytes")), []);
    }
  });

  test("says nothing of other reasons, of what is taken, and of what is no signed send", () => {
    const data = dataOf(merchant, "tagged");
    for (const answer of [TAKEN, refused(1_003), refused(1_003, "no-curve-point"), refused(3_004)])
      assert.deepEqual(found(data, answer), []);
    assert.deepEqual(found(data, refused(1_003, "other-bytes"), "getMyTrades"), []);
    assert.deepEqual(found("?", refused(1_003, "other-bytes")), []);
  });
});
