/**
 * JSON-RPC: envelope, dispatch and answers as pure text in, text out.
 * Source: protocol 01 §6.1, §10.2, §10.3.
 */

import { acceptPayload } from "./doors/rpc.ts";
import type { ErrorCode } from "./errors.ts";
import { errorData } from "./errors.ts";
import type { Json } from "./kernel/json.ts";
import { isList, isNumber, isObject, parseJson } from "./kernel/json.ts";
import type { Result } from "./kernel/result.ts";
import { err, ok } from "./kernel/result.ts";
import { ANSWER, decodeJson } from "./kernel/schema.ts";
import { compareText } from "./kernel/text.ts";
import type { CallFailure, MethodRow } from "./method.ts";
import { methods } from "./methods.ts";
import type { Turn } from "./turn.ts";

/** Members of a batch at most. Source: protocol 01 §10.2. */
export const BATCH_MEMBERS_MAX = 100;
/** Once the answers of a batch are this long, in UTF-16 units, its other members are refused. Source: ours (L10). */
export const BATCH_ANSWERS_LENGTH_MAX = 33_554_432;

const PARSE_ERROR = -32700;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const DOMAIN_ERROR = -32000;

/** Answers a JSON-RPC body; `null` when nothing is to be sent back. */
export function answerBody(turn: Turn, body: string): string | null {
  const parsed = parseJson(body);
  if (!parsed.ok) return failure("null", PARSE_ERROR, parsed.error);
  if (!isList(parsed.value)) return answerRequest(turn, parsed.value, 0);
  const members = parsed.value;
  if (members.length === 0) return failure("null", PARSE_ERROR, "empty batch");
  if (members.length > BATCH_MEMBERS_MAX)
    return failure("null", PARSE_ERROR, `more than ${BATCH_MEMBERS_MAX} requests`);
  let length = 0;
  const answers = members.flatMap((member, place) => {
    const answer = length < BATCH_ANSWERS_LENGTH_MAX ? answerRequest(turn, member, place) : tooMuch(member);
    length += answer.length;
    return isNotification(member) ? [] : [answer];
  });
  return answers.length === 0 ? null : `[${answers.join(",")}]`;
}

/** What a full queue answers before anything was read. Source: protocol 01 §10.4. */
export function busyAnswer(): string {
  return domainFailure("null", "RATE_LIMIT_EXCEEDED");
}

/** What a call answers whose change did not become durable. Source: CONVERGENCE "Durability" (ours). */
export function storeFailedAnswer(): string {
  return domainFailure("null", "DATABASE_ERROR");
}

/** What a member of a batch hears whose answers are too long already. */
function tooMuch(request: Json): string {
  return domainFailure(isObject(request) ? idText(request.members.get("id")) : "null", "RATE_LIMIT_EXCEEDED");
}

function answerRequest(turn: Turn, request: Json, place: number): string {
  if (!isObject(request)) return failure("null", PARSE_ERROR, "a request must be an object");
  const id = idText(request.members.get("id"));
  if (request.duplicate !== undefined) return failure(id, PARSE_ERROR, `duplicate field \`${request.duplicate}\``);
  if (request.members.get("jsonrpc") !== "2.0") return failure(id, PARSE_ERROR, 'jsonrpc must be "2.0"');
  const method = request.members.get("method");
  if (typeof method !== "string") return failure(id, PARSE_ERROR, "method must be a string");
  const row = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (row === undefined) return failure(id, METHOD_NOT_FOUND, `method not found: ${method}`);
  // Members of one batch are told apart where a nonce is derived from the number of the input.
  const answer = answerCall(
    { ...turn, number: turn.number * BATCH_MEMBERS_MAX + place },
    method,
    row,
    request.members.get("params"),
  );
  if (answer.ok) return `{"jsonrpc":"2.0","id":${id},"result":${answer.value}}`;
  return answer.error.type === "domain"
    ? domainFailure(id, answer.error.code)
    : failure(id, INVALID_PARAMS, answer.error.reason);
}

function answerCall(turn: Turn, method: string, row: MethodRow, params: Json | undefined): Result<string, CallFailure> {
  const given = row.need === "none" || (row.need === "optional" && (params ?? null) === null) ? emptyObject : params;
  if (given === undefined || given === null) return err({ type: "params", reason: "missing params" });
  const decoded = decodeJson(row.params, withAliases(given));
  if (!decoded.ok) return err({ type: "params", reason: decoded.error });
  if (row.mutation !== undefined) {
    const answer = acceptPayload(turn, row.mutation, (decoded.value.value as { readonly data: string }).data);
    if (answer.ok) publish(turn, method, answer.value);
    return answer;
  }
  const read = row.read?.(turn, decoded.value.value as never);
  if (read === undefined || !read.ok) return read ?? err({ type: "params", reason: "unreadable" });
  const text = row.result.write(read.value, ANSWER);
  if (row.kind === "action") publish(turn, method, text);
  return ok(text);
}

const emptyObject: Json = { type: "object", members: new Map(), duplicate: undefined };

/** `id` is an alias of `wallet` and `cid` in single-subject reads. Source: protocol 01 §11. */
function withAliases(params: Json): Json {
  if (!isObject(params)) return params;
  const id = params.members.get("id");
  if (id === undefined) return params;
  return { ...params, members: new Map([["wallet", id], ["cid", id], ...params.members]) };
}

function publish(turn: Turn, method: string, result: string): void {
  turn.emit({ type: "ws.publish", source: "own", message: `{"method":${JSON.stringify(method)},"result":${result}}` });
}

function isNotification(request: Json): boolean {
  return isObject(request) && !request.members.has("id");
}

/** An id, token for token. Source: protocol 01 §10.2. */
function idText(id: Json | undefined): string {
  if (id === undefined) return "null";
  if (isNumber(id)) return id.text;
  return isList(id) || isObject(id) ? jsonText(id) : JSON.stringify(id);
}

function jsonText(value: Json): string {
  if (isNumber(value)) return value.text;
  if (isList(value)) return `[${value.map(jsonText).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = [...value.members].sort(([a], [b]) => compareText(a, b));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(",")}}`;
}

function failure(id: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;
}

function domainFailure(id: string, code: ErrorCode): string {
  const data = JSON.stringify(errorData(code));
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${DOMAIN_ERROR},"message":"${code}","data":${data}}}`;
}
