/**
 * QUIC beside TCP, where its module loads: a package with a binary for the platform, which an operator adds. TLS 1.3
 * and streams are QUIC's own; who is at the other end is known as with Noise. Source: protocol 01 §5.1.
 */
import "./promise-with-resolvers.ts";
import type { Libp2pInit } from "libp2p";
import { asError } from "./streams.ts";
import type { Result } from "./types.ts";

/** How a libp2p node is given QUIC. */
export type Quic = (options: QuicOptions) => NonNullable<Libp2pInit["transports"]>[number];

/** The transport, or one line about why there is none on this machine. */
export type QuicLoaded = Result<Quic, string>;

/** Times in milliseconds, sizes in bytes. */
export interface QuicOptions {
  readonly handshakeTimeout: number;
  readonly maxIdleTimeout: number;
  readonly keepAliveInterval: number;
  readonly maxConcurrentStreamLimit: number;
  readonly maxStreamData: number;
  readonly maxConnectionData: number;
}

export const QUIC_MODULE = "@chainsafe/libp2p-quic";

/** Loads the module; never throws. */
export async function loadQuic(
  load: () => Promise<unknown> = () => import("@chainsafe/libp2p-quic"),
): Promise<QuicLoaded> {
  try {
    const { quic } = (await load()) as { readonly quic?: Quic };
    return typeof quic === "function" ? { ok: true, value: quic } : { ok: false, error: "the module has no transport" };
  } catch (error) {
    return { ok: false, error: /[^\n]*/.exec(asError(error).message)?.[0] ?? "" };
  }
}
