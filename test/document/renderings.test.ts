/**
 * Goal: of every signed type of the document, each rendering that `x-signing` names is taken, and each near miss of it
 * is refused for its bytes (DESIGN §7 #20, #23; protocol 01 §2.2, §3.4).
 * Method: renderings and near misses are made of the schemas in the document; they sign each send of the story of the
 * examples, near misses at the node that the story is told to, the rest at copies of it.
 */
import { expect, test } from "vitest";
import { methods, openRpcDocument } from "../../core/index.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import type { Answer, Document, Key, Signed } from "./client-from-document.ts";
import { base58, keyOf, written } from "./client-from-document.ts";
import { keptStory, toldStory } from "./story/story.ts";

type Payload = Readonly<Record<string, unknown>>;
type Form = "tagged" | "bare";
/** A text that is sent, and the one that is signed. */
interface Rendering {
  readonly name: string;
  readonly sent: string;
  readonly signed: string;
}

const document = JSON.parse(
  openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, { keys: [], calls: [] }),
) as Document;
const keys = new Map(
  [...keptStory().keys.map(({ secret }) => secret), "09".repeat(32)].map((secret) => {
    const key = keyOf(new Uint8Array(Buffer.from(secret, "hex")));
    return [key.peer, key];
  }),
);

/** The payload with one nullable member empty, for each that is not; and with floats, which have no fraction. */
function variants({ payload: schema }: Signed, payload: Payload): readonly Payload[] {
  const { properties = {} } = recordAt(schema) as { readonly properties?: Readonly<Record<string, unknown>> };
  const nullable = Object.keys(properties).filter((name) => JSON.stringify(properties[name]).endsWith('"null"}]}'));
  const floats = nullable.filter((name) => JSON.stringify(properties[name]).includes('"number"'));
  const whole = (_: string, value: unknown) => (typeof value === "number" && !Number.isInteger(value) ? 130 : value);
  const rounded = JSON.stringify(payload, whole);
  return [
    ...nullable.filter((name) => payload[name] !== null).map((name) => ({ ...payload, [name]: null })),
    ...floats.filter((name) => payload[name] === null).map((name) => ({ ...payload, [name]: 130 })),
    ...(rounded === JSON.stringify(payload) ? [] : [JSON.parse(rounded) as Payload]),
  ];
}

/** Every text that a client may sign for a payload, and texts of it that it may send. */
function accepted({ payload: schema }: Signed, payload: Payload): readonly Rendering[] {
  const text = written(document, schema, payload, {});
  const same = (name: string, each: string): Rendering => ({ name, sent: each, signed: each });
  const dropped = written(document, schema, payload, { dropNulls: true });
  const floats = written(document, schema, payload, { floats: "ecmascript" });
  const loose = JSON.stringify({ unknown: [1], ...backwards(payload) }, null, 1);
  return [
    same("as it is written", text),
    { name: "sent backwards, with white space and a member more", sent: loose, signed: text },
    ...(dropped === text ? [] : [same("empty members left out", dropped)]),
    ...(dropped === text ? [] : [{ name: "empty members left out of what is sent", sent: dropped, signed: text }]),
    ...(floats === text ? [] : [same("floats of JSON.stringify", floats)]),
  ];
}

/** Texts that a careless client might sign. */
function nearMisses({ payload: schema, order }: Signed, payload: Payload): readonly Rendering[] {
  const text = written(document, schema, payload, {});
  const [first = "", second = ""] = order;
  const inOrder = JSON.parse(text) as Payload;
  const { [first]: moved, ...rest } = inOrder;
  const inner = Object.keys(payload).find((name) => isRecord(payload[name]) && Object.keys(payload[name]).length > 1);
  const nested = inner === undefined ? inOrder : { ...inOrder, [inner]: backwards(payload[inner] as Payload) };
  const empty = order.filter((name) => payload[name] === null);
  const miss = (name: string, signed: string): Rendering => ({ name, sent: text, signed });
  const [last] = empty;
  const partly = text.replace(`"${last}":null,`, "").replace(`,"${last}":null`, "");
  return [
    miss("another order", JSON.stringify({ ...rest, [first]: moved })),
    miss("another order inside", JSON.stringify(nested)),
    miss("white space after a colon", text.replace(":", ": ")),
    miss("white space after a comma", text.replace(',"', ', "')),
    miss("a line's end", `${text}\n`),
    miss("a member more at the end", `${text.slice(0, -1)},"unknown":null}`),
    miss("a member more at the start", text.replace("{", '{"unknown":1,')),
    miss("a member twice", text.replace("{", `{"${second}":null,`)),
    miss(
      "a text escaped otherwise",
      text.replace(/^\{"(.)/, (_, letter: string) => `{"${escaped(letter)}`),
    ),
    ...(last === undefined ? [] : [miss("an empty member left out of what is signed alone", partly)]),
  ].filter(({ signed }) => signed !== text);
}

/** What wraps the text: a near miss of the tag, and a form that the type does not have. */
function wrongWraps({ prefix, forms, tag }: Signed): readonly (readonly [string, (text: string) => Uint8Array])[] {
  const wrap = (hex: string) => (text: string) => Buffer.concat([Buffer.from(hex, "hex"), Buffer.from(text)]);
  const length = Buffer.from(prefix, "hex").readUInt32LE(0).toString(16).padStart(8, "0");
  return [
    ["the tag without its length", wrap(prefix.slice(8))],
    ["the length's bytes backwards", wrap(length + prefix.slice(8))],
    ["the tag of another version", wrap(prefix.slice(0, 8) + Buffer.from(tag.replace("/v1", "/v2")).toString("hex"))],
    ...(forms.includes("bare") ? [] : [["no tag", wrap("")] as const]),
  ];
}

function wrapped({ prefix }: Signed, form: Form, text: string): Uint8Array {
  return Buffer.concat([Buffer.from(form === "tagged" ? prefix : "", "hex"), Buffer.from(text)]);
}

function answerOf(node: LoneNode, method: string, signed: Signed, sent: string, by: Key, bytes: Uint8Array): Answer {
  const data = `{"${signed.member}":${sent},"signature":"${base58(by.sign(bytes))}"}`;
  const params = { data: Buffer.from(data).toString("base64") };
  return JSON.parse(node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })) ?? "") as Answer;
}

const seen = new Set<string>();
const found: string[] = [];
const taken = new Map<string, number>();
const refused = new Map<string, number>();

/** Tries one send of the story in every way; its first of each type. */
function tried(method: string, params: Payload, node: LoneNode, copy: () => LoneNode): void {
  const types = document.methods.find(({ name }) => name === method)?.["x-signed"] ?? [];
  if (types.length === 0) return;
  const data = JSON.parse(Buffer.from(String(params["data"] ?? ""), "base64").toString() || "{}") as Payload;
  const type = types.find(
    ({ member, order }) => member in data && order.every((name) => name in (data[member] as object)),
  );
  if (type === undefined || seen.has(type.tag)) return;
  seen.add(type.tag);
  const payload = data[type.member] as Payload;
  const by = keys.get(String(payload[type.signer]));
  if (by === undefined) throw new Error(`${method}: nobody has the key of ${String(payload[type.signer])}`);
  const text = written(document, type.payload, payload, {});
  const usual = JSON.stringify(answerOf(copy(), method, type, text, by, wrapped(type, "tagged", text)));

  for (const form of type.forms) {
    for (const [at, each] of [payload, ...variants(type, payload)].entries()) {
      const answers = accepted(type, each).map(({ name, sent, signed }) => {
        taken.set(name, (taken.get(name) ?? 0) + 1);
        return [name, JSON.stringify(answerOf(copy(), method, type, sent, by, wrapped(type, form, signed)))] as const;
      });
      // With a member emptied the node may refuse the terms, but each rendering alike, and none for its bytes.
      const expected = at === 0 ? usual : (answers[0]?.[1] ?? "");
      for (const [name, answer] of answers)
        if (answer !== expected || /INVALID_SIGNATURE|-32602/.test(answer))
          found.push(`${type.tag} ${form} ${name}: ${answer}`);
    }
    for (const { name, sent, signed } of nearMisses(type, payload))
      isRefused(`${form} ${name}`, answerOf(node, method, type, sent, by, wrapped(type, form, signed)));
  }
  for (const [name, wrap] of wrongWraps(type)) isRefused(name, answerOf(node, method, type, text, by, wrap(text)));

  function isRefused(name: string, { error }: Answer): void {
    refused.set(name, (refused.get(name) ?? 0) + 1);
    const why = `${error?.message} ${String(error?.data?.["reason"])}`;
    if (why !== "INVALID_SIGNATURE other-bytes") found.push(`${type?.tag} ${name}: ${why}`);
  }
}

test("each rendering of each signed type is taken, and each near miss is refused for its bytes", () => {
  const { calls } = toldStory(tried);
  expect(found).toEqual([]);
  const all = document.methods.flatMap(({ "x-signed": types = [] }) => types.map(({ tag }) => tag));
  expect(all.filter((each) => !seen.has(each))).toEqual([]);
  expect(calls).toEqual(keptStory().calls.map((call) => expect.objectContaining({ method: call.method })));
  // Every way was tried with several types, and those that all types have with all of them.
  expect([...taken].filter(([, count]) => count < 4)).toEqual([]);
  expect([taken.size, [...refused].filter(([, count]) => count < 3)]).toEqual([5, []]);
  expect(refused.get("the tag without its length")).toBe(seen.size);
});

/** The schema of a record, wherever it stands. */
function recordAt(schema: Signed["payload"]): object {
  const at = (schema as { readonly $ref?: string }).$ref?.split("/").at(-1);
  return (at === undefined ? schema : document.components.schemas[at]) as object;
}

function backwards(value: Payload): Payload {
  return Object.fromEntries(Object.entries(value).reverse());
}

function isRecord(value: unknown): value is Payload {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function escaped(letter: string): string {
  return `\\u00${letter.charCodeAt(0).toString(16)}`;
}
