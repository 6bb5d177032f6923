// Goal: a node's process starts, stalls, runs slow and dies as a process does, and nothing of a dead one is heard.
// Method: a driver that only writes down what it is told, on a world of one node.
import { assert, describe, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { Fact, NodeOptions } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { healthyDisk, openNodeDisk } from "../../sim/disk.ts";
import { healthyLink } from "../../sim/links.ts";
import { createWorld, WORLD_START } from "../../sim/world.ts";
import { delivery } from "../ports/gateway.contract.ts";
import { notHeld, toyConfiguration } from "./toy-driver.ts";

function createBench() {
  const log: string[] = [];
  const lives: NodeOptions[] = [];
  const profile = { name: "t", parity: false, escrowProgram: "e", stakingProgram: "s", mints: [] };
  const world = createWorld({
    ...{
      seed: 1n,
      label: "test",
      nodes: 1,
      crypto: openNativeCrypto(),
      profile,
      conditions: healthyLink,
      checkers: [],
    },
    configure: toyConfiguration,
    openDisk: (node, clock, faults) => openNodeDisk({ node, seed: 1n, clock, faults, conditions: healthyDisk }),
    entrypoints: () => [],
    openDriver(options) {
      const life = lives.push(options);
      const note = (fact: Fact): void => {
        const what = fact.type === "rpc.called" ? fact.body : fact.type === "timer.fired" ? fact.timer : fact.type;
        log.push(`${world.loop.now()} ${life} ${what}`);
        if (fact.type === "notification.delivered") log.push(`${fact.dispatch} ${fact.delivered}`);
        if (fact.type === "rpc.called") options.perform({ type: "rpc.reply", replyTo: fact.replyTo, body: "done" });
      };
      const none = { statements: "", facts: "", state: "", archive: "" };
      const view = {
        get: () => undefined,
        find: () => [],
        count: () => 0,
        ordered: () => [],
        keys: () => [],
        size: () => 0,
      };
      return { accept: note, view, roots: () => none, ready: () => true, held: notHeld };
    },
  });
  const node = world.nodes[0]!;
  node.start();
  const setTimer = (inMs: number): void => {
    const options = lives.at(-1)!;
    options.perform({ type: "timer.set", timer: "recover", at: (options.now() + BigInt(inMs)) as EpochMillis });
  };
  return { world, node, log, lives, setTimer, run: (time: number) => world.loop.runUntil(time) };
}

const order = delivery("d", "https://gw.example.org");

describe("a node's process", () => {
  test("times by its own clock: a drift that slows it makes a timer late, and never early by that clock", async () => {
    for (const [ppm, from, until] of [
      [-100_000, 111, 112],
      [0, 100, 100],
      [100_000, 91, 91],
      [333, 100, 100],
    ] as const) {
      const { world, node, lives, log, setTimer, run } = createBench();
      await run(7);
      if (ppm !== 0) node.drift(ppm, world.faults.inject("clock-drift"));
      const set = lives[0]!.now();
      setTimer(100);
      await run(7 + until);
      assert.equal(lives[0]!.now() - set >= 100n, true, `${ppm}`);
      const fired = Number(log.at(-1)?.split(" ")[0]) - 7;
      assert.ok(fired >= from && fired <= until, `${ppm}: ${fired}`);
    }
  });

  test("hears of a timer once, at the time it was set for last", async () => {
    const { log, setTimer, run } = createBench();
    setTimer(50);
    setTimer(20);
    setTimer(100);
    await run(200);
    assert.deepEqual(log, ["100 1 recover"]);
    setTimer(0);
    await run(201);
    assert.deepEqual(log.slice(1), ["200 1 recover"]);
  });

  test("dies with its timers and its calls; the next one starts with another seed", async () => {
    const { world, node, log, lives, setTimer, run } = createBench();
    setTimer(50);
    node.pause();
    const answers: unknown[] = [];
    world.recipients.set("test", (_, answer) => answers.push(answer));
    node.call("lost", { to: "test", number: 0 });
    node.crash(false);
    assert.deepEqual(answers, []);
    await run(10);
    assert.deepEqual(answers, [undefined]);
    node.resume();
    node.start();
    node.start();
    await run(100);
    assert.deepEqual(log, []);
    assert.equal(lives.length, 2);
    assert.notDeepEqual(lives[0]?.bootSeed, lives[1]?.bootSeed);
    const published: string[] = [];
    world.listen((_node, _source, message) => published.push(message));
    for (const life of lives)
      life.perform({ type: "ws.publish", source: "own", message: `from ${lives.indexOf(life)}` });
    assert.deepEqual(published, ["from 1"]);
  });

  test("that dies while it is busy takes nothing of what waited with it", async () => {
    const { node, log, run } = createBench();
    node.setBusyMs(30);
    for (const body of ["a", "b", "c"]) node.call(body, { to: "nobody", number: 0 });
    await run(40);
    node.crash(false);
    await run(200);
    assert.deepEqual(log, ["0 1 a", "30 1 b"]);
  });

  test("that is paused keeps everything in order until it goes on", async () => {
    const { world, node, log, run } = createBench();
    node.pause();
    for (const body of ["a", "b", "c"]) node.call(body, { to: "nobody", number: 0 });
    await run(50);
    assert.deepEqual(log, []);
    world.loop.at(60, () => node.resume());
    await run(100);
    assert.deepEqual(log, ["60 1 a", "60 1 b", "60 1 c"]);
  });

  test("that is slow takes one thing after another, each in its time", async () => {
    const { node, log, run } = createBench();
    node.setBusyMs(30);
    for (const body of ["a", "b", "c"]) node.call(body, { to: "nobody", number: 0 });
    await run(200);
    assert.deepEqual(log, ["0 1 a", "30 1 b", "60 1 c"]);
  });

  test("that is down answers nobody", async () => {
    const { world, node, run } = createBench();
    node.crash(true);
    const answers: unknown[] = [];
    world.recipients.set("test", (_, answer) => answers.push(answer));
    node.call("x", { to: "test", number: 0 });
    await run(5);
    assert.deepEqual(answers, [undefined]);
  });

  test("hears of each notification once, most of them taken, the same in every run; a dead one hears nothing", async () => {
    const play = async () => {
      const { log, lives, node, run } = createBench();
      for (let n = 0; n < 60; n++) lives[0]?.perform({ ...order, dispatch: `d${n % 50}` });
      await run(1_000);
      const verdicts = log.filter((line) => line.startsWith("d"));
      lives[0]?.perform(order);
      node.crash(false);
      node.start();
      await run(2_000);
      assert.equal(log.filter((line) => line.startsWith("d")).length, verdicts.length);
      return verdicts;
    };
    const verdicts = await play();
    assert.equal(new Set(verdicts.map((line) => line.split(" ")[0])).size, 50);
    assert.equal(verdicts.length, 50);
    const failed = verdicts.filter((line) => line.endsWith("false")).length;
    assert.isTrue(failed > 0 && failed < 10, `${failed} failed`);
    assert.deepEqual(await play(), verdicts);
  });

  test("reads its own clock, and keeps its timers by it", async () => {
    const { node, log, lives, setTimer, run } = createBench();
    node.skewClock(60_000);
    assert.equal(lives[0]?.now(), WORLD_START + 60_000n);
    setTimer(10);
    await run(20);
    assert.deepEqual(log, ["10 1 recover"]);
  });
});
