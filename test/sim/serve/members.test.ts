// Goal: nodes come and leave while a network is served: a newcomer listens, learns what the others hold and is part of
// every answer; who left is nobody any more. Snapshots and sessions take both along. Method: real HTTP, time standing
// still, networks of both executors.
import { describe, expect, test } from "vitest";
import { err } from "../../../core/index.ts";
import { ControlRefusal } from "../../../sim/serve/control/caller.ts";
import type { ControlClient } from "../../../sim/serve/control/client.ts";
import { openSnapshots } from "../../../sim/serve/control/snapshots.ts";
import { controlMethods } from "../../../sim/serve/control/table.ts";
import { holdLiveWorld, resumeLiveWorld } from "../../../sim/serve/live-world.ts";
import { SERVED_NODES_MAX } from "../../../sim/serve/members.ts";
import { replaySession } from "../../../sim/serve/replayed-session.ts";
import { sessionOf } from "../../../sim/serve/session-file.ts";
import { advertise, controlOf, openTestServed, posted, USUAL } from "./test-network.ts";

const numbers = async (control: ControlClient) => (await control.call("sim_getNodes")).map(({ node }) => node);
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => "no refusal",
    (error: unknown) => (error instanceof ControlRefusal ? error.reason : error),
  );
const health = (url: string) =>
  fetch(`${url}/health`).then(
    (answer) => answer.text(),
    () => "refused",
  );

describe("a newcomer", () => {
  test.each(["model", "litesvm"] as const)("listens, learns what the others hold, and trades, on %s", async (chain) => {
    const network = await openTestServed({ chain });
    const control = controlOf(network);
    await advertise(network, 0, "offer");
    const added = await control.call("sim_addNode");
    expect(added).toMatchObject({ node: 3, up: true, ready: true, gossip_only: false });
    expect(await health(added.url)).toBe("ok");
    await control.call("sim_awaitConverged");
    const shown = JSON.parse(await posted(`${added.url}/rpc`, "getAdvertisement", { id: "offer" }));
    expect(shown.result.id).toBe("offer");
    const { links, nodes } = await control.call("sim_getTopology");
    expect(nodes.map(({ node }) => node)).toEqual([0, 1, 2, 3]);
    expect(links.filter(({ one, other, open }) => open && (one === 3 || other === 3)).length).toBeGreaterThan(0);
    const { settlement } = await control.call("sim_seedTrade", { state: "Completed" });
    const paid = JSON.parse(await posted(`${added.url}/rpc`, "getSettlement", { id: settlement }));
    expect(paid.result.state).toBe("Completed");
    const { violations, nodes: count } = await control.call("sim_getStatus");
    expect([violations, count]).toEqual([[], 4]);
  });

  test("has the keys that the seed gives its number, and may be without an endpoint of the chain", async () => {
    const [network, other] = [await openTestServed({ nodes: 2 }), await openTestServed({ nodes: 3 })];
    const added = await controlOf(network).call("sim_addNode", { gossip_only: true });
    expect(added.gossip_only).toBe(true);
    expect(added.peer).toBe(other.ready.nodes[2]!.peer);
    const { address } = network.host.world().walletOf("node/2");
    const { address: first } = network.host.world().walletOf("node/0");
    const balance = async (of: string) => (await controlOf(network).call("sim_getRecord", { address: of }))?.lamports;
    expect(await balance(address)).toBe(await balance(first));
  });

  test("does not come where its port cannot be listened at, and nothing has changed", async () => {
    const { host, pace, apis } = await openTestServed();
    const taken = { ...apis, open: async () => err("cannot listen on 127.0.0.1:7083: the port is in use") };
    const network = {
      host,
      pace,
      apis: taken,
      options: USUAL,
      snapshots: openSnapshots(),
      save: async () => err(""),
      scenarios: USUAL.scenarios,
    };
    const before = host.world();
    expect(await controlMethods.sim_addNode.run(network, {})).toEqual({
      ok: false,
      error: { name: "NO_PORT", message: "cannot listen on 127.0.0.1:7083: the port is in use" },
    });
    expect(host.world()).toBe(before);
  });
});

describe("a node that leaves", () => {
  test("is nobody from then on, and its number is never given again", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { url } = (await control.call("sim_getNodes"))[1]!;
    await control.call("sim_removeNode", { node: 1 });
    expect(await health(url)).toBe("refused");
    expect(await numbers(control)).toEqual([0, 2]);
    for (const call of [
      control.call("sim_restart", { node: 1 }),
      control.call("sim_crash", { node: 1 }),
      control.call("sim_removeNode", { node: 1 }),
      control.call("sim_partition", { groups: [[0], [1]] }),
      control.call("sim_faultOn", { fault: { kind: "drop" }, node: 1 }),
      control.call("sim_explain", { request: "{}", node: 1 }),
      control.call("sim_getTables", { node: 1 }),
      control.call("sim_awaitEvent", { node: 1 }),
      control.call("sim_setClockSkew", { node: 1 }),
    ])
      expect(await refusal(call)).toBe("UNKNOWN_NODE");
    expect((await control.call("sim_addNode")).node).toBe(3);
    await control.call("sim_awaitConverged", { within: 300_000 });
    const { settlement } = await control.call("sim_seedTrade", { state: "Resolved" });
    expect((await control.call("sim_getStory", { id: settlement })).shows.map(({ node }) => node)).not.toContain(1);
    expect((await control.call("sim_getStatus")).violations).toEqual([]);
    expect(
      (await control.call("sim_explain", { request: '{"jsonrpc":"2.0","id":1,"method":"getPeers"}' })).length,
    ).toBe(3);
  });

  test("may be any but the last", async () => {
    const network = await openTestServed({ nodes: 2 });
    const control = controlOf(network);
    await control.call("sim_crash", { node: 0 });
    await control.call("sim_removeNode", { node: 0 });
    expect(await refusal(control.call("sim_removeNode", { node: 1 }))).toBe("LAST_NODE");
    expect(await numbers(control)).toEqual([1]);
    await control.call("sim_awaitConverged");
  });
});

test("snapshots take nodes along: servers stand before those that are there", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  const { id: before } = await control.call("sim_snapshot");
  const added = await control.call("sim_addNode");
  await control.call("sim_removeNode", { node: 0 });
  const { id: after } = await control.call("sim_snapshot");
  const [first] = network.ready.nodes;
  for (let times = 0; times < 2; times += 1) {
    await control.call("sim_revert", { id: before });
    expect(await numbers(control)).toEqual([0, 1, 2]);
    expect([await health(first!.url), await health(added.url)]).toEqual(["ok", "refused"]);
    await control.call("sim_revert", { id: after });
    expect(await numbers(control)).toEqual([1, 2, 3]);
    expect([await health(first!.url), await health(added.url)]).toEqual(["refused", "ok"]);
  }
  await control.call("sim_revert", { id: before });
  expect((await control.call("sim_addNode")).peer).toBe(added.peer);
  await control.call("sim_reset");
  expect(await numbers(control)).toEqual([0, 1, 2]);
  expect(await health(added.url)).toBe("refused");
});

test("calls that wait go on waiting when a node comes, and end when the network goes back", async () => {
  const { host } = await openTestServed();
  const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
  const received: unknown[] = [];
  await host.exclusive(async () => {
    const held = holdLiveWorld(host.live());
    host.world().nodes[0]?.pause();
    host.call(0, body, (answer) => received.push(answer));
    await host.goOnIn(await resumeLiveWorld(USUAL, holdLiveWorld(host.live())));
    host.world().nodes[0]?.resume();
    await host.advance(host.world().loop.now() + 100);
    host.world().nodes[0]?.pause();
    host.call(0, body, (answer) => received.push(answer));
    await host.replace(await resumeLiveWorld(USUAL, held));
  });
  expect(received).toEqual([expect.stringContaining('"ok"'), undefined]);
});

test("a session in which nodes came and left is played again to the same trace", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  await advertise(network, 0, "first");
  const { node, url } = await control.call("sim_addNode");
  await control.call("sim_removeNode", { node: 1 });
  await posted(`${url}/rpc`, "getPeers", {});
  await control.call("sim_addNode", { gossip_only: true });
  await control.call("sim_seedTrade", { state: "PaymentSubmitted" });
  await control.call("sim_awaitConverged");
  const { text } = await control.call("sim_exportRepro");
  const session = sessionOf(text);
  expect(session.ok && (await replaySession(session.value, USUAL.scenarios)).differs).toBeUndefined();
  const stray = sessionOf(text.replaceAll(`"node": ${node}`, '"node": 9'));
  expect(stray).toEqual({ ok: false, error: expect.stringMatching(/^rows\[\d+\]\.node: nodes are 0 to 3$/) });
});

test("there are so many numbers, those of nodes that left among them", async () => {
  const network = await openTestServed({ nodes: 2 });
  const live = network.host.live();
  live.members = Array.from({ length: 2 }, () => live.members[0]!);
  const nodes = network.host.world().nodes as unknown[];
  nodes.length = SERVED_NODES_MAX;
  expect(await refusal(controlOf(network).call("sim_addNode"))).toBe("TOO_MANY");
  nodes.length = 2;
});
