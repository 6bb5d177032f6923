// Goal: the laws about what is told and read of people, where they are broken, find that and nothing else: notices that
// go astray or are lost, flags, records, reviews, channels and partners that are not what the papers make of a set.
// Method: steps and answers by hand. That each also finds a bug in the product, people-planted.test.ts and score show.
import { assert, describe, test } from "vitest";
import type { Effect, Input } from "../../core/index.ts";
import { toHex, utf8 } from "../../core/index.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { noticesReachWhomTheyConcern } from "../../sim/checkers/notices-reach-whom-they-concern.ts";
import { readsFollowThePapers } from "../../sim/checkers/reads-follow-the-papers.ts";
import { alice, bob, carol, crypto, noView, step, watch } from "./checker-bench.ts";

const NOW = 1_800_000_000_000n;
const DAY_MS = 86_400_000n;
type Rows = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** A memory that holds these rows, by table and key. */
function memory(rows: Rows): StepSeen["view"] {
  return {
    ...noView,
    get: ({ name }, key) => rows[name]?.[key] as never,
    keys: ({ name }) => Object.keys(rows[name] ?? {}),
    size: ({ name }) => Object.keys(rows[name] ?? {}).length,
  };
}

function seen(input: object, more: Partial<StepSeen> = {}): StepSeen {
  return { ...step(0, { now: NOW, ...input } as unknown as Partial<Input>, "00x", "00x"), ...more };
}

describe("notices reach whom they concern", () => {
  const [buyer, seller] = [alice.peer, bob.peer];
  const service = {
    ...{ service_id: "mail", service_type: { Notifications: "Email" }, endpoints: ["https://gateway.org"] },
    ...{ health: "Online", withdrawn_at: null, last_health_update: NOW },
  };
  const subscription = { enabled_categories: ["Trading"], destinations: [{ service_id: "mail", channel: "Email" }] };
  const wanted: Rows = { notification_subscriptions: { [seller]: subscription }, services: { mail: service } };
  const settlement = (state: string, released = false) => ({ buyer, seller, state, released });
  const dispatch = (recipient_wallet: string, trigger = "PaymentSubmitted", status = "Queued") => {
    return { recipient_wallet, trigger, status, service_id: "mail" };
  };
  /** What is found when a node that started with these rows makes these, of a settlement or of dispatches. */
  function found(held: Rows, made: Rows, effects: readonly Effect[] = [], between: readonly StepSeen[] = []) {
    const { checker, found } = watch(noticesReachWhomTheyConcern);
    checker.onStep?.(seen({ type: "started" }, { view: memory(held), effects }));
    for (const one of between) checker.onStep?.(one);
    const changes = Object.entries(made).flatMap(([table, rows]) =>
      Object.entries(rows).map(([key, record]) => ({ table, key, record })),
    ) as unknown as StepSeen["changes"];
    checker.onStep?.(seen({ type: "timer.fired" }, { view: memory({ ...held, ...made }), changes }));
    return found;
  }
  const paid: Rows = { settlements: { s: settlement("PaymentSubmitted") } };
  const told = (recipient: string) => ({ notification_dispatches: { d: dispatch(recipient) } });
  const misses = `node 0 does not tell ${seller} of PaymentSubmitted through mail, which is there`;
  const astray = (whom: string, what: string) => `node 0 tells ${whom} of ${what}, which does not concern him`;

  test("finds who is told though it does not concern him, and who is not told", () => {
    assert.deepEqual(found(wanted, { ...paid, ...told(seller) }), []);
    assert.deepEqual(found(wanted, { ...paid, ...told(buyer) }), [astray(buyer, "PaymentSubmitted"), misses]);
    assert.deepEqual(found(wanted, paid), [misses]);
    assert.deepEqual(found(wanted, told(seller)), [astray(seller, "PaymentSubmitted")]);
  });

  test("asks for nobody who does not want it, and for no gateway that is not there", () => {
    const other = (more: object): Rows => ({ ...wanted, services: { mail: { ...service, ...more } } });
    assert.deepEqual(found({ services: { mail: service } }, paid), []);
    const category = { ...subscription, enabled_categories: ["Governance"] };
    assert.deepEqual(found({ ...wanted, notification_subscriptions: { [seller]: category } }, paid), []);
    for (const more of [
      { health: "Degraded" },
      { withdrawn_at: NOW },
      { last_health_update: NOW - 600_001n },
      { service_type: { Notifications: "Sms" } },
      { endpoints: [] },
    ])
      assert.deepEqual(found(other(more), paid), [], JSON.stringify(Object.keys(more)));
    assert.deepEqual(found(other({ health: "Maintenance", last_health_update: NOW - 600_000n }), paid), [misses]);
    assert.deepEqual(found({ ...wanted, services: { mail: service, rival: service } }, paid), []);
  });

  test("asks once for what a settlement has come to", () => {
    assert.deepEqual(found({ ...wanted, ...paid }, paid), []);
    const approved: Rows = { settlements: { s: settlement("Approved", true) } };
    assert.deepEqual(found(wanted, approved), [
      `node 0 does not tell ${seller} of SettlementApproved through mail, which is there`,
      `node 0 does not tell ${seller} of EscrowReleased through mail, which is there`,
    ]);
    const loaded = [seen({ type: "store.loaded" })];
    assert.deepEqual(found(wanted, paid, [], loaded), []);
  });

  test("knows whom a case and a reservation concern, and leaves what everybody may hear", () => {
    const about = (trigger: string, whom: string, made: Rows) =>
      found(
        { statements: { r: { signer: carol.peer }, o: { signer: bob.peer } } },
        {
          ...made,
          notification_dispatches: { d: dispatch(whom, trigger) },
        },
      );
    const cases = (decided: boolean): Rows => ({ disputes: { c: { buyer, seller, decided } } });
    assert.deepEqual(about("EvidenceRequested", buyer, cases(false)), []);
    assert.deepEqual(about("EvidenceRequested", buyer, cases(true)), [astray(buyer, "EvidenceRequested")]);
    assert.deepEqual(about("ResolutionIssued", seller, cases(true)), []);
    assert.deepEqual(about("ResolutionIssued", carol.peer, cases(true)), [astray(carol.peer, "ResolutionIssued")]);
    const made: Rows = { reservations: { v: { request: "r", advertisement: "o" } } };
    for (const whom of [carol.peer, bob.peer]) assert.deepEqual(about("ReservationCreated", whom, made), []);
    assert.deepEqual(about("ReservationCreated", alice.peer, made), [astray(alice.peer, "ReservationCreated")]);
    assert.deepEqual(about("ProposalPublished", alice.peer, {}), []);
  });

  test("finds what is queued at a start and not handed over", () => {
    const queued: Rows = {
      notification_dispatches: { d: dispatch(seller), e: dispatch(seller, "PaymentSubmitted", "Sent") },
    };
    const deliver = { type: "notification.deliver", dispatch: "d" } as unknown as Effect;
    assert.deepEqual(found(queued, {}), ["node 0 starts and does not hand over d, which is queued"]);
    assert.deepEqual(found(queued, {}, [deliver]), []);
  });
});

describe("reads follow the papers", () => {
  let count = 0;
  /** A statement as a memory holds it. */
  const signed = (type: string, signer: string, payload: object, timestamp = NOW - 1_000n) => {
    const identity = (++count).toString(16).padStart(64, "0");
    return { identity, type: { name: `openfiat/some/${type}/v1` }, signer, timestamp, idForm: "plain", payload };
  };
  type Signed = ReturnType<typeof signed>;
  /** What is found when these statements and rows are held and a read is answered so. */
  function found(statements: readonly Signed[], rows: Rows, method: string, params: object, result: unknown) {
    const { checker, found } = watch(readsFollowThePapers);
    const held = { ...rows, statements: Object.fromEntries(statements.map((one) => [one.identity, one])) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const reply = { type: "rpc.reply", body: JSON.stringify({ jsonrpc: "2.0", id: 1, result }) } as Effect;
    checker.onStep?.(seen({ type: "rpc.called", body }, { view: memory(held), effects: [reply] }));
    return found;
  }
  const offers = (who: string, type: object, at = NOW - DAY_MS) =>
    signed("Registration", who, { service_id: "mine", service_type: type }, at);
  const listing = (...registrations: readonly Signed[]): Rows => ({
    services: Object.fromEntries(registrations.map(({ identity }) => [identity, { registration: identity }])),
  });

  describe("flags", () => {
    const [flagger, other] = [offers(alice.peer, { Security: "RiskIntelligenceProvider" }), offers(bob.peer, {})];
    const flag = (id: string, severity: string, more: object = {}, at = NOW - 1_000n, by: string = alice.peer) =>
      signed(
        "RiskPublish",
        by,
        { id, wallet: carol.peer, outcome: "Flagged", severity, expires_at: null, ...more },
        at,
      );
    const shows = (severity: string | null, ...ids: readonly string[]) => {
      const active_flags = ids.map((id) => ({ id, provider: alice.peer }));
      return { wallet: carol.peer, highest_severity: severity, active_flags };
    };
    const read = (statements: readonly Signed[], result: object) =>
      found([flagger, other, ...statements], listing(flagger, other), "getWalletScreening", {}, result);

    test("are all that are current, and the worst of them", () => {
      const both = [flag("a", "Low"), flag("b", "Critical")];
      assert.deepEqual(read(both, shows("Critical", "a", "b")), []);
      assert.lengthOf(read(both, shows("Low", "a", "b")), 1);
      assert.lengthOf(read(both, shows("Critical", "b")), 1);
      assert.deepEqual(read([flag("a", "Low", { expires_at: NOW })], shows(null)), []);
      assert.deepEqual(read([flag("a", "Low", { expires_at: NOW + 1n })], shows("Low", "a")), []);
      assert.deepEqual(read([flag("a", "Low", { wallet: alice.peer })], shows(null)), []);
    });

    test("are cut by a clearance of the same provider, of the same instant or later", () => {
      const clear = (at: bigint, by: string = alice.peer) => flag("c", "Low", { outcome: "Cleared" }, at, by);
      assert.deepEqual(read([flag("a", "Low"), clear(NOW - 1_000n)], shows(null)), []);
      assert.deepEqual(read([flag("a", "Low"), clear(NOW - 1_001n)], shows("Low", "a")), []);
      assert.deepEqual(read([flag("a", "Low"), clear(NOW, bob.peer)], shows("Low", "a")), []);
    });

    test("are of providers that registered within a week and did not withdraw", () => {
      const stranger = flag("a", "Low", {}, NOW - 1_000n, bob.peer);
      assert.deepEqual(read([stranger], shows(null)), []);
      const left = signed("Withdrawal", alice.peer, { service_id: "mine" }, NOW);
      assert.deepEqual(read([flag("a", "Low"), left], shows(null)), []);
      const old = offers(alice.peer, { Security: "RiskIntelligenceProvider" }, NOW - 7n * DAY_MS - 1n);
      const asked = (one: Signed) =>
        found([one, flag("a", "Low")], listing(one), "getWalletScreening", {}, shows("Low", "a"));
      assert.lengthOf(asked(old), 1);
      assert.deepEqual(asked(flagger), []);
    });
  });

  test("of an oracle's id the current record of the highest version is read", () => {
    const [one, two] = [alice, bob].map(({ peer }) => offers(peer, { MarketData: "FxOracle" })) as [Signed, Signed];
    const record = (by: string, version: bigint, expires_at: bigint) =>
      signed("OraclePublish", by, { id: "eur", version, expires_at });
    const read = (records: readonly Signed[], result: unknown) => {
      const oracle_records = Object.fromEntries(records.map((each) => [each.identity, { publication: each.identity }]));
      const rows = { ...listing(one, two), oracle_records };
      return found([one, two, ...records], rows, "getOracleRecord", { id: "eur" }, result);
    };
    const [low, high] = [record(alice.peer, 3n, NOW + 1n), record(bob.peer, 4n, NOW + 1n)];
    assert.deepEqual(read([low, high], { provider: bob.peer, version: 4 }), []);
    assert.lengthOf(read([low, high], { provider: alice.peer, version: 3 }), 1);
    assert.deepEqual(read([low, record(bob.peer, 4n, NOW)], { provider: alice.peer, version: 3 }), []);
    assert.deepEqual(read([record(alice.peer, 3n, NOW - 7n * DAY_MS)], { provider: alice.peer, version: 3 }), []);
    assert.deepEqual(read([record(alice.peer, 3n, NOW - 7n * DAY_MS - 1n)], null), []);
    assert.deepEqual(read([record(carol.peer, 3n, NOW + 1n)], null), []);
  });

  describe("of a settlement", () => {
    const initiate = signed("SettlementInitiate", alice.peer, { id: "s" }, NOW - DAY_MS);
    const trade = { id: "s", buyer: alice.peer, seller: bob.peer, state: "Completed", disputed_at: null };
    const settled = (more: object = {}): Rows => ({ settlements: { [initiate.identity]: { ...trade, ...more } } });
    const review = (by: string, comment: string, at = NOW - 1_000n) =>
      signed("ReviewPublish", by, { settlement: "s", rating: 5, comment }, at);

    test("what each party said last of the other is read about that one", () => {
      const signed = [initiate, review(alice.peer, "slow", NOW - 2_000n), review(alice.peer, "well")];
      const day = Number(NOW - (NOW % DAY_MS));
      const shows = (...comments: readonly string[]) =>
        comments.map((comment) => ({ about: bob.peer, rating: 5, comment, created_on: day }));
      const read = (wallet: string, result: unknown, rows = settled()) =>
        found([...signed, review(carol.peer, "bad")], rows, "getReviews", { wallet }, result);
      assert.deepEqual(read(bob.peer, shows("well")), []);
      assert.deepEqual(read(bob.parameter("base64"), shows("well")), []);
      assert.lengthOf(read(bob.peer, shows("slow")), 1);
      assert.lengthOf(read(bob.peer, shows("well", "bad")), 1);
      assert.lengthOf(read(alice.peer, shows("well")), 1);
      assert.deepEqual(read(bob.peer, [], settled({ state: "Cancelled" })), []);
      const own = [{ author: alice.peer, about: bob.peer, created_at: Number(NOW - 1_000n) }];
      for (const { peer } of [alice, bob])
        assert.deepEqual(found(signed, settled(), "getMyReviews", { wallet: peer }, own), []);
      assert.lengthOf(found(signed, settled(), "getMyReviews", { wallet: carol.peer }, own), 1);
    });

    test("a channel holds each party's first entry of a number, and his newest grant", () => {
      const sealed = { payload: { ciphertext: new Uint8Array(16) } };
      const post = (by: string, at: bigint, sequence = 1n) =>
        signed("TradeChannelEntryPost", by, { settlement_id: "s", sequence, ...sealed }, at);
      const grant = (at: bigint) =>
        signed("TradeChannelKeyGrant", alice.peer, { settlement_id: "s", recipient: bob.peer }, at);
      const [first, second] = [NOW - 2_000n, NOW - 1_000n];
      const statements = [initiate, post(alice.peer, first), post(alice.peer, second), post(carol.peer, first)];
      const entry = (at: bigint) => ({ author: alice.peer, sequence: 1, posted_at: Number(at) });
      const given = (at: bigint) => ({
        granter: alice.peer,
        recipient: bob.peer,
        role: "Party",
        granted_at: Number(at),
      });
      const read = (at: bigint, grantedAt: bigint, wallet: string = bob.peer) => {
        const result = { settlement_id: "s", entries: [entry(at)], grants: [given(grantedAt)] };
        const all = [...statements, grant(first), grant(second)];
        return found(all, settled(), "getMyTradeChannel", { id: "s", wallet }, result);
      };
      assert.deepEqual(read(first, second), []);
      assert.lengthOf(read(second, second), 1);
      assert.lengthOf(read(first, first), 1);
      assert.deepEqual(read(first, first, carol.peer), []);
    });

    test("partners are counted by how trades went, and by whether they were ever disputed", () => {
      const read = (counts: readonly number[], more: object = {}) => {
        const [trades, in_progress, abandoned, disputed] = counts;
        const result = [{ counterparty: bob.peer, trades, in_progress, abandoned, disputed }];
        return found([initiate], settled(more), "getCounterparties", { wallet: alice.peer }, result);
      };
      assert.deepEqual(read([1, 0, 0, 0]), []);
      assert.deepEqual(read([1, 0, 0, 1], { disputed_at: 1n }), []);
      assert.lengthOf(read([1, 0, 0, 0], { disputed_at: 1n }), 1);
      assert.deepEqual(read([0, 1, 0, 0], { state: "Disputed" }), []);
      assert.deepEqual(read([0, 0, 1, 0], { state: "Rejected" }), []);
    });
  });

  test("a merchant's way to be paid goes by the digest of all its words", () => {
    const texts = { merchant: alice.peer, merchant_public_key: alice.publicKey, name: "Post", category: "Cash" };
    const define = signed("PaymentMethodDefine", alice.peer, texts);
    const read = (id: string, category = "Cash") =>
      found([define], {}, "getPaymentMethods", {}, { merchant: [{ id, name: "Post", category }] });
    const digest = crypto.sha256(utf8(JSON.stringify(texts))).subarray(0, 8);
    assert.deepEqual(read(`${alice.peer}:${toHex(digest)}`), []);
    assert.lengthOf(read(`${alice.peer}:${toHex(digest)}`, "Fintech"), 1);
    const [wrong] = read(`${alice.peer}:0000000000000000`);
    assert.match(wrong ?? "", /^node 0: getPaymentMethods shows "\S+:0{16} Post Cash", the papers say ""$/);
  });

  test("leaves what it cannot tell: sealed records, refusals, other reads", () => {
    const result = { wallet: carol.peer, highest_severity: "Low", active_flags: [] };
    assert.lengthOf(found([], {}, "getWalletScreening", {}, result), 1);
    assert.deepEqual(found([], { seals: { s: {} } }, "getWalletScreening", {}, result), []);
    assert.deepEqual(found([], {}, "getReputation", {}, result), []);
  });
});
