/**
 * Which addresses an operator's node may post to: those of the public internet. An endpoint is a text that a stranger
 * registered, so a host name is judged by the addresses it resolves to, at the moment they are used.
 * Source: protocol 04 §6.12; the ranges are those of the IANA special-purpose registries (RFC 6890).
 */
import type { LookupAddress, LookupOptions } from "node:dns";
import { BlockList, isIP } from "node:net";

/** Resolves a host name, as `node:http` asks. */
export type Lookup = (
  host: string,
  options: LookupOptions,
  done: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

const SPECIAL: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  // What translates to an IPv4 address (NAT64, 6to4, Teredo) could be any of the above.
  ["64:ff9b::", 32, "ipv6"],
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["3fff::", 20, "ipv6"],
];

const special = new BlockList();
for (const [network, prefix, family] of SPECIAL) special.addSubnet(network, prefix, family);
/** Everything an IPv6 host of the internet can have; all else is local, multicast, mapped or reserved. */
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/** Whether an address belongs to a host of the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  return family === 6 && global6.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** Networks of this very machine and wire. Source: protocol 05 §14.23. */
const local = new BlockList();
local.addSubnet("0.0.0.0", 8, "ipv4");
local.addSubnet("127.0.0.0", 8, "ipv4");
local.addSubnet("169.254.0.0", 16, "ipv4");
local.addSubnet("224.0.0.0", 3, "ipv4");

/** Whether an address may be another machine's: on the internet or in a private network. Source: protocol 05 §14.23. */
export function isDistant(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !local.check(address, "ipv4");
  // Of IPv6 the internet and unique local addresses; nothing that stands for an IPv4 address.
  return family === 6 && (isPublicAddress(address) || /^f[cd]/i.test(address));
}

/** A resolver that gives public addresses only; a name with none of them does not resolve. */
export function publicLookup(resolve: Lookup): Lookup {
  return lookupWhere(resolve, isPublicAddress);
}

/** A resolver that gives fitting addresses only; a name with none of them does not resolve. */
export function lookupWhere(resolve: Lookup, fits: (address: string) => boolean): Lookup {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const addresses = (typeof found === "string" ? [] : found).filter(({ address }) => fits(address));
      const [first] = addresses;
      if (first === undefined) return done(refusal(host), []);
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}

function refusal(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address that is asked`), { code: "EADDRNOTAVAIL" });
}
