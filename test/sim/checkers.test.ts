// Goal: each checker finds what breaks its law and nothing else. Method: hand-made steps and answers, with a planted
// leak in every spelling. Checkers of the chain, of proofs and of law L9 have files of their own.

import { assert, describe, test } from "vitest";
import type { Reader } from "../../core/index.ts";
import { DisputeOpen, NewestSlots, SnapshotAnnounce } from "../../core/testing.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { flagged } from "../../sim/checkers/flagged.ts";
import { noPartyLeaks } from "../../sim/checkers/no-party-leaks.ts";
import { readsChangeNothing, readsOnly } from "../../sim/checkers/reads-change-nothing.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import { createSpotter } from "../../sim/spellings.ts";
import type { Wallet } from "../../sim/wallet.ts";
import { openWallet } from "../../sim/wallet.ts";
import type { World } from "../../sim/world.ts";
import { alice, bob, carol, crypto, noView, step, watch } from "./checker-bench.ts";

describe("equal sets, equal states", () => {
  test("compares every two times that two nodes held equal sets", () => {
    const { checker, found } = watch(equalSetsEqualStates);
    checker.onStep?.(step(0, {}, "00x", "10a"));
    checker.onStep?.(step(1, {}, "00x", "20b"));
    checker.onStep?.(step(0, {}, "10a", "20b"));
    checker.onStep?.(step(1, {}, "20b", "21c"));
    assert.deepEqual(found, []);
    checker.onStep?.(step(2, {}, "00x", "10b"));
    assert.equal(found.length, 1);
    assert.match(found[0] ?? "", /nodes 0 and 2 .* a is not b/);
  });
});

describe("reads change nothing", () => {
  const read = { type: "rpc.called", body: '{"method":"getTrade"}' } as const;
  test("finds a read that moves a root, and no send", () => {
    const { checker, found } = watch(readsChangeNothing);
    checker.onStep?.(step(0, read, "00x", "00x"));
    checker.onStep?.(step(0, { ...read, body: '{"method":"sendX"}' }, "00x", "10y"));
    checker.onStep?.(step(0, { type: "timer.fired" }, "10y", "10z"));
    assert.deepEqual(found, []);
    checker.onStep?.(step(0, read, "10z", "10w"));
    assert.match(found[0] ?? "", /node 0 changed its roots/);
  });

  test("a batch reads only when all of it does, and nonsense writes nothing", () => {
    assert.equal(readsOnly('[{"method":"getA"},{"method":"getB"}]'), true);
    assert.equal(readsOnly('[{"method":"getA"},{"method":"sendB"}]'), false);
    assert.equal(readsOnly("{"), true);
    assert.equal(readsOnly("[null,5]"), true);
  });
});

describe("reads change nothing, of what is sealed either", () => {
  test("finds a read that seals", () => {
    const { checker, found } = watch(readsChangeNothing);
    const seen = step(0, { type: "rpc.called", body: '{"method":"getTrade"}' } as never, "00x", "00x");
    checker.onStep?.({ ...seen, roots: { ...seen.roots, archive: "more" } });
    assert.equal(found.length, 1);
  });
});

describe("replicas converge", () => {
  const CHAIN_SLOT = 100n;
  /** Nodes by their roots: statements, facts and sealed in one letter each, then the state. */
  const world = (...nodes: readonly string[]) => worldOf(nodes);
  const worldOf = (nodes: readonly string[], views: readonly Reader[] = []) =>
    ({
      nodes: nodes.map((_, index) => ({
        ...{ name: `node/${index}`, index },
        driver: () => views[index] && { view: views[index] },
      })),
      rootsOf: (index: number) => {
        const [statements = "", facts = "", archive = "", state = ""] = nodes[index] ?? "";
        return { statements, facts, archive, state };
      },
      chain: () => ({ slot: () => CHAIN_SLOT }),
    }) as unknown as World;
  const missing = (...nodes: readonly string[]) => replicasConverge.missing(world(...nodes));

  test("wants equal statements, and equal states of all who hold the same facts, the first or not", () => {
    assert.equal(missing(), undefined);
    assert.equal(missing("10ax", "10ax", "11ay", "11ay", "11by"), undefined);
    assert.equal(missing("10ax", "20ax"), "node/1 and node/0 hold different statements");
    assert.equal(missing("10ax", "10ay"), "node/1 and node/0 are in different states");
    assert.equal(missing("10ax", "11ay", "11az"), "node/2 and node/1 are in different states");
  });

  test("lets a node that was away hold what others have sealed, and lack nothing of theirs", () => {
    const holds = (away: boolean, ...held: readonly string[]): Reader => {
      const rows = new Map(held.map((key) => [key, { type: DisputeOpen }]));
      const attendance = { away, whole_at: 0n, peers: [] };
      return {
        ...noView,
        get: ({ name }, key) => (name === "attendance" ? attendance : rows.get(key)) as never,
        keys: () => held,
        size: () => held.length,
      };
    };
    const wrong = "node/1 and node/0 hold different statements";
    const between = (...views: readonly Reader[]) => replicasConverge.missing(worldOf(["10ax", "20bx"], views));
    assert.equal(between(holds(true, "s", "t"), holds(false, "t", "s")), undefined);
    assert.equal(between(holds(false, "s", "t"), holds(true, "s", "t")), undefined);
    assert.equal(between(holds(false, "s", "t"), holds(false, "s", "t")), wrong);
    assert.equal(between(holds(true, "s"), holds(false, "s", "t")), wrong);
    assert.equal(between(holds(true, "s", "u"), holds(false, "s", "t")), wrong);
  });

  test("lets a node that was fooled hold announcements of a slot that the chain never had (seed 480974)", () => {
    const held = {
      announced: { type: SnapshotAnnounce, payload: { slot: CHAIN_SLOT } },
      forged: { type: SnapshotAnnounce, payload: { slot: CHAIN_SLOT + 1n } },
      other: { type: DisputeOpen, payload: { slot: CHAIN_SLOT + 1n } },
    };
    const holdsBy = (by: "several" | "own", ...keys: readonly (keyof typeof held)[]): Reader => {
      const rows = new Map<string, unknown>(keys.map((key) => [key, held[key]]));
      return {
        ...noView,
        get: ({ name }, key) => (name === NewestSlots.name ? { by } : rows.get(key)) as never,
        keys: () => keys,
        size: () => keys.length,
      };
    };
    const holds = (...keys: readonly (keyof typeof held)[]) => holdsBy("several", ...keys);
    const wrong = "node/1 and node/0 hold different statements";
    const between = (...views: readonly Reader[]) => replicasConverge.missing(worldOf(["10ax", "20ay"], views));
    assert.equal(between(holds("forged", "other"), holds("other")), undefined);
    assert.equal(between(holds("other"), holds("other", "forged")), undefined);
    assert.equal(between(holds("forged"), holdsBy("own")), undefined, "whoever knows better refuses it");
    assert.equal(between(holdsBy("own", "forged"), holds()), wrong, "whoever takes it knows better");
    assert.equal(between(holds("announced"), holds()), wrong);
    assert.equal(between(holds("forged", "other"), holds()), wrong);
    assert.equal(between(holds("other"), holds("other")), wrong);
  });
});

describe("flagged", () => {
  test("wants every node that is up in the end to have said it", () => {
    const { checker, found } = watch(flagged("copied"));
    const log = (node: number, event: string) => ({ node, level: "warn" as const, event, fields: {} });
    checker.onLog?.(log(0, "copied"));
    checker.onLog?.(log(1, "other"));
    const up = (node: number) => ({ node, view: noView, roots: { statements: "", facts: "", state: "", archive: "" } });
    checker.onEnd?.({ nodes: [up(0), up(1)] });
    assert.deepEqual(found, ["node 1 never said: copied"]);
  });
});

describe("no party leaks", () => {
  const sends = (by: Wallet, method: string, value: unknown) => ({
    node: 0,
    by,
    request: JSON.stringify({
      id: 1,
      method,
      params: { data: Buffer.from(JSON.stringify(value)).toString("base64") },
    }),
  });

  /** Alice reserves what Bob advertised and settles it with him; Carol has no part in it. */
  function trade() {
    const watched = watch(noPartyLeaks);
    const { checker } = watched;
    checker.onCall?.(sends(bob, "sendAdvertisementCreate", { create: { id: "ad", merchant: bob.peer } }));
    const request = { id: alice.peer, advertisement_id: "ad", requester: alice.peer, seller: bob.peer };
    checker.onCall?.(sends(alice, "sendReservationRequest", { request }));
    checker.onCall?.(sends(carol, "sendSessionEstablish", { create: { id: "s", wallet: carol.peer } }));
    return watched;
  }
  function leaks(method: string, result: unknown, params: unknown = {}, by?: Wallet): number {
    const { checker, found } = trade();
    const request = JSON.stringify({ id: 2, method, params });
    checker.onAnswer?.({ node: 0, by, request, answer: JSON.stringify({ id: 2, result }) });
    return found.length;
  }

  const key = alice.keypair.publicKey;
  const peerBytes = Buffer.from(alice.parameter("base64"), "base64");
  const spellings: readonly (readonly [string, unknown])[] = [
    ["base58 of the peer id", alice.peer],
    ["base58 of the key", alice.publicKey],
    ["base64 of the peer id", alice.parameter("base64")],
    ["base64 of the key", Buffer.from(key).toString("base64")],
    ["base64 of the key after one byte", Buffer.from([7, ...key]).toString("base64")],
    ["base64 of the key after two bytes, and more behind", Buffer.from([7, 8, ...key, 9]).toString("base64")],
    ["URL-safe base64", Buffer.from(key).toString("base64url")],
    ["hexadecimal", Buffer.from(key).toString("hex")],
    ["capital hexadecimal inside a word", `x${Buffer.from(peerBytes).toString("hex").toUpperCase()}`],
    ["an array of the key", [...key]],
    ["an array of the peer id", [...peerBytes]],
    ["inside a sentence", `paid by ${alice.peer}!`],
    ["joined to something", `node-${alice.publicKey}`],
    ["base32", `b${base32(key)}`],
    ["base32 of the peer id in capitals", base32(peerBytes).toUpperCase()],
    ["base64 of the text", Buffer.from(`{"buyer":"${alice.peer}"}`).toString("base64")],
    ["hexadecimal of the text", Buffer.from(alice.publicKey).toString("hex")],
    ["an array of the text", [...Buffer.from(`to ${alice.peer}`)]],
    ["as the name of a member", { [alice.peer]: 1 }],
    ["deep inside", [{ a: [{ b: alice.peer }] }]],
  ];
  for (const [name, spelled] of spellings) {
    test(`finds ${name}`, () => assert.equal(leaks("getTrade", { id: "r", extra: spelled }), 1));
  }

  test("finds the letters that the URL-safe alphabet has instead of others", () => {
    for (const letter of ["-", "_"]) {
      const urlSafe = ({ keypair }: Wallet) => Buffer.from(keypair.publicKey).toString("base64url");
      const wallets = Array.from({ length: 99 }, (_, at) => openWallet(crypto, 1n, `person ${at}`));
      // In the middle, since the digits at the ends also depend on what stands beside the key.
      const found = wallets.find((one) => urlSafe(one).indexOf(letter, 8) > 0 && urlSafe(one).indexOf(letter, 8) < 32);
      assert.isDefined(found);
      const spotter = createSpotter();
      spotter.add(found as Wallet);
      assert.deepEqual(spotter.inText(urlSafe(found as Wallet)), [found as Wallet]);
    }
  });

  test("leaves alone who did nothing, other values, and what the caller asked about where that is repeated", () => {
    const dora = openWallet(crypto, 1n, "dora");
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    assert.equal(leaks("getTrade", { who: dora.peer, hash: "a".repeat(64), numbers }), 0);
    const wallet = alice.parameter("base64");
    assert.equal(leaks("getReputation", { wallet }, { wallet }), 0);
    assert.equal(leaks("getReputation", { wallet: alice.peer }, { wallet: bob.peer }), 1);
    assert.equal(leaks("getTrades", [{ buyer: alice.peer }], { wallet: alice.peer }), 1);
    assert.equal(leaks("getReputation", { wallet, with: bob.peer }, { wallet }), 1);
  });

  test("lets a refusal give the caller's own words back, and nobody else's", () => {
    const answers = (named: Wallet, asked: Wallet) => {
      const { checker, found } = trade();
      const request = JSON.stringify({ id: 2, method: "getNothing", params: { wallet: asked.peer } });
      const answer = JSON.stringify({ id: 2, error: { code: -32601, message: `nothing of ${named.peer}` } });
      checker.onAnswer?.({ node: 0, by: undefined, request, answer });
      return found.length;
    };
    assert.equal(answers(alice, alice), 0);
    assert.equal(answers(alice, bob), 1);
  });

  test("allows what people publish about themselves, and only there", () => {
    assert.equal(leaks("getAdvertisement", { merchant: bob.peer, merchant_public_key: bob.publicKey }), 0);
    assert.equal(leaks("getAdvertisement", { last_taker: bob.peer }), 1);
    assert.equal(leaks("getSettlement", { merchant: bob.peer }), 1);
    assert.equal(leaks("getSessionsByWallet", [{ wallet: carol.peer, host_node: alice.peer }]), 0);
  });

  test.each([
    ["author", "sendProposalCreate"],
    ["voter", "sendVoteCast"],
  ])("allows the %s in reads of that name alone", (member, send) => {
    const { checker, found } = watch(noPartyLeaks);
    checker.onCall?.(sends(bob, send, { create: { id: "p", [member]: bob.peer } }));
    const shows = (method: string) => {
      const answer = JSON.stringify({ id: 2, result: { [member]: bob.peer } });
      checker.onAnswer?.({ node: 0, by: undefined, request: JSON.stringify({ id: 2, method, params: {} }), answer });
      return found.length;
    };
    assert.equal(shows("getProposal"), 0);
    assert.equal(shows("getProposals"), 0);
    assert.equal(shows("getProposalChainLink"), 1);
  });

  test("wants it published by the one who is shown", () => {
    assert.equal(leaks("getAdvertisement", { merchant: alice.peer }), 1);
    assert.equal(leaks("getSession", { wallet: alice.peer }), 1);
  });

  test("allows an id that its author made up, as an id", () => {
    assert.equal(leaks("getReservation", { id: alice.peer }), 0);
    assert.equal(leaks("getReservation", { id: bob.peer }), 1);
    assert.equal(leaks("getAdvertisements", { advertisements: [], next_cursor: alice.peer }), 0);
    assert.equal(leaks("getAdvertisements", { advertisements: [], next_cursor: bob.peer }), 1);
    assert.equal(leaks("getReservation", { id: `by ${alice.peer}` }), 1);
    assert.equal(leaks("getReservation", { requester: alice.peer }), 1);
  });

  test("shows a proven reader those he trades with, and nobody else", () => {
    const proof = (by: Wallet) => ({ wallet: by.peer, signature: "s" });
    assert.equal(leaks("getMyTrades", [{ buyer: alice.peer }], proof(bob), bob), 0);
    assert.equal(leaks("getMyTrades", [{ buyer: alice.peer }], proof(alice), alice), 0);
    assert.equal(leaks("getMyTrades", [{ buyer: alice.peer }], proof(carol), carol), 1);
    assert.equal(leaks("getMyTrades", [{ buyer: alice.peer }], {}, bob), 1);
    assert.equal(leaks("getTrades", [{ buyer: alice.peer }], proof(bob), bob), 1);
  });

  test("shows a notification about a trade to a proof alone", () => {
    const dispatch = { notification_id: "n", trigger: "PaymentSubmitted", recipient_wallet: "" };
    const params = { wallet: bob.peer };
    assert.equal(leaks("getNotificationDispatchesByWallet", [dispatch], params), 1);
    assert.equal(leaks("getNotificationDispatchesByWallet", [{ ...dispatch, trigger: "NodeMaintenance" }], params), 0);
    assert.equal(leaks("getNotificationDispatchesByWallet", [dispatch], { ...params, signature: "s" }, bob), 0);
  });

  test("pairs the answers of a batch with its calls, notifications left out", () => {
    const { checker, found } = trade();
    const call = (method: string, params: unknown) => ({ method, params });
    const wallet = { wallet: alice.peer };
    const calls = [
      call("getVersion", {}),
      { id: 1, ...call("getTrade", {}) },
      { id: 2, ...call("getReputation", wallet) },
    ];
    const answer = JSON.stringify([{ result: null }, { result: wallet }]);
    checker.onAnswer?.({ node: 0, by: undefined, request: JSON.stringify(calls), answer });
    assert.deepEqual(found, []);
    checker.onAnswer?.({ node: 0, by: undefined, request: JSON.stringify([...calls].reverse()), answer });
    assert.equal(found.length, 1);
  });

  test("reads the metrics page", () => {
    const { checker, found } = trade();
    const view = (size: (name: string) => number) => ({
      get: () => undefined,
      find: () => [alice.peer],
      count: () => 0,
      ordered: () => [],
      keys: () => [],
      size: ({ name }: { readonly name: string }) => size(name),
    });
    checker.onEnd?.({
      nodes: [{ node: 0, view: view(() => 3), roots: { statements: "", facts: "", state: "", archive: "" } }],
    });
    assert.deepEqual(found, []);
  });

  test("looks at errors, batches, stream messages and log lines too", () => {
    const { checker, found } = trade();
    const answer = JSON.stringify([{ result: 1 }, { error: { message: `${alice.peer} was first` } }]);
    const request = JSON.stringify([
      { id: 1, method: "getVersion" },
      { id: 2, method: "sendReservationRequest", params: {} },
    ]);
    checker.onAnswer?.({ node: 1, by: carol, request, answer });
    assert.equal(found.length, 1);
    checker.onPublished?.({
      node: 1,
      source: "own",
      message: JSON.stringify({ method: "sendVoteCommit", result: alice.peer }),
    });
    assert.equal(found.length, 2);
    checker.onLog?.({ node: 1, level: "debug", event: "x", fields: { who: alice.peer } });
    assert.equal(found.length, 2);
    checker.onLog?.({ node: 1, level: "info", event: "x", fields: { who: alice.peer } });
    assert.equal(found.length, 3);
  });
});

/** Lower-case base32 without padding. Source: RFC 4648 §6. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}
