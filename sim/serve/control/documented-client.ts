/**
 * The typed client of control for programs that do not hold the simulator: what a result is stands in the document
 * that control itself serves, which is asked for once. Source: OpenRPC 1.2.6; DESIGN section 6 "serve".
 */
import type { Json } from "../../../core/index.ts";
import { isNumber, isObject } from "../../../core/index.ts";
import { isList } from "../../../core/testing.ts";
import type { ControlClientOptions, ReadResult } from "./caller.ts";
import { bearing, noAnswer, openCaller } from "./caller.ts";
import type { ControlClient } from "./client.ts";

/** What a value of the document's is: the forms that results of control have, and no others. */
export interface Described {
  readonly type?: string;
  readonly format?: string;
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly oneOf?: readonly Described[];
}

interface Documented {
  readonly methods: readonly { readonly name: string; readonly result: { readonly schema: Described } }[];
}

/** Opens a client; it holds no connection, and remembers the document. */
export function openDocumentedClient(options: ControlClientOptions): ControlClient {
  const caller = openCaller(options);
  let asked: Promise<ReadonlyMap<string, Described>> | undefined;
  async function call(method: string, params: object = {}): Promise<unknown> {
    asked ??= resultsOf(options);
    // One that was not reached is asked for again.
    asked.catch(() => {
      asked = undefined;
    });
    const described = (await asked).get(method) ?? {};
    const read: ReadResult = (result) => valueAs(described, result);
    return caller(method, params, read);
  }
  return { call } as ControlClient;
}

async function resultsOf({ url, token }: ControlClientOptions): Promise<ReadonlyMap<string, Described>> {
  const answer = await fetch(new URL("/openrpc.json", url), { headers: bearing(token) });
  const text = await answer.text();
  if (!answer.ok) throw noAnswer(text);
  const { methods } = JSON.parse(text) as Documented;
  return new Map(methods.map(({ name, result }) => [name, result.schema] as const));
}

/** A value as its description has it, 64-bit integers as `bigint`; nothing where it is another. */
export function valueAs(described: Described, node: Json): unknown {
  const { type, format, items, properties, oneOf } = described;
  if (oneOf !== undefined) return oneOf.map((one) => valueAs(one, node)).find((value) => value !== undefined);
  if (type === "null") return node === null ? null : undefined;
  if (type === "string" || type === "boolean") return typeof node === type ? node : undefined;
  if (type === "integer") {
    if (node === null || !isNumber(node) || !/^-?\d+$/.test(node.text)) return undefined;
    return format === "uint64" ? BigInt(node.text) : Number(node.text);
  }
  if (items !== undefined) return isList(node) ? allOf(node.map((each) => valueAs(items, each))) : undefined;
  if (properties === undefined || node === null || !isObject(node)) return undefined;
  const names = Object.keys(properties);
  const values = allOf(
    names.map((name) => {
      const [member, shape] = [node.members.get(name), properties[name]];
      return member === undefined || shape === undefined ? undefined : valueAs(shape, member);
    }),
  );
  return values && Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

/** All of them, or nothing where one is missing. */
function allOf(values: readonly unknown[]): readonly unknown[] | undefined {
  return values.includes(undefined) ? undefined : values;
}
