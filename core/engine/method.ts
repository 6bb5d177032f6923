/**
 * Method rows: what one JSON-RPC method takes, answers, may refuse, and how. Dispatch, parameter checks,
 * the OpenRPC document, the documentation page and clients are folds over rows.
 * Source: DESIGN section 3 "Method table"; protocol 01 §11.
 */

import type { ErrorCode, Refusal } from "../errors.ts";
import type { Result } from "../kernel/result.ts";
import type { Schema } from "../kernel/schema.ts";
import type { Fields, RecordOf, Struct } from "../kernel/schema-composites.ts";
import { struct } from "../kernel/schema-composites.ts";
import type { Payload, RecordKind, SignedType, Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { Text } from "../kernel/values.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import { STATEMENT_BYTES_MAX } from "./admission/ingress.ts";
import type { ValidationOrder } from "./admission/validation-order.ts";
import type { ResolvedConfiguration } from "./overrides.ts";
import type { StepContext } from "./step-context.ts";

/** A refusal of a call: a registered code, or parameters that do not fit. */
export type CallFailure =
  | ({ readonly type: "domain" } & Refusal)
  | { readonly type: "params"; readonly reason: string };

/** What a row answers: the JSON text of the result. */
export type Answer = Result<string, CallFailure>;

/** One row of the method table: what is called, with what, answering what. */
export interface MethodRow {
  readonly doc: string;
  readonly source: string;
  readonly params: Struct<Fields>;
  /**
   * `none`: parameters are ignored; `paged`: they are unless they ask for a page; `optional`: missing ones read as an
   * empty object.
   */
  readonly need: "none" | "paged" | "optional" | "required";
  readonly result: Schema<unknown>;
  readonly access: "public" | "proof" | "send";
  /** What a proof signs (`<domain>:<subject>:<nonce>`), and the method that issues its nonce. */
  readonly proof?: Proof;
  /** Every registered code that it can answer, in order of precedence. */
  readonly errors: readonly ErrorCode[];
  readonly kind: "query" | "mutation" | "action";
  readonly mutation?: MutationPart;
  /**
   * What a single-record read is about, when its answer rests on nothing but what has to do with that record: then only
   * that is finished before. Source: CONVERGENCE B5.
   */
  readonly about?: RecordKind;
  readonly read?: (context: StepContext, params: never) => Result<unknown, CallFailure>;
}

/** A row that remembers its types for typed clients; at run time there is nothing of it. */
export type TypedRow<P, R, S = never> = MethodRow & {
  readonly types?: { readonly params: P; readonly result: R; readonly payload: S };
};

/** Source: protocol 01 §13.4. */
export interface Proof {
  readonly domain: string;
  readonly challenge: string;
  /** What is proven: a wallet by its key, unless it is a service. */
  readonly subject?: "wallet" | "service";
}

export interface MutationPart {
  /** The payload types it takes, told apart by their outer member. */
  readonly signed: readonly SignedType[];
  readonly checks: ValidationOrder;
  readonly answers: Answers;
  /** Largest payload in bytes; beyond it INVALID_PARAMETER. */
  readonly bytesMax: number;
}

/** A send's result: the id that the payload bears, nothing, or a text about the statement. */
export type Answers =
  | "id"
  | "null"
  | ((statement: Statement, node: ResolvedConfiguration, crypto: CryptoPort) => string);

/** Nothing is asked for. */
export const noParams = struct("NoParams", {});
/** A single-record read. */
export const idParams = struct("IdParams", { id: Text });
const dataParams = struct("DataParams", { data: Text });

interface QueryOptions<P extends Fields, R> {
  readonly params: Struct<P>;
  readonly need?: MethodRow["need"];
  readonly result: Schema<R>;
  readonly access?: "public" | "proof";
  readonly proof?: Proof;
  readonly errors?: readonly ErrorCode[];
  readonly source: string;
  readonly doc: string;
  readonly about?: RecordKind;
}

/** A read that cannot fail once its parameters fit. It sees the state and an instant, and changes nothing. */
export function query<const P extends Fields, R>(
  options: QueryOptions<P, R> & { readonly read: (reader: Reader, params: RecordOf<P>, context: StepContext) => R },
): TypedRow<RecordOf<P>, R> {
  return row(options, (context, params) => ({ ok: true, value: options.read(context.draft, params, context) }));
}

/** A read or an action that may be refused. */
export function call<const P extends Fields, R>(
  options: QueryOptions<P, R> & {
    readonly kind: "query" | "action";
    readonly run: (context: StepContext, params: RecordOf<P>) => Result<R, CallFailure>;
  },
): TypedRow<RecordOf<P>, R> {
  return { ...row(options, options.run), kind: options.kind, ...(options.kind === "action" && { access: "send" }) };
}

/** A send: a payload that a wallet signed, applied and gossiped. */
export function mutation<const S extends readonly unknown[], const A extends Answers>(options: {
  readonly signed: SignedTypes<S>;
  readonly checks: ValidationOrder;
  readonly answers: A;
  readonly errors: readonly ErrorCode[];
  readonly source: string;
  readonly doc: string;
  readonly bytesMax?: number;
}): TypedRow<{ readonly data: string }, A extends "null" ? null : string, Payload<S[0]>> {
  const { signed, checks, answers, bytesMax = STATEMENT_BYTES_MAX } = options;
  return {
    doc: options.doc,
    source: options.source,
    params: dataParams as unknown as Struct<Fields>,
    need: "required",
    result: (answers === "null" ? nothing : Text) as Schema<unknown>,
    access: "send",
    errors: options.errors,
    kind: "mutation",
    mutation: { signed, checks, answers, bytesMax },
  };
}

/** The result `null`. */
export const nothing: Schema<null> = {
  shape: { type: "nothing" },
  decode(node, decoder) {
    if (node !== null) decoder.fail("expected null");
    return null;
  },
  write: () => "null",
  encode: () => undefined,
  read: () => null,
};

/** Signed types as rows take them: what their fields are is for their own domain, and for clients. */
export type SignedTypes<S extends readonly unknown[]> = readonly SignedType[] & { readonly types?: S };

/** The signed types that a method takes, their payload types kept. */
export function signedTypes<const S extends readonly unknown[]>(...types: S): SignedTypes<S> {
  return types as unknown as SignedTypes<S>;
}

function row<P extends Fields, R>(
  options: QueryOptions<P, R>,
  read: (context: StepContext, params: RecordOf<P>) => Result<R, CallFailure>,
): MethodRow {
  return {
    doc: options.doc,
    source: options.source,
    params: options.params as unknown as Struct<Fields>,
    need: options.need ?? "required",
    result: options.result as Schema<unknown>,
    access: options.access ?? "public",
    ...(options.proof !== undefined && { proof: options.proof }),
    ...(options.about !== undefined && { about: options.about }),
    errors: options.errors ?? [],
    kind: "query",
    read: read as unknown as (context: StepContext, params: never) => Result<unknown, CallFailure>,
  };
}
