// Goal: a scenario is played in a served network by its name or its text, with or without its faults, and what came of
// it is told; the network goes on. Method: real HTTP, time standing still; the laws stay watched.
import { describe, expect, test } from "vitest";
import { decidedBeforeAnyoneSits } from "../../../scenarios/decided-before-anyone-sits.ts";
import { scenarioText } from "../../../sim/scenario-data.ts";
import { replaySession } from "../../../sim/serve/replayed-session.ts";
import { sessionOf } from "../../../sim/serve/session-file.ts";
import { advertise, clientOf, controlOf, openTestServed, posted, USUAL } from "./test-network.ts";

/** As most scenarios have it. */
const SMALL = { nodes: 4, gossipOnly: 1 };

/** A merchant whom nobody knows advertises; at one node that is told to wait for what does not come. */
const scenario = (more: object = {}) =>
  JSON.stringify({
    ...{ name: "an-offer", description: "One offer.", source: "a test", nodes: 3, participants: [{ name: "mia" }] },
    actions: [
      {
        ...{ kind: "advertise", actor: "mia", at: "2", via: 0 },
        offer: {
          ...{ id: "mias-offer", merchant: "mia", asset: "USDC", fiatCurrency: "EUR", priceCents: 92 },
          ...{ minTrade: 1_000_000, maxTrade: 2_000_000, liquidity: 2_000_000 },
        },
      },
    ],
    liveness: { within: "1:00", checks: [{ kind: "replicas-converge" }] },
    ...more,
  });

describe("a scenario", () => {
  test("is played by its name: a case decided by arbitrators whom the chain did not know", async () => {
    const network = await openTestServed(SMALL);
    const control = controlOf(network);
    const { now } = await control.call("sim_getTime");
    const played = await control.call("sim_runScenario", { scenario: "decided-before-anyone-sits", faults: true });
    expect(played).toMatchObject({ scenario: "decided-before-anyone-sits", ended: true, kept: [], violations: [] });
    expect((await control.call("sim_getTime")).now).toBe(now + played.took);
    expect((await control.call("sim_getStatus")).violations).toEqual([]);
    await control.call("sim_seedTrade", { state: "Completed" });
    await control.call("sim_increaseTime", { ms: 90_000 });
    expect((await control.call("sim_getStatus")).violations).toEqual([]);
  });

  test("is played by its text, cut and healed as it says, on LiteSVM", async () => {
    const network = await openTestServed({ chain: "litesvm" });
    const control = controlOf(network);
    const faults = [{ kind: "partition", groups: [[0], [1, 2]], oneWay: false, from: "1", until: "20" }];
    const played = await control.call("sim_runScenario", { scenario: scenario({ faults }), faults: true });
    expect(played).toMatchObject({ scenario: "an-offer", ended: true, kept: [], violations: [] });
    expect(played.took).toBeGreaterThanOrEqual(20_000n);
    expect((await clientOf(network, 2).call("getAdvertisement", { id: "mias-offer" }))?.id).toBe("mias-offer");
    expect((await control.call("sim_getTopology")).cuts).toEqual([]);
  });

  test("tells what kept it: who failed, who is not over, what did not come true", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const run = async (more: object, within?: number) => {
      const { ended, kept } = await control.call("sim_runScenario", {
        scenario: scenario(more),
        ...(within && { within }),
      });
      return { ended, kept };
    };
    expect(await run({}, 1_000)).toEqual({ ended: false, kept: [expect.stringMatching(/^mia: .* is not over$/)] });
    expect(await run({})).toEqual({ ended: true, kept: [] });
    const again = await run({});
    expect(again.ended).toBe(false);
    expect(again.kept[0]).toMatch(/^mia: .*ADVERTISEMENT/);
    await control.call("sim_partition", { groups: [[0], [1, 2]] });
    await advertise(network, 0, "another");
    const apart = expect.stringMatching(/^replicas-converge: .* hold different statements$/);
    expect(await run({ actions: [] }, 5_000)).toEqual({ ended: false, kept: [apart] });
    expect((await control.call("sim_getStatus")).violations).toEqual([]);
  });

  test("is one row of a session, which is played again to the same trace", async () => {
    const network = await openTestServed(SMALL);
    const control = controlOf(network);
    await control.call("sim_runScenario", { scenario: "decided-before-anyone-sits" });
    await control.call("sim_runScenario", { scenario: scenario(), faults: true });
    await clientOf(network, 1).call("getPeers");
    const session = sessionOf((await control.call("sim_exportRepro")).text);
    expect(session.ok && session.value.rows.filter(({ kind }) => kind === "control").length).toBe(2);
    expect(session.ok && (await replaySession(session.value, USUAL.scenarios)).differs).toBeUndefined();
  });
});

describe("is refused", () => {
  const text = scenarioText(decidedBeforeAnyoneSits);
  test.each([
    ["an unknown name", { scenario: "no-such" }, -33_016, "there is no scenario no-such; ofs-sim list has their names"],
    ["a text that is no scenario", { scenario: '{"name":"x"}' }, -33_016, /description/],
    ["a text that is cut short", { scenario: text.ok ? text.value.slice(0, 99) : "" }, -33_016, /./],
    [
      "more nodes than there are",
      { scenario: scenario({ nodes: 9, nodesMin: 9 }), faults: true },
      -33_017,
      /needs 9 nodes/,
    ],
    ["a node that its people want", { scenario: text.ok ? text.value : "" }, -33_017, /needs 4 nodes/],
    ["an attacker", { scenario: "gossip-only-waits", faults: true }, -33_017, /./],
    ["longer than one call", { scenario: scenario(), within: 8 * 86_400_000 + 1 }, -33_009, /are more than the/],
    ["no scenario at all", {}, -32_602, /scenario/],
  ])("%s", async (_, params, code, message) => {
    const network = await openTestServed();
    const answer = JSON.parse(await posted(network.ready.control.rpc, "sim_runScenario", params));
    expect(answer.error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("where a node has left: scenarios count nodes from 0 on", async () => {
    const network = await openTestServed();
    await controlOf(network).call("sim_removeNode", { node: 1 });
    const answer = JSON.parse(await posted(network.ready.control.rpc, "sim_runScenario", { scenario: scenario() }));
    expect(answer.error.message).toBe("a scenario counts nodes from 0 on, and 1 of 3 have left");
  });
});
