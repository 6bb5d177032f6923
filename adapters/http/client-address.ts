/**
 * Who is calling: the address of the connection, or, behind proxies that the operator trusts, the address that
 * the outermost of them saw. IPv6 clients are known by their /64. Source: protocol 01 §10.4, W21.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { BlockList, isIP, isIPv4 } from "node:net";

/** The client behind a request, as the rate limit counts it. */
export type ClientOf = (request: IncomingMessage) => string;

/** Finds the client behind a request, and behind a connection. */
export interface ClientFinder {
  readonly clientOf: ClientOf;
  /** Who holds a connection; undefined for a trusted proxy, which holds those of many clients. */
  readonly holderOf: (socket: Pick<Socket, "remoteAddress">) => string | undefined;
}

/** Addresses and networks (`10.0.0.0/8`, `fd00::/8`) to trust; the first that is neither is given back. */
export function clientFinder(trustedProxies: readonly string[]): ClientFinder | { readonly wrong: string } {
  const trusted = new BlockList();
  for (const text of trustedProxies) if (!addTo(trusted, text)) return { wrong: text };
  const trusts = (address: string): boolean => trusted.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  /** Who is at the other end of a connection, over which several requests may come. */
  const counted = new WeakMap<Socket, string>();
  const atOtherEnd = (socket: Socket): string => {
    const known = counted.get(socket);
    if (known !== undefined) return known;
    const client = countedAs(plain(socket.remoteAddress ?? ""));
    counted.set(socket, client);
    return client;
  };
  return {
    clientOf: (request) => {
      if (trustedProxies.length === 0) return atOtherEnd(request.socket);
      let address = plain(request.socket.remoteAddress ?? "");
      const header = request.headers["x-forwarded-for"];
      const hops = typeof header === "string" ? header.split(",") : (header ?? []);
      for (let at = hops.length - 1; at >= 0 && isIP(address) !== 0 && trusts(address); at -= 1) {
        const hop = plain((hops[at] ?? "").trim());
        // What is no address was not written by a proxy: the last one known counts.
        if (isIP(hop) === 0) break;
        address = hop;
      }
      return countedAs(address);
    },
    holderOf: ({ remoteAddress = "" }) => {
      const address = plain(remoteAddress);
      return isIP(address) !== 0 && trusts(address) ? undefined : countedAs(address);
    },
  };
}

function countedAs(address: string): string {
  return isIP(address) === 6 ? networkOf(address) : address;
}

function addTo(list: BlockList, text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  if (prefix === undefined) list.addAddress(address, family);
  else if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (version === 4 ? 32 : 128)) return false;
  else list.addSubnet(address, Number(prefix), family);
  return true;
}

/** Without port, brackets and zone; an IPv4 address mapped into IPv6 as the IPv4 address it is. */
function plain(text: string): string {
  const inBrackets = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1];
  const address = (inBrackets ?? withPort ?? text).replace(/%.*$/, "");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** The first 64 bits of a valid IPv6 address. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("::");
  const groups = groupsOf(head);
  if (tail !== undefined) {
    const after = groupsOf(tail);
    const written = groups.length + after.length + (tail.includes(".") ? 1 : 0);
    groups.push(...Array<string>(8 - written).fill("0"), ...after);
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
