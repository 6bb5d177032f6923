/**
 * JSON-RPC: envelope, dispatch and answers as pure text in, text out.
 * Source: protocol 01 §6.1, §10.2, §10.3.
 */

import type { ErrorCode } from "../errors.ts";
import { errorData } from "../errors.ts";
import { floatText, parseFloatToken } from "../kernel/float.ts";
import type { Json, JsonNumber, JsonObject } from "../kernel/json.ts";
import { isList, isNumber, isObject, parseJson } from "../kernel/json.ts";
import type { Result } from "../kernel/result.ts";
import { err, ok } from "../kernel/result.ts";
import { ANSWER, decodeJson } from "../kernel/schema.ts";
import { compareText } from "../kernel/text.ts";
import { isParity } from "./admission/door.ts";
import { acceptPayload } from "./admission/rpc.ts";
import type { CallFailure, MethodRow } from "./method.ts";
import type { Turn } from "./turn.ts";

/** Members of a batch at most. Source: protocol 01 §10.2. */
export const BATCH_MEMBERS_MAX = 100;
/** Once the answers of a batch are this long, in UTF-16 units, its other members are refused. Source: DESIGN L10. */
export const BATCH_ANSWERS_LENGTH_MAX = 33_554_432;

const PARSE_ERROR = -32700;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const DOMAIN_ERROR = -32000;

type Methods = Readonly<Record<string, MethodRow>>;

/** Answers a JSON-RPC body; `null` when nothing is to be sent back. */
export function answerBody(turn: Turn, methods: Methods, body: string): string | null {
  const parsed = parseJson(body);
  if (!parsed.ok) return failure("null", PARSE_ERROR, parsed.error);
  if (!isList(parsed.value)) return answerRequest(turn, methods, parsed.value, 0);
  if (isParity(turn)) return failure("null", PARSE_ERROR, "a request must be an object");
  const members = parsed.value;
  if (members.length === 0) return failure("null", PARSE_ERROR, "empty batch");
  if (members.length > BATCH_MEMBERS_MAX)
    return failure("null", PARSE_ERROR, `more than ${BATCH_MEMBERS_MAX} requests`);
  let length = 0;
  const answers = members.flatMap((member, place) => {
    const answer = length < BATCH_ANSWERS_LENGTH_MAX ? answerRequest(turn, methods, member, place) : tooMuch(member);
    length += answer.length;
    return isNotification(member) ? [] : [answer];
  });
  return answers.length === 0 ? null : `[${answers.join(",")}]`;
}

/** The refusal of a call that was not read, with a registered code. Source: protocol 01 §6.1, §10.4. */
export function refusalBody(code: ErrorCode): string {
  return domainFailure("null", code);
}

/** What a call answers whose change did not become durable. Source: CONVERGENCE "Durability". */
export function storeFailedAnswer(): string {
  return refusalBody("DATABASE_ERROR");
}

/** What a member of a batch hears whose answers are too long already. */
function tooMuch(request: Json): string {
  return domainFailure(isObject(request) ? idText(request.members.get("id")) : "null", "RATE_LIMIT_EXCEEDED");
}

function answerRequest(turn: Turn, methods: Methods, request: Json, place: number): string {
  if (!isObject(request)) return failure("null", PARSE_ERROR, "a request must be an object");
  const given = request.members.get("id");
  const id = isParity(turn) ? readIdText(given) : idText(given);
  const method = request.members.get("method");
  const flaw = flawOf(turn, request);
  // The reference reads the whole envelope before it knows an id. Source: protocol 01 §14.1 #11.
  if (flaw !== undefined || typeof method !== "string")
    return failure(isParity(turn) ? "null" : id, PARSE_ERROR, flaw ?? "method must be a string");
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

/** Why an envelope is none; the version is a text to the reference, whatever it says. */
function flawOf(turn: Turn, { members, duplicate }: JsonObject): string | undefined {
  if (duplicate !== undefined) return `duplicate field \`${duplicate}\``;
  const version = members.get("jsonrpc");
  if (isParity(turn)) return typeof version === "string" ? undefined : "jsonrpc must be a string";
  return version === "2.0" ? undefined : 'jsonrpc must be "2.0"';
}

function answerCall(turn: Turn, method: string, row: MethodRow, params: Json | undefined): Result<string, CallFailure> {
  const lenient = row.need === "none" || (row.need === "optional" && !isParity(turn) && (params ?? null) === null);
  const given = lenient ? emptyObject : params;
  if (given === undefined || given === null) return err({ type: "params", reason: "missing params" });
  const decoded = decodeJson(row.params, withAliases(isParity(turn) ? lastWins(given) : given));
  if (!decoded.ok) return err({ type: "params", reason: decoded.error });
  if (row.mutation !== undefined) {
    const answer = acceptPayload(turn, row.mutation, (decoded.value.value as { readonly data: string }).data);
    if (answer.ok) publish(turn, method, answer.value);
    return answer;
  }
  const read = row.read?.(turn, decoded.value.value as never);
  if (read === undefined || !read.ok) return read ?? err({ type: "params", reason: "unreadable" });
  const result = isParity(turn) ? (row.parityResult ?? row.result) : row.result;
  const text = result.write(read.value, ANSWER);
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

/** Parameters in which of two equal members the last one counts, as in the reference. Source: protocol 01 §2.5. */
function lastWins(value: Json): Json {
  if (isList(value)) return value.map(lastWins);
  if (!isObject(value)) return value;
  const members = new Map([...value.members].map(([name, member]) => [name, lastWins(member)]));
  return { type: "object", members, duplicate: undefined };
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

/** An id as the reference reads and writes it: numbers beyond 64 bits and fractions are doubles. */
function readIdText(id: Json | undefined): string {
  if (!isNumber(id ?? null)) return idText(id);
  const { text } = id as JsonNumber;
  if (/^(?:-?[1-9][0-9]{0,18}|0|1[0-9]{19})$/.test(text)) {
    const value = BigInt(text);
    if (value >= -(1n << 63n) && value < 1n << 64n) return text;
  }
  const double = parseFloatToken(text);
  return double === undefined ? "null" : floatText(double, "protocol");
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
