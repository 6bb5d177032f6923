// Goal: a line that many share makes their messages wait for each other; a link that corrupts hands on other bytes of
// the same length, counted when they arrive; and a network of nodes that meet it loses nothing that was acknowledged.
// Method: members that note what they are told; drawn worlds whose links all corrupt for as long as people act.
import { assert, describe, test } from "vitest";
import { openBackends } from "../../sim/backends.ts";
import { networkConditions } from "../../sim/fault-plans.ts";
import { share, unshare } from "../../sim/network-faults.ts";
import { runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { connected, createTestNetwork } from "./test-network.ts";

describe("a line that many share", () => {
  const instantly = { latency: { type: "constant", ms: 10 } } as const;

  async function threeConnected() {
    const testNetwork = createTestNetwork(4, instantly);
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [2, 3],
    ] as const)
      await connected(testNetwork, a, b);
    testNetwork.hush();
    return testNetwork;
  }

  test("lets messages to one peer wait behind those to another, and nobody else's", async () => {
    const testNetwork = await threeConnected();
    const line = share(testNetwork.network, [0], 1);
    const start = testNetwork.loop.now();
    testNetwork.at(0).send(testNetwork.peer(1), 1, new Uint8Array(300));
    assert.deepEqual(testNetwork.effective("shared-bandwidth"), {
      kind: "shared-bandwidth",
      injected: 1,
      effective: 0,
    });
    testNetwork.at(2).send(testNetwork.peer(0), 1, new Uint8Array(200));
    testNetwork.at(2).send(testNetwork.peer(3), 2, new Uint8Array(900));
    assert.deepEqual(testNetwork.effective("shared-bandwidth"), {
      kind: "shared-bandwidth",
      injected: 1,
      effective: 1,
    });
    await testNetwork.loop.runUntil(start + 10);
    assert.deepEqual(testNetwork.log, ["3 received 0 from peer2"]);
    await testNetwork.loop.runUntil(start + 310);
    assert.deepEqual(testNetwork.log.slice(1), ["1 received 0 from peer0"]);
    await testNetwork.loop.runUntil(start + 509);
    assert.equal(testNetwork.log.length, 2);
    await testNetwork.loop.runUntil(start + 510);
    assert.deepEqual(testNetwork.log.slice(2), ["0 received 0 from peer2"]);
    unshare(testNetwork.network, line);
    testNetwork.at(0).send(testNetwork.peer(1), 2, new Uint8Array(900));
    await testNetwork.loop.runUntil(start + 520);
    assert.equal(testNetwork.log.length, 4);
  });

  test("is gone through once between two of its members, and one after the other where there are two lines", async () => {
    const testNetwork = await threeConnected();
    share(testNetwork.network, [0, 1], 1);
    const start = testNetwork.loop.now();
    testNetwork.at(0).send(testNetwork.peer(1), 1, new Uint8Array(100));
    await testNetwork.loop.runUntil(start + 110);
    assert.deepEqual(testNetwork.log, ["1 received 0 from peer0"]);
    share(testNetwork.network, [2], 2);
    testNetwork.at(0).send(testNetwork.peer(2), 2, new Uint8Array(100));
    await testNetwork.loop.runUntil(start + 110 + 10 + 149);
    assert.equal(testNetwork.log.length, 1);
    await testNetwork.loop.runUntil(start + 110 + 10 + 150);
    assert.deepEqual(testNetwork.log.slice(1), ["2 received 0 from peer0"]);
  });
});

describe("a link that corrupts", () => {
  test("hands on the same number of bytes, of which one is another, and leaves the sender's own alone", async () => {
    const testNetwork = createTestNetwork(2, { corruption: 1_000_000 });
    await connected(testNetwork);
    const sent = Uint8Array.from({ length: 40 }, (_, place) => place);
    for (let request = 0; request < 20; request++) testNetwork.at(0).send(testNetwork.peer(1), request, sent);
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 1_000);
    assert.deepEqual(
      sent,
      Uint8Array.from({ length: 40 }, (_, place) => place),
    );
    const wrong = testNetwork.bytesSeen.map((bytes) => bytes.filter((byte, place) => byte !== place).length);
    assert.deepEqual(wrong, Array(20).fill(1));
    assert.ok(testNetwork.bytesSeen.every(({ length }) => length === 40));
    assert.ok(new Set(testNetwork.bytesSeen.map((bytes) => bytes.findIndex((byte, n) => byte !== n))).size > 5);
    // Answers too: of one byte each, which is never what was answered.
    assert.equal(testNetwork.log.filter((line) => line.startsWith("0 answered")).length, 20);
    assert.ok(!testNetwork.log.some((line) => line.endsWith(": 100")));
    assert.deepEqual(testNetwork.effective("corruption"), { kind: "corruption", injected: 40, effective: 40 });
  });

  test("counts as effective only what arrives", async () => {
    const testNetwork = createTestNetwork(2, { corruption: 1_000_000 });
    await connected(testNetwork);
    testNetwork.at(0).send(testNetwork.peer(1), 1, Uint8Array.of(1));
    testNetwork.at(0).disconnect(testNetwork.peer(1));
    await testNetwork.loop.runUntil(testNetwork.loop.now());
    await testNetwork.loop.runUntil(testNetwork.loop.now() + 1_000);
    const count = testNetwork.effective("corruption");
    assert.equal(count?.injected, 1 + (count?.effective ?? 0));
  });

  test("takes no other decision away: the same messages are lost at the same times without it", async () => {
    const noted = async (corruption: number) => {
      const testNetwork = createTestNetwork(2, { corruption, loss: 300_000 }, 7n);
      await connected(testNetwork);
      for (let n = 0; n < 30; n++) testNetwork.at(0).send(testNetwork.peer(1), n, new Uint8Array(9));
      await testNetwork.loop.runUntil(testNetwork.loop.now() + 20_000);
      return testNetwork.log.map((line) => line.replace(/received \d+|: \d+/, ""));
    };
    assert.deepEqual(await noted(500_000), await noted(0));
  });

  // With a chain and without, of two nodes and of more.
  test.each([302n, 303n])("loses nothing that was acknowledged in the world of seed %s", async (seed) => {
    const drawn = swarmScenario(seed);
    const faults = [
      ...drawn.faults,
      networkConditions({ corruption: 200_000 }, { from: seconds(1), until: drawn.lasts }),
    ];
    const { report } = await runScenario({ ...drawn, faults }, { seed }, openBackends());
    assert.deepEqual(report.violations, []);
    assert.ok((report.faults.find(({ kind }) => kind === "corruption")?.effective ?? 0) > 10);
  });
});
