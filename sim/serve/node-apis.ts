/**
 * The nodes of a served network over HTTP: each behind the same adapter as a production node, at a port of its own. A
 * node that is down has no server: its port refuses. Source: DESIGN section 6 "serve"; protocol 01 §10.
 */
import { STATUS_CODES } from "node:http";
import { gzipSync } from "node:zlib";
import { JSON_TYPE, RATE_LIMIT_EXCEEDED, STOPPING, TEXT_TYPE } from "../../adapters/http/answers.ts";
import type { BrokenOff } from "../../adapters/http/calls.ts";
import type { ApiServer } from "../../adapters/http/server.ts";
import { openApiServer } from "../../adapters/http/server.ts";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import type { HandOver } from "./calls.ts";
import type { WorldHost } from "./world-host.ts";

/** Calls in hand of one node at most. Source: protocol 01 §15 W14. */
const CALLS_IN_HAND = 4_096;
/** One machine asks, in many tests beside each other. */
const LIMITS = {
  ...{ rate: null, pages: null, asides: null, newConnections: null },
  ...{ clientConnectionsMax: 4_096, clientSubscribersMax: 1_024, clientReceivingBytesMax: 268_435_456 },
};

/** Where nodes listen, and what they show. */
export interface NodeApiOptions {
  readonly host: string;
  /** The port of node 0; node i has this one plus i. 0 lets the system choose for each. */
  readonly port: number;
  /** The nodes that are up. */
  readonly nodes: readonly number[];
  /** The OpenRPC document of a node. */
  readonly openrpc: () => string;
}

/** The servers of all nodes that are up; nodes may come later. */
export interface NodeApis {
  /** Where a node is reached, also while it is down. */
  urlOf(node: number): string;
  /** Opens the server of a node at its port, for the first time or again. */
  open(node: number): Promise<Result<void, string>>;
  /** Cuts every line of a node's server and closes it. */
  shut(node: number): Promise<void>;
  isOpen(node: number): boolean;
  /** Every node that ever had a server. */
  known(): readonly number[];
  close(): Promise<void>;
}

interface Seat {
  readonly node: number;
  port: number;
  server: ApiServer | undefined;
}

/** Opens the servers of all nodes; or says which cannot listen, with none of them open. */
export async function openNodeApis(
  host: WorldHost,
  handOver: HandOver,
  options: NodeApiOptions,
): Promise<Result<NodeApis, string>> {
  const seats = new Map<number, Seat>();
  const seatOf = (node: number): Seat => {
    const port = options.port === 0 ? 0 : options.port + node;
    const seat = seats.get(node) ?? { node, port, server: undefined };
    seats.set(node, seat);
    return seat;
  };
  const open = (seat: Seat) => openSeat(host, handOver, options, seat);
  const closeAll = async () => void (await Promise.all([...seats.values()].map(shut)));
  const opened = await Promise.all(options.nodes.map((node) => open(seatOf(node))));
  const refused = opened.find((one) => !one.ok);
  if (refused?.ok === false) {
    await closeAll();
    return err(refused.error);
  }
  host.onPublished((node, source, message) => seats.get(node)?.server?.publish(source, message));
  return ok({
    urlOf: (node) => urlAt(options.host, seatOf(node).port),
    open: (node) => open(seatOf(node)),
    shut: (node) => shut(seatOf(node)),
    isOpen: (node) => seatOf(node).server !== undefined,
    known: () => [...seats.keys()],
    close: closeAll,
  });
}

/** A URL of a host and a port. */
export function urlAt(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function openSeat(
  host: WorldHost,
  handOver: HandOver,
  options: NodeApiOptions,
  seat: Seat,
): Promise<Result<void, string>> {
  if (seat.server !== undefined) return ok(undefined);
  const { node } = seat;
  const own = () => host.world().nodes[node];
  let inHand = 0;
  const opened = await openApiServer({
    ...{ host: options.host, port: seat.port, limits: LIMITS },
    snapshotFile(id) {
      const archive = own()?.files.served(id);
      return archive && gzipSync(archive);
    },
    handlers: {
      called(replyTo, body) {
        if (inHand >= CALLS_IN_HAND) return false;
        inHand += 1;
        handOver(node, body, (answer, broken) => {
          inHand -= 1;
          if (broken === undefined) server?.reply(replyTo, answer === undefined ? STOPPING : answer);
          else if (broken !== "open") server?.breakOff(replyTo, broken === "cut" ? broken : refused(broken));
        });
        return true;
      },
      healthy: () => own()?.driver()?.ready() === true,
      openrpc: options.openrpc,
    },
  });
  const server = opened.ok ? opened.value : undefined;
  if (!opened.ok) return err(opened.error.reason);
  seat.port = opened.value.address.port;
  seat.server = server;
  return ok(undefined);
}

/** What HTTP says with a status: of a rate what a node says, else the name of the status. */
function refused({ status }: { readonly status: number }): BrokenOff {
  const tooMany = { type: JSON_TYPE, body: RATE_LIMIT_EXCEEDED };
  return { status, refusal: status === 429 ? tooMany : { type: TEXT_TYPE, body: STATUS_CODES[status] ?? "" } };
}

function shut(seat: Seat): Promise<void> {
  const { server } = seat;
  seat.server = undefined;
  return server === undefined ? Promise.resolve() : new Promise((resolve) => server.close(resolve));
}
