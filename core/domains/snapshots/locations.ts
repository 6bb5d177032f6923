/**
 * Where this node's own snapshot files can be fetched, derived from the addresses it is reachable at.
 * Source: protocol 05 §6.8.
 */

/** Base addresses in one announcement. Source: protocol 05 §6.8. */
export const BASES_MAX = 4;

/** Addresses by what is known of them, in the order in which they are asked. */
export interface OwnAddresses {
  /** Declared by the operator, then bound, then reported by at least two peers. */
  readonly declared: readonly string[];
  readonly bound: readonly string[];
  readonly reported: readonly string[];
}

const HOST = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)/;
const LOOPBACK_OR_UNSPECIFIED = /^(?:127\.|0\.0\.0\.0$|::1$|::$|0*(?::0*){1,7}1?$)/;
const PRIVATE_IP4 =
  /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
const PRIVATE_IP6 = /^(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/i;

/** Base addresses of this node's files, global ones first; an operator's own word wins outright. */
export function snapshotBases(
  addresses: OwnAddresses,
  rpcPort: number,
  override: readonly string[],
): readonly string[] {
  if (override.length > 0) return override;
  const hosts = new Map<string, boolean>();
  for (const address of [...addresses.declared, ...addresses.bound, ...addresses.reported]) {
    const [, kind, host] = HOST.exec(address) ?? [];
    if (kind === undefined || host === undefined || isUnreachable(kind, host)) continue;
    const written = kind === "ip6" ? `[${host}]` : host;
    if (!hosts.has(written)) hosts.set(written, isPrivate(kind, host));
  }
  const inOrder = [...hosts.entries()];
  const sorted = [...inOrder.filter(([, hidden]) => !hidden), ...inOrder.filter(([, hidden]) => hidden)];
  return sorted.slice(0, BASES_MAX).map(([host]) => `http://${host}:${rpcPort}`);
}

/** The address of one file: exactly one slash between. Source: protocol 05 §6.5 (11). */
export function locationOf(base: string, id: string): string {
  return `${base.endsWith("/") ? base.slice(0, -1) : base}/snapshot/${id}`;
}

function isUnreachable(kind: string, host: string): boolean {
  return kind.startsWith("dns") ? /^localhost\.?$/i.test(host) : LOOPBACK_OR_UNSPECIFIED.test(host);
}

function isPrivate(kind: string, host: string): boolean {
  if (kind === "ip4") return PRIVATE_IP4.test(host);
  return kind === "ip6" && PRIVATE_IP6.test(host);
}
