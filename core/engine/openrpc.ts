/**
 * The OpenRPC 1.2.6 document, folded from the method table. Source: protocol 01 §10.8.
 */

import { errorCodes } from "../errors.ts";
import type { Schema } from "../kernel/schema.ts";
import type { SignedType } from "../kernel/signed.ts";
import { compareText } from "../kernel/text.ts";
import type { MethodRow } from "./method.ts";

type JsonSchema = { readonly [member: string]: unknown };

/** The document's text. `url` is where this copy's server answers. */
export function openRpcDocument(
  methods: Readonly<Record<string, MethodRow>>,
  version: string,
  server: { readonly name: string; readonly url: string },
): string {
  const rows = Object.entries(methods).sort(([a], [b]) => compareText(a, b));
  return JSON.stringify({
    openrpc: "1.2.6",
    info: { title: "OpenFiat Node API", version, description: "Every method this node dispatches." },
    servers: [server],
    methods: rows.map(([name, row]) => methodObject(name, row)),
  });
}

function methodObject(name: string, row: MethodRow): JsonSchema {
  return {
    name,
    summary: name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`),
    description: `${row.doc} Source: ${row.source}.`,
    paramStructure: "by-name",
    params: [{ name: "params", required: row.need === "required", schema: schemaOf(row.params) }],
    result: { name: "result", schema: schemaOf(row.result) },
    ...(row.mutation !== undefined && { "x-signed": row.mutation.signed.map(signedObject) }),
    errors: row.errors.map((code) => ({
      code: -32000,
      message: code,
      data: { ofsErrorCode: errorCodes[code].number, ofsErrorName: code, ofsRetryable: errorCodes[code].retryable },
    })),
  };
}

/** What `data` holds, for those who sign it: members stand in the order that is signed. */
function signedObject({ outer, tag, forms, payload }: SignedType): JsonSchema {
  return { member: outer, tag, forms: forms === "both" ? ["tagged", "bare"] : ["tagged"], payload: schemaOf(payload) };
}

/** JSON Schema of a value. */
export function schemaOf(schema: Pick<Schema<unknown>, "shape">): JsonSchema {
  const { shape } = schema;
  switch (shape.type) {
    case "text":
      return { type: "string", ...(shape.form !== "plain" && { format: shape.form }) };
    case "integer":
      return { type: "integer", ...(shape.signed ? {} : { minimum: 0 }) };
    case "float":
      return { type: "number" };
    case "boolean":
      return { type: "boolean" };
    case "nothing":
      return { type: "null" };
    case "bytes":
      return { type: "array", items: { type: "integer", minimum: 0, maximum: 255 } };
    case "option":
      return { oneOf: [schemaOf(shape.of), { type: "null" }] };
    case "list":
      return { type: "array", items: schemaOf(shape.of) };
    case "pair":
      return { type: "array", minItems: 2, maxItems: 2 };
    case "enumeration":
      return { type: "string", enum: shape.names };
    case "either":
      return { oneOf: shape.of.map(schemaOf) };
    case "variants":
      return {
        oneOf: Object.entries(shape.of).map(([name, inner]) => ({
          type: "object",
          properties: { [name]: schemaOf(inner) },
          required: [name],
        })),
      };
    case "kinds":
      return { oneOf: Object.values(shape.of).map(schemaOf) };
    case "struct":
      return objectSchema(shape.fields);
  }
}

function objectSchema(fields: Readonly<Record<string, Schema<unknown>>>): JsonSchema {
  const required = Object.keys(fields).filter((name) => fields[name] !== undefined && !("absent" in fields[name]));
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length > 0 && { required }),
  };
}
