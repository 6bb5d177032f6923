/**
 * Who may connect to this node when others want the same place: so many from one address and from one network, and
 * when all places are taken, whoever is the youngest of those that come from where most come from leaves. Links that an
 * attacker cannot have at will stay: from networks of their own, near ones, those that brought something lately, old
 * ones. Links that this node opened are no matter of this and never leave for it. A pure rule over what a transport
 * measured. Source: DESIGN section 7 #27; the classes are those that Bitcoin Core is known to keep.
 */

import { Statements } from "../../engine/statements/table.ts";
import type { Input } from "../../inputs.ts";
import type { IpNetworks } from "../../kernel/ip-address.ts";
import type { Change } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";

/** Places of those who connect from outside. */
export interface InboundBounds {
  readonly inboundConnectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly connectionsPerLocalAddressMax: number;
  readonly connectionsPerSubnetMax: number;
}

/** Where a link comes from: an address, or whatever else names a place, such as that of another transport. */
export type Origin = IpNetworks | { readonly named: string };

/** A link that somebody else opened, as its transport measured it. Instants are milliseconds of any one clock. */
export interface InboundLink<L> {
  readonly link: L;
  readonly origin: Origin;
  readonly since: number;
  /** The last round trip of a ping. */
  readonly latencyMs: number | undefined;
  /** When it last brought a statement that this node did not hold. */
  readonly broughtAt: number | undefined;
}

/** Why a newcomer gets no place: too many of its address or network, or none of those that are there has to go. */
export type InboundRefusal = "address" | "subnet" | "places";

/** What becomes of a newcomer: a place, for which one of those that are there may have to leave, or none. */
export type InboundVerdict<L> =
  | { readonly admitted: true; readonly leaves: L | undefined }
  | { readonly admitted: false; readonly cause: InboundRefusal };

/** Networks of which one link each stays, the oldest. Source: DESIGN section 7 #27, as Bitcoin Core. */
export const NETWORKS_KEPT = 4;
/** Links that stay because they are near. Source: DESIGN section 7 #27, as Bitcoin Core. */
export const NEAREST_KEPT = 8;
/** Links that stay because of what they brought. Source: DESIGN section 7 #27. */
export const BRINGERS_KEPT = 8;

/**
 * What becomes of a newcomer. `drawn` orders networks in a way that nobody outside can know: a keyed hash.
 */
export function inboundVerdict<L>(
  newcomer: Origin,
  held: readonly InboundLink<L>[],
  bounds: InboundBounds,
  drawn: (network: string) => string,
): InboundVerdict<L> {
  const cause = crowded(newcomer, held, bounds);
  if (cause !== undefined) return { admitted: false, cause };
  if (held.length < bounds.inboundConnectionsMax) return { admitted: true, leaves: undefined };
  const leaves = linkToEvict(newcomer, held, drawn);
  return leaves === undefined ? { admitted: false, cause: "places" } : { admitted: true, leaves: leaves.link };
}

/** The peer whose message brought a statement that this node did not hold; nobody, when it brought none. */
export function bringerOf(input: Input, changes: readonly Change[]): PeerId | undefined {
  if (input.type !== "message.received" && input.type !== "message.answered") return undefined;
  const brought = changes.some(({ table, record }) => table === Statements.name && record !== undefined);
  return brought ? input.from : undefined;
}

/** The bound of its address or of its network that a newcomer would exceed. */
function crowded<L>(
  newcomer: Origin,
  held: readonly InboundLink<L>[],
  bounds: InboundBounds,
): InboundRefusal | undefined {
  if ("named" in newcomer) return undefined;
  const { connectionsPerLocalAddressMax, connectionsPerAddressMax, connectionsPerSubnetMax } = bounds;
  const same = (part: "host" | "subnet") =>
    held.filter(({ origin }) => !("named" in origin) && origin[part] === newcomer[part]).length;
  const perAddress = newcomer.local ? connectionsPerLocalAddressMax : connectionsPerAddressMax;
  if (same("host") >= perAddress) return "address";
  return !newcomer.local && same("subnet") >= connectionsPerSubnetMax ? "subnet" : undefined;
}

/**
 * The link that makes room: of those that nothing keeps, the youngest from the network that most links come from. The
 * newcomer counts as one of its network: from the most crowded one nobody else is let in.
 */
function linkToEvict<L>(
  newcomer: Origin,
  held: readonly InboundLink<L>[],
  drawn: (network: string) => string,
): InboundLink<L> | undefined {
  const sizes = new Map<string, number>();
  for (const network of [...held.map(({ origin }) => networkOf(origin)), networkOf(newcomer)])
    sizes.set(network, (sizes.get(network) ?? 0) + 1);
  const sizeOf = (origin: Origin) => sizes.get(networkOf(origin)) ?? 0;
  const others = unkept(held, drawn).filter(({ origin }) => networkOf(origin) !== networkOf(newcomer));
  const [first] = others.sort((a, b) => sizeOf(b.origin) - sizeOf(a.origin) || b.since - a.since);
  return first === undefined || sizeOf(first.origin) < sizeOf(newcomer) ? undefined : first;
}

/** Links that no class keeps. */
function unkept<L>(held: readonly InboundLink<L>[], drawn: (network: string) => string): InboundLink<L>[] {
  const oldestFirst = [...held].sort((a, b) => a.since - b.since);
  const oldestOf = new Map<string, InboundLink<L>>();
  for (const each of oldestFirst) {
    const network = networkOf(each.origin);
    if (!oldestOf.has(network)) oldestOf.set(network, each);
  }
  const draws = [...oldestOf].map(([network, link]) => ({ link, draw: drawn(network) }));
  const ofNetworks = draws.sort((a, b) => compareText(a.draw, b.draw)).slice(0, NETWORKS_KEPT);
  const afterNetworks = without(
    oldestFirst,
    ofNetworks.map(({ link }) => link),
  );
  const measured = afterNetworks.filter(({ latencyMs }) => latencyMs !== undefined);
  const nearest = measured.sort((a, b) => (a.latencyMs ?? 0) - (b.latencyMs ?? 0)).slice(0, NEAREST_KEPT);
  const afterNearest = without(afterNetworks, nearest);
  const bringers = afterNearest.filter(({ broughtAt }) => broughtAt !== undefined);
  const latest = bringers.sort((a, b) => (b.broughtAt ?? 0) - (a.broughtAt ?? 0)).slice(0, BRINGERS_KEPT);
  const rest = without(afterNearest, latest);
  // Half of those that are left stay because they have been there longest.
  return rest.slice(Math.ceil(rest.length / 2));
}

function without<L>(links: readonly InboundLink<L>[], kept: readonly InboundLink<L>[]): InboundLink<L>[] {
  const gone = new Set(kept);
  return links.filter((link) => !gone.has(link));
}

function networkOf(origin: Origin): string {
  return "named" in origin ? origin.named : origin.network;
}
