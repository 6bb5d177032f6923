/**
 * One call of control over HTTP: how it is written, what it bears, and how a refusal is told. What a result becomes is
 * the affair of who reads it. Source: JSON-RPC 2.0; DESIGN section 6 "serve".
 */
import type { Json } from "../../../core/index.ts";
import { isNumber, isObject, parseJson } from "../../../core/index.ts";
import { plainText } from "../../data/plain.ts";
import type { ControlErrorName } from "./errors.ts";

/** Where control is, and what it is to be shown. */
export interface ControlClientOptions {
  /** The URL of its JSON-RPC, such as `http://127.0.0.1:7070/rpc`. */
  readonly url: string;
  readonly token?: string;
}

/** Control refused a call. */
export class ControlRefusal extends Error {
  override readonly name = "ControlRefusal";
  readonly code: number;
  /** The name of the code, where it is one of control's own. */
  readonly reason: ControlErrorName | undefined;
  constructor(code: number, message: string, reason: ControlErrorName | undefined) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** What a result is read as: nothing where it is none. */
export type ReadResult = (result: Json) => unknown;
/** Calls a method and reads what it answers. Fails with `ControlRefusal`, or with what `fetch` throws. */
export type Caller = (method: string, params: object, read: ReadResult) => Promise<unknown>;

/** A caller of one control; it holds no connection. */
export function openCaller({ url, token }: ControlClientOptions): Caller {
  let calls = 0;
  const headers = { "content-type": "application/json", ...bearing(token) };
  return async (method, params, read) => {
    calls += 1;
    const written = plainText({ jsonrpc: "2.0", id: calls, method, params });
    if (!written.ok) throw new TypeError(written.error);
    const answer = await fetch(url, { method: "POST", headers, body: written.value });
    const text = await answer.text();
    const result = resultIn(text);
    const value = result === undefined ? undefined : read(result);
    if (value === undefined) throw noAnswer(text);
    return value;
  };
}

/** The header that bears a token, where there is one. */
export function bearing(token: string | undefined): { readonly authorization?: string } {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The refusal of what no control says. */
export function noAnswer(text: string): ControlRefusal {
  return new ControlRefusal(0, `this is no answer of control: ${text.slice(0, 200)}`, undefined);
}

/** The result that an answer bears, nothing when it is none. Fails with `ControlRefusal` with the error it bears. */
function resultIn(text: string): Json | undefined {
  const read = parseJson(text);
  const members = read.ok && isObject(read.value) ? read.value.members : new Map<string, never>();
  const error = members.get("error");
  if (error === undefined || !isObject(error)) return members.get("result");
  const [code, message, data] = ["code", "message", "data"].map((member) => error.members.get(member));
  const reason = data !== undefined && isObject(data) ? data.members.get("name") : undefined;
  const number = code !== undefined && isNumber(code) ? Number(code.text) : 0;
  throw new ControlRefusal(number, String(message), reason as ControlErrorName | undefined);
}
