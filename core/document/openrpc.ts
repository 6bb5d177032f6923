/**
 * The OpenRPC 1.2.6 document, folded from the method table: all that a client is built from. Beside what OpenRPC has,
 * `x-signing` says once how payloads are written and signed, `x-signed` which one a method takes, `x-proof` which text
 * proves a wallet, `x-errors` what each refusal means, `x-story` how the examples follow on each other.
 * Source: protocol 01 §10.8; DESIGN §7 #23.
 */

import { ID_BYTES_MAX, isIdMember } from "../engine/admission/ingress.ts";
import type { JsonSchema, SchemaStyle } from "../engine/json-schema.ts";
import { recordSchema, schemaOf } from "../engine/json-schema.ts";
import type { MethodRow } from "../engine/method.ts";
import type { ErrorCode } from "../errors.ts";
import { errorData } from "../errors.ts";
import { toHex, u32be } from "../kernel/bytes.ts";
import type { Schema } from "../kernel/schema.ts";
import type { SignedType } from "../kernel/signed.ts";
import { compareText, utf8 } from "../kernel/text.ts";
import { reasons } from "../reasons.ts";
import { causes, reasonsOf } from "./causes.ts";
import type { Story } from "./examples.ts";
import { aboutStory, examplesOf } from "./examples.ts";
import { groups } from "./groups.ts";
import { membersOfNetworks } from "./members-of-networks.ts";
import { membersOfTrades } from "./members-of-trades.ts";
import { signing } from "./signing.ts";

/**
 * What members mean, by name, and by `Record.member` where a record means something else. Marked as pure, so that
 * bundles of clients leave these texts out. Source: DESIGN §7 #23.
 */
export const members: Readonly<Record<string, string>> = /* @__PURE__ */ Object.assign(
  {},
  membersOfTrades,
  membersOfNetworks,
);

/** What a member of a record means. */
export function meaningOf(record: string, member: string): string | undefined {
  const own = `${record}.${member}`;
  return Object.hasOwn(members, own) ? members[own] : Object.hasOwn(members, member) ? members[member] : undefined;
}

/** The document's text. `url` is where this copy's server answers; the story is what its examples are taken from. */
export function openRpcDocument(
  methods: Readonly<Record<string, MethodRow>>,
  version: string,
  server: { readonly name: string; readonly url: string },
  story: Story,
): string {
  const rows = Object.entries(methods).sort(([a], [b]) => compareText(a, b));
  const { style, schemas } = components(
    new Set(rows.flatMap(([, { mutation }]) => (mutation?.signed ?? []).map((type) => type.name))),
  );
  const examples = examplesOf(story);
  return JSON.stringify({
    openrpc: "1.2.6",
    info: { title: "OpenFiat Node API", version, description: "Every method this node dispatches." },
    servers: [server],
    methods: rows.map(([name, row]) => ({ ...methodObject(name, row, style), examples: examples.get(name) ?? [] })),
    components: { schemas: Object.fromEntries([...schemas].sort(([a], [b]) => compareText(a, b))) },
    "x-groups": groups,
    "x-signing": signing,
    "x-story": aboutStory(story),
    "x-errors": [
      { code: -32700, cause: "The body is not JSON, or no JSON-RPC request." },
      { code: -32601, cause: "There is no such method." },
      {
        code: -32602,
        cause: "The parameters, or the payload inside data, do not fit their schema; the message says where.",
      },
      { code: -32603, cause: "The node stopped before it answered." },
      errorObject("RATE_LIMIT_EXCEEDED", ["answer-too-long"]),
      errorObject("DATABASE_ERROR", []),
    ],
  });
}

/** Members that are held to the form of an id under another name. Source: protocol 02 G.5, H. */
const idsElsewhere: ReadonlySet<string> = new Set(["AttachmentPublish.subject", "ReviewPublish.settlement"]);

/** Named records stand once, and are referred to; answers and payloads have every member, ids of payloads a bound. */
function components(payloads: ReadonlySet<string>): {
  readonly style: SchemaStyle;
  readonly schemas: Map<string, JsonSchema>;
} {
  const schemas = new Map<string, JsonSchema>();
  const style: SchemaStyle = {
    complete: true,
    sizes: true,
    describe: meaningOf,
    idBytes: (record, member) =>
      (payloads.has(record) && isIdMember(member)) || idsElsewhere.has(`${record}.${member}`)
        ? ID_BYTES_MAX
        : undefined,
    refer(record) {
      if (!schemas.has(record.name)) {
        schemas.set(record.name, {});
        schemas.set(record.name, { title: record.name, ...recordSchema(record, style) });
      }
      return { $ref: `#/components/schemas/${record.name}` };
    },
  };
  return { style, schemas };
}

function methodObject(name: string, row: MethodRow, style: SchemaStyle): JsonSchema {
  const group = Object.keys(groups).find((each) => groups[each]?.includes(name));
  return {
    name,
    summary: name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`),
    description: row.doc,
    ...(group !== undefined && { tags: [{ name: group }] }),
    paramStructure: "by-name",
    params: paramsOf(row),
    result: { name: "result", schema: schemaOf(row.result, style) },
    ...(row.mutation !== undefined && { "x-signed": row.mutation.signed.map((type) => signedObject(type, style)) }),
    ...(row.proof !== undefined && { "x-proof": proofObject(row) }),
    errors: errorsOf(row).map((code) => ({ code: -32000, message: code, data: errorData(code) })),
    "x-errors": errorsOf(row).map((code) => errorObject(code, reasonsOf(name, row, code))),
  };
}

/** What whatever is signed may be refused for: a record that is sealed or whose life is over, and want of room. */
const OF_SIGNED: readonly ErrorCode[] = ["INVALID_REQUEST", "RATE_LIMIT_EXCEEDED"];

/** What a method may answer. */
function errorsOf({ errors, mutation }: MethodRow): readonly ErrorCode[] {
  return mutation === undefined ? errors : [...new Set([...errors, ...OF_SIGNED])];
}

/** Parameters by name; records inside them are given, so their options may be left out. */
function paramsOf({ params, need }: MethodRow): readonly JsonSchema[] {
  return Object.entries(params.fields).map(([name, field]) => {
    const description = meaningOf(params.name, name);
    return {
      name,
      ...(description !== undefined && { description }),
      required: need === "required" && !("absent" in field),
      schema: schemaOf(field as Schema<unknown>, { describe: meaningOf, sizes: true }),
    };
  });
}

/** What `data` holds, and which bytes of it are signed. */
function signedObject({ outer, tag, forms, payload, members: named }: SignedType, style: SchemaStyle): JsonSchema {
  const fields = Object.entries(payload.fields);
  return {
    member: outer,
    order: Object.keys(payload.fields),
    required: fields.filter(([, field]) => !("absent" in field)).map(([name]) => name),
    signer: named.signer,
    key: named.key ?? null,
    dated: named.time ?? null,
    forms: forms === "both" ? ["tagged", "bare"] : ["tagged"],
    tag,
    prefix: toHex(new Uint8Array([...u32be(tag.length), ...utf8(tag)])),
    floats: payload.floats === true,
    payload: schemaOf(payload, style),
  };
}

/** The text that proves a subject, and where its parts come from. */
function proofObject({ proof, params }: MethodRow): JsonSchema {
  const { domain, challenge, subject = "wallet" } = proof ?? { domain: "", challenge: "" };
  const isWallet = subject === "wallet";
  const named = "public_key" in params.fields;
  return {
    text: `${domain}:{subject}:{nonce}`,
    challenge: {
      method: challenge,
      params: { [isWallet ? "wallet" : "id"]: isWallet ? "the wallet, in either spelling" : "the service's id" },
    },
    subject: isWallet
      ? { from: "result.subject", spelling: "as the challenge answers it: the spelling that it was asked with" }
      : { from: "result.service_id", spelling: "the service's id" },
    nonce: { from: "result.nonce", uses: 1, lifetimeMs: 300_000 },
    signedBy: isWallet ? "the wallet's key" : "the key of the service's provider",
    pass: isWallet
      ? { wallet: "{subject}", ...(named && { public_key: "the key" }), nonce: "{nonce}", signature: "the signature" }
      : { id: "{subject}", nonce: "{nonce}", signature: "the signature" },
    spellings: "public_key and signature in base64 (standard alphabet, padded) or base58",
    optional: params.fields["nonce"] !== undefined && "absent" in params.fields["nonce"],
  };
}

function errorObject(code: ErrorCode, given: ReturnType<typeof reasonsOf>): JsonSchema {
  const { ofsErrorCode, ofsRetryable } = errorData(code);
  return {
    code: -32000,
    name: code,
    ofsErrorCode,
    retryable: ofsRetryable,
    ...(Object.hasOwn(causes, code) && { cause: causes[code as keyof typeof causes] }),
    reasons: given.map((reason) => ({ reason, cause: reasons[reason] })),
  };
}
