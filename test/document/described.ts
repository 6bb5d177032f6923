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

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly reason?: string } };
}

let opened: ReturnType<typeof openDocument> | undefined;

/** The document, read once by whoever asks first: most tests never do. */
function openDocument() {
  const text = openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, { keys: [], calls: [] });
  const document = JSON.parse(text.replaceAll('"#/components', '"doc#/components')) as Document;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "doc", components: document.components });
  return { ajv, document, byName: new Map(document.methods.map((method) => [method.name, method])) };
}

/** What the document says against parameters; nothing where they fit. */
export function misfit(name: string, params: Readonly<Record<string, unknown>>): string {
  opened ??= openDocument();
  const { ajv, byName } = opened;
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
  return misanswered(name, JSON.parse(body ?? "null") as Answer | null);
}

/** The same of a body that holds one call or several, and of all that it was answered. */
export function misdescribedBody(request: string, body: string | null): string {
  if (body === null || !request.includes('"method"')) return "";
  const [asked, answered] = [parsed(request), JSON.parse(body) as Answer | readonly Answer[]];
  if (!isSeveral(answered)) return misanswered(methodOf(asked), answered);
  // The calls of a batch are told apart by their ids; what shares one is told by another test.
  const named = new Map((isSeveral(asked) ? asked : []).map((call) => [JSON.stringify(call?.id), methodOf(call)]));
  const ids = isSeveral(asked) && named.size === asked.length;
  return ids ? answered.map((one) => misanswered(named.get(JSON.stringify(one.id)) ?? "", one)).join("") : "";
}

function misanswered(name: string, answer: Answer | null): string {
  opened ??= openDocument();
  const method = opened.byName.get(name);
  if (method === undefined || answer === null) return "";
  const { ajv, document } = opened;
  const { error } = answer;
  if (error === undefined)
    return ajv.validate(method.result.schema, answer.result) ? "" : `${name}: ${ajv.errorsText()}`;
  const all = [...method["x-errors"], ...document["x-errors"]];
  const found = all.filter(
    ({ code, name: called }) => code === error.code && (called ?? error.message) === error.message,
  );
  if (found.length === 0) return `${name}: ${error.code} ${error.message}`;
  const reason = error.data?.reason;
  const given = found.flatMap(({ reasons = [] }) => reasons.map((each) => each.reason));
  return reason === undefined || given.includes(reason) ? "" : `${name}: ${error.message}: ${reason}`;
}

type Called = { readonly id?: unknown; readonly method?: unknown } | null;

/** What somebody sent, which may be no JSON. */
function parsed(request: string): Called | readonly Called[] {
  try {
    return JSON.parse(request) as Called | readonly Called[];
  } catch {
    return null;
  }
}

function isSeveral<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function methodOf(call: Called | readonly Called[]): string {
  return isSeveral(call) || typeof call?.method !== "string" ? "" : call.method;
}
