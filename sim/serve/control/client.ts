/**
 * The typed client of control, folded from its table: parameters and results as types, 64-bit integers as `bigint`.
 * Source: DESIGN section 6 "serve".
 */
import type { Schema } from "../../../core/index.ts";
import { decodeJson } from "../../../core/index.ts";
import type { ControlClientOptions } from "./caller.ts";
import { openCaller } from "./caller.ts";
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

/** Opens a client; it holds no connection. */
export function openControlClient(options: ControlClientOptions): ControlClient {
  const caller = openCaller(options);
  function call(method: ControlName, params: object = {}): Promise<unknown> {
    const schema = controlMethods[method].result as Schema<unknown>;
    return caller(method, params, (result) => {
      const decoded = decodeJson(schema, result);
      return decoded.ok ? decoded.value.value : undefined;
    });
  }
  return { call } as ControlClient;
}
