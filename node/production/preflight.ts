/**
 * What would stop a node, looked at before anything is written: its key, its ports, its directories.
 * Source: DESIGN section 6 ("Bad usage, bad files and bad input").
 */
import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import type { Bind } from "./binds.ts";
import { bindsProblem } from "./binds.ts";
import { directoryProblem } from "./directories.ts";

export interface Preflight {
  readonly ledger: string;
  readonly identity: string | undefined;
  /** Where inputs are to be written down. */
  readonly record: string | undefined;
  readonly binds: readonly Bind[];
  /** Multiaddrs where peers are to reach the node. */
  readonly gossip: readonly string[];
}

/** One line about what stands in the way, or nothing. Nothing was written. */
export async function preflightProblem({
  ledger,
  identity,
  record,
  binds,
  gossip,
}: Preflight): Promise<string | undefined> {
  const keys = identity === undefined ? undefined : loadKeyFile(identity);
  if (keys?.ok === false) return keys.error.reason;
  const beside = record === undefined ? undefined : dirname(resolve(record));
  if (beside !== undefined && !isOurs(beside))
    return `--record ${record}: ${beside} is no directory that this user can write; make it, or name another.`;
  const unmade = directoryProblem("--ledger", ledger);
  if (unmade !== undefined) return unmade.line;
  return bindsProblem([...binds, ...gossip.flatMap(gossipBind)]);
}

function isOurs(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The port of a multiaddr over TCP or QUIC; what is none is the network's to refuse. */
function gossipBind(text: string): readonly Bind[] {
  const pattern = /^\/ip[46]\/([^/]+)\/(?:tcp\/(\d{1,5})|udp\/(\d{1,5})\/quic-v1)(?:\/p2p\/[^/]+)?$/;
  const [, host, tcp, udp] = pattern.exec(text) ?? [];
  const flag = "--gossip-bind-address";
  if (host === undefined) return [];
  return [{ flag, host, port: Number(tcp ?? udp), datagrams: udp !== undefined, ipv6Only: host.includes(":") }];
}
