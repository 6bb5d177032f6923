/**
 * Random values of schemas, and payloads made of them that are plausible enough to be taken now and then: known people,
 * known records, near times, small numbers. It needs fast-check. Source: protocol 01 §4, §11.
 */
import fc from "fast-check";
import type { Schema, SignedType } from "../../core/index.ts";
import { arbitraryOf } from "../arbitraries/of-schema.ts";
import { memberRead } from "../arbitraries/signed.ts";
import { settlementMints } from "../chain/genesis.ts";
import { below, pick } from "../random.ts";
import type { Actor } from "./actor.ts";
import { plausiblePayloads } from "./plausible-payloads.ts";

/** How long what ends by itself is good for, in milliseconds. Source: DESIGN "Simulated world". */
const LIFETIME_MS = 3_600_000n;
const TEXTS = ["first", "the second one", "três", "kvartalas", "five\nlines", "6"];
const PEOPLE_FORMS: readonly unknown[] = ["peer-id", "public-key"];

/** The value of a schema that a seed gives. */
export function randomValue<T>(schema: Schema<T>, seed: number): T {
  const [drawn] = fc.sample(arbitraryOf(schema), { seed, numRuns: 1 });
  return drawn as T;
}

/** A payload of a type: random, then made plausible by schema, then by type. */
export function payloadOf(type: SignedType, actor: Actor, n: number): Readonly<Record<string, unknown>> {
  const { wallet, now, stream } = actor;
  const drawn = randomValue(type.payload, below(stream, n, 1 << 30));
  const record = drawn as Readonly<Record<string, unknown>>;
  const [signer, key, time, id] = [type.signerOf, type.keyOf, type.timeOf, type.idOf].map((read) =>
    memberRead(record, read as never),
  );
  const mine: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries<Schema<unknown>>(type.payload.fields)) {
    mine[name] = name === id ? freshId(type, actor) : plausible(schema, record[name], { name, type, actor });
  }
  const payload = { ...mine, ...(signer && { [signer]: wallet.peer }), ...(key && { [key]: wallet.publicKey }) };
  const dated = { ...payload, ...(time && { [time]: now }) };
  return { ...dated, ...plausiblePayloads[type.name]?.(dated, actor) };
}

interface Spot {
  readonly name: string;
  readonly type: SignedType;
  readonly actor: Actor;
}

/** Something like a value that makes sense: known people, known records, near times, small numbers. */
function plausible(schema: Schema<unknown>, value: unknown, spot: Spot): unknown {
  const { shape } = schema;
  switch (shape.type) {
    case "text":
      return plausibleText(shape.form, value as string, spot);
    case "integer":
      return plausibleNumber(value as number | bigint, spot);
    case "list":
      return (value as readonly unknown[]).slice(0, 3).map((item) => plausible(shape.of, item, spot));
    case "option":
      return value === null ? null : plausible(shape.of, value, spot);
    case "struct":
      return Object.fromEntries(
        Object.entries(shape.fields).map(([name, field]) => [
          name,
          plausible(field, (value as Readonly<Record<string, unknown>>)[name], { ...spot, name }),
        ]),
      );
    case "variants":
      return Object.fromEntries(
        Object.entries(value as Readonly<Record<string, unknown>>).map(([name, inner]) => {
          const chosen = shape.of[name];
          return [name, chosen === undefined ? inner : plausible(chosen, inner, { ...spot, name })];
        }),
      );
    default:
      return value;
  }
}

function plausibleText(form: string, value: string, { name, type, actor }: Spot): string {
  const { stream, people, fresh, wallet } = actor;
  const n = fresh + name.length;
  if (PEOPLE_FORMS.includes(form)) {
    const someone = people.length === 0 ? wallet : pick(stream, n, people);
    return form === "peer-id" ? someone.peer : someone.publicKey;
  }
  if (form === "mint") return pick(stream, n, settlementMints).mint;
  if (form === "payment-method") return "builtin:bank-transfer";
  if (form !== "plain") return value;
  const kind = name === "id" ? aboutKind(type) : name.replace(/_id$/, "").toLowerCase();
  return recordOf(kind, actor) ?? pick(stream, n, TEXTS);
}

/**
 * An id that nobody has yet; ids are free text, so one of three names its author. One of eight is taken already, and a
 * node that knows so refuses it.
 */
function freshId({ outer, creates }: SignedType, actor: Actor): string {
  const { wallet, fresh } = actor;
  const taken = fresh % 8 === 0 && creates !== undefined ? recordOf(creates, actor) : undefined;
  if (taken !== undefined) return taken;
  return fresh % 3 === 0 ? `${wallet.peer} ${fresh}` : `${outer} ${fresh}`;
}

function aboutKind(type: SignedType): string {
  return type.about({} as never)?.kind ?? "";
}

/** The id of a record of a kind: of one that the actor has a part in, where there is one. */
function recordOf(kind: string, { observed, wallet, stream, fresh }: Actor): string | undefined {
  const all = observed.filter(({ type, id }) => type.creates === kind && id !== undefined);
  const own = all.filter(({ texts }) => texts.includes(wallet.peer));
  const from = own.length > 0 && below(stream, fresh + 7, 4) > 0 ? own : all;
  return from.length === 0 ? undefined : pick(stream, fresh + 8, from).id;
}

function plausibleNumber(value: number | bigint, { name, actor }: Spot): number | bigint {
  const { now, stream, fresh } = actor;
  if (name === "version") return now;
  if (/(_at|_millis|timestamp)$/.test(name)) return now + LIFETIME_MS;
  if (typeof value === "bigint") return BigInt(1 + below(stream, fresh + name.length, 1_000_000));
  return name === "decimals" ? 6 : value;
}
