/**
 * Asking and answering peers in frames. Source: protocol 01 §5.3, §7.2.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { ReplyHandle } from "../../inputs.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import type { PeerId } from "../../kernel/values.ts";
import type { Asked } from "../peers/peers.ts";
import { nextRequest } from "../peers/peers.ts";
import { Frame, frameOf } from "./envelope.ts";

/** Bytes of events in one answer. Source: protocol 01 §9.3. */
export const RECOVERY_BYTES_MAX = 786_432;

/** Sends a request and remembers what it asks. */
export function ask(
  context: StepContext,
  to: PeerId,
  asked: Asked,
  ofs: number,
  type: string,
  payload: Uint8Array,
  depth = 0,
): void {
  const bytes = encodeCompact(Frame, frameOf(ofs, type, payload, context.now));
  context.emit({ type: "message.send", to, request: nextRequest(context, to, asked, { depth }), bytes });
}

export function reply(
  context: StepContext,
  replyTo: ReplyHandle,
  ofs: number,
  type: string,
  payload: Uint8Array,
): void {
  context.emit({
    type: "message.reply",
    replyTo,
    bytes: encodeCompact(Frame, frameOf(ofs, type, payload, context.now)),
  });
}
