/**
 * Frames as checkers read them: what stands at the head, apart from the core and without what the frame carries, since
 * most frames are looked at no further; what it carries; and the event that it pushes. A frame is looked at where it is
 * sent and where it arrives, each time by several checkers, and read once. Source: protocol 01 §5.3, §7.2, §9.2.
 */
import { decodeCompact } from "../../core/index.ts";
import { eventKey, Frame, GossipEvent } from "../../core/testing.ts";

export interface FrameHead {
  readonly spec: number;
  readonly type: string;
  /** Both, as laws name a message. */
  readonly name: string;
  /** Bytes that the frame carries, as it says. */
  readonly carried: number;
}

/** An event on its way, and the key under which nodes keep it. */
export interface PushedEvent {
  readonly event: GossipEvent;
  readonly key: string;
}

/** What was read of a frame so far; `null` is what it does not hold. */
interface ReadFrame {
  readonly head: FrameHead | undefined;
  payload: Uint8Array | null | undefined;
  pushed: PushedEvent | null | undefined;
}

const frames = new WeakMap<Uint8Array, ReadFrame>();

function readOf(bytes: Uint8Array): ReadFrame {
  const held = frames.get(bytes);
  if (held !== undefined) return held;
  const read: ReadFrame = { head: headIn(bytes), payload: undefined, pushed: undefined };
  frames.set(bytes, read);
  return read;
}

/** The head of a frame; nothing where the bytes are no frame. */
export function headOf(bytes: Uint8Array): FrameHead | undefined {
  return readOf(bytes).head;
}

/** What a frame carries; nothing where the bytes are no frame. */
export function payloadOf(bytes: Uint8Array): Uint8Array {
  return payloadIn(readOf(bytes), bytes) ?? new Uint8Array(0);
}

/** What a frame of one type carries; undefined where it is of another, or none. */
export function carriedBy(bytes: Uint8Array, type: string): Uint8Array | undefined {
  const read = readOf(bytes);
  return read.head?.type === type ? payloadIn(read, bytes) : undefined;
}

/** The event that a frame pushes, if it does. */
export function pushedIn(bytes: Uint8Array): PushedEvent | undefined {
  const read = readOf(bytes);
  if (read.pushed === undefined) {
    const payload = carriedBy(bytes, "GossipPush");
    const event = payload && decodeCompact(GossipEvent, payload);
    read.pushed = event === undefined ? null : { event, key: eventKey(event) };
  }
  return read.pushed ?? undefined;
}

function payloadIn(read: ReadFrame, bytes: Uint8Array): Uint8Array | undefined {
  if (read.payload === undefined) read.payload = decodeCompact(Frame, bytes)?.payload ?? null;
  return read.payload ?? undefined;
}

function headIn(bytes: Uint8Array): FrameHead | undefined {
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
  return at > bytes.length ? undefined : { spec, type, name: `${spec} ${type}`, carried };

  function left(): number {
    return Math.max(0, bytes.length - at);
  }
}
