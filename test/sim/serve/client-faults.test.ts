// Goal: requests of clients go wrong as control was told, so many of them and no others; a revert takes that back, and
// a session that is played again meets the same. Method: real HTTP against networks whose time stands still.
import { describe, expect, test } from "vitest";
import { CLIENT_FAULTS_MAX } from "../../../sim/serve/client-faults.ts";
import { replaySession } from "../../../sim/serve/replayed-session.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import { sessionOf } from "../../../sim/serve/session-file.ts";
import { advertise, clientOf, controlOf, openTestServed, posted, USUAL } from "./test-network.ts";

const urlOf = ({ ready }: ServedNetwork, node: number) => ready.nodes[node]!.rpc;
const isCut = (network: ServedNetwork, node: number, method: string, params: unknown = {}) =>
  posted(urlOf(network, node), method, params).then(
    () => false,
    () => true,
  );

describe("requests that match", () => {
  test("fail as often as was said, by method, its beginning, node and parameter", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const cut = { kind: "drop" } as const;
    const where = { member: "filter.ids.1", equals: "7" };
    await control.call("sim_faultOn", { fault: cut, method: "getPeers", node: 1, times: 2 });
    await control.call("sim_faultOn", { fault: cut, method: "getRese*", where });
    expect(await isCut(network, 0, "getPeers")).toBe(false);
    expect(await isCut(network, 1, "getHealth")).toBe(false);
    expect([await isCut(network, 1, "getPeers"), await isCut(network, 1, "getPeers")]).toEqual([true, true]);
    expect(await isCut(network, 1, "getPeers")).toBe(false);
    expect(await isCut(network, 0, "getReservations", { filter: { ids: [7, 8] } })).toBe(false);
    expect(await isCut(network, 0, "getReservations", { filter: { ids: [8, 7] } })).toBe(true);
    expect(await control.call("sim_getFaults")).toEqual([
      {
        ...{ id: "fault-1", fault: "request lost, line cut", node: 1, method: "getPeers", where: null },
        ...{ left: 0n, met: 2n },
      },
      { id: "fault-2", fault: "request lost, line cut", node: null, method: "getRese*", where, left: 0n, met: 1n },
    ]);
  });

  test("are answered an error that no node gave, each of a batch and each under its id", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const fault = { kind: "error", name: "RATE_LIMIT_EXCEEDED" } as const;
    await control.call("sim_faultOn", { fault, times: 2 });
    const one = JSON.parse(await posted(urlOf(network, 0), "getPeers", {}));
    expect(one).toMatchObject({ id: 1, error: { code: -32_000, data: { ofsErrorName: "RATE_LIMIT_EXCEEDED" } } });
    const body = '[{"jsonrpc":"2.0","id":"a","method":"getPeers"},{"jsonrpc":"2.0","method":"getPeers"}]';
    const batch = await (await fetch(urlOf(network, 0), { method: "POST", body })).json();
    expect(batch).toMatchObject([{ id: "a", error: { data: { ofsErrorCode: 9 } } }]);
  });

  test("are refused by HTTP, with the status that was said", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const asked = async (status: number) => {
      await control.call("sim_faultOn", { fault: { kind: "status", status } });
      const answer = await fetch(urlOf(network, 0), { method: "POST", body: "{}" });
      return [answer.status, await answer.text()];
    };
    expect(await asked(503)).toEqual([503, "Service Unavailable"]);
    expect(await asked(429)).toEqual([429, expect.stringContaining("RATE_LIMIT_EXCEEDED")]);
  });

  test("come late in the network's own time, and are done all the same", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { now } = await control.call("sim_getTime");
    await control.call("sim_faultOn", { fault: { kind: "delay", ms: 45_000 } });
    await clientOf(network, 0).call("getPeers");
    const late = (await control.call("sim_getTime")).now - now;
    expect(late).toBeGreaterThanOrEqual(45_000n);
    expect(late).toBeLessThan(46_000n);
  });

  test("may have been done although no answer came", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_faultOn", { fault: { kind: "drop", lost: "answer" }, method: "send*" });
    await expect(advertise(network, 0, "offer")).rejects.toThrow();
    expect((await clientOf(network, 0).call("getAdvertisement", { id: "offer" }))?.id).toBe("offer");
    await control.call("sim_faultOn", { fault: { kind: "drop" }, method: "send*" });
    await expect(advertise(network, 0, "another")).rejects.toThrow();
    expect(await clientOf(network, 0).call("getAdvertisement", { id: "another" })).toBeNull();
  });

  test("may hear nothing at all while the line stays open", async () => {
    const network = await openTestServed();
    await controlOf(network).call("sim_faultOn", { fault: { kind: "drop", line: "open" } });
    const given = new AbortController();
    const body = '{"jsonrpc":"2.0","id":1,"method":"getPeers"}';
    const silent = fetch(urlOf(network, 0), { method: "POST", body, signal: given.signal });
    // A later request of another connection is answered meanwhile.
    expect(await isCut(network, 0, "getPeers")).toBe(false);
    given.abort();
    await expect(silent).rejects.toThrow(/abort/);
  });
});

test("what control and its people do themselves does not fail so", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  await control.call("sim_faultOn", { fault: { kind: "drop" }, times: 9 });
  await control.call("sim_seedTrade", { state: "AwaitingPayment" });
  expect((await control.call("sim_getFaults"))[0]).toMatchObject({ left: 9n, met: 0n });
  const request = '{"jsonrpc":"2.0","id":1,"method":"getPeers"}';
  expect((await control.call("sim_explain", { request, node: 0 }))[0]).toMatchObject({ outcome: "taken" });
});

test("a revert and a reset take faults back as they were", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  await control.call("sim_faultOn", { fault: { kind: "drop" }, method: "getPeers", times: 3 });
  await isCut(network, 0, "getPeers");
  const { id } = await control.call("sim_snapshot");
  const kept = await control.call("sim_getFaults");
  await isCut(network, 0, "getPeers");
  await control.call("sim_clearFaults");
  for (let times = 0; times < 2; times += 1) {
    await control.call("sim_revert", { id });
    expect(await control.call("sim_getFaults")).toEqual(kept);
    expect(await isCut(network, 0, "getPeers")).toBe(true);
  }
  await control.call("sim_reset");
  expect(await control.call("sim_getFaults")).toEqual([]);
});

test("a session with faults is played again to the same trace", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  await control.call("sim_faultOn", { fault: { kind: "delay", ms: 9_000 }, method: "send*" });
  await control.call("sim_faultOn", { fault: { kind: "drop" }, method: "get*", times: 2 });
  await advertise(network, 0, "late");
  expect(await isCut(network, 1, "getPeers")).toBe(true);
  await clientOf(network, 1)
    .call("getHealth")
    .catch(() => undefined);
  await control.call("sim_clearFaults", { id: "fault-2" });
  await clientOf(network, 1).call("getPeers");
  const { text } = await control.call("sim_exportRepro");
  const session = sessionOf(text);
  expect(session.ok && (await replaySession(session.value, USUAL.scenarios)).differs).toBeUndefined();
  const sooner = sessionOf(text.replace('\\"ms\\": 9000', '\\"ms\\": 8000'));
  expect(sooner.ok && (await replaySession(sooner.value, USUAL.scenarios)).differs).toMatch(/comes/);
});

describe("is refused", () => {
  test.each([
    ["no fault", {}, -32_602],
    ["an unknown kind", { fault: { kind: "burn" } }, -32_602],
    ["no registered error", { fault: { kind: "error", name: "NO_SUCH" } }, -32_602],
    ["no such status", { fault: { kind: "status", status: 200 } }, -32_602],
    ["a delay past its bound", { fault: { kind: "delay", ms: 600_001 } }, -32_602],
    ["no request", { fault: { kind: "drop" }, times: 0 }, -32_602],
    ["more requests than one is for", { fault: { kind: "drop" }, times: 10_001 }, -32_602],
    ["an unknown node", { fault: { kind: "drop" }, node: 3 }, -33_001],
  ])("%s", async (_, params, code) => {
    const network = await openTestServed({ nodes: 1, gossipOnly: 0 });
    const answer = JSON.parse(await posted(network.ready.control.rpc, "sim_faultOn", params));
    expect(answer).toMatchObject({ error: { code } });
  });

  test("one more than are kept, unless one is used up; and what is not there", async () => {
    const network = await openTestServed({ nodes: 1, gossipOnly: 0 });
    const { rpc } = network.ready.control;
    const told = async (method: string, params: unknown) => JSON.parse(await posted(rpc, method, params));
    const fault = { kind: "drop" };
    for (let number = 0; number < CLIENT_FAULTS_MAX; number += 1)
      await told("sim_faultOn", { fault, method: "getPeers" });
    expect(await told("sim_faultOn", { fault })).toMatchObject({ error: { data: { name: "TOO_MANY" } } });
    await isCut(network, 0, "getPeers");
    expect(await told("sim_faultOn", { fault, method: "x" })).toMatchObject({ result: { id: "fault-101" } });
    expect(await told("sim_clearFaults", { id: "fault-1" })).toMatchObject({ error: { code: -33_013 } });
    expect(await told("sim_clearFaults", { id: "fault-2" })).toMatchObject({ result: 1 });
    expect(await told("sim_clearFaults", {})).toMatchObject({ result: CLIENT_FAULTS_MAX - 1 });
  });
});
