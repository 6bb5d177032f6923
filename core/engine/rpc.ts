/**
 * JSON-RPC: envelope, dispatch and answers as pure text in, text out.
 * Source: protocol 01 §6.1, §10.2, §10.3.
 */

import type { ErrorCode, Refusal } from "../errors.ts";
import { errorData } from "../errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { isList, isNumber, isObject, parseJson } from "../kernel/json.ts";
import { countElements } from "../kernel/json-elements.ts";
import type { Result } from "../kernel/result.ts";
import { err, ok } from "../kernel/result.ts";
import type { Schema } from "../kernel/schema.ts";
import { ANSWER, ANSWER_LENGTH_MAX, decodeJson } from "../kernel/schema.ts";
import type { Reference } from "../kernel/signed.ts";
import { compareText } from "../kernel/text.ts";
import { acceptPayload, asDeparted } from "./admission/rpc.ts";
import type { CallFailure, MethodRow } from "./method.ts";
import type { ResolvedConfiguration } from "./overrides.ts";
import { ruleOf } from "./overrides.ts";
import type { StepContext } from "./step-context.ts";
import { callContextOf } from "./step-context.ts";

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
export function answerBody(context: StepContext, methods: Methods, body: string): string | null {
  const batches = ruleOf(context.configuration, takesBatches)();
  // Counted first: a long list costs a look at its commas, and not the reading of all its members.
  if (batches && (countElements(body, BATCH_MEMBERS_MAX) ?? 0) > BATCH_MEMBERS_MAX)
    return failure("null", PARSE_ERROR, `more than ${BATCH_MEMBERS_MAX} requests`);
  const { ahead } = context;
  const parsed = ahead?.body === body ? ahead.parsed : parseJson(body);
  if (!parsed.ok) return failure("null", PARSE_ERROR, parsed.error);
  if (!isList(parsed.value)) return answerRequest(context, methods, parsed.value, 0);
  if (!batches) return failure("null", PARSE_ERROR, "a request must be an object");
  const members = parsed.value;
  if (members.length === 0) return failure("null", PARSE_ERROR, "empty batch");
  let length = 0;
  const answers = members.flatMap((member, place) => {
    const answer =
      length < BATCH_ANSWERS_LENGTH_MAX ? answerRequest(context, methods, member, place) : tooMuch(context, member);
    length += answer.length;
    return isNotification(member) ? [] : [answer];
  });
  return answers.length === 0 ? null : `[${answers.join(",")}]`;
}

/** Whether several requests may come in one list. Source: protocol 01 §10.2. */
export function takesBatches(): boolean {
  return true;
}

/** The refusal of a call that was not read, with a registered code. Source: protocol 01 §6.1, §10.4. */
export function refusalBody(code: ErrorCode): string {
  return domainFailure("null", { code } as Refusal);
}

/**
 * What a call hears whose change did not become durable, or cannot: under each of its ids, which are those of `text`,
 * the call itself or the answer that is lost. One without an id hears it too, since no answer would read as success.
 * Source: CONVERGENCE "Durability"; protocol 01 §10.2.
 */
export function storeFailedAnswer(configuration: ResolvedConfiguration, text: string): string {
  const spell = ruleOf(configuration, idText);
  const failed = (request: Json) =>
    domainFailure(isObject(request) ? spell(request.members.get("id")) : "null", { code: "DATABASE_ERROR" });
  const parsed = parseJson(text);
  if (!parsed.ok || !isList(parsed.value)) return failed(parsed.ok ? parsed.value : null);
  const members = parsed.value.filter((member) => !isNotification(member)).slice(0, BATCH_MEMBERS_MAX);
  return members.length === 0 ? failed(null) : `[${members.map(failed).join(",")}]`;
}

/** What a member of a batch hears whose answers are too long already. */
function tooMuch({ configuration }: StepContext, request: Json): string {
  const id = isObject(request) ? ruleOf(configuration, idText)(request.members.get("id")) : "null";
  return domainFailure(id, { code: "RATE_LIMIT_EXCEEDED" });
}

function answerRequest(context: StepContext, methods: Methods, request: Json, place: number): string {
  if (!isObject(request)) return failure("null", PARSE_ERROR, "a request must be an object");
  const given = request.members.get("id");
  const id = ruleOf(context.configuration, idText)(given);
  const method = request.members.get("method");
  const validationError = validationErrorOf(context, request);
  if (validationError !== undefined || typeof method !== "string")
    return failure(
      ruleOf(context.configuration, idOfInvalid)(id),
      PARSE_ERROR,
      validationError ?? "method must be a string",
    );
  const row = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (row === undefined) return failure(id, METHOD_NOT_FOUND, `method not found: ${method}`);
  // Members of one batch are told apart where a nonce is derived from the number of the input.
  const answer = answerCall(
    callContextOf(context, (number) => number * BATCH_MEMBERS_MAX + place),
    method,
    row,
    request.members.get("params"),
  );
  if (answer.ok) return `{"jsonrpc":"2.0","id":${id},"result":${answer.value}}`;
  return answer.error.type === "domain"
    ? domainFailure(id, ruleOf(context.configuration, refusalShown)(answer.error))
    : failure(id, INVALID_PARAMS, answer.error.reason);
}

/** The id with which an envelope that is none is refused. Source: protocol 01 §10.2. */
export function idOfInvalid(id: string): string {
  return id;
}

/** Why an envelope is none. */
function validationErrorOf(context: StepContext, { members, duplicate }: JsonObject): string | undefined {
  if (duplicate !== undefined) return `duplicate field \`${duplicate}\``;
  return ruleOf(context.configuration, versionError)(members.get("jsonrpc"));
}

/** What is wrong with a version. Source: protocol 01 §10.2. */
export function versionError(version: Json | undefined): string | undefined {
  return version === "2.0" ? undefined : 'jsonrpc must be "2.0"';
}

function answerCall(
  context: StepContext,
  method: string,
  row: MethodRow,
  params: Json | undefined,
): Result<string, CallFailure> {
  const { configuration } = context;
  const given = isNothingAsked(row, configuration, params) ? emptyObject : params;
  if (given === undefined || given === null) return err({ type: "params", reason: "missing params" });
  const decoded = decodeJson(row.params, withAliases(ruleOf(configuration, toldOnce)(given)));
  if (!decoded.ok) return err({ type: "params", reason: decoded.error });
  const { departure } = decoded.value;
  const departed = departure === undefined ? undefined : ruleOf(configuration, asDeparted)(departure);
  if (departed !== undefined) return err({ type: "params", reason: departed });
  if (row.mutation !== undefined) {
    const answer = acceptPayload(context, row.mutation, (decoded.value.value as { readonly data: string }).data);
    if (answer.ok) publish(context, method, answer.value);
    return answer;
  }
  const read = row.read?.(context, decoded.value.value as never);
  if (read === undefined || !read.ok) return read ?? err({ type: "params", reason: "unreadable" });
  const text = ruleOf<Pick<Schema<unknown>, "write">>(configuration, row.result).write(read.value, ANSWER);
  // Asked again it would be as long, and as much work.
  if (text.length > ANSWER_LENGTH_MAX)
    return err({ type: "domain", code: "RATE_LIMIT_EXCEEDED", reason: "answer-too-long", retryable: false });
  if (row.kind === "action") publish(context, method, text);
  return ok(text);
}

/** The record that a call is about, where nothing else can change what it answers. */
export function subjectOf({ configuration }: StepContext, methods: Methods, body: string): Reference | undefined {
  const parsed = parseJson(body);
  const request = parsed.ok && isObject(parsed.value) ? parsed.value.members : undefined;
  const method = request?.get("method");
  const row = typeof method === "string" && Object.hasOwn(methods, method) ? methods[method] : undefined;
  const params = request?.get("params");
  if (row?.about === undefined || params === undefined) return undefined;
  const decoded = decodeJson(row.params, withAliases(ruleOf(configuration, toldOnce)(params)));
  return decoded.ok ? { kind: row.about, name: (decoded.value.value as { readonly id: string }).id } : undefined;
}

/** Whether parameters read as none were given. Source: protocol 01 §11. */
function isNothingAsked({ need }: MethodRow, configuration: ResolvedConfiguration, params: Json | undefined): boolean {
  if (need === "optional") return ruleOf(configuration, mayLack)(params);
  return need === "none" || (need === "paged" && !ruleOf(configuration, asksForPage)(params));
}

/** Whether a list is asked for in pages; whatever else is said to it is ignored. Source: protocol 02 O.29. */
export function asksForPage(params: Json | undefined): boolean {
  return params !== undefined && isObject(params) && params.members.has("page");
}

/** Whether optional parameters are missing, which is to give none. Source: protocol 01 §11. */
export function mayLack(params: Json | undefined): boolean {
  return (params ?? null) === null;
}

/** Parameters as they are read: a member that is told twice is for their schema to refuse. */
export function toldOnce(params: Json): Json {
  return params;
}

const emptyObject: Json = { type: "object", members: new Map(), duplicate: undefined };

/** `id` is an alias of `wallet` and `cid` in single-subject reads. Source: protocol 01 §11. */
function withAliases(params: Json): Json {
  if (!isObject(params)) return params;
  const id = params.members.get("id");
  if (id === undefined) return params;
  return { ...params, members: new Map([["wallet", id], ["cid", id], ...params.members]) };
}

function publish(context: StepContext, method: string, result: string): void {
  context.emit({
    type: "ws.publish",
    source: "own",
    message: `{"method":${JSON.stringify(method)},"result":${result}}`,
  });
}

function isNotification(request: Json): boolean {
  return isObject(request) && !request.members.has("id");
}

/** An id, token for token. Source: protocol 01 §10.2. */
export function idText(id: Json | undefined): string {
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

/** What a client is told of a refusal: all of it. Source: DESIGN §7 #12, #23. */
export function refusalShown(refusal: Refusal): Refusal {
  return refusal;
}

function domainFailure(id: string, refusal: Refusal): string {
  const { code } = refusal;
  const data = JSON.stringify(errorData(code, refusal));
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${DOMAIN_ERROR},"message":"${code}","data":${data}}}`;
}
