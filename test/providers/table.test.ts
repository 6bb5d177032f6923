/**
 * Goal: the registry's table (core/domains/providers/README.md): every pair of statements, by one signer and by two,
 * and what a read makes of it at an instant.
 * Method: pairs through the fold in both orders; boundaries of time and number; ingresses where only an ingress
 * decides.
 */
import { describe, expect, test } from "vitest";
import { nodeServiceId, snapshotServiceId } from "../../core/domains/providers/ids.ts";
import {
  allServices,
  isListed,
  isRegistered,
  registrationsOf,
  SERVICE_LAPSE_MS,
  SERVICES_PER_PROVIDER_MAX,
  serviceById,
} from "../../core/domains/providers/queries.ts";
import { HealthUpdate, Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { actor, at, sign } from "../convergence/actors.ts";
import { openReplica, received, rootsOf } from "../convergence/replica.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import * as fixtures from "./fixtures.ts";

const provider = actor("provider");
const other = actor("another provider");
const minute = (minutes: number) => at(minutes);
const register = (by = provider, when = 0, more: Partial<Registration> = {}) =>
  sign(Registration, fixtures.registration(by, minute(when), more));
const updated = (by = provider, when = 1, state: "Online" | "Degraded" = "Degraded") =>
  sign(HealthUpdate, fixtures.health(by, minute(when), state));
const withdrawn = (by = provider, when = 1) => sign(Withdrawal, fixtures.withdrawal(by, minute(when)));

/** What the id shows at an instant, whichever of the statements came first. */
function shown(statements: readonly Statement[], when = 2) {
  const [forth, back] = [statements, [...statements].reverse()].map((order) => {
    const replica = openReplica();
    for (const each of received(...order)) replica.receive([each]);
    return replica;
  });
  if (forth === undefined || back === undefined) throw new Error("two orders");
  expect(rootsOf(forth)).toBe(rootsOf(back));
  return { service: serviceById(forth.store(), "svc-1", minute(when)), store: forth.store() };
}

describe("pairs by one signer", () => {
  test("registration × registration: the greater (timestamp, identity)", () => {
    const older = register(provider, 0, { region: "KE" });
    expect(shown([older, register(provider, 1, { region: "TZ" })]).service?.region).toBe("TZ");
    const twin = register(provider, 0, { region: "UG" });
    expect(shown([older, twin]).service?.region).toBe(older.identity > twin.identity ? "KE" : "UG");
  });

  test("registration × health: health unless it is older", () => {
    expect(shown([register(), updated(provider, 1)]).service).toMatchObject({
      health: "Degraded",
      registered_at: minute(0),
      last_health_update: minute(1),
    });
    expect(shown([register(), updated(provider, 0)]).service?.health).toBe("Degraded");
    expect(shown([register(provider, 1), updated(provider, 0.9)]).service).toMatchObject({
      health: "Online",
      last_health_update: minute(1),
    });
  });

  test("health × health: the newer", () => {
    expect(
      shown([register(), updated(provider, 1, "Degraded"), updated(provider, 1.5, "Online")]).service?.health,
    ).toBe("Online");
  });

  test("registration × withdrawal: out, unless the registration is later", () => {
    expect(shown([register(), withdrawn(provider, 1)]).service).toBeUndefined();
    expect(shown([register(provider, 1), withdrawn(provider, 1)]).service).toBeUndefined();
    expect(shown([withdrawn(provider, 0), register(), register(provider, 1)]).service?.registered_at).toBe(minute(1));
  });

  test("withdrawal × health: out, whichever is later", () => {
    expect(shown([register(), withdrawn(provider, 1), updated(provider, 1.5)]).service).toBeUndefined();
  });

  test("a registration that cannot be listed takes the place of an older one", () => {
    expect(shown([register(), register(provider, 1, { endpoints: ["https://a.test"] })]).service).toBeUndefined();
    expect(shown([register(provider, 1, { endpoints: ["https://a.test"] }), updated(provider, 1.5)]).service).toBe(
      undefined,
    );
  });
});

describe("pairs by two signers", () => {
  test("registration × registration of one id: both are there, the smaller (timestamp, identity) is shown", () => {
    const { service, store } = shown([register(provider, 1), register(other, 0)]);
    expect(service?.provider).toBe(other.peer);
    expect(isRegistered(store, provider.peer, ["FxOracle"])).toBe(true);
    expect(allServices(store, minute(2))).toHaveLength(1);
  });

  test("what is shown gives way when it lapses or is withdrawn", () => {
    const both = [register(provider, 5), register(other, 0)];
    expect(shown(both, 10).service?.provider).toBe(other.peer);
    expect(shown(both, 11).service?.provider).toBe(provider.peer);
    expect(shown([...both, withdrawn(other, 1)], 6).service?.provider).toBe(provider.peer);
  });

  test.each([
    ["health", updated(other, 1)],
    ["a withdrawal", withdrawn(other, 1)],
  ])("registration × %s of another: nothing happens to it", (_, statement) => {
    expect(shown([register(), statement]).service).toMatchObject({ health: "Online", provider: provider.peer });
  });

  test("node and snapshot ids belong to the key they name", () => {
    for (const id of [nodeServiceId(provider.key), snapshotServiceId(provider.key)]) {
      const replica = openReplica();
      replica.receive(received(register(other, 0, { service_id: id })));
      expect(serviceById(replica.store(), id, minute(1))).toBeUndefined();
      replica.receive(received(register(provider, 1, { service_id: id })));
      expect(serviceById(replica.store(), id, minute(1))?.provider).toBe(provider.peer);
    }
  });
});

describe("what a read makes of it", () => {
  test("a service lapses after ten minutes, and no statement is needed for it", () => {
    const { store } = shown([register()]);
    const last = (minute(0) + BigInt(SERVICE_LAPSE_MS)) as EpochMillis;
    const next = (last + 1n) as EpochMillis;
    expect(serviceById(store, "svc-1", last)).toBeDefined();
    expect(isListed(store, provider.peer, last, ["FxOracle"])).toBe(true);
    expect(serviceById(store, "svc-1", next)).toBeUndefined();
    expect(isListed(store, provider.peer, next)).toBe(false);
    expect(isRegistered(store, provider.peer, ["FxOracle"])).toBe(true);
    expect(isRegistered(store, provider.peer, ["PriceOracle", "Email"])).toBe(false);
    expect(isRegistered(shown([register(), withdrawn()]).store, provider.peer)).toBe(false);
  });

  test("the first sixty-four services of a provider count", () => {
    const many = Array.from({ length: SERVICES_PER_PROVIDER_MAX + 1 }, (_, i) =>
      register(provider, i / 100, { service_id: `svc-${i}` }),
    );
    const replica = openReplica();
    replica.receive(received(...many));
    const counted = registrationsOf(replica.store(), provider.peer).map((service) => service.service_id);
    expect(counted).toHaveLength(SERVICES_PER_PROVIDER_MAX);
    expect(serviceById(replica.store(), "svc-63", minute(2))).toBeDefined();
    expect(serviceById(replica.store(), "svc-64", minute(2))).toBeUndefined();
    expect(allServices(replica.store(), minute(2))).toHaveLength(SERVICES_PER_PROVIDER_MAX);
    replica.receive(received(sign(Withdrawal, fixtures.withdrawal(provider, minute(1), "svc-0"))));
    expect(serviceById(replica.store(), "svc-64", minute(2))).toBeDefined();
  });

  test("health that waits for its registration counts once it comes", () => {
    const replica = openReplica();
    replica.receive(received(updated(provider, 1), updated(provider, 0.5, "Online")));
    expect(serviceById(replica.store(), "svc-1", minute(2))).toBeUndefined();
    replica.receive(received(register()));
    expect(serviceById(replica.store(), "svc-1", minute(2))?.health).toBe("Degraded");
  });
});

describe("ingresses", () => {
  const T = 1_753_800_000_000n;
  const [one, two] = [person(1), person(2)];

  test("by gossip as by RPC: equal roots, and the stream tells the id alone", () => {
    const [here, there] = [loneNode(T), loneNode(T)];
    const payload = fixtures.registration(one, T);
    here.call("sendProviderRegister", { data: signedData(Registration, payload, one) });
    there.gossip(Registration, payload, one);
    expect(there.roots()).toEqual(here.roots());
    expect(there.published).toEqual(['{"method":"ServiceRegistered","result":"svc-1"}']);
  });

  test("a heartbeat replaces the last one: one statement, one event", () => {
    const node = loneNode(T);
    for (let beat = 0n; beat < 5n; beat++) {
      node.now = T + beat * 120_000n;
      node.gossip(Registration, fixtures.registration(one, node.now), one);
    }
    const replica = loneNode(node.now);
    replica.gossip(Registration, fixtures.registration(one, node.now), one);
    expect(replica.roots()).toEqual(node.roots());
    expect(node.call("getProvider", { id: "svc-1" })).toMatchObject({ registered_at: Number(node.now) });
  });

  test("an id of another key enters at no ingress, nor does a registration beyond the caps", () => {
    const node = loneNode(T);
    const before = node.roots();
    node.gossip(Registration, fixtures.registration(one, T, { service_id: nodeServiceId(two.key) }), one);
    node.gossip(Registration, fixtures.registration(one, T, { capabilities: Array<string>(33).fill("c") }), one);
    expect(node.roots()).toEqual(before);
  });

  test("a restart keeps the registry", () => {
    const node = loneNode(T);
    node.call("sendProviderRegister", { data: signedData(Registration, fixtures.registration(one, T), one) });
    node.call("sendProviderWithdraw", { data: signedData(Withdrawal, fixtures.withdrawal(one, T + 1n), one) });
    const again = node.restart();
    expect(again.roots()).toEqual(node.roots());
    expect(again.call("getProvider", { id: "svc-1" })).toBeNull();
    expect(
      again.call("sendProviderRegister", { data: signedData(Registration, fixtures.registration(one, T), one) }),
    ).toBe(2);
  });

  test("an owner whose id is contested speaks about his own service", () => {
    const node = loneNode(T);
    node.gossip(Registration, fixtures.registration(one, T), one);
    node.gossip(Registration, fixtures.registration(two, T + 1n), two);
    const data = signedData(HealthUpdate, fixtures.health(two, T + 2n), two);
    expect(node.call("sendProviderHealthUpdate", { data })).toBeNull();
    expect(node.call("getProvider", { id: "svc-1" })).toMatchObject({ provider: one.peer, health: "Online" });
  });
});
