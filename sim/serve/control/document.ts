/**
 * The OpenRPC document of control, folded from its table. Source: OpenRPC 1.2.6; DESIGN section 6 "serve".
 */
import type { Schema } from "../../../core/index.ts";
import { schemaOf } from "../../../core/testing.ts";
import { controlErrors } from "./errors.ts";
import type { AnyMethod } from "./table.ts";
import { controlMethods } from "./table.ts";

/** The document as a text. */
export function controlDocument(version: string): string {
  const rows = Object.entries(controlMethods) as readonly (readonly [string, AnyMethod])[];
  return JSON.stringify({
    openrpc: "1.2.6",
    info: {
      title: "Simulated Network Control API",
      version,
      description: "What a served network can be told to do. Errors have codes from -33000 to -33099.",
    },
    servers: [{ name: "control", url: "/rpc" }],
    methods: rows.map(([name, row]) => methodObject(name, row)),
    "x-errors": Object.entries(controlErrors).map(([name, { code, cause }]) => ({ code, name, cause })),
  });
}

function methodObject(name: string, { doc, group, params, result, errors }: AnyMethod) {
  return {
    name,
    summary: name.replace("sim_", "").replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`),
    description: doc,
    tags: [{ name: group }],
    paramStructure: "by-name",
    params: Object.entries(params.fields).map(([member, field]) => ({
      name: member,
      required: !("absent" in field),
      schema: schemaOf(field as Schema<unknown>, { sizes: true }),
    })),
    result: { name: "result", schema: schemaOf(result, { complete: true }) },
    errors: [...errors, "CODE_FAILED" as const].map((each) => {
      return { code: controlErrors[each].code, message: controlErrors[each].cause, data: { name: each } };
    }),
  };
}
