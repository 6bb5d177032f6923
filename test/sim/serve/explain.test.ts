// Goal: control explains a refusal without causing one: what each node would answer to a request, by which check, and
// nothing of the network changes. Method: a signed request as the client sends it, kept from going out.
import { expect, test } from "vitest";
import { openClient } from "../../../adapters/client/client.ts";
import { decodeJson } from "../../../core/index.ts";
import type { Statement } from "../../../core/testing.ts";
import { identityOf, Pending, ReservationRequest, Statements } from "../../../core/testing.ts";
import { plainNode } from "../../../sim/data/plain.ts";
import type { ControlRefusal } from "../../../sim/serve/control/caller.ts";
import { fateOf } from "../../../sim/serve/control/known-statement.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import { advertise, controlOf, openTestServed, posted, walletOf } from "./test-network.ts";

/** The body of a reservation request that a client would send. */
async function reservationOf(network: ServedNetwork, advertisement: string): Promise<string> {
  const bodies: string[] = [];
  const kept: typeof fetch = async (_, init) => {
    bodies.push(String(init?.body));
    return new Response('{"jsonrpc":"2.0","id":1,"result":"kept"}');
  };
  const alice = walletOf(network, "alice");
  await openClient({ url: "http://nowhere.example", retriesMax: 0, fetch: kept }).send(
    "sendReservationRequest",
    {
      ...{ id: "77", advertisement_id: advertisement, requester: alice.peer },
      ...{ requester_public_key: alice.publicKey, amount: { base_units: 5n, decimals: 6 } },
      ...{ agreed_price: { base_units: 92n, decimals: 2 }, agreed_mid: null },
      timestamp: network.host.world().loop.epoch(),
    },
    { publicKey: alice.keypair.publicKey, sign: alice.sign },
  );
  return bodies[0]!;
}

/** The identity of the offer that node 0 holds. */
function offerIn({ host }: ServedNetwork): string {
  const { view } = host.world().nodes[0]!.driver()!;
  return [...view.keys(Statements)].find((key) => view.get(Statements, key)?.type.name === "AdvertisementCreate") ?? "";
}

test("a request is taken where the offer is known and refused elsewhere, and nothing has happened", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  await control.call("sim_partition", { groups: [[0], [1, 2]] });
  await advertise(network, 0, "an offer");
  await control.call("sim_crash", { node: 2 });
  const request = await reservationOf(network, "an offer");
  const state = async () => [await control.call("sim_getNodes"), await control.call("sim_getEvents")];
  const before = await state();
  const explained = await control.call("sim_explain", { request });
  expect(explained.map(({ node, outcome }) => [node, outcome])).toEqual([
    [0, "taken"],
    [1, "refused"],
    [2, "down"],
  ]);
  expect(explained[1]).toMatchObject({ check: "ADVERTISEMENT_NOT_FOUND" });
  expect(await state()).toEqual(before);
  // What it foretells is what happens.
  const refused = JSON.parse(
    await (await fetch(network.ready.nodes[1]!.rpc, { method: "POST", body: request })).text(),
  );
  expect(JSON.parse(explained[1]!.answer!)).toEqual(refused);
  expect(await control.call("sim_explain", { request, node: 1 })).toMatchObject([
    { node: 1, code: refused.error.code },
  ]);
});

test("what is no request, and a node that is not there, are refused", async () => {
  const network = await openTestServed({ nodes: 1, gossipOnly: 0 });
  const control = controlOf(network);
  const reasonOf = (call: Promise<unknown>) => call.catch((error: ControlRefusal) => error.reason);
  expect(await reasonOf(control.call("sim_explain", { request: "{" }))).toBe("NO_REQUEST");
  expect(await reasonOf(control.call("sim_explain", { request: "[]" }))).toBe("NO_REQUEST");
  expect(await reasonOf(control.call("sim_explain", { request: "{}", node: 4 }))).toBe("UNKNOWN_NODE");
  const [unknown] = await control.call("sim_explain", { request: '{"jsonrpc":"2.0","id":1,"method":"noSuchMethod"}' });
  expect(unknown).toMatchObject({ outcome: "refused", code: -32_601, check: null });
  expect(await posted(network.ready.nodes[0]!.rpc, "getHealth", {})).toContain("ok");
});

test("a statement is explained by its identity: where it is held, where it is not and why, also one that all refused", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  const outcomes = async (statement: string) =>
    (await control.call("sim_explain", { statement })).map(({ node, outcome, check }) => [node, outcome, check]);
  await control.call("sim_partition", { groups: [[0], [1, 2]] });
  await advertise(network, 0, "an offer");
  const offer = offerIn(network);
  await control.call("sim_crash", { node: 2 });
  expect(await outcomes(offer)).toEqual([
    [0, "held", null],
    [1, "taken", null],
    [2, "down", null],
  ]);
  const body = await reservationOf(network, "an offer");
  const send = async (node: number) =>
    JSON.parse(await (await fetch(network.ready.nodes[node]!.rpc, { method: "POST", body })).text());
  expect(await send(1)).toMatchObject({ error: { data: { ofsErrorName: "ADVERTISEMENT_NOT_FOUND" } } });
  const data = JSON.parse(body).params.data as string;
  const { request: payload } = JSON.parse(Buffer.from(data, "base64").toString());
  const sent = decodeJson(ReservationRequest.payload, plainNode(payload));
  const identity = identityOf(
    network.host.world().crypto,
    ReservationRequest,
    sent.ok ? sent.value.value : ({} as never),
  );
  expect(await outcomes(identity)).toEqual([
    [0, "taken", null],
    [1, "refused", "ADVERTISEMENT_NOT_FOUND"],
    [2, "down", null],
  ]);
  expect(await send(0)).toHaveProperty("result");
  expect((await outcomes(identity))[0]).toEqual([0, "held", null]);
});

test("a statement that waits for its record says so, and one whose id is not its own", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  await advertise(network, 0, "an offer");
  await control.call("sim_awaitConverged");
  const view = (node: number) => network.host.world().nodes[node]!.driver()!.view;
  const offer = offerIn(network);
  const statement = view(0).get(Statements, offer)!;
  // As a peer's statement stands there whose record has not come.
  const child = {
    ...statement,
    type: ReservationRequest,
    payload: { advertisement_id: "later" },
  } as unknown as Statement;
  const seat = (record: Statement | undefined, waiting: Statement | undefined) =>
    ({
      driver: () => ({ view: { get: (table: unknown) => (table === Pending ? waiting : record), find: () => [] } }),
    }) as never;
  expect(fateOf(seat(undefined, child), offer)).toEqual({
    ...{ outcome: "waiting", check: "parent-is-known", message: "it waits for advertisement later" },
  });
  expect(fateOf(seat({ ...statement, idForm: "void" }, undefined), offer)).toMatchObject({ check: "id-is-its-own" });
  expect(fateOf(seat(undefined, undefined), offer)).toBeUndefined();
});

test("either a request or a known statement is explained", async () => {
  const control = controlOf(await openTestServed({ nodes: 1, gossipOnly: 0 }));
  const reasonOf = (call: Promise<unknown>) => call.catch((error: ControlRefusal) => error.reason);
  expect(await reasonOf(control.call("sim_explain", {}))).toBe("NO_REQUEST");
  expect(await reasonOf(control.call("sim_explain", { request: "{}", statement: "00" }))).toBe("NO_REQUEST");
  expect(await reasonOf(control.call("sim_explain", { statement: "00" }))).toBe("UNKNOWN_RECORD");
});
