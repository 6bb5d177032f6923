/**
 * The public-read probe: a stranger calls every public method of the table with every id, wallet and content identifier
 * that exists, alone, in batches and wrongly; and people read everything that a proof of their own wallet opens.
 * Parameters follow the rows, so a new method is called the moment it is there. Source: protocol 01 §11.
 */
import type { Infer, MethodRow, Schema } from "../../core/index.ts";
import { methods, TRANSCRIPT, toBase58, u32, utf8 } from "../../core/index.ts";
import { may } from "../data/optional.ts";
import type { Person } from "../person.ts";
import type { Stream } from "../random.ts";
import { below, openStream, pick } from "../random.ts";
import type { Scene } from "../scene.ts";
import type { Granted, Script } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { drawing, prepareDrawing } from "./drawing.ts";
import { idsIn, observedBy, textsIn } from "./observed-statements.ts";
import type { When } from "./trade-terms.ts";

/** Members of one batch. Source: protocol 01 §10.2 allows 100. */
const BATCH = 100;
/** Random calls of a row whose parameters no list can exhaust. Source: DESIGN "Simulated world". */
const RANDOM_CALLS = 6;
/** Texts of answers that are asked about in turn. Source: DESIGN "Simulated world". */
const LEARNED_MAX = 2_000;
/** Services of others whose earnings somebody tries to read. Source: DESIGN "Simulated world". */
const SERVICES_MAX = 12;
/** Members of a proof; a stranger who fills them in holds none. */
const PROOF = ["public_key", "nonce", "signature"];

/** What a stranger can fill parameters with. */
interface KnownTexts {
  readonly ids: readonly string[];
  readonly wallets: readonly string[];
}

/** One call; its parameters are spelled, as JSON text, once it is made: most are only drawn from. */
interface Call {
  readonly method: string;
  readonly params: () => string | undefined;
}

/** When a stranger reads, and how much. */
export interface PublicReadProbe extends When {
  /** Calls drawn from all, beside one of every row; absent, every one is made. */
  readonly calls?: number;
}

export const probeForms = {
  "probe-public-reads": actionForm("probe-public-reads", { calls: may(u32) }),
  "read-own": actionForm("read-own", {}),
};

type Of<K extends keyof typeof probeForms> = Infer<(typeof probeForms)[K]>;

/** Asks one node everything, and then again with what the answers said. */
export function probePublicReads(actor: string, { calls, ...when }: PublicReadProbe): Of<"probe-public-reads"> {
  return { ...begins("probe-public-reads", actor, when), ...(calls !== undefined && { calls }) };
}

/** Reads everything that a proof of one's own wallet or service opens, about every statement that was observed. */
export function readOwn(actor: string, when: When): Of<"read-own"> {
  return begins("read-own", actor, when);
}

export const probeRows: ActionRows<typeof probeForms> = {
  "probe-public-reads": {
    title: () => "probe public reads",
    prepare: prepareDrawing,
    *run(person, scene, { actor, at, via = person.via, calls }) {
      const stream = openStream(scene.world.seed, `public-read-probe/${actor}/${via}/${at}`);
      const known = scene.witness(() => ({ ids: idsIn(observedBy(scene.world, via)), wallets: walletsOf(scene) }));
      const learned = new Set<string>();
      yield* askAll(person, stream, known, calls, learned);
      for (const text of known.ids) learned.delete(text);
      const more = [...learned].slice(0, LEARNED_MAX);
      yield* askAll(person, stream, { ids: more, wallets: [] }, calls, new Set());
    },
  },
  "read-own": {
    title: () => "read own",
    *run(person, scene, { via = person.via }) {
      const { settlements, services } = scene.witness(() => {
        const observed = observedBy(scene.world, via);
        const ids = (kind: string) => observed.flatMap(({ type, id }) => (type.creates === kind && id ? [id] : []));
        return { settlements: [...new Set(ids("settlement"))], services: ids("service").slice(0, SERVICES_MAX) };
      });
      for (const [method, row] of Object.entries(methods)) {
        if (row.proof === undefined) continue;
        const about = "id" in row.params.fields ? settlements.map((id) => ({ id })) : [{}];
        for (const more of about) yield* prove(person, method, row.proof, more);
      }
      for (const id of services) yield* readEarnings(person, id);
    },
  },
};

function* askAll(
  person: Person,
  stream: Stream,
  known: KnownTexts,
  limit: number | undefined,
  learned: Set<string>,
): Script {
  const rows = Object.entries(methods).map(([method, row]) => [...callsOf(method, row, known, stream)]);
  const every = rows.flat();
  const drawn = limit === undefined ? every : drawnFrom(rows, limit, stream);
  for (let from = 0; from < drawn.length; from += BATCH) {
    const bodies = drawn.slice(from, from + BATCH).map((call, place) => bodyOf(call, place));
    // Now and then one alone: its envelope is not that of a batch.
    const alone = bodies[below(stream, from, bodies.length)] ?? "";
    learn(learned, yield* post(person, alone));
    learn(learned, yield* post(person, `[${bodies.join(",")}]`));
  }
  for (const body of nonsense(known)) learn(learned, yield* post(person, body));
}

/** Some calls of all, and at least one of every row. */
function drawnFrom(rows: readonly (readonly Call[])[], limit: number, stream: Stream): readonly Call[] {
  const every = rows.flat();
  const some = Array.from({ length: limit }, (_, n) => pick(stream, 1_000 + n, every));
  return [...rows.flatMap((calls, n) => (calls.length > 0 ? [pick(stream, 100_000 + n, calls)] : [])), ...some];
}

function* post(person: Person, body: string): Script<Granted> {
  return yield { type: "call", node: person.via, body };
}

function learn(learned: Set<string>, answer: Granted): void {
  if (typeof answer !== "string" || learned.size >= LEARNED_MAX) return;
  for (const text of textsIn(JSON.parse(answer))) if (text.length < 200) learned.add(text);
}

/** Every name under which people are asked for: peer id and key in both alphabets. */
function walletsOf(scene: Scene): readonly string[] {
  const people = [...scene.world.people(), ...scene.world.nodes.map((node) => node.wallet)];
  return people.flatMap((wallet) => [wallet.peer, wallet.parameter("base64"), wallet.publicKey]);
}

/** All calls of a row that known texts can fill: right ones, ones with a false proof, and ones that do not fit. */
function* callsOf(method: string, row: MethodRow, known: KnownTexts, stream: Stream): Generator<Call> {
  if (row.kind !== "query") return;
  yield { method, params: () => undefined };
  for (const wrong of ["null", "[]", "{}", "7", '{"id":7}', '{"wallet":[]}', '{"id":null,"wallet":null}']) {
    yield { method, params: () => wrong };
  }
  const fields: readonly (readonly [string, Schema<unknown>])[] = Object.entries(row.params.fields);
  const wanted = fields.filter(([name, { shape }]) => shape.type === "text" && !PROOF.includes(name));
  const optional = fields.filter(([, { shape }]) => shape.type !== "text");
  const [only, ...others] = wanted;
  if (only !== undefined && others.length === 0) {
    const alone = (name: string, text: string) => () => filled([[name, JSON.stringify(text)]]);
    for (const text of textsFor(only[0], known)) yield { method, params: alone(only[0], text) };
    for (const text of known.wallets) yield { method, params: alone("id", text) };
  }
  const proofs = fields.some(([name]) => name === "signature");
  const drawn = (place: number): string => {
    const texts = wanted.map(
      ([name], at) => [name, JSON.stringify(textAt(name, known, stream, 100 * at + place))] as const,
    );
    const more = optional
      .filter(([name]) => !PROOF.includes(name) && name !== "wallet")
      .map(([name, schema], at) => [name, sampled(schema, below(stream, 100 * at + place, 1 << 30))] as const);
    const key = textAt("wallet", known, stream, place);
    const forged = proofs
      ? ["wallet", ...PROOF].map((name) => [name, JSON.stringify(name === "nonce" ? "00" : key)] as const)
      : [];
    return filled([...texts, ...more, ...forged]);
  };
  for (let n = 0; n < RANDOM_CALLS; n++) yield { method, params: () => drawn(n + 10 * method.length) };
}

function textsFor(member: string, known: KnownTexts): readonly string[] {
  return member === "wallet" ? [...known.wallets, ...known.ids.slice(0, 5)] : [...known.ids, ...known.wallets];
}

function textAt(member: string, known: KnownTexts, stream: Stream, n: number): string {
  const from = textsFor(member, known);
  return from.length === 0 ? "" : pick(stream, n, from);
}

/** A value of a schema, as JSON text. */
function sampled(schema: Schema<unknown>, seed: number): string {
  return schema.write(drawing().randomValue(schema, seed), TRANSCRIPT);
}

/** Of two members of one name the first stays: a payload may not have both. */
function filled(members: readonly (readonly [string, string])[]): string {
  const unique = new Map([...members].reverse());
  return `{${[...unique].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** Every tenth is a notification, and some ids are objects. */
function bodyOf({ method, params: spell }: Call, place: number): string {
  const params = spell();
  const id = place % 10 === 3 ? "" : `"id":${place % 10 === 7 ? '{"n":[1]}' : place},`;
  const given = params === undefined ? "" : `,"params":${params}`;
  return `{"jsonrpc":"2.0",${id}"method":${JSON.stringify(method)}${given}}`;
}

/** What is no request, names no method, or asks for too much. */
function nonsense({ wallets }: KnownTexts): readonly string[] {
  const [wallet = "nobody"] = wallets;
  return [
    "{",
    "[]",
    "[1,null,{}]",
    `{"jsonrpc":"2.0","id":1,"method":"get${wallet}"}`,
    `{"jsonrpc":"2.0","id":${JSON.stringify(wallet)},"method":"getTrade","params":{"id":"${wallet}","more":1}}`,
    `{"jsonrpc":"2.0","id":1,"method":"sendTransaction","params":{"data":"${wallet}","correlation":"${wallet}"}}`,
    `{"jsonrpc":"2.0","id":1,"method":"sendContentPut","params":{"cid":"${wallet}","content":"${wallet}"}}`,
    `{"jsonrpc":"1.0","id":1,"method":"getTrades"}`,
    `[${'{"jsonrpc":"2.0","id":1,"method":"getTrades"},'.repeat(BATCH)}{}]`,
  ];
}

/** A read with a fresh proof; it may be refused. */
function* prove(
  person: Person,
  method: string,
  proof: NonNullable<MethodRow["proof"]>,
  more: Readonly<Record<string, string>>,
): Script {
  const { wallet } = person;
  const asked = yield* person.ask(proof.challenge, { wallet: wallet.parameter("base64") });
  if (asked.type !== "result") return;
  const challenge = asked.result as { readonly subject: string; readonly nonce: string };
  yield* person.ask(method, { ...wallet.prove(proof.domain, challenge, "base64"), ...more });
}

/** What a service has earned, asked with one's own key, which may be the wrong one. Source: protocol 05 §2.3. */
function* readEarnings(person: Person, id: string): Script {
  const asked = yield* person.ask("getProviderEarningsChallenge", { id });
  if (asked.type !== "result") return;
  const { nonce } = asked.result as { readonly nonce: string };
  const signature = toBase58(person.wallet.sign(utf8(`openfiat-earnings:${id}:${nonce}`)));
  yield* person.ask("getProviderEarnings", { id, nonce, signature });
}
