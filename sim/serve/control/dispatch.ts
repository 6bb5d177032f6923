/**
 * JSON-RPC of control: reads a request, runs the row that it names, and writes what came of it. Requests are served in
 * the order in which they come; one that waits lets others pass. Source: JSON-RPC 2.0; DESIGN section 6 "serve".
 */
import type { Json, Schema } from "../../../core/index.ts";
import { isNumber, isObject, ok, parseJson, TRANSCRIPT } from "../../../core/index.ts";
import { isList } from "../../../core/testing.ts";
import { checkedNode, plainText } from "../../data/plain.ts";
import type { Deed } from "../session.ts";
import type { ControlErrorName } from "./errors.ts";
import { controlErrors, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from "./errors.ts";
import type { Controlled, Outcome } from "./method.ts";
import { refuse } from "./method.ts";
import type { AnyMethod } from "./table.ts";
import { methodOf } from "./table.ts";

/** Requests of one batch at most. Source: protocol 01 §10.2, as nodes take it. */
export const BATCH_REQUESTS_MAX = 100;
const noParams: Json = { type: "object", members: new Map(), duplicate: undefined };

/** What the body of a request is answered with. */
export async function answerControl(network: Controlled, body: string): Promise<string> {
  const read = parseJson(body);
  if (!read.ok) return failed("null", PARSE_ERROR, `the body is no JSON: ${read.error}`);
  if (!isList(read.value)) return answerOne(network, read.value);
  const { length } = read.value;
  if (length === 0 || length > BATCH_REQUESTS_MAX)
    return failed("null", INVALID_REQUEST, `a batch holds 1 to ${BATCH_REQUESTS_MAX} requests, not ${length}`);
  const answers: string[] = [];
  for (const request of read.value) answers.push(await answerOne(network, request));
  return `[${answers.join(",")}]`;
}

async function answerOne(network: Controlled, request: Json): Promise<string> {
  const members: ReadonlyMap<string, Json> = isObject(request) ? request.members : new Map();
  const [version, name, params] = [members.get("jsonrpc"), members.get("method"), members.get("params") ?? noParams];
  const id = idOf(members.get("id"));
  if (version !== "2.0" || typeof name !== "string" || id === undefined)
    return failed(id ?? "null", INVALID_REQUEST, 'a request has "jsonrpc":"2.0", an id and a method');
  const row = methodOf(name);
  if (row === undefined) return failed(id, METHOD_NOT_FOUND, `there is no method ${name.slice(0, 64)}`);
  const given = checkedNode(row.params as Schema<object>, params, "params");
  if (!given.ok) return failed(id, INVALID_PARAMS, given.error);
  const outcome = await run(network, name, row, given.value);
  if (outcome.ok && !READS.test(name)) note(network, name, given.value);
  if (!outcome.ok) {
    const { name: error, message } = outcome.error;
    return failed(id, controlErrors[error].code, message, error);
  }
  return `{"jsonrpc":"2.0","id":${id},"result":${outcome.value}}`;
}

/** Methods that change nothing: what they answered is not worth an event. */
const READS = /^sim_(get|await|compare|signAs|snapshot|explain|export|save)/;

/** What control did is an event of the network that it did it to. */
function note({ host }: Controlled, name: string, params: object): void {
  const told = JSON.stringify(params, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
  host.live().events.noted(host.world().loop.now(), `${name.replace("sim_", "")} ${told}`);
}

/** Methods that go back to an earlier state of the network, its session with it, or touch none. */
const GOES_BACK = /^sim_(revert|reset|dropSnapshot)$/;

/** What the session of the network notes of a call of control; nothing where it changes nothing. */
function deedOf(method: string, params: object): Deed | null {
  if (READS.test(method) || GOES_BACK.test(method)) return null;
  const written = plainText(params);
  return { kind: "control", method, params: written.ok ? written.value : "" };
}

/** The written result. A defect is told to who called, also one of the answer, and the network goes on. */
async function run(network: Controlled, name: string, row: AnyMethod, params: object): Promise<Outcome<string>> {
  const work = async (): Promise<Outcome<unknown>> => row.run(network, params);
  try {
    const outcome = await (row.waits ? work() : network.host.exclusive(work, deedOf(name, params)));
    return outcome.ok ? ok(row.result.write(outcome.value, TRANSCRIPT)) : outcome;
  } catch (error) {
    return refuse("CODE_FAILED", error instanceof Error ? error.message : String(error));
  }
}

/** An id as it came: a number, a text or null. */
function idOf(id: Json | undefined): string | undefined {
  if (id === null) return "null";
  if (typeof id === "string") return JSON.stringify(id);
  return id !== undefined && isNumber(id) ? id.text : undefined;
}

function failed(id: string, code: number, message: string, name?: ControlErrorName): string {
  const data = name === undefined ? "" : `,"data":{"name":"${name}"}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${data}}}`;
}
