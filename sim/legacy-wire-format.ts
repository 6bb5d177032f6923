/**
 * The legacy wire format, which older nodes use with their clients: keys as arrays of integers, service ids from eight
 * bytes, the checkpoint under its old name. A simulated node can be told to use it, and a client be tested against it;
 * the core behind it is today's, and nothing of ours ever uses it by itself.
 * Source: protocol 01 §1.3, §14.1 row 12; 05 §1.4, part 13 row 17; DESIGN §7 #18.
 */
import { olderNames, serviceIds } from "../adapters/client/older-nodes.ts";
import type { Json, Schema } from "../core/index.ts";
import { decodeJson, fromBase58, isNumber, isObject, methods, parseJson } from "../core/index.ts";

const SERVICES = ["node", "snapshot"] as const;

/** Bodies at a node's doorstep, to and from today's form. */
export interface LegacyWireFormat {
  /** A request as today's nodes read it; what an older node does not know, they do not know either. */
  decode(body: string): string;
  /** The answer to a request that was made in the old form, as older nodes write it. */
  encode(request: string, answer: string): string;
}

/** Knows the old service ids of those whose public keys are given. */
export function openLegacyWireFormat(publicKeys: () => Iterable<Uint8Array>): LegacyWireFormat {
  const pairs = () => [...publicKeys()].flatMap(idsOf);
  return {
    decode(body) {
      const parsed = parseJson(body);
      if (!parsed.ok) return body;
      const other = new Map([...pairs(), ...pairs().map(([now, old]) => [old, now] as const)]);
      return jsonText(parsed.value, (text, name) => (name === "method" ? exchanged(text) : (other.get(text) ?? text)));
    },
    encode(request, answer) {
      const [asked, told] = [parseJson(request), parseJson(answer)];
      if (!asked.ok || !told.ok) return answer;
      const old = new Map(pairs());
      const names = methodsById(asked.value);
      const write = (one: Json) => answerText(one, names, (text) => old.get(text) ?? text);
      return Array.isArray(told.value) ? `[${told.value.map(write).join(",")}]` : write(told.value);
    },
  };
}

type IdPairs = readonly (readonly [string, string])[];
/** Ids hang on the key alone, and are asked for at every call. */
const known = new WeakMap<Uint8Array, IdPairs>();

/** The ids of a key's services, each today's and the old one. */
function idsOf(publicKey: Uint8Array): IdPairs {
  const pairs = known.get(publicKey) ?? SERVICES.map((service) => serviceIds(service, publicKey));
  known.set(publicKey, pairs);
  return pairs;
}

/** Either name of a method for the other. */
function exchanged(method: string): string {
  for (const [now, old] of Object.entries(olderNames)) {
    if (method === old) return now;
    if (method === now) return old;
  }
  return method;
}

/** The methods of a request, as today's nodes call them, by the text of the call's id. */
function methodsById(request: Json): ReadonlyMap<string, string> {
  const calls: readonly Json[] = Array.isArray(request) ? request : [request];
  const named = new Map<string, string>();
  for (const call of calls) {
    if (!isObject(call)) continue;
    const method = call.members.get("method");
    if (typeof method === "string") named.set(jsonText(call.members.get("id") ?? null, same), exchanged(method));
  }
  return named;
}

type Respell = (text: string, member: string | undefined) => string;
const same: Respell = (text) => text;

function answerText(answer: Json, named: ReadonlyMap<string, string>, respell: Respell): string {
  if (!isObject(answer)) return jsonText(answer, same);
  const row = methods[named.get(jsonText(answer.members.get("id") ?? null, same)) ?? ""];
  return objectText(answer.members, (name, value) =>
    name === "result" && row !== undefined ? shapedText(row.result, value, respell) : jsonText(value, same),
  );
}

/** The JSON of a value of a schema, its keys as arrays of integers. */
function shapedText(schema: Schema<unknown>, value: Json, respell: Respell): string {
  const { shape } = schema;
  switch (shape.type) {
    case "text":
      return shape.form === "public-key" && typeof value === "string" ? keyText(value) : jsonText(value, respell);
    case "option":
      return value === null ? "null" : shapedText(shape.of, value, respell);
    case "list":
      return Array.isArray(value)
        ? `[${value.map((one) => shapedText(shape.of, one, respell)).join(",")}]`
        : jsonText(value, respell);
    case "struct":
    case "variants": {
      const fields = shape.type === "struct" ? shape.fields : shape.of;
      if (!isObject(value)) return jsonText(value, respell);
      return objectText(value.members, (name, member) => {
        const field = fields[name];
        return field === undefined ? jsonText(member, respell) : shapedText(field, member, respell);
      });
    }
    case "either":
    case "kinds": {
      const form = Object.values(shape.of).find((one) => decodeJson(one, value).ok);
      return form === undefined ? jsonText(value, respell) : shapedText(form, value, respell);
    }
    default:
      return jsonText(value, respell);
  }
}

function keyText(key: string): string {
  const bytes = fromBase58(key);
  return bytes === undefined ? JSON.stringify(key) : `[${[...bytes].join(",")}]`;
}

function objectText(members: ReadonlyMap<string, Json>, write: (name: string, value: Json) => string): string {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${write(name, value)}`).join(",")}}`;
}

/** JSON as it was read, with other texts for some. */
function jsonText(value: Json, respell: Respell, member?: string): string {
  if (typeof value === "string") return JSON.stringify(respell(value, member));
  if (value === null || typeof value === "boolean") return String(value);
  if (isNumber(value)) return value.text;
  if (isObject(value)) return objectText(value.members, (name, inner) => jsonText(inner, respell, name));
  return `[${value.map((inner) => jsonText(inner, respell)).join(",")}]`;
}
