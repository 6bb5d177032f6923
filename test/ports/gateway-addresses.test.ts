/**
 * Goal: no endpoint that a stranger registered leads a node into its operator's own network.
 * Method: addresses of every special range and of the public internet around them; names that resolve to them, through
 * a resolver of the test's; a real server on the loopback address that must hear nothing.
 */
import { expect, test } from "vitest";
import type { Lookup } from "../../adapters/gateway/addresses.ts";
import { isPublicAddress, publicLookup } from "../../adapters/gateway/addresses.ts";
import { openHttpGateway } from "../../adapters/gateway/http-gateway.ts";
import { delivery } from "./gateway.contract.ts";
import { openGatewayServer } from "./gateway-server.ts";

test.each([
  ["1.1.1.1", true],
  ["9.255.255.255", true],
  ["10.0.0.0", false],
  ["10.255.255.255", false],
  ["11.0.0.0", true],
  ["100.63.255.255", true],
  ["100.64.0.1", false],
  ["100.128.0.0", true],
  ["127.0.0.1", false],
  ["127.255.255.255", false],
  ["0.0.0.0", false],
  ["169.254.169.254", false],
  ["172.15.255.255", true],
  ["172.16.0.1", false],
  ["172.31.255.255", false],
  ["172.32.0.0", true],
  ["192.0.0.8", false],
  ["192.0.2.1", false],
  ["192.168.1.1", false],
  ["192.169.0.1", true],
  ["198.18.0.1", false],
  ["198.51.100.7", false],
  ["203.0.113.7", false],
  ["223.255.255.255", true],
  ["224.0.0.1", false],
  ["240.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:8.8.8.8", false],
  ["64:ff9b::7f00:1", false],
  ["100::1", false],
  ["fc00::1", false],
  ["fd12::1", false],
  ["fe80::1", false],
  ["ff02::1", false],
  ["2001::1", false],
  ["2001:db8::1", false],
  ["2002:7f00:1::", false],
  ["2606:4700::1111", true],
  ["2a00:1450::1", true],
  ["no address", false],
])("%s is public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

/** A resolver that knows one name. */
const resolving =
  (...addresses: readonly string[]): Lookup =>
  (_, __, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

test("a name resolves to its public addresses, in order, and to nothing else", () => {
  const answers: unknown[] = [];
  const lookup = publicLookup(resolving("127.0.0.1", "8.8.8.8", "::1", "2606:4700::1111"));
  lookup("gw.example.org", { all: true }, (error, found) => answers.push(error, found));
  lookup("gw.example.org", {}, (error, found, family) => answers.push(error, found, family));
  expect(answers).toEqual([
    null,
    [
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ],
    null,
    "8.8.8.8",
    4,
  ]);
});

test("a name with no public address, and one that does not resolve, are errors", () => {
  const errors: unknown[] = [];
  publicLookup(resolving("10.0.0.1"))("inside", {}, (error) => errors.push(error?.code));
  const missing: Lookup = (_, __, done) => done(Object.assign(new Error("none"), { code: "ENOTFOUND" }), []);
  publicLookup(missing)("nowhere", {}, (error) => errors.push(error?.code));
  expect(errors).toEqual(["EADDRNOTAVAIL", "ENOTFOUND"]);
});

test.each([
  ["127.0.0.1", false],
  ["0x7f.1", false],
  ["2130706433", false],
  ["[::ffff:7f00:1]", false],
  ["gw.example.org", false],
  ["127.0.0.1", true],
  ["gw.example.org", true],
])("posting to %s, private addresses allowed: %s", async (host, allowPrivate) => {
  const server = await openGatewayServer((response) => response.writeHead(200).end());
  const verdict = await new Promise<boolean>((told) => {
    const gateway = openHttpGateway({
      allowPrivate,
      lookup: resolving("127.0.0.1"),
      delivered: (_, taken) => gateway.close(() => told(taken)),
    });
    gateway.deliver(delivery("d", `http://${host}:${server.port}/deliver`));
  });
  expect(verdict).toBe(allowPrivate);
  expect(server.received.length).toBe(allowPrivate ? 1 : 0);
  await server.close();
});
