/**
 * A libp2p node without our adapter, that says on a stream whatever a test wants said.
 */
import { generateKeyPair } from "@libp2p/crypto/keys";
import { identify } from "@libp2p/identify";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import type { Libp2p } from "libp2p";
import { createLibp2p } from "libp2p";
import { ENVELOPE_PROTOCOL } from "../../adapters/libp2p/outbox.ts";
import type { Connection, Stream } from "../../adapters/libp2p/types.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import { NEVER_MS } from "../until.ts";

/** What a stream brought until it ended, and how it ended. */
export interface Reply {
  readonly bytes: Uint8Array;
  readonly ending: "closed" | "reset";
}

export interface Stranger {
  readonly node: Libp2p;
  readonly peer: PeerId;
  dial(address: string): Promise<Connection>;
  /** Opens an envelope stream, writes the parts, ends its side or not, and waits for the other side's end. */
  write(connection: Connection, parts: readonly Uint8Array[], end?: "then close" | "then wait"): Promise<Reply>;
}

/**
 * `onEnvelope`: how it treats requests; without it, it does not know the protocol. `from`: the address of this machine
 * that it dials from, such as 127.0.0.2 on Linux.
 */
export async function openStranger(
  onEnvelope?: (stream: Stream) => void,
  key: "Ed25519" | "secp256k1" = "Ed25519",
  from?: string,
): Promise<Stranger> {
  const patience = { inboundSocketInactivityTimeout: NEVER_MS, outboundSocketInactivityTimeout: NEVER_MS };
  // The library hands these options to net.connect, which knows more of them than the library's type.
  const dialOpts = { localAddress: from } as object;
  const node = await createLibp2p({
    privateKey: await (key === "Ed25519" ? generateKeyPair("Ed25519") : generateKeyPair("secp256k1")),
    addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
    transports: [tcp({ ...patience, ...(from !== undefined && { dialOpts }) })],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionManager: {
      dialTimeout: NEVER_MS,
      addressDialTimeout: NEVER_MS,
      inboundUpgradeTimeout: NEVER_MS,
      inboundStreamProtocolNegotiationTimeout: NEVER_MS,
      outboundStreamProtocolNegotiationTimeout: NEVER_MS,
    },
    connectionMonitor: { enabled: false },
    services: { identify: identify({ runOnConnectionOpen: false, timeout: NEVER_MS }) },
  });
  if (onEnvelope !== undefined) await node.handle(ENVELOPE_PROTOCOL, onEnvelope, { maxInboundStreams: 1_000 });
  return {
    node,
    peer: node.peerId.toString() as PeerId,
    dial: (address) => node.dial(multiaddr(address), { force: true }),
    write: async (connection, parts, end = "then close") => {
      const stream = await connection.newStream(ENVELOPE_PROTOCOL, { maxOutboundStreams: 1_000 });
      const reply = listen(stream);
      for (const part of parts) stream.send(part);
      if (end === "then close") stream.close().catch(() => {});
      return reply;
    },
  };
}

/** Everything a stream brings, once it is over. */
export function listen(stream: Stream): Promise<Reply> {
  const chunks: Uint8Array[] = [];
  return new Promise((resolve) => {
    const over = (ending: Reply["ending"]) => resolve({ bytes: new Uint8Array(Buffer.concat(chunks)), ending });
    stream.addEventListener("message", (event) => chunks.push(event.data.subarray()));
    stream.addEventListener("end", () => {
      if (stream.status === "open" || stream.status === "closed") over("closed");
    });
    stream.addEventListener("close", (event) => over(event.error === undefined ? "closed" : "reset"));
  });
}

/** A length prefix, true or not, and what follows it. */
export function framed(length: number, ...bytes: readonly number[]): Uint8Array {
  const frame = new Uint8Array(4 + bytes.length);
  new DataView(frame.buffer).setUint32(0, length);
  frame.set(bytes, 4);
  return frame;
}
