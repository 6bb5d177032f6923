/**
 * Goal: the document that clients are generated from is valid and lists exactly what is dispatched.
 */
import metaSchemaModule from "@open-rpc/meta-schema";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { methods, openRpcDocument } from "../../core/index.ts";
import { keptStory } from "../document/story/story.ts";

type Loose = Readonly<Record<string, unknown>>;
const document = JSON.parse(
  openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, keptStory()),
) as Loose;

test("the OpenRPC document satisfies the official meta-schema", () => {
  const loaded = metaSchemaModule as unknown as Loose;
  // The meta-schema leaves the schemas inside it to a dialect of its own, of which "any schema" is enough here.
  const { $schema: _dialect, ...metaSchema } = (loaded["default"] as Loose | undefined) ?? loaded;
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });
  const dialect = { definitions: { JSONSchemaObject: { properties: { $ref: {} } } } };
  ajv.addSchema(dialect, "https://meta.json-schema.tools/").addSchema(dialect, "https://meta.json-schema.tools");
  const validate = ajv.compile(metaSchema);
  expect(validate(document), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  expect(validate({ ...document, methods: 7 })).toBe(false);
});

test("it lists every dispatched method, sorted, and nothing else", () => {
  const listed = (document["methods"] as readonly { readonly name: string }[]).map((method) => method.name);
  expect(listed).toEqual(Object.keys(methods).sort((a, b) => (a < b ? -1 : 1)));
});
