/**
 * Answers `/ipfs/ping/1.0.0`. The library's own answerer keeps what a peer sends and does not read back, without
 * bound, and resets the one stream that rust peers ping on for as long as the connection lasts; hence this one.
 * Source: libp2p specifications, ping.
 */
import { asError } from "./streams.ts";
import type { Stream } from "./types.ts";

export const PING_PROTOCOL = "/ipfs/ping/1.0.0";
/** Ping streams of one connection, in each direction: a silent peer collects one per interval until the time-out. */
export const PING_STREAMS_MAX = 8;
/** Echoes that the peer has not taken yet: two pings. Source: DESIGN "Bounds". */
const UNSENT_BYTES_MAX = 64;

export function answerPings(stream: Stream): void {
  stream.addEventListener("message", (event) => {
    try {
      stream.send(event.data.subarray());
      if (stream.writeBufferLength > UNSENT_BYTES_MAX) stream.abort(new Error("pings are not read back"));
    } catch (error) {
      stream.abort(asError(error));
    }
  });
  stream.addEventListener("end", () => {
    stream.close().catch(() => {});
  });
}
