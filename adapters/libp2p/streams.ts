/**
 * One frame from, and one frame to, a libp2p stream. Whatever the other side does ends in one verdict, never in an
 * exception.
 */
import type { ByteLease } from "./byte-budget.ts";
import type { FrameFailure } from "./frames.ts";
import { encodeFrame, FrameReader } from "./frames.ts";
import type { Result, Stream } from "./types.ts";

/** `ended`: the other side closed, reset or lost the stream before its frame was whole. */
export type ReadFailure = FrameFailure | "ended";

/**
 * Calls `done` once with the stream's only frame, or with why there is none. The stream is reset when its bytes are
 * no frame, and also when bytes follow the frame, which `done` has then already had.
 */
export function readFrame(
  stream: Stream,
  lease: ByteLease,
  done: (result: Result<Uint8Array, ReadFailure>) => void,
): void {
  const reader = new FrameReader(lease);
  let finished = false;
  const finish = (result: Result<Uint8Array, ReadFailure>) => {
    if (finished) return;
    finished = true;
    done(result);
  };
  const onEnd = () => finish({ ok: false, error: "ended" });
  stream.addEventListener("message", (event) => {
    const state = reader.push(event.data.subarray());
    if (state === "reading") return;
    if (state === "complete") return finish({ ok: true, value: reader.envelope });
    finish({ ok: false, error: state });
    stream.abort(new Error(`frame: ${state}`));
  });
  stream.addEventListener("end", onEnd);
  stream.addEventListener("close", onEnd);
  if (stream.readableEnded || stream.status !== "open") queueMicrotask(onEnd);
}

/** Writes the only frame of this side and closes it for writing; false when the stream can no longer be written. */
export function writeFrame(stream: Stream, bytes: Uint8Array): boolean {
  try {
    stream.send(encodeFrame(bytes));
  } catch (error) {
    stream.abort(asError(error));
    return false;
  }
  // Rejects when the other side is gone first; the stream's own `close` event then says so to whoever must know.
  stream.close().catch(() => {});
  return true;
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
