/**
 * Where others see this node: a public host that peers in different networks report over links which this node dialled.
 * Behind a router nobody else can tell it. The port that they see is that of the link, where nobody listens, so it is
 * not kept: a host is announced with the ports that this node has bound, as a router passes them on.
 * Source: protocol 01 §5.5 "observed addresses", §13.1; 05 §8 "Own address learning".
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Input, NodeConfiguration } from "../../inputs.ts";
import { ipBytes, networksOfMultiaddr } from "../../kernel/ip-address.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import type { Reader } from "../../kernel/table.ts";
import { recordsOf, table } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { EpochMillis as Instant, Text } from "../../kernel/values.ts";
import { CLAIM_EXPIRY_MS, REPORTERS_MAX } from "./address-claims.ts";
import { peerOf } from "./peers.ts";

/** Reports remembered: each peer has one. Source: protocol 05 §8 (256 addresses). */
export const REPORTS = 256;
/** Networks of reporters from which a host is announced. Source: protocol 01 §5.5, where peers are counted. */
export const REPORTING_NETWORKS = 2;
/** The network of all reporters that were dialled by name: which network that leads to, nobody here knows. */
const BY_NAME = "by name";
/** Public IPv4 addresses begin below this byte, public IPv6 ones with these three bits. Source: RFC 5771; RFC 4291. */
const MULTICAST_IPV4 = 224;
const [IPV6_PART, IPV6_PUBLIC] = [0xe0, 0x20];
const LOOPBACK_IPV4 = 127;
const IPV4_BYTES = 4;

const ObservedAddress = struct("ObservedAddress", {
  /** `/ip4/…` or `/ip6/…`, nothing more. */
  host: Text,
  /** Where this node dialled the reporter. */
  network: Text,
  seen_at: Instant,
});
export type ObservedAddress = Infer<typeof ObservedAddress>;
/** What each reporter said last, by its id. */
export const ObservedAddresses = table<ObservedAddress>("observed_addresses", ObservedAddress, {
  root: "local",
  indexes: { host: ({ host }) => [host] },
});

/** Over a link that this node dialled, its peer said where it sees this node. */
export function onObserved(
  context: StepContext,
  { peer, address }: Extract<Input, { readonly type: "peer.observed" }>,
): void {
  const { draft, now } = context;
  const network = networkOfReporter(draft, peer);
  if (network === undefined) return;
  const host = publicHostOf(address);
  draft.put(ObservedAddresses, peer, undefined);
  if (host === undefined || draft.size(ObservedAddresses) >= REPORTS || !makeRoom(context, host, network)) return;
  draft.put(ObservedAddresses, peer, { host, network, seen_at: now });
}

/**
 * Where this node says it is: what its operator declared and what it has bound, and while none of that is on the
 * internet, each port at each host that peers in several networks report.
 */
export function announcedAddresses(
  reader: Reader,
  { announcedAddresses: known }: Pick<NodeConfiguration, "announcedAddresses">,
): readonly string[] {
  if (known.some((address) => isNamed(address) || publicHostOf(address) !== undefined)) return known;
  const hosts = new Set(
    [...reader.keys(ObservedAddresses)].map((key) => reader.get(ObservedAddresses, key)?.host ?? ""),
  );
  const reported = [...hosts].filter((host) => networksReporting(reader, host).size >= REPORTING_NETWORKS);
  const seen = reported.sort(compareText).flatMap((host) => known.flatMap((address) => movedTo(host, address)));
  return [...new Set([...known, ...seen])];
}

/** A report holds as long as its link, and ten minutes more. */
export function sweepObserved(context: StepContext): void {
  const { draft, now } = context;
  for (const peer of [...draft.keys(ObservedAddresses)]) {
    const report = draft.get(ObservedAddresses, peer);
    if (report === undefined) continue;
    if (networkOfReporter(draft, peer as PeerId) === report.network)
      draft.put(ObservedAddresses, peer, { ...report, seen_at: now });
    else if (report.seen_at + BigInt(CLAIM_EXPIRY_MS) < now) draft.put(ObservedAddresses, peer, undefined);
  }
}

/** The network in which this node dialled a connected peer; nothing for one from outside or from a local network. */
function networkOfReporter(reader: Reader, id: PeerId): string | undefined {
  const { connected, dialled, proven } = peerOf(reader, id);
  const [place] = proven;
  if (!connected || !dialled || place === undefined) return undefined;
  if (isNamed(place)) return BY_NAME;
  const networks = networksOfMultiaddr(place);
  return networks === undefined || networks.local ? undefined : networks.network;
}

function networksReporting(reader: Reader, host: string): ReadonlySet<string> {
  return new Set(recordsOf(reader, ObservedAddresses, "host", host).map(({ network }) => network));
}

/** A host has a few reporters; one of a network that is new for it takes the place of one whose network has others. */
function makeRoom({ draft }: StepContext, host: string, network: string): boolean {
  const reporters = [...draft.find(ObservedAddresses, "host", host)].sort(compareText);
  if (reporters.length < REPORTERS_MAX) return true;
  const of = (peer: string) => draft.get(ObservedAddresses, peer)?.network ?? "";
  if (reporters.some((peer) => of(peer) === network)) return false;
  const spare = reporters.find((peer) => reporters.some((other) => other !== peer && of(other) === of(peer)));
  if (spare !== undefined) draft.put(ObservedAddresses, spare, undefined);
  return spare !== undefined;
}

/** The host of an address where anybody on the internet finds it. */
function publicHostOf(address: string): string | undefined {
  const [, , text = ""] = address.split("/");
  const networks = networksOfMultiaddr(address);
  const bytes = ipBytes(text);
  if (networks === undefined || networks.local || bytes === undefined) return undefined;
  const [first = 0] = bytes;
  if (bytes.length === IPV4_BYTES) return first > 0 && first < MULTICAST_IPV4 ? `/ip4/${bytes.join(".")}` : undefined;
  return (first & IPV6_PART) === IPV6_PUBLIC ? `/ip6/${text}` : undefined;
}

/** An address of this node's at another host of the same kind; what is bound to loopback is reached by no router. */
function movedTo(host: string, address: string): readonly string[] {
  const [, kind = "", own = "", ...rest] = address.split("/");
  const isLoopback = own === "::1" || ipBytes(own)?.[0] === LOOPBACK_IPV4;
  return isLoopback || !host.startsWith(`/${kind}/`) ? [] : [[host, ...rest].join("/")];
}

function isNamed(address: string): boolean {
  return address.startsWith("/dns");
}
