/**
 * Frames as checkers read them: what stands at the head, apart from the core and without what the frame carries, since
 * most frames are looked at no further; and what it carries. Source: protocol 01 §5.3, §9.2.
 */
import { decodeCompact } from "../../core/index.ts";
import { Frame } from "../../core/testing.ts";

export interface FrameHead {
  readonly spec: number;
  readonly type: string;
  /** Bytes that the frame carries, as it says. */
  readonly carried: number;
}

/** The head of a frame; nothing where the bytes are no frame. */
export function headOf(bytes: Uint8Array): FrameHead | undefined {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    at = bytes.length + 1;
    return 0;
  };
  number(); // The version of the protocol.
  const spec = number();
  const long = number();
  const type = Buffer.from(
    bytes.buffer,
    bytes.byteOffset + Math.min(at, bytes.length),
    Math.min(long, left()),
  ).toString();
  at += long;
  number(); // The sequence, and the date.
  number();
  const carried = number();
  return at > bytes.length ? undefined : { spec, type, carried };

  function left(): number {
    return Math.max(0, bytes.length - at);
  }
}

/** What a frame carries; nothing where the bytes are no frame. */
export function payloadOf(bytes: Uint8Array): Uint8Array {
  return decodeCompact(Frame, bytes)?.payload ?? new Uint8Array(0);
}
