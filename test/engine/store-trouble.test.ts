// Goal: a node whose store refuses for a while is a node again afterwards: what it cannot read it reads later, and what
// it is connected to it still knows. Method: a driver over a store that a test lets fail.
import { assert, test } from "vitest";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
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
const T = 1_795_000_000_000n as EpochMillis;
const PEER = "12D3KooWEF7YnWNRdKKrbg3QRKVDbGa9x8EvQRF2Crq1sShndpUq" as PeerId;

/** A node over a store that fails as long as it is told to. */
function opened(conditions: { loads: boolean; commits: boolean; slow?: (() => void)[] }) {
  const rows: StoreWrite[] = [];
  const performed: Effect[] = [];
  const store: StorePort = {
    commit(writes, done) {
      if (conditions.slow !== undefined)
        return void conditions.slow.push(() => done(err({ code: "full", reason: "no space left" })));
      if (!conditions.commits) return done(err({ code: "full", reason: "no space left" }));
      rows.push(...writes);
      done(ok(null));
    },
    load: (page) => page(conditions.loads ? ok({ rows: [], last: true }) : err({ code: "broken", reason: "unread" })),
    close: (done) => done(),
  };
  let now = T;
  const driver = createDriver({
    ...{ crypto, store, bootSeed: new Uint8Array(32), now: () => now, configuration: gossipOnly(devnetNetwork) },
    perform: (effect) => void performed.push(effect),
  });
  const call = (method: string, params?: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    driver.accept({ type: "rpc.called", replyTo: method, body });
    const reply = performed.findLast((effect) => effect.type === "rpc.reply");
    return reply?.type === "rpc.reply" ? (reply.body ?? "") : "";
  };
  const retryAt = () => {
    const set = performed.findLast((effect) => effect.type === "timer.set" && effect.timer === "store-retry");
    return set?.type === "timer.set" ? set.at : undefined;
  };
  const wait = (ms: number) => {
    now = (now + BigInt(ms)) as EpochMillis;
    driver.accept({ type: "timer.fired", timer: "store-retry" });
  };
  return { driver, call, retryAt, wait, performed };
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
  const { driver, call } = opened(conditions);
  driver.accept({ type: "peer.connected", peer: PEER, address: null });
  assert.include(call("getPeers"), PEER);
  conditions.commits = false;
  const stall = person(7);
  const definition = { merchant: stall.peer, merchant_public_key: stall.key, name: "Stall", category: "Cash" };
  const data = signedData(PaymentMethodDefine, definition as never, stall);
  assert.include(call("sendPaymentMethodDefine", { data }), "DATABASE_ERROR");
  conditions.commits = true;
  assert.include(call("getPeers"), PEER);
  driver.accept({ type: "peer.disconnected", peer: PEER });
  conditions.commits = false;
  assert.include(call("sendPaymentMethodDefine", { data }), "DATABASE_ERROR");
  conditions.commits = true;
  assert.notInclude(call("getPeers"), PEER);
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
    replies().map(({ replyTo, body }) => [replyTo, /DATABASE_ERROR/.test(body ?? "")]),
    [["asked", true]],
  );
});
