// Goal: the simulated network keeps the transport's promises under every fault: one end to every request, no word
// from inside a call, bytes shared, and faults that are counted when they bite.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { healthyLink } from "../../sim/links.ts";
import { leaveNetwork } from "../../sim/network.ts";
import { changeNetworkConditions, cut, halfOpen, restoreNetworkConditions, uncut } from "../../sim/network-faults.ts";
import { setConditions } from "../../sim/network-state.ts";
import { forAllAsync } from "../property/for-all.ts";
import { connected, createTestNetwork } from "./test-network.ts";

describe("the simulated network", () => {
  test("connects, carries a request and its answer, and says nothing from inside a call", async () => {
    const testNetwork = createTestNetwork(2);
    testNetwork.at(0).dial(testNetwork.address(1));
    assert.deepEqual(testNetwork.log, []);
    await testNetwork.loop.runUntil(200);
    assert.deepEqual(testNetwork.log, ["0 connected peer1", "1 connected peer0"]);
    testNetwork.at(0).send(testNetwork.peer(1), 7, Uint8Array.of(1));
    assert.equal(testNetwork.log.length, 2);
    await testNetwork.loop.runUntil(400);
    assert.deepEqual(testNetwork.log.slice(2), ["1 received 1 from peer0", "0 answered 7 by peer1: 101"]);
    assert.equal(testNetwork.network.held.deliveries, 2);
  });

  test("hands the same bytes to everyone", async () => {
    const testNetwork = createTestNetwork(3);
    await connected(testNetwork, 0, 1);
    await connected(testNetwork, 0, 2);
    const bytes = Uint8Array.of(5);
    testNetwork.at(0).send(testNetwork.peer(1), 1, bytes);
    testNetwork.at(0).send(testNetwork.peer(2), 2, bytes);
    await testNetwork.loop.runUntil(1_000);
    assert.equal(testNetwork.bytesSeen.length, 2);
    for (const seen of testNetwork.bytesSeen) assert.strictEqual(seen, bytes);
  });

  test("fails at once what goes to a stranger, and after ten seconds what nobody answers", async () => {
    const testNetwork = createTestNetwork(2);
    testNetwork.at(0).send(testNetwork.peer(1), 1, Uint8Array.of(1));
    assert.deepEqual(testNetwork.log, []);
    await testNetwork.loop.runUntil(0);
    assert.deepEqual(testNetwork.log, ["0 failed 1 to peer1: not connected"]);
    await connected(testNetwork);
    testNetwork.hush();
    testNetwork.at(0).send(testNetwork.peer(1), 2, Uint8Array.of(1));
    const sent = testNetwork.loop.now();
    await testNetwork.loop.runUntil(sent + 9_999);
    assert.deepEqual(testNetwork.log, ["1 received 1 from peer0"]);
    await testNetwork.loop.runUntil(sent + 10_000);
    assert.deepEqual(testNetwork.log.slice(1), ["0 failed 2 to peer1: timeout"]);
  });

  test("tells both ends of a close, and fails what was under way", async () => {
    const testNetwork = createTestNetwork(2);
    await connected(testNetwork);
    testNetwork.hush();
    testNetwork.at(0).send(testNetwork.peer(1), 3, Uint8Array.of(1));
    testNetwork.at(0).disconnect(testNetwork.peer(1));
    assert.deepEqual(testNetwork.log, []);
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 200);
    assert.deepEqual(testNetwork.log.slice(0, 2), ["0 failed 3 to peer1: disconnected", "0 disconnected peer1"]);
    assert.ok(testNetwork.log.includes("1 disconnected peer0"));
  });

  test("word of a close comes before a new connection, however slow it was", async () => {
    const testNetwork = createTestNetwork(2, { latency: { type: "constant", ms: 10 } });
    await connected(testNetwork);
    setConditions(testNetwork.network, 0, 1, { ...healthyLink, latency: { type: "constant", ms: 500 } });
    testNetwork.at(0).disconnect(testNetwork.peer(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now());
    setConditions(testNetwork.network, 0, 1, null);
    testNetwork.at(0).dial(testNetwork.address(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 100);
    assert.deepEqual(testNetwork.log, [
      "0 disconnected peer1",
      "1 disconnected peer0",
      "0 connected peer1",
      "1 connected peer0",
    ]);
  });

  test("a crash is noticed by the others and by nobody else; the next life starts afresh", async () => {
    const testNetwork = createTestNetwork(2);
    await connected(testNetwork);
    testNetwork.at(1).send(testNetwork.peer(0), 4, Uint8Array.of(1));
    leaveNetwork(testNetwork.network, testNetwork.peer(1), "closed");
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 15_000);
    assert.deepEqual(
      testNetwork.log.filter((line) => line.startsWith("1")),
      [],
    );
    assert.ok(testNetwork.log.includes("0 disconnected peer1"));
    testNetwork.log.length = 0;
    testNetwork.join(1);
    testNetwork.at(0).dial(testNetwork.address(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 200);
    assert.deepEqual(testNetwork.log, ["0 connected peer1", "1 connected peer0"]);
  });

  test("the port of an earlier life is dead", async () => {
    const testNetwork = createTestNetwork(2);
    await connected(testNetwork);
    const old = testNetwork.at(0);
    leaveNetwork(testNetwork.network, testNetwork.peer(0), "closed");
    testNetwork.join(0);
    old.dial(testNetwork.address(1));
    old.send(testNetwork.peer(1), 1, Uint8Array.of(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 20_000);
    assert.deepEqual(testNetwork.log, ["1 disconnected peer0"]);
  });

  test("when the power goes nobody is told; silence tells, or never if it is back before", async () => {
    const testNetwork = createTestNetwork(2);
    await connected(testNetwork);
    leaveNetwork(testNetwork.network, testNetwork.peer(1), "silent");
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 44_999);
    assert.deepEqual(testNetwork.log, []);
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 1);
    assert.deepEqual(testNetwork.log, ["0 disconnected peer1"]);
    testNetwork.join(1);
    await connected(testNetwork);
    leaveNetwork(testNetwork.network, testNetwork.peer(1), "silent");
    testNetwork.join(1).dial(testNetwork.address(0));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 60_000);
    assert.deepEqual(testNetwork.log, ["1 connected peer0"]);
  });
});

describe("faults of the network", () => {
  test("what is lost fails, and counts as lost only where it would have arrived", async () => {
    const testNetwork = createTestNetwork(2, { loss: 1_000_000 });
    await connected(testNetwork);
    testNetwork.at(0).send(testNetwork.peer(1), 1, Uint8Array.of(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 10_000);
    assert.deepEqual(testNetwork.log, ["0 failed 1 to peer1: timeout"]);
    assert.deepEqual(testNetwork.effective("loss"), { kind: "loss", injected: 1, effective: 1 });
    cut(testNetwork.network, { groups: [[0], [1]] });
    testNetwork.at(0).send(testNetwork.peer(1), 2, Uint8Array.of(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 10_000);
    assert.deepEqual(testNetwork.effective("loss"), { kind: "loss", injected: 2, effective: 1 });
  });

  test("a duplicate arrives as a second request and is answered once", async () => {
    const testNetwork = createTestNetwork(2, { duplication: 1_000_000 });
    await connected(testNetwork);
    testNetwork.at(0).send(testNetwork.peer(1), 1, Uint8Array.of(9));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 1_000);
    assert.equal(testNetwork.log.filter((line) => line === "1 received 9 from peer0").length, 2);
    assert.equal(testNetwork.log.filter((line) => line.startsWith("0 answered")).length, 1);
    assert.deepEqual(testNetwork.effective("duplication"), { kind: "duplication", injected: 1, effective: 1 });
  });

  test("jitter lets later messages overtake earlier ones", async () => {
    const jitter = { chance: 500_000, delay: { type: "uniform", least: 100, most: 400 } } as const;
    const testNetwork = createTestNetwork(2, { latency: { type: "constant", ms: 10 }, jitter });
    await connected(testNetwork);
    for (let n = 0; n < 40; n++) {
      testNetwork.at(0).send(testNetwork.peer(1), n, Uint8Array.of(n));
      await testNetwork.loop.runUntil(testNetwork.loop.now() + 5);
    }
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 1_000);
    const order = testNetwork.bytesSeen.map((bytes) => bytes[0] as number);
    assert.notDeepEqual(
      order,
      [...order].sort((a, b) => a - b),
    );
    const count = testNetwork.effective("reordering");
    assert.ok(count !== undefined && count.effective > 0 && count.effective <= count.injected);
  });

  test("bandwidth makes messages queue behind each other", async () => {
    const testNetwork = createTestNetwork(2, { latency: { type: "constant", ms: 10 }, bytesPerMs: 1 });
    await connected(testNetwork);
    const start = testNetwork.loop.now();
    testNetwork.at(0).send(testNetwork.peer(1), 1, new Uint8Array(500));
    testNetwork.at(0).send(testNetwork.peer(1), 2, new Uint8Array(500));
    await testNetwork.loop.runUntil(start + 509);
    assert.equal(testNetwork.bytesSeen.length, 0);
    await testNetwork.loop.runUntil(start + 1_009);
    assert.equal(testNetwork.bytesSeen.length, 1);
    await testNetwork.loop.runUntil(start + 1_010);
    assert.equal(testNetwork.bytesSeen.length, 2);
  });

  test("a cut stops messages both ways until it heals, and kills connections that stay silent", async () => {
    const testNetwork = createTestNetwork(3);
    await connected(testNetwork, 0, 1);
    await connected(testNetwork, 0, 2);
    const block = cut(testNetwork.network, { groups: [[0, 2], [1]] });
    testNetwork.at(0).send(testNetwork.peer(1), 1, Uint8Array.of(1));
    testNetwork.at(1).send(testNetwork.peer(0), 1, Uint8Array.of(2));
    testNetwork.at(0).send(testNetwork.peer(2), 2, Uint8Array.of(3));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 10_000);
    assert.deepEqual(
      [...testNetwork.log].sort((a, b) => (a < b ? -1 : 1)),
      [
        "0 answered 2 by peer2: 103",
        "0 failed 1 to peer1: timeout",
        "1 failed 1 to peer0: timeout",
        "2 received 3 from peer0",
      ],
    );
    uncut(testNetwork.network, block);
    testNetwork.log.length = 0;
    testNetwork.at(0).send(testNetwork.peer(1), 3, Uint8Array.of(4));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 60_000);
    assert.deepEqual(testNetwork.log, ["1 received 4 from peer0", "0 answered 3 by peer1: 104"]);
    cut(testNetwork.network, { groups: [[0], [1]] });
    testNetwork.log.length = 0;
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 45_000);
    assert.deepEqual(
      [...testNetwork.log].sort((a, b) => (a < b ? -1 : 1)),
      ["0 disconnected peer1", "1 disconnected peer0"],
    );
    assert.deepEqual(testNetwork.effective("partition"), { kind: "partition", injected: 2, effective: 2 });
  });

  test("a one-way cut stops one direction alone", async () => {
    const testNetwork = createTestNetwork(2);
    await connected(testNetwork);
    cut(testNetwork.network, { groups: [[0], [1]], oneWay: true });
    testNetwork.at(1).send(testNetwork.peer(0), 1, Uint8Array.of(1));
    testNetwork.at(0).send(testNetwork.peer(1), 1, Uint8Array.of(2));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 1_000);
    assert.deepEqual(testNetwork.log, ["0 received 1 from peer1"]);
  });

  test("at a half-open link one end is gone and the other does not know, until it connects again", async () => {
    const testNetwork = createTestNetwork(2);
    await connected(testNetwork);
    halfOpen(testNetwork.network, 1, 0);
    assert.deepEqual(testNetwork.log, ["1 disconnected peer0"]);
    testNetwork.at(0).send(testNetwork.peer(1), 1, Uint8Array.of(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 10_000);
    assert.deepEqual(testNetwork.log.slice(1), ["0 failed 1 to peer1: timeout"]);
    assert.deepEqual(testNetwork.effective("half-open"), { kind: "half-open", injected: 1, effective: 1 });
    testNetwork.at(1).dial(testNetwork.address(0));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 200);
    assert.equal(testNetwork.log.at(-1), "1 connected peer0");
    testNetwork.log.length = 0;
    testNetwork.at(0).send(testNetwork.peer(1), 2, Uint8Array.of(2));
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 60_000);
    assert.deepEqual(testNetwork.log, ["1 received 2 from peer0", "0 answered 2 by peer1: 102"]);
  });

  test("a change of network conditions is taken back alone", () => {
    const testNetwork = createTestNetwork(1);
    const storm = changeNetworkConditions(testNetwork.network, { loss: 5 });
    const fog = changeNetworkConditions(testNetwork.network, { duplication: 6 });
    restoreNetworkConditions(testNetwork.network, storm);
    assert.equal(testNetwork.network.held.conditions.loss, 0);
    assert.equal(testNetwork.network.held.conditions.duplication, 6);
    restoreNetworkConditions(testNetwork.network, fog);
    assert.deepEqual(testNetwork.network.held.conditions, healthyLink);
  });
});

describe("any history", () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("send" as const), a: fc.nat(3), b: fc.nat(3) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("dial" as const), a: fc.nat(3), b: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("disconnect" as const), a: fc.nat(3), b: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), a: fc.nat(3), b: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("half" as const), a: fc.nat(3), b: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const), a: fc.nat(3), b: fc.nat(3) }) },
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  test("every request of a living member ends once; connections come and go in turn", async () => {
    const holds = async (steps: readonly Step[], seed: bigint) => {
      const testNetwork = createTestNetwork(4, { loss: 100_000, duplication: 200_000 }, seed);
      const asked = new Map<string, number>();
      let request = 0;
      for (const { do: act, a, b } of steps) {
        if (act === "send") {
          asked.set(`${a} ${request}`, 0);
          testNetwork.at(a).send(testNetwork.peer(b), request++, Uint8Array.of(1));
        } else if (act === "dial") testNetwork.at(a).dial(testNetwork.address(b));
        else if (act === "disconnect") testNetwork.at(a).disconnect(testNetwork.peer(b));
        else if (act === "cut") cut(testNetwork.network, { groups: [[a], [(a + 1) % 4]] });
        else if (act === "half") halfOpen(testNetwork.network, a, b);
        else {
          leaveNetwork(testNetwork.network, testNetwork.peer(a), b % 2 === 0 ? "closed" : "silent");
          for (const key of asked.keys()) if (key.startsWith(`${a} `)) asked.delete(key);
          testNetwork.log.push(`${a} reborn`);
          testNetwork.join(a);
        }
        await testNetwork.loop.runUntil(testNetwork.loop.now() + 30);
      }
      await testNetwork.loop.runDry(1_000_000);
      checkHistory(testNetwork.log, asked);
      return kindsIn(testNetwork.log);
    };
    await forAllAsync([fc.array(step, { maxLength: 60 }), fc.bigInt(0n, 99n)], holds, {
      runs: 150,
      sample: 50,
      shares: {
        ...{ connected: 0.5, disconnected: 0.4, "received from": 0.3, "answered by :": 0.3, reborn: 0.4 },
        ...{ "failed to : not connected": 0.5, "failed to : timeout": 0.2, "failed to : disconnected": 0.05 },
        ...{ "does not reach nobody is there": 0.4, "does not reach timeout": 0.2 },
      },
    });
  });
});

/** What a log tells of, without who and when. */
function kindsIn(log: readonly string[]): readonly string[] {
  const kinds = log.map((line) =>
    line
      .replace(/^\d+ /, "")
      .replace(/\b(peer)?\d+\b|\/\S+/g, "")
      .replace(/ +/g, " ")
      .trim(),
  );
  return [...new Set(kinds)];
}

function checkHistory(log: readonly string[], asked: Map<string, number>): void {
  const open = new Set<string>();
  for (const line of log) {
    const [member = "", what = "", value = ""] = line.split(" ");
    if (what === "answered" || what === "failed") {
      const key = `${member} ${value}`;
      const ends = asked.get(key);
      if (ends !== undefined) asked.set(key, ends + 1);
    } else if (what === "reborn") {
      for (const pair of open) if (pair.startsWith(`${member} `)) open.delete(pair);
    } else if (what === "connected") {
      assert.ok(!open.has(`${member} ${value}`), `${line}, which it was`);
      open.add(`${member} ${value}`);
    } else if (what === "disconnected") {
      assert.ok(open.delete(`${member} ${value}`), `${line}, which it was not`);
    }
  }
  for (const [key, ends] of asked) assert.equal(ends, 1, `request ${key} ended ${ends} times`);
}
