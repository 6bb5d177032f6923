/**
 * Goal: branding, endpoints and ids are listed or refused exactly at their bounds (protocol 05 §1.2, §1.4, §1.5).
 * Method: each member at its bound and one beyond; every text of the published lists.
 */
import { describe, expect, test } from "vitest";
import { isAnothers, nodeServiceId, snapshotServiceId } from "../../core/domains/providers/ids.ts";
import { brandingKept, isReservedEndpoint, isShowable } from "../../core/domains/providers/listing.ts";
import { person } from "../rpc/lone-node.ts";

const none = { name: null, description: null, logo: null, website: null };
const raw = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
const website = (length: number) => "https://a.org/".padEnd(length, "x");

describe("branding", () => {
  test.each([
    ["nothing at all", {}],
    ["a name of 64 characters outside the first plane", { name: "\u{1F30D}".repeat(64) }],
    ["every script", { name: "ناiروبي ナイロビ" }],
    ["a description of 280", { description: "d".repeat(280) }],
    ["a website of 256", { website: website(256) }],
    ["a website in capitals", { website: "HTTPS://A.ORG" }],
    ["a raw logo", { logo: raw }],
    ["a dag-pb logo", { logo: raw.replace("bafkrei", "bafybei") }],
  ])("%s is shown", (_, more) => {
    expect(isShowable({ ...none, ...more })).toBe(true);
  });

  test.each([
    ["an empty name", { name: "" }],
    ["a name of 65", { name: "n".repeat(65) }],
    ["a description of 281", { description: "d".repeat(281) }],
    ["an empty description", { description: "" }],
    ["a website of 257", { website: website(257) }],
    ["a website without a scheme", { website: "a.org" }],
    ["a website of another scheme", { website: "javascript:alert(1)" }],
    ["a website on a reserved host", { website: "https://a.example/" }],
    ["a logo that is a URL", { logo: "https://tracker.example/pixel.png" }],
    ["a logo of version 0", { logo: "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG" }],
    ["a logo in capitals", { logo: raw.toUpperCase() }],
    ["a logo cut short", { logo: raw.slice(0, -1) }],
    ["a logo with spare bits", { logo: `${raw.slice(0, -1)}v` }],
    ["a logo of another codec", { logo: raw.replace("bafkrei", "bafyrei") }],
    ...["\u0000", "\u001f", "\u007f", "\u0085", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"].map(
      (mark): [string, object] => [`U+${mark.charCodeAt(0).toString(16)} in a name`, { name: `a${mark}b` }],
    ),
  ] satisfies [string, object][])("%s is not", (_, more) => {
    expect(isShowable({ ...none, ...more })).toBe(false);
  });

  test("of nulls alone is none", () => {
    expect(brandingKept(none)).toBeNull();
    expect(brandingKept(null)).toBeNull();
    expect(brandingKept({ ...none, name: "a" })).toEqual({ ...none, name: "a" });
  });
});

test("hosts that resolve for nobody", () => {
  for (const endpoint of [
    "https://fx.devnet.openfiat.test",
    "http://something.invalid",
    "https://foo.example",
    "https://HOST.TEST:8443/rpc",
    "foo.example",
    "https://a@b@c.test/x",
    "https://c.test...",
  ])
    expect(isReservedEndpoint(endpoint), endpoint).toBe(true);
  for (const endpoint of [
    "http://localhost:7080",
    "https://rpc.example.org/path",
    "https://testing.example.com",
    "https://mytest.io",
    "https://a.localhost",
    "/dns4/foo.test/tcp/4001",
    "https://a.org/b.test",
    "test",
    "",
  ])
    expect(isReservedEndpoint(endpoint), endpoint).toBe(false);
});

test("a node's ids name its whole key, and nobody else's", () => {
  const [own, other] = [person(1).key, person(2).key];
  expect(nodeServiceId(own)).toBe("node-AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9");
  expect(snapshotServiceId(own)).toBe("snapshot-AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9");
  for (const id of [nodeServiceId(own), snapshotServiceId(own)]) {
    expect(isAnothers(id, own)).toBe(false);
    expect(isAnothers(id, other)).toBe(true);
  }
  for (const id of ["node-0123456789abcdef", "node-", "node-x", `gateway-${own}`, `node-${own}x`])
    expect(isAnothers(id, other), id).toBe(false);
});
