/**
 * Payloads as clients send them: what is read of one before anything is judged. A function of its text and of the types
 * that its method takes, so it may be done before the step that needs it (engine/ahead.ts).
 * Source: protocol 01 §2.1, §2.2, §11 "Common behaviour".
 */

import type { Json } from "../../kernel/json.ts";
import { isObject, parseJson } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";
import { err, ok } from "../../kernel/result.ts";
import { decodeJson } from "../../kernel/schema.ts";
import type { SignedType } from "../../kernel/signed.ts";
import { leavingOut } from "../../kernel/signed.ts";
import { fromBase64, fromUtf8 } from "../../kernel/text.ts";
import type { Signature } from "../../kernel/values.ts";
import type { Signing } from "../../kernel/verification.ts";
import { signingsOf } from "../../kernel/verification.ts";

/** A payload that was read, and judged by nobody yet. */
export interface ReadPayload {
  readonly type: SignedType;
  /** The payload under its name, and the signature. */
  readonly outer: Readonly<Record<string, unknown>>;
  readonly signature: Signature;
  readonly tainted: boolean;
  readonly departure: string | undefined;
  readonly leftOut: readonly number[];
}

/** A call that is one send, read before its step. */
export interface CallAhead {
  readonly body: string;
  readonly parsed: Result<Json, string>;
  /** The types that its method takes, as its row has them. */
  readonly signed: readonly SignedType[];
  readonly data: string;
  readonly read: Result<ReadPayload, string>;
  /** What its step verifies, in that order, up to the first that holds; of these, what signs every member. */
  readonly signings: readonly Signing[];
  readonly explicit: readonly Signing[];
}

/** Base64, UTF-8 JSON, the outer structure. */
export function readPayload(signed: readonly SignedType[], data: string): Result<ReadPayload, string> {
  const bytes = fromBase64(data);
  if (bytes === undefined) return err("invalid base64: expected the standard alphabet with padding");
  const text = fromUtf8(bytes);
  if (text === undefined) return err("payload is not UTF-8");
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const type = signed.find(({ outer }) => isObject(value) && value.members.has(outer)) ?? signed[0];
  if (type === undefined) return err("no such payload");
  const decoded = decodeJson(type.wire, value);
  if (!decoded.ok) return decoded;
  const { value: outer, tainted, departure, leftOut = [] } = decoded.value;
  return ok({ type, outer, signature: outer["signature"] as Signature, tainted, departure, leftOut });
}

/** Everything that the signature of a payload may sign, in the order in which it is judged. */
export function signingsOfPayload(read: ReadPayload): Pick<CallAhead, "signings" | "explicit"> {
  const { type, outer, signature, leftOut } = read;
  const explicit = explicitSignings(read);
  const brief = leavingOut(signature, leftOut);
  if (brief === undefined) return { signings: explicit, explicit };
  return { signings: [...explicit, ...signingsOf(type, outer[type.outer] as never, brief)], explicit };
}

/** What is judged first: a signature as it came, over all members. */
export function explicitSignings({ type, outer, signature }: ReadPayload): readonly Signing[] {
  return signingsOf(type, outer[type.outer] as never, signature);
}
