/**
 * Addresses to listen on, tried together before anything is written: each must be free, of other programs and of one
 * another. Source: DESIGN section 6 ("Bad usage, bad files and bad input").
 */
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/** An address to listen on; port 0 is any. */
export interface Bind {
  readonly flag: string;
  readonly host: string;
  readonly port: number;
  /** Over UDP. */
  readonly datagrams?: boolean;
  /** Whether an IPv6 wildcard leaves IPv4 to others. */
  readonly ipv6Only?: boolean;
}

/** A socket that listens, or what the system said. */
type Tried = { readonly close: () => Promise<void> } | { readonly error: NodeJS.ErrnoException };

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use; stop what listens there, or choose another.",
  EADDRNOTAVAIL: "this machine has no such address; choose one of its own, or 0.0.0.0.",
  EACCES: "the port needs more permissions; choose one above 1023.",
  ENOTFOUND: "the host has no address; give an address of this machine.",
};

/** One line about the first that cannot be listened on, or nothing. All are held until the last was tried. */
export async function bindsProblem(binds: readonly Bind[]): Promise<string | undefined> {
  const held: { readonly bind: Bind; readonly close: () => Promise<void> }[] = [];
  const release = async (): Promise<void> => {
    for (const { close } of held.splice(0)) await close();
  };
  try {
    for (const bind of binds) {
      const tried = await listening(bind);
      if ("close" in tried) {
        held.push({ bind, close: tried.close });
        continue;
      }
      const other = tried.error.code === "EADDRINUSE" ? held.find((each) => isLike(each.bind, bind)) : undefined;
      await release();
      return other === undefined ? bindProblem(bind, tried.error) : clash(other.bind, bind, tried.error);
    }
    return undefined;
  } finally {
    await release();
  }
}

/** One line about an address that cannot be listened on. Source: DESIGN section 6. */
export function bindProblem(bind: Bind, error: NodeJS.ErrnoException): string {
  return `${bind.flag} ${shown(bind)}: ${REASONS[error.code ?? ""] ?? error.message}`;
}

/** Whether two may be in each other's way, whatever their hosts are. */
function isLike(one: Bind, other: Bind): boolean {
  return one.port === other.port && (one.datagrams ?? false) === (other.datagrams ?? false);
}

/** Another program may have the port at the second host: it is asked for alone. */
async function clash(first: Bind, second: Bind, error: NodeJS.ErrnoException): Promise<string> {
  const alone = await listening(second);
  if (!("close" in alone)) return bindProblem(second, error);
  await alone.close();
  return `${first.flag} ${shown(first)} and ${second.flag} ${shown(second)} cannot both be listened on; change a port.`;
}

function listening(bind: Bind): Promise<Tried> {
  const { host, port, ipv6Only = false } = bind;
  if (bind.datagrams === true) return datagrams(bind);
  const server = createServer();
  return new Promise((done) => {
    server.once("error", (error) => done({ error }));
    server.listen({ host, port, ipv6Only, exclusive: true }, () =>
      done({ close: () => new Promise((closed) => server.close(() => closed())) }),
    );
  });
}

function datagrams({ host, port, ipv6Only = false }: Bind): Promise<Tried> {
  const socket = createSocket({ type: host.includes(":") ? "udp6" : "udp4", ipv6Only });
  return new Promise((done) => {
    socket.once("error", (error) => {
      socket.close();
      done({ error });
    });
    socket.bind({ address: host, port, exclusive: true }, () =>
      done({ close: () => new Promise((closed) => socket.close(() => closed())) }),
    );
  });
}

function shown({ host, port }: Bind): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
