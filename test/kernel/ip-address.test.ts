// Goal: an address is known by the networks it lies in however it is written, and what is no address is none.
// Method: rows of texts; random addresses written in several ways.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ipBytes, networksOf, networksOfMultiaddr } from "../../core/kernel/ip-address.ts";
import { forAll } from "../property/for-all.ts";

test.each([
  ["203.0.113.7", false, "cb007107/32", "cb007100/24", "cb000000/16"],
  ["::ffff:203.0.113.7", false, "cb007107/32", "cb007100/24", "cb000000/16"],
  ["64:ff9b::cb00:7107", false, "cb007107/32", "cb007100/24", "cb000000/16"],
  ["2002:cb00:7107::1", false, "cb007107/32", "cb007100/24", "cb000000/16"],
  ["::ffff:127.0.0.1", true, "7f000001/32", "7f000001/32", "7f000001/32"],
])("the networks of %s", (text, local, host, subnet, network) => {
  expect(networksOf(text)).toEqual({ local, host, subnet, network });
});

test("an IPv6 address is one of its /64, of its /48 and of its /32", () => {
  const at = (text: string) => networksOf(text) ?? expect.fail(text);
  const one = at("2001:db8:1:2::6");
  expect(at("2001:0DB8:0001:0002:ffff::%eth0").host).toBe(one.host);
  expect([at("2001:db8:1:3::").host === one.host, at("2001:db8:1:3::").subnet === one.subnet]).toEqual([false, true]);
  expect([at("2001:db8:2::").subnet === one.subnet, at("2001:db8:2::").network === one.network]).toEqual([false, true]);
  expect(at("2001:db9::").network).not.toBe(one.network);
});

test.each([
  ["127.0.0.1", "128.0.0.1"],
  ["10.255.0.1", "11.0.0.1"],
  ["172.31.0.1", "172.32.0.1"],
  ["192.168.0.1", "192.169.0.1"],
  ["169.254.9.9", "169.255.0.1"],
  ["100.127.0.1", "100.128.0.1"],
  ["::1", "::2"],
  ["fd00::1", "fe00::1"],
  ["fe80::1%eth0", "fec0::1"],
])("%s is nobody's on the internet, %s is", (local, open) => {
  expect([networksOf(local)?.local, networksOf(open)?.local]).toEqual([true, false]);
});

test.each(["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "x", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "12345::"])(
  "%s is no address",
  (text) => {
    expect(networksOf(text)).toBeUndefined();
  },
);

test.each([
  ["/ip4/203.0.113.7/tcp/1/p2p/x", "203.0.113.7"],
  ["/ip6/2001:db8::1/tcp/1", "2001:db8::1"],
  ["/ip6zone/eth0/ip6/fe80::1/tcp/1", "fe80::1"],
])("%s lies where %s does", (address, text) => {
  expect(networksOfMultiaddr(address)).toEqual(networksOf(text));
});

test.each(["/dns4/node.example.org/tcp/1", "/memory/1.2.3.4", "", "1.2.3.4"])("%s begins with no address", (text) => {
  expect(networksOfMultiaddr(text)).toBeUndefined();
});

test("a text of eight groups and its short form are the same sixteen bytes", () => {
  const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 0xffff })), {
    minLength: 8,
    maxLength: 8,
  });
  forAll(
    [groups],
    (values) => {
      // Only what is not an IPv4 address in another form.
      const long = [0x2001, ...values.slice(1)].map((group) => group.toString(16)).join(":");
      const zeros = /(?:^|:)0(?::0)+(?:$|:)/.exec(long)?.[0];
      const short = zeros === undefined ? long : long.replace(zeros, "::");
      const bytes = ipBytes(long);
      expect(bytes).toHaveLength(16);
      expect(ipBytes(short)).toEqual(bytes);
      return short === long ? [] : ["shortened"];
    },
    { runs: 200, shares: { shortened: 0.2 } },
  );
});

/** What is nobody's on the internet: the first address of each network, and how many bits all of it share. */
const LOCAL = [
  ...(["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"] as const),
  ...(["::1/128", "fc00::/7", "fe80::/10"] as const),
].map((network) => {
  const [text = "", bits] = network.split("/");
  return { bytes: ipBytes(text) ?? [], bits: Number(bits) };
});

test("the networks of an address are what its whole number comes to, near the edges of local ones too", () => {
  const numberOf = (bytes: readonly number[]) => bytes.reduce((all, byte) => all * 256n + BigInt(byte), 0n);
  const bytesOf = (number: bigint, size: number) =>
    Array.from({ length: size }, (_, at) => Number((number >> BigInt(8 * (size - 1 - at))) & 0xffn));
  const kept = (bytes: readonly number[], bits: number) => {
    const dropped = BigInt(8 * bytes.length - bits);
    const number = (numberOf(bytes) >> dropped) << dropped;
    return `${number.toString(16).padStart(2 * bytes.length, "0")}/${bits}`;
  };
  const arbNear = fc
    .tuple(fc.constantFrom(...LOCAL), fc.integer({ min: -2, max: 2 }), fc.boolean())
    .map(([{ bytes, bits }, step, end]) => {
      const size = bytes.length;
      const edge = numberOf(bytes) + (end ? 1n << BigInt(8 * size - bits) : 0n) + BigInt(step);
      return bytesOf(BigInt.asUintN(8 * size, edge), size);
    });
  const arbAny = fc
    .constantFrom(4, 16)
    .chain((size) => fc.array(fc.integer({ min: 0, max: 255 }), { minLength: size, maxLength: size }));
  forAll(
    [fc.oneof(arbNear, arbAny)],
    (bytes) => {
      const groups = bytesOf(numberOf(bytes), bytes.length).map((byte) => byte.toString(16).padStart(2, "0"));
      const text = bytes.length === 4 ? bytes.join(".") : groups.join("").replace(/.{4}(?=.)/g, "$&:");
      const seen = networksOf(text);
      // What stands for an IPv4 address has the networks of that one.
      if (bytes.length === 16 && ipBytes(text)?.length === 4) return ["stands for another"];
      const local = LOCAL.some(
        (one) => one.bytes.length === bytes.length && kept(one.bytes, one.bits) === kept(bytes, one.bits),
      );
      const [host, subnet, network] = bytes.length === 4 ? [32, 24, 16] : [64, 48, 32];
      const [least, middle, most] = local ? new Array(3).fill(8 * bytes.length) : [host, subnet, network];
      const networks = { host: kept(bytes, least), subnet: kept(bytes, middle), network: kept(bytes, most) };
      expect(seen).toEqual({ local, ...networks });
      return [local ? "local" : "on the internet"];
    },
    { runs: 1_000, shares: { local: 0.1, "on the internet": 0.3 } },
  );
});
