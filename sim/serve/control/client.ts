/**
 * The typed client of control, folded from its table: parameters and results as types, 64-bit integers as `bigint`.
 * Source: DESIGN section 6 "serve".
 */
import type { Schema } from "../../../core/index.ts";
import { decodeJson, isNumber, isObject, parseJson } from "../../../core/index.ts";
import { plainText } from "../../data/plain.ts";
import type { ControlErrorName } from "./errors.ts";
import type { ControlMethod } from "./method.ts";
import type { ControlMethods } from "./table.ts";
import { controlMethods } from "./table.ts";

/** The name of a method of control. */
export type ControlName = keyof ControlMethods;
/** The parameters of a method. */
export type ControlParams<M extends ControlName> =
  ControlMethods[M] extends ControlMethod<infer P, infer _> ? P : never;
/** What a method answers. */
export type ControlResult<M extends ControlName> =
  ControlMethods[M] extends ControlMethod<infer _, infer R> ? R : never;

/** Parameters may be left out where none is needed. */
type Given<M extends ControlName> =
  Record<never, never> extends ControlParams<M>
    ? readonly [params?: ControlParams<M>]
    : readonly [params: ControlParams<M>];

/** A client of one network's control. */
export interface ControlClient {
  /** Calls a method. Fails with `ControlRefusal` when control refuses, with what `fetch` throws when not reached. */
  call<M extends ControlName>(method: M, ...given: Given<M>): Promise<ControlResult<M>>;
}

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

/** Opens a client; it holds no connection. */
export function openControlClient({ url, token }: ControlClientOptions): ControlClient {
  let calls = 0;
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  async function call(method: ControlName, params: object = {}): Promise<unknown> {
    calls += 1;
    const written = plainText({ jsonrpc: "2.0", id: calls, method, params });
    if (!written.ok) throw new TypeError(written.error);
    const answer = await fetch(url, { method: "POST", headers, body: written.value });
    return resultOf(controlMethods[method].result as Schema<unknown>, await answer.text());
  }
  return { call } as ControlClient;
}

/** The result that an answer bears. Fails with `ControlRefusal` with its error, or when it is no answer. */
function resultOf(schema: Schema<unknown>, text: string): unknown {
  const read = parseJson(text);
  const members = read.ok && isObject(read.value) ? read.value.members : new Map<string, never>();
  const [result, error] = [members.get("result"), members.get("error")];
  if (error !== undefined && isObject(error)) {
    const [code, message, data] = ["code", "message", "data"].map((member) => error.members.get(member));
    const reason = data !== undefined && isObject(data) ? data.members.get("name") : undefined;
    const number = code !== undefined && isNumber(code) ? Number(code.text) : 0;
    throw new ControlRefusal(number, String(message), reason as ControlErrorName | undefined);
  }
  const decoded = result === undefined ? undefined : decodeJson(schema, result);
  if (decoded?.ok !== true)
    throw new ControlRefusal(0, `this is no answer of control: ${text.slice(0, 200)}`, undefined);
  return decoded.value.value;
}
