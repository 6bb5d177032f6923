/**
 * Goal: TypeScript types made from `/openrpc.json` alone compile, and say of every method's parameters, result and
 * payload what `ofs-node/client` says (DESIGN §7 #23).
 * Method: json-schema-to-typescript over the document; the compiler compares its types with the client's both ways. The
 * document has JSON numbers where the client has `bigint`, and arrays where it has bytes.
 */
import { compile } from "json-schema-to-typescript";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { methods, openRpcDocument } from "../../core/index.ts";

interface Method {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly result: { readonly schema: object };
  readonly "x-signed"?: readonly { readonly payload: object }[];
}
interface Document {
  readonly methods: readonly Method[];
  readonly components: object;
}

const document = JSON.parse(
  openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, { keys: [], calls: [] }),
) as Document;

/** A record of these members, and no others. */
function record(properties: Readonly<Record<string, object>>, required = Object.keys(properties)): object {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The types of all methods, as one interface. */
async function typesOf({ methods: rows, components }: Document): Promise<string> {
  const properties = rows.map(({ name, params, result, ...row }) => {
    const required = params.filter((param) => param.required).map((param) => param.name);
    const given = record(Object.fromEntries(params.map((param) => [param.name, param.schema])), required);
    const payload = row["x-signed"]?.[0]?.payload;
    return [name, record({ params: given, result: result.schema, ...(payload !== undefined && { payload }) })];
  });
  const schema = { ...record(Object.fromEntries(properties)), title: "Document", components };
  const options = { additionalProperties: false, bannerComment: "", format: false };
  return compile(JSON.parse(JSON.stringify(schema, withoutLengths)) as never, "Document", options);
}

/** Lists of any length: only a pair's length is a type. */
function withoutLengths(_: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || !("items" in value) || Array.isArray(value.items)) return value;
  return { ...value, minItems: undefined, maxItems: undefined };
}

/** How the client's types look in JSON, and whether two types take each other's values. */
const COMPARISON = `
import type { ParamsOf, PayloadOf, ResultOf } from "../../adapters/client/client.ts";
import type { Methods } from "../../core/index.ts";
type Wire<T> = T extends bigint ? number
  : T extends Uint8Array ? number[]
  : T extends readonly [infer A, infer B] ? [Wire<A>, Wire<B>]
  : T extends readonly (infer Item)[] ? Wire<Item>[]
  : T extends object ? { -readonly [Member in keyof T]: Wire<Exclude<T[Member], undefined>> }
  : T;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "the client does not take it") : "the document does not";
type Every<T extends true> = T;
type Params<M extends keyof Document> = Required<Document[M]["params"]>;
export type Names = Every<Same<keyof Document, keyof Methods>>;
`;

/** One line for each comparison, so that what differs is named. */
function comparisons({ methods: rows }: Document): readonly string[] {
  return rows.flatMap(({ name, params, ...row }) => [
    `export type R_${name} = Every<Same<Wire<ResultOf<"${name}">>, Document["${name}"]["result"]>>;`,
    ...(params.length > 0
      ? [`export type P_${name} = Every<Same<Wire<Required<ParamsOf<"${name}">>>, Params<"${name}">>>;`]
      : []),
    ...(row["x-signed"] !== undefined
      ? [`export type S_${name} = Every<Same<Wire<PayloadOf<"${name}">>, Document["${name}"]["payload"]>>;`]
      : []),
  ]);
}

/** What the compiler says against a file that stands beside this one. */
function complaintsAbout(text: string): readonly string[] {
  const file = new URL("generated-types.ts", import.meta.url).pathname;
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: [] },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, lib: ["lib.es2023.d.ts", "lib.dom.d.ts"] },
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => (path === file ? text : readFile.call(host, path));
  host.fileExists = (path) => path === file || fileExists.call(host, path);
  const read = host.getSourceFile;
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) : read.call(host, path, ...rest);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return found.map(({ start = 0, messageText }) => {
    const line = text.slice(text.lastIndexOf("\n", start) + 1).split("\n", 1)[0] ?? "";
    return `${line.trim()}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

describe("types from the document", async () => {
  const generated = await typesOf(document);

  test("compile, and agree with the client's", () => {
    expect(complaintsAbout([generated, COMPARISON, ...comparisons(document)].join("\n"))).toEqual([]);
  });
});
