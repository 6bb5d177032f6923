/**
 * JSON-RPC as the typed client speaks it: bodies with every digit, answers decoded by the method table.
 * Reads answers of older nodes too: keys as arrays of integers, the old name of the checkpoint.
 * Source: protocol 01 §10.2, §10.3, §14.1 row 12.
 */

import type { ErrorCode, Json, Methods, Reason, Result, Schema } from "../../core/index.ts";
import { decodeJson, err, isNumber, isObject, methods, ok, parseJson, TRANSCRIPT } from "../../core/index.ts";

/** So much is shown of what is no answer: a page of a proxy may be long. */
const SHOWN_LENGTH = 500;

/** What a node answered instead of a result. */
export class NodeRefusal extends Error {
  override readonly name = "NodeRefusal";
  /** The JSON-RPC code. */
  readonly code: number;
  /** The registered error, when it is one. */
  readonly ofs:
    | {
        readonly number: number;
        /** One of the registered names; another one from a node that is newer than this client. */
        readonly name: ErrorCode | (string & {});
        readonly retryable: boolean;
        /** Which of the error's causes it was, where a node says so. */
        readonly reason?: Reason | (string & {});
      }
    | undefined;

  constructor(code: number, message: string, ofs?: NodeRefusal["ofs"]) {
    super(message);
    this.code = code;
    this.ofs = ofs;
  }
}

/** A node's refusal of one name, and for one reason where one was asked for. */
export type Refused<N extends ErrorCode, R extends Reason = never> = NodeRefusal & {
  readonly ofs: { readonly name: N } & ([R] extends [never] ? unknown : { readonly reason: R });
};

/** Whether something that was thrown is a node's refusal of this name, and for this reason where one is asked for. */
export function isRefusal<const N extends ErrorCode, const R extends Reason = never>(
  thrown: unknown,
  name: N,
  reason?: R,
): thrown is Refused<N, R> {
  if (!(thrown instanceof NodeRefusal) || thrown.ofs?.name !== name) return false;
  return reason === undefined || thrown.ofs.reason === reason;
}

/** The body of a call under a name of its method. Members that are `undefined` are left out. */
export function requestBody(id: number, name: string, method: keyof Methods, params: object): string {
  const fields = methods[method]?.params.fields ?? {};
  const members = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([member, value]) => {
      const schema = fields[member];
      if (schema === undefined) throw new TypeError(`${method} takes no parameter ${member}`);
      return `${JSON.stringify(member)}:${schema.write(completed(schema, value), TRANSCRIPT)}`;
    });
  return `{"jsonrpc":"2.0","id":${id},"method":"${name}","params":{${members.join(",")}}}`;
}

/** A parameter whose records have all their members: those left out are empty. */
function completed({ shape }: Pick<Schema<unknown>, "shape">, value: unknown): unknown {
  if (value === null) return null;
  if (shape.type === "option") return completed(shape.of, value);
  if (shape.type !== "struct") return value;
  const given = value as Readonly<Record<string, unknown>>;
  const members = Object.entries(shape.fields).map(([member, field]) => {
    const isLeftOut = given[member] === undefined && "absent" in field;
    return [member, isLeftOut ? field.absent : completed(field, given[member])];
  });
  return Object.fromEntries(members);
}

/**
 * The result in an answer, or the refusal. What stands between may answer in the place of a node, in JSON too: that is
 * neither, and is told with its status where one is given.
 */
export function decodeAnswer(method: keyof Methods, text: string, status?: number): Result<unknown, NodeRefusal> {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value) || !isAnswer(parsed.value)) {
    const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
    const told = status === undefined ? "" : ` (status ${status})`;
    return err(new NodeRefusal(0, `not a JSON-RPC answer${told}: ${shown}`));
  }
  const error = parsed.value.members.get("error");
  if (error !== undefined) return err(refusalOf(error));
  const row = methods[method];
  const result = parsed.value.members.get("result") ?? null;
  const decoded = row === undefined ? err("no such method") : decodeJson(row.result, result);
  return decoded.ok ? ok(decoded.value.value) : err(new NodeRefusal(0, `${method}: ${decoded.error}`));
}

/** A result that is missing is empty only in what says that it is an answer. Source: JSON-RPC 2.0, section 5. */
function isAnswer({ members }: Extract<Json, { readonly members: unknown }>): boolean {
  const error = members.get("error");
  if (error !== undefined) return isObject(error);
  return members.has("result") || members.get("jsonrpc") === "2.0";
}

function refusalOf(error: Json): NodeRefusal {
  const code = numberOf(error, "code") ?? 0;
  const data = memberOf(error, "data");
  const number = data === undefined ? undefined : numberOf(data, "ofsErrorCode");
  const name = data === undefined ? undefined : memberOf(data, "ofsErrorName");
  const ofs =
    data === undefined || number === undefined || typeof name !== "string"
      ? undefined
      : { number, name, retryable: memberOf(data, "ofsRetryable") === true, ...reasonIn(data) };
  const message = memberOf(error, "message");
  return new NodeRefusal(code, typeof message === "string" ? message : "refused", ofs);
}

function reasonIn(data: Json): { readonly reason?: string } {
  const reason = memberOf(data, "reason");
  return typeof reason === "string" ? { reason } : {};
}

function memberOf(value: Json, name: string): Json | undefined {
  return isObject(value) ? value.members.get(name) : undefined;
}

function numberOf(value: Json, name: string): number | undefined {
  const member = memberOf(value, name);
  return member !== undefined && isNumber(member) ? Number(member.text) : undefined;
}
