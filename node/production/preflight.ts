/**
 * What would stop a node, looked at before anything is written: its key, its ports, its directories.
 * Source: DESIGN section 6 ("Bad usage, bad files and bad input").
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import { peerOfKey } from "../../core/index.ts";
import type { Bind } from "./binds.ts";
import { bindsProblem } from "./binds.ts";
import { directoryProblem, fileProblem } from "./directories.ts";
import { gossipAddressProblem } from "./gossip-addresses.ts";

export interface Preflight {
  readonly ledger: string;
  readonly identity: string | undefined;
  /** Where inputs are to be written down. */
  readonly record: string | undefined;
  /** Where snapshots are to be kept, when some are made. */
  readonly snapshots: string | undefined;
  readonly binds: readonly Bind[];
  /** Multiaddrs where peers are to reach the node, and those to announce. */
  readonly gossip: readonly string[];
  readonly externalAddresses: readonly string[];
}

/** One line about what stands in the way, or nothing. Nothing was written. */
export async function preflightProblem({
  ledger,
  identity,
  record,
  snapshots,
  binds,
  gossip,
  externalAddresses,
}: Preflight): Promise<string | undefined> {
  const keys = keysOf({ ledger, identity });
  if (keys?.ok === false) return keys.error.reason;
  const self = keys === undefined ? "unborn" : peerOfKey(keys.value.publicKey);
  const unspoken = gossipAddressProblem({ gossip, externalAddresses }, self);
  if (unspoken !== undefined) return unspoken;
  const unwritten = record === undefined ? undefined : fileProblem("--record", record);
  if (unwritten !== undefined) return unwritten;
  const unmade =
    directoryProblem("--ledger", ledger) ??
    (snapshots === undefined ? undefined : directoryProblem("--snapshot-dir", snapshots));
  if (unmade !== undefined) return unmade.line;
  return bindsProblem([...binds, ...gossip.flatMap(gossipBind)]);
}

/** Where a node's key is kept that was given none. Source: DESIGN section 6. */
export function keptKey(ledger: string): string {
  return join(ledger, "identity.json");
}

/** The key of a node that has one already. */
function keysOf({ ledger, identity }: Pick<Preflight, "ledger" | "identity">) {
  const path = identity ?? keptKey(ledger);
  return identity === undefined && !existsSync(path) ? undefined : loadKeyFile(path);
}

/** The port of a multiaddr over TCP or QUIC; what is none is the network's to refuse. */
function gossipBind(text: string): readonly Bind[] {
  const pattern = /^\/ip[46]\/([^/]+)\/(?:tcp\/(\d{1,5})|udp\/(\d{1,5})\/quic-v1)(?:\/p2p\/[^/]+)?$/;
  const [, host, tcp, udp] = pattern.exec(text) ?? [];
  const flag = "--gossip-bind-address";
  if (host === undefined) return [];
  return [{ flag, host, port: Number(tcp ?? udp), datagrams: udp !== undefined, ipv6Only: host.includes(":") }];
}
