/**
 * People who publish whatever can be published: a statement of a given type with random content, made plausible enough
 * to be taken now and then. It follows the schemas, so a new type is published the moment a method takes it; what a
 * type's own checks want beyond that stands in `plausiblePayloads`. Source: protocol 01 §4, §11.
 */
import fc from "fast-check";
import type { Schema, SignedType } from "../../core/index.ts";
import { methods } from "../../core/index.ts";
import { arbitraryOf } from "../arbitraries/of-schema.ts";
import { memberRead } from "../arbitraries/signed.ts";
import { settlementMints } from "../chain/genesis.ts";
import type { Person } from "../person.ts";
import type { Stream } from "../random.ts";
import { below, openStream, pick } from "../random.ts";
import type { Scene } from "../scene.ts";
import type { CodeAction as Action } from "./action-row.ts";
import type { Actor } from "./actor.ts";
import { observedBy } from "./observed-statements.ts";
import { plausiblePayloads } from "./plausible-payloads.ts";
import type { When } from "./trade-terms.ts";

/** How often somebody tries to publish something that is taken. Source: DESIGN "Simulated world". */
const TRIES = 4;
/** How long what ends by itself is good for, in milliseconds. Source: DESIGN "Simulated world". */
const LIFETIME_MS = 3_600_000n;
const TEXTS = ["first", "the second one", "três", "kvartalas", "five\nlines", "6"];
const PEOPLE_FORMS: readonly unknown[] = ["peer-id", "public-key"];

/** A send and one of the types that it takes. */
export interface Publication {
  readonly method: string;
  readonly type: SignedType;
}

/** Everything that can be published, in the order of the method table. */
export function publications(): readonly Publication[] {
  return Object.entries(methods).flatMap(([method, row]) =>
    (row.mutation?.signed ?? []).map((type) => ({ method, type: type as SignedType })),
  );
}

/** Publishes a statement of a type; a node that refuses it is asked again with another. */
export function publish(actor: string, { method, type }: Publication, when: When): Action {
  return {
    ...{ name: `publish ${type.name}`, actor, ...when },
    *run(person, scene) {
      const stream = openStream(scene.world.seed, `publish/${actor}/${type.name}/${when.at}`);
      for (let n = 0; n < TRIES; n++) {
        const payload = payloadOf(type, actorOf(person, scene, stream, n), n);
        const answer = yield* person.ask(method, {
          data: person.wallet.data(type, payload as never, formOf(stream, n)),
        });
        if (answer.type !== "refused") return;
      }
    },
  };
}

function formOf(stream: Stream, n: number): "bare" | "tagged" {
  return below(stream, 10 + n, 2) === 0 ? "bare" : "tagged";
}

function actorOf(person: Person, scene: Scene, stream: Stream, n: number): Actor {
  return {
    wallet: person.wallet,
    now: person.now(),
    people: [...scene.world.people()],
    observed: observedBy(scene.world, person.via),
    view: scene.world.nodes[person.via]?.driver()?.view,
    crypto: scene.world.crypto,
    stream,
    fresh: below(stream, 20 + n, 1 << 30),
  };
}

/** A payload of a type: random, then made plausible by schema, then by type. */
function payloadOf(type: SignedType, actor: Actor, n: number): Readonly<Record<string, unknown>> {
  const { wallet, now, stream } = actor;
  const [drawn] = fc.sample(arbitraryOf(type.payload), { seed: below(stream, n, 1 << 30), numRuns: 1 });
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

/** An id that nobody has yet; ids are free text, so one of three names its author. */
function freshId({ outer }: SignedType, { wallet, fresh }: Actor): string {
  return fresh % 3 === 0 ? `${wallet.peer} ${fresh}` : `${outer} ${fresh}`;
}

function aboutKind(type: SignedType): string {
  return type.about({} as never)?.kind ?? "";
}

/** The id of a record of a kind: of one that the actor has a part in, where there is one. */
export function recordOf(kind: string, { observed, wallet, stream, fresh }: Actor): string | undefined {
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
