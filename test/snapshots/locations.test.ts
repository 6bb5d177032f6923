/**
 * Goal: the addresses at which a node's files can be fetched (protocol 05 §6.8).
 * Method: one example for each rule.
 */
import { expect, test } from "vitest";
import { locationOf, snapshotBases } from "../../core/domains/snapshots/locations.ts";

const none = { declared: [], bound: [], reported: [] };
const declared = (...addresses: readonly string[]) => snapshotBases({ ...none, declared: addresses }, 7080, []);

test("an operator's own word wins outright", () => {
  const own = ["https://files.example.org"];
  expect(snapshotBases({ ...none, declared: ["/ip4/203.0.113.9/tcp/4001"] }, 7080, own)).toEqual(own);
});

test("declared, then bound, then reported; one entry for each host; at most four", () => {
  const addresses = {
    declared: ["/dns4/a.example.org/udp/4001/quic-v1", "/ip4/203.0.113.9/udp/4001/quic-v1"],
    bound: ["/ip4/203.0.113.9/tcp/4001", "/ip6/2001:db8::9/tcp/4001"],
    reported: ["/ip4/198.51.100.1/tcp/1", "/ip4/198.51.100.2/tcp/1"],
  };
  expect(snapshotBases(addresses, 7080, [])).toEqual([
    "http://a.example.org:7080",
    "http://203.0.113.9:7080",
    "http://[2001:db8::9]:7080",
    "http://198.51.100.1:7080",
  ]);
});

test("loopback and unspecified hosts derive nothing", () => {
  const addresses = ["127.0.0.1", "127.9.9.9", "0.0.0.0"].map((host) => `/ip4/${host}/tcp/1`);
  expect(declared(...addresses, "/ip6/::1/tcp/1", "/ip6/::/tcp/1", "/dns/localhost/tcp/1", "/unix/a")).toEqual([]);
});

test("global hosts stand before private ones, each in its own order", () => {
  const hosts = ["10.1.1.1", "172.32.0.1", "192.168.0.1", "100.64.0.1", "100.128.0.1", "169.254.1.1", "172.16.0.1"];
  expect(declared(...hosts.map((host) => `/ip4/${host}/tcp/1`))).toEqual(
    ["172.32.0.1", "100.128.0.1", "10.1.1.1", "192.168.0.1"].map((host) => `http://${host}:7080`),
  );
  expect(declared("/ip6/fd00::1/tcp/1", "/ip6/fe80::1/tcp/1", "/ip6/2001:db8::1/tcp/1")).toEqual(
    ["2001:db8::1", "fd00::1", "fe80::1"].map((host) => `http://[${host}]:7080`),
  );
});

test("exactly one slash stands between a base and its file", () => {
  for (const base of ["http://a:1", "http://a:1/"]) expect(locationOf(base, "s")).toBe("http://a:1/snapshot/s");
});
