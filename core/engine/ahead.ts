/**
 * Calls that are read before their step: what a step reads of a send and verifies depends on the call's text alone, so
 * it can be done earlier, and the verifying elsewhere. A step that is given it does what it does without.
 * Source: DESIGN section 3 "Sends".
 */

import { isObject, parseJson } from "../kernel/json.ts";
import type { CallAhead } from "./admission/payload.ts";
import { readPayload, signingsOfPayload } from "./admission/payload.ts";
import type { MethodRow } from "./method.ts";

/** Reads a call that is one send; nothing of any other. */
export function readAhead(methods: Readonly<Record<string, MethodRow>>, body: string): CallAhead | undefined {
  // Told from the text: most calls are reads, and reading those twice would cost more than it brings.
  if (!body.includes('"send')) return undefined;
  const parsed = parseJson(body);
  const members = parsed.ok && isObject(parsed.value) ? parsed.value.members : undefined;
  const [method, params] = [members?.get("method"), members?.get("params") ?? null];
  const row = typeof method === "string" && Object.hasOwn(methods, method) ? methods[method] : undefined;
  const data = isObject(params) ? params.members.get("data") : undefined;
  if (row?.mutation === undefined || typeof data !== "string") return undefined;
  const { signed } = row.mutation;
  const read = readPayload(signed, data);
  const signings = read.ok ? signingsOfPayload(read.value) : { signings: [], explicit: [] };
  return { body, parsed, signed, data, read, ...signings };
}
