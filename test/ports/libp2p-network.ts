/**
 * Networks of real libp2p transports in one process, for the tests of the adapter.
 */
import { assert } from "vitest";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { Libp2pTransportOptions, OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { openLibp2pTransport } from "../../adapters/libp2p/transport.ts";
import type { TransportEvents } from "../../core/ports/transport.ts";
import type { NetworkOptions, TransportNetwork } from "./transport-world.ts";

/** How soon a request fails where a test waits for it to; everything else has the full time. */
const IMPATIENT_MS = 1_000;

let keys = 0;

/** The seed of a node nobody else is. */
export function freshSeed(): Uint8Array {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, ++keys);
  return seed;
}

/** A transport on a free port of the loopback, or what `options` say. */
export async function openTransport(
  events: TransportEvents,
  options: Partial<Libp2pTransportOptions> = {},
): Promise<OpenedTransport> {
  const listen = ["/ip4/127.0.0.1/tcp/0"];
  const opened = await openLibp2pTransport({ secretKey: freshSeed(), listen, events, ...options });
  assert.ok(opened.ok, "the transport opens");
  return opened.value;
}

export function closed(transport: OpenedTransport): Promise<void> {
  return new Promise((resolve) => transport.close(resolve));
}

export async function tcpNetwork(options: NetworkOptions): Promise<TransportNetwork> {
  return networkOf(options, () => ({}));
}

export async function memoryNetwork(options: NetworkOptions): Promise<TransportNetwork> {
  return networkOf(options, () => ({ memory: true, listen: [`/memory/node-${++keys}`] }));
}

function networkOf(options: NetworkOptions, place: () => Partial<Libp2pTransportOptions>): TransportNetwork {
  const transports: OpenedTransport[] = [];
  const limits = options.impatient === true ? { requestTimeoutMs: IMPATIENT_MS } : {};
  return {
    open: async (events) => {
      const port = await openTransport(events, { ...place(), limits });
      transports.push(port);
      return { peer: port.peer, port };
    },
    settle: (enough) => whenQuiet(transports, enough),
    close: async () => {
      await Promise.all(transports.map(closed));
    },
  };
}

/** Resolves when `holds` does: for what happens outside of the transports, whose own affairs `whenQuiet` knows. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}
