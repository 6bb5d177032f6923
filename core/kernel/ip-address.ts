/**
 * IP addresses and the networks that they lie in: whoever holds one address of a network usually holds many of it.
 * Source: RFC 4291, RFC 5952 (texts); RFC 6177 (what an end site is given); RFC 3056, RFC 6052 (IPv4 inside IPv6).
 */

/** An address as bytes: four or sixteen. */
export type IpBytes = readonly number[];

/** An address and the networks around it, as texts that are equal when they are the same. */
export interface IpNetworks {
  /** Loopback, link-local, private or shared: it says nothing of where on the internet its holder is. */
  readonly local: boolean;
  /** One machine or one home: the IPv4 address, or the /64 of an IPv6 address. */
  readonly host: string;
  /** What one customer is given: /24 or /48; of a local address its host. */
  readonly subnet: string;
  /** What one operator of networks is given: /16 or /32; of a local address its host. */
  readonly network: string;
}

/** First bits of addresses that are nobody's on the internet. Source: IANA special-purpose registries (RFC 6890). */
const LOCAL: readonly (readonly [first: IpBytes, bits: number])[] = [
  [[127, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[172, 16, 0, 0], 12],
  [[192, 168, 0, 0], 16],
  [[169, 254, 0, 0], 16],
  [[100, 64, 0, 0], 10],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128],
  [[0xfc, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 7],
  [[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 10],
];
/** IPv6 addresses that stand for an IPv4 address: how they begin, in hexadecimal, and where it stands in them. */
const EMBEDDED: readonly (readonly [begins: string, at: number])[] = [
  ["00000000000000000000ffff", 12],
  ["0064ff9b0000000000000000", 12],
  ["2002", 2],
];
const HEX_BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const IPV4_BYTES = 4;
const IPV6_GROUPS = 8;

/** The networks of an address; nothing when the text is no address. A zone (`%eth0`) does not count. */
export function networksOf(text: string): IpNetworks | undefined {
  const bytes = ipBytes(text);
  if (bytes === undefined) return undefined;
  const [host, subnet, network] = bytes.length === IPV4_BYTES ? [32, 24, 16] : [64, 48, 32];
  const local = LOCAL.some(([first, bits]) => first.length === bytes.length && agree(first, bytes, bits));
  const whole = prefix(bytes, local ? bytes.length * 8 : host);
  if (local) return { local, host: whole, subnet: whole, network: whole };
  return { local, host: whole, subnet: prefix(bytes, subnet), network: prefix(bytes, network) };
}

/** The networks of a multiaddr that begins with an address; nothing for one that begins with a name. */
export function networksOfMultiaddr(text: string): IpNetworks | undefined {
  const [, kind, host = ""] = text.split("/");
  if (kind === "ip6zone") return networksOf(text.split("/")[4] ?? "");
  return kind === "ip4" || kind === "ip6" ? networksOf(host) : undefined;
}

/** The bytes of an address; an IPv4 address inside an IPv6 one is that IPv4 address. */
export function ipBytes(text: string): IpBytes | undefined {
  const [address = ""] = text.split("%");
  if (!address.includes(":")) return ipv4Bytes(address);
  const bytes = ipv6Bytes(address);
  if (bytes === undefined) return undefined;
  const hex = bytes.map((byte) => HEX_BYTES[byte]).join("");
  const at = EMBEDDED.find(([begins]) => hex.startsWith(begins))?.[1];
  return at === undefined ? bytes : bytes.slice(at, at + IPV4_BYTES);
}

/** Whether the first bits of two addresses are the same. */
function agree(one: IpBytes, other: IpBytes, bits: number): boolean {
  return one.every((byte, at) => ((byte ^ (other[at] ?? 0)) & countedOf(at, bits)) === 0);
}

/** The first bits of an address, as text: its bytes in hexadecimal and how many bits count. */
function prefix(bytes: IpBytes, bits: number): string {
  let text = "";
  for (const [at, byte] of bytes.entries()) text += HEX_BYTES[byte & countedOf(at, bits)];
  return `${text}/${bits}`;
}

/** The bits of the byte at this place that are among the first so many of all. */
function countedOf(at: number, bits: number): number {
  const left = Math.min(Math.max(bits - 8 * at, 0), 8);
  return (0xff << (8 - left)) & 0xff;
}

function ipv4Bytes(text: string): IpBytes | undefined {
  const parts = text.split(".");
  if (parts.length !== IPV4_BYTES || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 0xff) ? bytes : undefined;
}

function ipv6Bytes(text: string): IpBytes | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = IPV6_GROUPS - head.length - (tail?.length ?? 0);
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

/** The 16-bit groups of one side of `::`; the last may be an IPv4 address, which is two. */
function groupsOf(text: string): readonly number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const last = parts.at(-1) ?? "";
  const embedded = last.includes(".") ? ipv4Bytes(last) : [];
  if (embedded === undefined) return undefined;
  const plain = embedded.length > 0 ? parts.slice(0, -1) : parts;
  if (!plain.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = embedded;
  const ends = embedded.length > 0 ? [(a << 8) | b, (c << 8) | d] : [];
  return [...plain.map((part) => Number.parseInt(part, 16)), ...ends];
}
