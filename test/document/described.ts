/**
 * Whether an answer is what the document says that its method answers: the result by its schema, the refusal by
 * `x-errors`, its reason included.
 */
import { Ajv } from "ajv";
import { methods, openRpcDocument } from "../../core/index.ts";

interface Described {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly result: { readonly schema: object };
  readonly "x-errors": readonly Cause[];
}
interface Cause {
  readonly code: number;
  readonly name?: string;
  readonly reasons?: readonly { readonly reason: string }[];
}
interface Document {
  readonly methods: readonly Described[];
  readonly components: object;
  readonly "x-errors": readonly Cause[];
}

const text = openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, { keys: [], calls: [] });
const document = JSON.parse(text.replaceAll('"#/components', '"doc#/components')) as Document;
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ $id: "doc", components: document.components });
const byName = new Map(document.methods.map((method) => [method.name, method]));

/** What the document says against parameters; nothing where they fit. */
export function misfit(name: string, params: Readonly<Record<string, unknown>>): string {
  const known = byName.get(name)?.params ?? [];
  const unknown = Object.keys(params).find((member) => !known.some((param) => param.name === member));
  for (const param of known) {
    const given = params[param.name];
    if (given === undefined && param.required) return `${param.name} is missing`;
    if (given !== undefined && !ajv.validate(param.schema, given)) return ajv.errorsText();
  }
  return unknown === undefined ? "" : `${unknown} is unknown`;
}

/** What the document does not say of an answer of our rules; nothing where it says all of it. */
export function misdescribed(name: string, body: string | null): string {
  const method = byName.get(name);
  const answer = JSON.parse(body ?? "null") as {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly reason?: string } };
  } | null;
  if (method === undefined || answer === null) return "";
  const { error } = answer;
  if (error === undefined) return ajv.validate(method.result.schema, answer.result) ? "" : ajv.errorsText();
  const all = [...method["x-errors"], ...document["x-errors"]];
  const found = all.filter(
    ({ code, name: called }) => code === error.code && (called ?? error.message) === error.message,
  );
  if (found.length === 0) return `${error.code} ${error.message}`;
  const reason = error.data?.reason;
  const given = found.flatMap(({ reasons = [] }) => reasons.map((each) => each.reason));
  return reason === undefined || given.includes(reason) ? "" : `${error.message}: ${reason}`;
}
