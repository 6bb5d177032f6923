/**
 * JSON-RPC 2.0 as a Solana node speaks it: one request, or a list of them. Source: JSON-RPC 2.0; Solana's JSON-RPC.
 */
import type { Result } from "../../../core/index.ts";
import { err, ok } from "../../../core/index.ts";
import type { JsonValue } from "./json-text.ts";
import { jsonText } from "./json-text.ts";
import type { Params } from "./params.ts";
import type { Answer, RpcError } from "./rpc-errors.ts";
import { invalidRequest, parseError } from "./rpc-errors.ts";

/** Requests of one list. Source: DESIGN L10. */
export const BATCH_MAX = 100;

export interface RpcRequest {
  /** Null when the request is no request; undefined when it is a notification, which is not answered. */
  readonly id: string | number | null | undefined;
  readonly method: string;
  readonly params: Params;
}

/** The requests of a body; a list of them is answered by a list. */
export function readBody(
  text: string,
): Result<{ readonly batch: boolean; readonly requests: readonly Result<RpcRequest, RpcError>[] }, RpcError> {
  const body = parsed(text);
  if (body === undefined) return err(parseError);
  if (!Array.isArray(body)) return ok({ batch: false, requests: [readRequest(body)] });
  if (body.length === 0 || body.length > BATCH_MAX) return err(invalidRequest);
  return ok({ batch: true, requests: body.map(readRequest) });
}

/** The text of one answer. */
export function answerText(id: RpcRequest["id"], answer: Answer): string {
  const response = answer.ok ? { result: answer.value } : { error: errorMembers(answer.error) };
  return jsonText({ jsonrpc: "2.0", ...response, id: id ?? null });
}

/** A notification of a subscription. */
export function notificationText(method: string, subscription: number, result: JsonValue): string {
  return jsonText({ jsonrpc: "2.0", method, params: { result, subscription } });
}

function errorMembers({ code, message, data }: RpcError): JsonValue {
  return { code, message, data };
}

function readRequest(body: unknown): Result<RpcRequest, RpcError> {
  if (typeof body !== "object" || body === null) return err(invalidRequest);
  const { jsonrpc, method, params = [], id } = body as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0" || typeof method !== "string" || !Array.isArray(params)) return err(invalidRequest);
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") return err(invalidRequest);
  return ok({ id, method, params });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
