// Goal: a node whose store refuses for a while is a node again afterwards: what it cannot read it reads later, and what
// it is connected to it still knows. Method: a driver over a store that a test lets fail.
import { assert, test } from "vitest";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { REFUSED_WAITING_MAX } from "../../core/engine/driver.ts";
import { ATTACHED_AT_ONCE, Attaching } from "../../core/engine/statements/attaching.ts";
import type { Effect } from "../../core/index.ts";
import { createDriver, devnetNetwork, err, ok } from "../../core/index.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import type { EpochMillis, PeerId } from "../../core/kernel/values.ts";
import type { StorePort, StoreWrite } from "../../core/ports/store.ts";
import type { Person } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, person, pushFrame, signedData } from "../rpc/lone-node.ts";
import { advertisement, buyer, merchant, request, third } from "../rpc/node-with-settlement.ts";

const LOAD_AGAIN_MS = 5_000;
const COMMIT_AGAIN_MS = 1_000;
const T = 1_795_000_000_000n as EpochMillis;
const PEER = "12D3KooWEF7YnWNRdKKrbg3QRKVDbGa9x8EvQRF2Crq1sShndpUq" as PeerId;

/** A node over a store that fails as long as it is told to. */
function opened(conditions: { loads: boolean; commits: boolean; slow?: (() => void)[] }) {
  const rows: StoreWrite[] = [];
  const asked = { loads: 0, commits: 0 };
  const performed: Effect[] = [];
  const store: StorePort = {
    commit(writes, done) {
      if (writes.length > 0) asked.commits += 1;
      if (conditions.slow !== undefined)
        return void conditions.slow.push(() => done(err({ code: "full", reason: "no space left" })));
      if (!conditions.commits) return done(err({ code: "full", reason: "no space left" }));
      rows.push(...writes);
      done(ok(null));
    },
    load(page) {
      asked.loads += 1;
      const kept = rows.flatMap((row) => (row.bytes === null ? [] : [{ ...row, bytes: row.bytes }]));
      page(conditions.loads ? ok({ rows: kept, last: true }) : err({ code: "broken", reason: "unread" }));
    },
    close: (done) => done(),
  };
  let now = T;
  const driver = createDriver({
    ...{ crypto, store, bootSeed: new Uint8Array(32), now: () => now, configuration: gossipOnly(devnetNetwork) },
    perform: (effect) => void performed.push(effect),
  });
  const answered = (body: string) => {
    driver.accept({ type: "rpc.called", replyTo: "call", body });
    const reply = performed.findLast((effect) => effect.type === "rpc.reply");
    return reply?.type === "rpc.reply" ? (reply.body ?? "") : "";
  };
  const call = (method: string, params?: object) => answered(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const retryAt = () => {
    const set = performed.findLast((effect) => effect.type === "timer.set" && effect.timer === "store-retry");
    return set?.type === "timer.set" ? set.at : undefined;
  };
  const wait = (ms: number) => {
    now = (now + BigInt(ms)) as EpochMillis;
    driver.accept({ type: "timer.fired", timer: "store-retry" });
  };
  return { driver, answered, call, retryAt, wait, performed, asked };
}

function definition(name: string): string {
  const stall = person(7);
  const defined = { merchant: stall.peer, merchant_public_key: stall.key, name, category: "Cash" };
  return signedData(PaymentMethodDefine, defined as never, stall);
}

test("a store that does not load is asked again, and meanwhile callers hear so", () => {
  const conditions = { loads: false, commits: true };
  const { driver, call, retryAt, wait } = opened(conditions);
  assert.equal(driver.ready(), false);
  assert.include(call("getHealth"), "DATABASE_ERROR");
  assert.equal(retryAt(), T + BigInt(LOAD_AGAIN_MS));
  wait(LOAD_AGAIN_MS);
  assert.equal(retryAt(), T + BigInt(2 * LOAD_AGAIN_MS));
  conditions.loads = true;
  wait(LOAD_AGAIN_MS);
  assert.equal(driver.ready(), true);
  assert.include(call("getHealth"), '"result"');
  wait(LOAD_AGAIN_MS);
  assert.equal(driver.ready(), true);
});

test("connections outlive the memory that a failed commit gives up, and are forgotten when they end", () => {
  const conditions = { loads: true, commits: true };
  const { driver, call, wait } = opened(conditions);
  driver.accept({ type: "peer.connected", peer: PEER, address: null });
  assert.include(call("getPeers"), PEER);
  conditions.commits = false;
  const data = definition("Stall");
  assert.include(call("sendPaymentMethodDefine", { data }), "DATABASE_ERROR");
  conditions.commits = true;
  wait(COMMIT_AGAIN_MS);
  assert.include(call("getPeers"), PEER);
  driver.accept({ type: "peer.disconnected", peer: PEER });
  conditions.commits = false;
  assert.include(call("sendPaymentMethodDefine", { data }), "DATABASE_ERROR");
  conditions.commits = true;
  wait(COMMIT_AGAIN_MS);
  assert.notInclude(call("getPeers"), PEER);
});

test("while a store refuses writes it is read once, who reads is answered, and who writes hears so", () => {
  const conditions = { loads: true, commits: true };
  const { driver, call, wait, retryAt, asked } = opened(conditions);
  const send = (name: string) => call("sendPaymentMethodDefine", { data: definition(name) });
  const list = () => call("getPaymentMethods", { wallet: person(7).peer });
  assert.include(send("Kept"), '"result"');
  const before = driver.roots();
  conditions.commits = false;
  const { loads, commits } = asked;
  for (let n = 0; n < 50; n++) assert.include(send(`Refused ${n}`), "DATABASE_ERROR");
  assert.deepEqual(asked, { loads: loads + 1, commits: commits + 1 });
  assert.include(list(), "Kept");
  assert.notInclude(list(), "Refused");
  assert.deepEqual(driver.roots(), before);
  driver.accept({ type: "peer.connected", peer: PEER, address: null });
  for (let n = 0; n < 3; n++) {
    assert.equal(retryAt(), (T + BigInt((n + 1) * COMMIT_AGAIN_MS)) as EpochMillis);
    wait(COMMIT_AGAIN_MS);
    assert.include(send("Refused again"), "DATABASE_ERROR");
  }
  assert.equal(asked.loads, loads + 1);
  conditions.commits = true;
  wait(COMMIT_AGAIN_MS);
  assert.include(call("getPeers"), PEER);
  assert.include(send("Kept later"), '"result"');
  assert.include(list(), "Kept later");
  assert.equal(asked.loads, loads + 1);
});

const FAILED = '{"ofsErrorCode":9000,"ofsErrorName":"DATABASE_ERROR","ofsRetryable":true}';
const failureOf = (id: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"DATABASE_ERROR","data":${FAILED}}}`;
const health = (id: string) => `{"jsonrpc":"2.0",${id === "" ? "" : `"id":${id},`}"method":"getHealth"}`;

test.each([
  ["a number, token for token", health("1.50"), failureOf("1.50")],
  ["a text", health('"a\\"b"'), failureOf('"a\\"b"')],
  ["null", health("null"), failureOf("null")],
  ["none", health(""), failureOf("null")],
  ["no JSON", "{", failureOf("null")],
  ["no object", "7", failureOf("null")],
  ["a batch", `[${health("1")},${health("")},${health('"b"')}]`, `[${failureOf("1")},${failureOf('"b"')}]`],
  ["a batch of none that has one", `[${health("")}]`, failureOf("null")],
])("who cannot be answered from the store hears so under the id of the call: %s", (_, body, answer) => {
  const { answered } = opened({ loads: false, commits: true });
  assert.equal(answered(body), answer);
});

test("a call whose change is lost, and one that would write after it, hear so under their ids, and so do batches", () => {
  const { answered, wait } = opened({ loads: true, commits: false });
  const send = (id: string, name: string) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "sendPaymentMethodDefine", params: { data: definition(name) } });
  const batch = `[${send("first", "One")},${health("2")},${health("")}]`;
  const failed = `[${failureOf('"first"')},${failureOf("2")}]`;
  assert.equal(answered(batch), failed);
  assert.equal(answered(batch), failed);
  wait(COMMIT_AGAIN_MS);
  assert.equal(answered(send("third", "Two")), failureOf('"third"'));
});

test("what waits for a store that refuses writes is bounded, and connections are known all the same", () => {
  const conditions = { loads: true, commits: true };
  const { driver, call, wait } = opened(conditions);
  conditions.commits = false;
  assert.include(call("sendPaymentMethodDefine", { data: definition("Refused") }), "DATABASE_ERROR");
  const other = person(8).peer;
  driver.accept({ type: "peer.connected", peer: other, address: null });
  for (let n = 0; n < REFUSED_WAITING_MAX; n++)
    driver.accept({ type: "message.failed", to: PEER, request: n, reason: "gone" });
  driver.accept({ type: "peer.connected", peer: PEER, address: null });
  driver.accept({ type: "peer.disconnected", peer: other });
  conditions.commits = true;
  wait(COMMIT_AGAIN_MS);
  assert.include(call("getPeers"), PEER);
  assert.notInclude(call("getPeers"), other);
});

test("a call that waits for the queue of what is to be attached hears that the store failed", () => {
  const conditions: Parameters<typeof opened>[0] = { loads: true, commits: true };
  const { driver, performed } = opened(conditions);
  const push = (type: SignedType, payload: object, by: Person) =>
    driver.accept({
      ...{ type: "message.received", from: by.peer, replyTo: "push" },
      bytes: pushFrame(type, payload as never, by, T),
    });
  for (let n = 0; n <= ATTACHED_AT_ONCE; n++) {
    // What waits is bounded for each signer.
    const by = n % 2 === 0 ? buyer : third;
    const own = { id: `${1_000 + n}`, requester: by.peer, requester_public_key: by.key, timestamp: T };
    push(ReservationRequest as never, { ...request, ...own }, by);
  }
  const slow: (() => void)[] = [];
  conditions.slow = slow;
  push(AdvertisementCreate as never, { ...advertisement, timestamp: T }, merchant);
  assert.equal(driver.view.size(Attaching), 1);
  driver.accept({ type: "rpc.called", replyTo: "asked", body: '{"jsonrpc":"2.0","id":1,"method":"getHealth"}' });
  const replies = () => performed.flatMap((effect) => (effect.type === "rpc.reply" ? [effect] : []));
  assert.deepEqual(replies(), []);
  slow[0]?.();
  assert.deepEqual(
    replies().map(({ replyTo, body }) => [replyTo, body]),
    [["asked", failureOf("1")]],
  );
});
