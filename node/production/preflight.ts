/**
 * What would stop a node, looked at before anything is written: its key, its ports, its directories.
 * Source: DESIGN section 6 ("Bad usage, bad files and bad input").
 */
import { createSocket } from "node:dgram";
import { accessSync, constants } from "node:fs";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import { directoryProblem } from "./directories.ts";

/** An address to listen on; port 0 is any. */
export interface Bind {
  readonly flag: string;
  readonly host: string;
  readonly port: number;
  /** Over UDP. */
  readonly datagrams?: boolean;
}

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
  for (const bind of [...binds, ...gossip.flatMap(gossipBind)]) {
    const why = await bindProblem(bind);
    if (why !== undefined) return `${bind.flag} ${shown(bind)}: ${why}`;
  }
  return undefined;
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
  return host === undefined ? [] : [{ flag, host, port: Number(tcp ?? udp), datagrams: udp !== undefined }];
}

/** Listens for an instant. */
function bindProblem(bind: Bind): Promise<string | undefined> {
  const { host, port } = bind;
  if (bind.datagrams === true) return datagramProblem(bind);
  const server = createServer();
  return new Promise((done) => {
    server.once("error", (error: NodeJS.ErrnoException) => done(REASONS[error.code ?? ""] ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)));
  });
}

function datagramProblem({ host, port }: Bind): Promise<string | undefined> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  return new Promise((done) => {
    socket.once("error", (error: NodeJS.ErrnoException) => {
      socket.close();
      done(REASONS[error.code ?? ""] ?? error.message);
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => done(undefined)));
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use; stop what listens there, or choose another.",
  EADDRNOTAVAIL: "this machine has no such address; choose one of its own, or 0.0.0.0.",
  EACCES: "the port needs more permissions; choose one above 1023.",
  ENOTFOUND: "the host has no address; give an address of this machine.",
};

function shown({ host, port }: Bind): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
