/**
 * A client that knows nothing but `/openrpc.json`: it writes payloads by their schemas, signs by `x-signed`, proves by
 * `x-proof`, and holds every answer against its schema and every refusal against `x-errors`. Nothing of the product is
 * imported here; Ed25519 and SHA-256 are the runtime's, JSON Schema is ajv's, base58 is its own.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { Ajv } from "ajv";

type Schema = { readonly [member: string]: unknown } | true;
type Payload = Readonly<Record<string, unknown>>;

export interface Signed {
  readonly tag: string;
  readonly signer: string;
  readonly member: string;
  readonly order: readonly string[];
  readonly forms: readonly ("tagged" | "bare")[];
  readonly prefix: string;
  readonly payload: Schema;
}

interface Refusal {
  readonly code: number;
  readonly name?: string;
  readonly ofsErrorCode?: number;
  readonly reasons?: readonly { readonly reason: string }[];
}

interface Method {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: Schema }[];
  readonly result: { readonly schema: Schema };
  readonly "x-signed"?: readonly Signed[];
  readonly "x-proof"?: {
    readonly text: string;
    readonly challenge: { readonly method: string; readonly params: Payload };
    readonly subject: { readonly from: string };
    readonly nonce: { readonly from: string };
    readonly pass: Readonly<Record<string, string>>;
  };
  readonly "x-errors": readonly Refusal[];
}

export interface Document {
  readonly methods: readonly Method[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly "x-errors": readonly Refusal[];
}

/** How a payload is written: members in another order or with other text around them are what a node refuses. */
export interface Writing {
  readonly form?: "tagged" | "bare";
  /** What is signed in the place of the payload's text. */
  readonly signed?: (text: string) => string;
  readonly dropNulls?: boolean;
  readonly floats?: "protocol" | "ecmascript";
}

/** What a node answered. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Payload };
}

/** A key pair from its secret, as the document spells it. */
export function keyOf(secret: Uint8Array) {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), secret]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  const peer = Buffer.concat([Buffer.from("002408011220", "hex"), publicKey]);
  return {
    key: base58(publicKey),
    peer: base58(peer),
    publicKey,
    sign: (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, key)),
  };
}
export type Key = ReturnType<typeof keyOf>;

/** A client of whoever answers bodies, built from a document. */
export function clientFrom(document: Document, ask: (body: string) => string) {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "doc", components: document.components });
  const fits = (schema: Schema, value: unknown): string => {
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components')) as Schema;
    return ajv.validate(local, value) ? "" : ajv.errorsText();
  };
  const methodOf = (name: string): Method => {
    const method = document.methods.find((each) => each.name === name);
    if (method === undefined) throw new Error(`the document has no ${name}`);
    return method;
  };

  /** Calls by named parameters, and holds the answer against the document. */
  function call(name: string, params: Payload = {}): Answer {
    const method = methodOf(name);
    for (const param of method.params) {
      const given = params[param.name];
      if (given === undefined ? param.required : fits(param.schema, given) !== "")
        throw new Error(`${name}: ${param.name} does not fit the document`);
    }
    const answer = JSON.parse(ask(JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params }))) as Answer;
    const wrong =
      answer.error === undefined ? fits(method.result.schema, answer.result) : unknownRefusal(method, answer);
    if (wrong !== "") throw new Error(`${name} answers what the document does not say: ${wrong}`);
    return answer;
  }

  function unknownRefusal(method: Method, { error }: Answer): string {
    const all = [...method["x-errors"], ...document["x-errors"]];
    const found = all.find(({ code, name }) => code === error?.code && (code !== -32_000 || name === error.message));
    if (found === undefined) return `${error?.code} ${error?.message}`;
    const reason = error?.data?.["reason"];
    const given = all.filter(({ name }) => name === found.name).flatMap(({ reasons = [] }) => reasons);
    if (reason !== undefined && !given.some((each) => each.reason === reason)) return `reason ${String(reason)}`;
    return error?.data === undefined || error.data["ofsErrorCode"] === found.ofsErrorCode ? "" : "its number";
  }

  /** Writes a payload in the order of the document, signs it, and sends it. */
  function send(name: string, payload: Payload, by: Key, writing: Writing = {}): Answer {
    const signed = methodOf(name)["x-signed"]?.[0];
    if (signed === undefined) throw new Error(`${name} takes no signed payload`);
    const wrong = fits(signed.payload, payload);
    if (wrong !== "") throw new Error(`${name}: ${wrong}`);
    const text = written(document, signed.payload, payload, writing);
    const message = new TextEncoder().encode(writing.signed?.(text) ?? text);
    const form = writing.form ?? signed.forms[0];
    const bytes = form === "bare" ? message : Buffer.concat([Buffer.from(signed.prefix, "hex"), message]);
    const data = `{"${signed.member}":${text},"signature":"${base58(by.sign(bytes))}"}`;
    return call(name, { data: Buffer.from(data).toString("base64") });
  }

  /** Asks for a challenge, and reads with a proof. */
  function prove(name: string, by: Key, subject: string, more: Payload = {}): Answer {
    const proof = methodOf(name)["x-proof"];
    if (proof === undefined) throw new Error(`${name} takes no proof`);
    const [asked = ""] = Object.keys(proof.challenge.params);
    const challenge = call(proof.challenge.method, { [asked]: subject });
    const part = (path: string) => String((challenge.result as Payload)[path.replace("result.", "")]);
    const [named, nonce] = [part(proof.subject.from), part(proof.nonce.from)];
    const fill = (text: string) => text.replace("{subject}", named).replace("{nonce}", nonce);
    const signature = base58(by.sign(new TextEncoder().encode(fill(proof.text))));
    const values: Payload = { public_key: by.key, signature };
    const passed = Object.entries(proof.pass).map(([member, text]) => [member, values[member] ?? fill(text)]);
    return call(name, { ...more, ...Object.fromEntries(passed) });
  }

  return { call, send, prove };
}

/** JSON of a value, members in the order of its schema. */
export function written(document: Document, given: Schema, value: unknown, writing: Writing): string {
  const schema = resolved(document, given, value);
  if (value === null) return "null";
  if (schema === true) throw new Error(`no schema says how ${JSON.stringify(value)} is written`);
  if (Array.isArray(value)) {
    const { items } = schema as { readonly items?: Schema | readonly Schema[] };
    const of = (at: number) => (Array.isArray(items) ? items[at] : items) as Schema;
    return `[${value.map((item, at) => written(document, of(at) ?? true, item, writing)).join(",")}]`;
  }
  if (typeof value === "object") {
    const properties = (schema as { readonly properties?: Readonly<Record<string, Schema>> }).properties ?? {};
    const names = Object.keys(properties).filter((name) => name in value);
    const kept = names.filter((name) => !(writing.dropNulls && (value as Payload)[name] === null));
    const member = (name: string) =>
      `"${name}":${written(document, properties[name] ?? true, (value as Payload)[name], writing)}`;
    return `{${kept.map(member).join(",")}}`;
  }
  const isFloat = (schema as { readonly type?: string }).type === "number";
  if (isFloat && writing.floats !== "ecmascript" && Number.isInteger(value)) return `${String(value)}.0`;
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

/** The schema that a value fits: references followed, one of several chosen by the member that it has. */
function resolved(document: Document, schema: Schema, value: unknown): Schema {
  if (schema === true) return schema;
  const { $ref, allOf, oneOf } = schema as { $ref?: string; allOf?: readonly Schema[]; oneOf?: readonly Schema[] };
  if ($ref !== undefined)
    return resolved(document, document.components.schemas[$ref.split("/")[3] ?? ""] ?? true, value);
  if (allOf?.[0] !== undefined) return resolved(document, allOf[0], value);
  if (oneOf === undefined) return schema;
  const options = oneOf.map((option) => resolved(document, option, value) as { type?: string; properties?: object });
  const isOf = (option: { type?: string; properties?: object }) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.keys(value).every((name) => name in (option.properties ?? {}))
      : option.type === (value === null ? "null" : Array.isArray(value) ? "array" : typeof value) ||
        (option.type === "integer" && Number.isInteger(value));
  return (options.find(isOf) as Schema | undefined) ?? true;
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Bytes in base58. */
export function base58(bytes: Uint8Array): string {
  let number = BigInt(`0x00${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = (ALPHABET[Number(number % 58n)] ?? "") + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** SHA-256 of bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}
