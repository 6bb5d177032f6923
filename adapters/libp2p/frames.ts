/**
 * Frames of `/openfiat/envelope/1.0.0`: `u32 BE length ‖ bytes`, one each way on a stream.
 * Source: protocol 01 §9.1.
 */
import type { ByteLease } from "./byte-budget.ts";
import { ENVELOPE_BYTES_MAX } from "./limits.ts";

const PREFIX_BYTES = 4;
/**
 * What is set aside for a body that has only begun to arrive: a length is a claim, not a body. Source: DESIGN "Bounds".
 */
const FIRST_BODY_BYTES = 16_384;

/** Why bytes are not one frame. */
export type FrameFailure = "too large" | "no room" | "more than one frame";
export type FrameState = "reading" | "complete" | FrameFailure;

/** The frame of an envelope that is within ENVELOPE_BYTES_MAX. */
export function encodeFrame(envelope: Uint8Array): Uint8Array {
  const frame = new Uint8Array(PREFIX_BYTES + envelope.length);
  new DataView(frame.buffer).setUint32(0, envelope.length);
  frame.set(envelope, PREFIX_BYTES);
  return frame;
}

/** Puts one frame together from chunks of any size. It copies: a chunk may be a corner of a much larger buffer. */
export class FrameReader {
  readonly #lease: ByteLease;
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #prefixLength = 0;
  #length = 0;
  #body = new Uint8Array(0);
  #bodyLength = 0;
  #state: FrameState = "reading";

  constructor(lease: ByteLease) {
    this.#lease = lease;
  }

  get state(): FrameState {
    return this.#state;
  }

  /** The envelope; meaningful when the state is `complete`. */
  get envelope(): Uint8Array {
    return this.#body;
  }

  push(chunk: Uint8Array): FrameState {
    if (chunk.length === 0 || (this.#state !== "reading" && this.#state !== "complete")) return this.#state;
    const rest = this.#prefixLength < PREFIX_BYTES ? this.#pushPrefix(chunk) : chunk;
    if (this.#state === "reading" && this.#prefixLength === PREFIX_BYTES) this.#state = this.#pushBody(rest);
    else if (this.#state === "complete" && rest.length > 0) this.#state = "more than one frame";
    return this.#state;
  }

  #pushPrefix(chunk: Uint8Array): Uint8Array {
    const taken = Math.min(PREFIX_BYTES - this.#prefixLength, chunk.length);
    this.#prefix.set(chunk.subarray(0, taken), this.#prefixLength);
    this.#prefixLength += taken;
    if (this.#prefixLength === PREFIX_BYTES) this.#length = new DataView(this.#prefix.buffer).getUint32(0);
    return chunk.subarray(taken);
  }

  #pushBody(chunk: Uint8Array): FrameState {
    if (this.#length > ENVELOPE_BYTES_MAX) return "too large";
    const end = this.#bodyLength + chunk.length;
    if (end > this.#length) return "more than one frame";
    if (!this.#makeRoom(end)) return "no room";
    this.#body.set(chunk, this.#bodyLength);
    this.#bodyLength = end;
    return end === this.#length ? "complete" : "reading";
  }

  #makeRoom(end: number): boolean {
    if (end <= this.#body.length) return true;
    const capacity = Math.min(this.#length, Math.max(end, 2 * this.#body.length, FIRST_BODY_BYTES));
    if (!this.#lease.grow(capacity - this.#body.length)) return false;
    const grown = new Uint8Array(capacity);
    grown.set(this.#body.subarray(0, this.#bodyLength));
    this.#body = grown;
    return true;
  }
}
