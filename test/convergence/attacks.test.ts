// Goal: ways in which somebody could keep two honest nodes apart for good, each tried and closed (DESIGN L2, L10).
// Method: one attack a test, at the fold where it is one of order, at the ingresses of two linked nodes where it is
// theirs.

import { assert, describe, expect, test } from "vitest";
import { ProposalCreate } from "../../core/domains/governance/schema.ts";
import { Proposals } from "../../core/domains/governance/tables.ts";
import { RECORDS_PER_PROVIDER_MAX } from "../../core/domains/oracles/bounds.ts";
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { SERVICES_KEPT_MAX } from "../../core/domains/providers/limits.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { disputesOfWallet } from "../../core/domains/trade/disputes/views.ts";
import { PaymentSubmitted } from "../../core/domains/trade/settlements/schema.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { CONTENDERS_MAX } from "../../core/engine/admission/bounds.ts";
import { ingresses, STATEMENT_BYTES_MAX } from "../../core/engine/admission/ingress.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import { foldOf, stepContextOf } from "../../core/engine/step-context.ts";
import { known } from "../../core/kernel/assert.ts";
import { decodeCompact } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { identityOf } from "../../core/kernel/signed.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { Events, Frame, GossipEvent } from "../../core/network/gossip/envelope.ts";
import { receiveEvents } from "../../core/network/gossip/receive.ts";
import { RECOVERY_BYTES_MAX } from "../../core/network/gossip/wire.ts";
import { devnetNetwork } from "../../core/profile.ts";
import type { Link } from "../gossip/two-nodes.ts";
import { linkedNodes, T } from "../gossip/two-nodes.ts";
import { fixtures as governance, resolved } from "../governance/replica.ts";
import { ofSize } from "../limits/situations.ts";
import { registration } from "../providers/fixtures.ts";
import { publish } from "../risk/fixtures.ts";
import { gossipOnly, loneNode, marketRules, person, pushFrame, signedData } from "../rpc/lone-node.ts";
import { buyer, initiate, tradeSendsFrom } from "../rpc/node-with-settlement.ts";
import { at, called, crypto, merchant, nameOf, rival, stranger, taker } from "./actors.ts";
import { answer } from "./answers.ts";
import * as fixtures from "./fixtures.ts";
import { openReplica, received } from "./replica.ts";
import { permutations } from "./shuffle.ts";

const DAY = 86_400_000n;
const somebody = person(0x31);

function later(instant: bigint, days: number): EpochMillis {
  return (instant + BigInt(Math.round(days * 10)) * (DAY / 10n)) as EpochMillis;
}

/** A stranger pushes what somebody signed to one end of a link; its envelope may have another date. */
function push<F extends Fields>(link: Link, end: 0 | 1, type: SignedType<F>, payload: RecordOf<F>, dated: EpochMillis) {
  const bytes = pushFrame(type, payload, somebody, dated);
  link.ends[end].driver.accept({ type: "message.received", from: rival.peer, replyTo: "push", bytes });
}

function holds<F extends Fields>(link: Link, end: 0 | 1, type: SignedType<F>, payload: RecordOf<F>): boolean {
  return link.ends[end].driver.view.get(Statements, identityOf(crypto, type, payload)) !== undefined;
}

function advertised(id: string, change: Partial<AdvertisementCreate> = {}): AdvertisementCreate {
  const { payload } = fixtures.advertisement({ ...merchant, ...somebody }, T, { id });
  return { ...payload, ...change };
}

describe("at the fold", () => {
  test("a void proposal whose id spells another's identity does not cost that one the chain's result", () => {
    const real = governance.create(rival, at(0));
    const bait = called(ProposalCreate, governance.create(stranger, at(0)), nameOf(real));
    const fact = resolved("Accepted");
    if (fact.type !== "result") return assert.fail();
    const observations = [...received(real, bait), { type: "result", id: fact.number, fact: fact.fact } as const];
    for (const order of permutations(observations)) {
      const replica = openReplica();
      for (const each of order) replica.receive([each]);
      assert.equal(replica.store().get(Proposals, real.identity)?.status, "Accepted");
    }
  });

  test("under parity too, flags of one instant and id stand in one order", () => {
    const flags = [merchant, taker, rival].map((by) => publish(by, stranger.peer, at(1)));
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "getWalletScreening",
      params: { wallet: stranger.peer },
    });
    const told = [...permutations(flags)].map((order) => {
      const replica = openReplica();
      for (const flag of order) replica.receive(received(flag));
      return answer(replica.store(), { body, now: at(2), parity: true, local: false });
    });
    assert.lengthOf([...new Set(told)], 1);
  });
});

describe("in reads", () => {
  const trade = [
    fixtures.advertisement(merchant, at(0)),
    fixtures.request(taker, at(1)),
    fixtures.initiate(taker, merchant, at(2)),
    fixtures.initiate(taker, merchant, at(3), { amount: 9 }),
    fixtures.open(taker, at(4)),
  ];
  const stores = [...permutations(trade)].map((order) => {
    const replica = openReplica();
    for (const each of order) replica.receive(received(each));
    return replica.store();
  });

  test("under parity too, a trade joins one of two settlements of one id in any order", () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getTrades" });
    const told = stores.map((store) => answer(store, { body, now: at(5), parity: true, local: false }));
    assert.lengthOf([...new Set(told)], 1);
  });

  test("one open in two settlements of one id reads in one order", () => {
    const told = stores.map((store) =>
      disputesOfWallet(store, taker.peer, marketRules(false)).map((row) => row.settlement),
    );
    assert.lengthOf(told[0] ?? [], 2);
    assert.lengthOf([...new Set(told.map((each) => each.join()))], 1);
  });
});

describe("at the ingresses", () => {
  test("an envelope that was dated early does not keep its statement from those who come later", () => {
    const clock = { now: T };
    const link = linkedNodes(undefined, clock);
    const payload = advertised("ad");
    push(link, 0, AdvertisementCreate, payload, later(T, -6.9));
    assert.isTrue(holds(link, 0, AdvertisementCreate, payload));
    clock.now = later(T, 7.2);
    link.connect();
    assert.isTrue(holds(link, 1, AdvertisementCreate, payload));
  });

  test("what a peer refuses again and again does not keep the rest from it", () => {
    const link = linkedNodes();
    const payload = (id: string, summary: string): ProposalCreate => {
      const { peer, key } = somebody;
      return {
        ...governance.create(rival, T).payload,
        id,
        summary,
        author: peer,
        author_public_key: key,
        onchain_proposal_id: null,
      };
    };
    // More than one answer carries, refused at the other end, whose records of those ids are others.
    const ids = Math.ceil(RECOVERY_BYTES_MAX / (CONTENDERS_MAX * 16_000)) + 1;
    for (let id = 0; id < ids; id++) {
      for (let n = 0; n < 2 * CONTENDERS_MAX; n++) {
        push(link, n % 2 === 0 ? 0 : 1, ProposalCreate, payload(`p-${id}`, `${n} ${"x".repeat(16_000)}`), T);
      }
    }
    // The one that comes last in the order of identities.
    const honest = Array.from({ length: 4_096 }, (_, n) => payload("honest", `${n}`)).find((each) =>
      identityOf(crypto, ProposalCreate, each).startsWith("ff"),
    );
    const last = known(honest, "one of 4,096 identities begins with ff");
    push(link, 0, ProposalCreate, last, T);
    link.connect();
    for (let round = 0; round < 40 && !holds(link, 1, ProposalCreate, last); round++) {
      // Other inputs come between two comparisons.
      link.ends[1].call("getVersion", {});
      link.ends[1].driver.accept({ type: "timer.fired", timer: "recover" });
      link.compare();
    }
    assert.isTrue(holds(link, 1, ProposalCreate, last));
  });

  test("what is too large for one answer of recovery is taken at no ingress; what is not gets to everybody", () => {
    const clock = { now: (T + 400_000n) as EpochMillis };
    const link = linkedNodes(undefined, clock);
    for (const { method, data } of tradeSendsFrom(T)) expect(link.ends[0].call(method, { data })).toContain("result");
    const paid = (payment_reference: string) => ({
      settlement_id: initiate.id,
      buyer: buyer.peer,
      payment_reference,
      timestamp: clock.now,
    });
    const sized = (bytes: number) => ofSize(PaymentSubmitted, bytes, paid);
    const [fits, exceeds] = [sized(STATEMENT_BYTES_MAX), sized(STATEMENT_BYTES_MAX + 1)];
    const send = (payload: PaymentSubmitted) =>
      link.ends[0].call("sendPaymentSubmitted", { data: signedData(PaymentSubmitted, payload, buyer) });
    expect(send(exceeds)).toContain("INVALID_PARAMETER");
    const bytes = pushFrame(PaymentSubmitted, exceeds, buyer, clock.now);
    link.ends[0].driver.accept({ type: "message.received", from: rival.peer, replyTo: "push", bytes });
    assert.isFalse(holds(link, 0, PaymentSubmitted, exceeds));
    expect(send(fits)).toContain('"result"');
    link.connect();
    assert.isTrue(holds(link, 1, PaymentSubmitted, fits));
  });

  test("what waits for a parent that never comes is dropped after 2H, and what carried it after H of its own date", () => {
    const clock = { now: later(T, 3) };
    const link = linkedNodes(undefined, clock);
    const { driver } = link.ends[0];
    push(link, 0, ...childOfNobody(), clock.now);
    assert.deepEqual([driver.view.size(Pending), driver.view.size(Events)], [1, 1]);
    for (const [days, waiting, carried] of [
      [10, 1, 1],
      [10.1, 1, 0],
      [14, 1, 0],
      [14.1, 0, 0],
    ] as const) {
      clock.now = later(T, days);
      driver.accept({ type: "timer.fired", timer: "sweep" });
      assert.deepEqual([driver.view.size(Pending), driver.view.size(Events)], [waiting, carried], `${days} days`);
    }
  });

  test("a node that was away for long keeps no event that nobody takes, nor tells of it first", () => {
    const node = loneNode(T);
    const { payload } = fixtures.advertisement({ ...merchant, ...somebody }, T);
    node.gossip(AdvertisementCreate, payload, somebody);
    assert.equal(node.view.size(Events), 1);
    node.now = later(T, 30);
    const again = node.restart();
    assert.deepEqual([again.view.size(Events), again.view.size(Statements)], [0, 1]);
  });

  test("bounds hold inside one batch", () => {
    const store = openStore(crypto, tables);
    const context = stepContextOf(store, {
      now: T,
      number: 1,
      bootSeed: new Uint8Array(32),
      identities: store.identities,
      crypto,
      configuration: gossipOnly(devnetNetwork),
      registry: marketplace,
    });
    const own = { peer: somebody.peer, key: somebody.key };
    const services = Array.from({ length: SERVICES_KEPT_MAX + 9 }, (_, n) =>
      eventIn(pushFrame(Registration, registration(somebody, T, { service_id: `s-${n}` }), somebody, T)),
    );
    const records = Array.from({ length: RECORDS_PER_PROVIDER_MAX + 9 }, (_, n) => {
      const data = { ExchangeRate: { base: "USDC", quote: "KES", rate: 1 + n } };
      const about = { id: `r-${n}`, provider: own.peer, provider_public_key: own.key, data, version: 1n };
      return eventIn(pushFrame(OraclePublish, { ...about, timestamp: T, expires_at: later(T, 0.1) }, somebody, T));
    });
    receiveEvents(context, foldOf(context), [...services, ...records], rival.peer, ingresses.recovery);
    assert.equal(context.draft.size(Statements), SERVICES_KEPT_MAX + RECORDS_PER_PROVIDER_MAX);
  });
});

function childOfNobody() {
  const { payload } = fixtures.payment({ ...merchant, ...somebody }, T, "nobody");
  return [fixtures.payment(merchant, T).type as never, payload as never] as const;
}

function eventIn(frame: Uint8Array): GossipEvent {
  const { payload } = known(decodeCompact(Frame, frame), "a frame");
  return known(decodeCompact(GossipEvent, payload), "an event");
}
