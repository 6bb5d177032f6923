/**
 * Networks of real libp2p transports in one process, for the tests of the adapter.
 */
import { assert } from "vitest";
import type { SetDeadline } from "../../adapters/libp2p/deadlines.ts";
import type { TransportLimits } from "../../adapters/libp2p/limits.ts";
import { TRANSPORT_LIMITS } from "../../adapters/libp2p/limits.ts";
import { loadQuic } from "../../adapters/libp2p/quic.ts";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { Libp2pTransportOptions, OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { openLibp2pTransport } from "../../adapters/libp2p/transport.ts";
import type { TransportEvents } from "../../core/ports/transport.ts";
import { NEVER_MS } from "../until.ts";
import type { TransportNetwork } from "./transport-world.ts";

/** The node's own limits, but that nothing ends because the machine is slow. */
export const PATIENT_LIMITS: TransportLimits = {
  ...TRANSPORT_LIMITS,
  dialTimeoutMs: NEVER_MS,
  dialAddressTimeoutMs: NEVER_MS,
  handshakeTimeoutMs: NEVER_MS,
  negotiationTimeoutMs: NEVER_MS,
  identifyTimeoutMs: NEVER_MS,
  pingIntervalMs: NEVER_MS,
  pingTimeoutMs: NEVER_MS,
  idleTimeoutMs: NEVER_MS,
};

let keys = 0;

/** The seed of a node nobody else is. */
export function freshSeed(): Uint8Array {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, ++keys);
  return seed;
}

/** Deadlines of requests that pass when a test says so. */
export interface Deadlines {
  readonly set: SetDeadline;
  /** How far ahead each was set that neither passed nor was cancelled. */
  pending(): readonly number[];
  /** The time of every request under way is over. */
  pass(): void;
}

export function openDeadlines(): Deadlines {
  const open = new Map<() => void, number>();
  return {
    set(afterMs, over) {
      const deadline = () => over();
      open.set(deadline, afterMs);
      return () => void open.delete(deadline);
    },
    pending: () => [...open.values()],
    pass() {
      for (const deadline of [...open.keys()]) if (open.delete(deadline)) deadline();
    },
  };
}

/** A transport on a free port of the loopback, or what `options` say. Unless they do, no request runs out of time. */
export async function openTransport(
  events: TransportEvents,
  options: Partial<Libp2pTransportOptions> = {},
): Promise<OpenedTransport> {
  const opened = await openLibp2pTransport({
    secretKey: freshSeed(),
    listen: ["/ip4/127.0.0.1/tcp/0"],
    events,
    setDeadline: openDeadlines().set,
    ...options,
    limits: { ...PATIENT_LIMITS, ...options.limits },
  });
  assert.ok(opened.ok, "the transport opens");
  return opened.value;
}

export function closed(transport: OpenedTransport): Promise<void> {
  return new Promise((resolve) => transport.close(resolve));
}

export async function tcpNetwork(): Promise<TransportNetwork> {
  return networkOf(() => ({}));
}

/** QUIC alone, on free ports. */
export async function quicNetwork(): Promise<TransportNetwork> {
  const loaded = await loadQuic();
  assert.ok(loaded.ok, "QUIC loads");
  return networkOf(() => ({ quic: loaded.value, listen: ["/ip4/127.0.0.1/udp/0/quic-v1"] }));
}

export async function memoryNetwork(): Promise<TransportNetwork> {
  return networkOf(() => ({ memory: true, listen: [`/memory/node-${++keys}`] }));
}

function networkOf(place: () => Partial<Libp2pTransportOptions>): TransportNetwork {
  const transports: OpenedTransport[] = [];
  const deadlines = openDeadlines();
  return {
    open: async (events) => {
      const port = await openTransport(events, { ...place(), setDeadline: deadlines.set });
      transports.push(port);
      return { peer: port.peer, port };
    },
    settle: (enough) => whenQuiet(transports, enough),
    runOutOfTime: deadlines.pass,
    close: async () => {
      await Promise.all(transports.map(closed));
    },
  };
}
