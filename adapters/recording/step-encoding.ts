/**
 * The canonical bytes of one step, as the trace hashes them, and back: time, node, input, effects and roots.
 * Every field of every input and effect is named below, in the order of its bytes; the compiler demands each one.
 * Texts, byte strings and lists carry their length, so no two steps have the same bytes. Nothing of the wall clock
 * is among them. Source: DESIGN section 5 "Trace", "Everything is data".
 */
import type { ChainObservation, Effect, Fact, Input, RootTexts, StoredRow, Table } from "../../core/index.ts";
import type { ByteSink } from "./byte-sink.ts";
import { putAny, putBig, putByte, putBytes, putNumber, putRaw, putText, setLength } from "./byte-sink.ts";
import type { ByteSource } from "./byte-source.ts";
import {
  bytesLeft,
  takeAny,
  takeBig,
  takeByte,
  takeBytes,
  takeCount,
  takeNumber,
  takeText,
  textFollows,
} from "./byte-source.ts";
import type { CompactInto } from "./compact-sink.ts";
import { compactInto } from "./compact-sink.ts";

/** How a value becomes bytes, and comes back. */
interface Form<T> {
  put(sink: ByteSink, value: T): void;
  take(source: ByteSource): T;
}

/** A form for every member of a variant but its discriminant. */
type Members<V> = { readonly [K in Exclude<keyof V, "type">]: Form<V[K]> };
type Forms<U extends { readonly type: string }> = {
  readonly [T in U["type"]]: Members<Extract<U, { readonly type: T }>>;
};

/** Texts of every kind: what a schema tells apart is a text here. */
// biome-ignore lint/suspicious/noExplicitAny: a text of one schema is no text of another
const text: Form<any> = { put: putText, take: takeText };
// biome-ignore lint/suspicious/noExplicitAny: a number of one schema is none of another
const number: Form<any> = { put: putNumber, take: takeNumber };
// biome-ignore lint/suspicious/noExplicitAny: as above
const big: Form<any> = { put: putBig, take: takeBig };
const bytes: Form<Uint8Array> = { put: putBytes, take: takeBytes };
// biome-ignore lint/suspicious/noExplicitAny: the value says what it is
const any: Form<any> = { put: putAny, take: takeAny };
const flag: Form<boolean> = {
  put: (sink, value) => putByte(sink, value ? 1 : 0),
  take: (source) => takeByte(source) === 1,
};
const optionalText: Form<string | null> = {
  put(sink, value) {
    putByte(sink, value === null ? 0 : 1);
    if (value !== null) putText(sink, value);
  },
  take: (source) => (takeByte(source) === 0 ? null : takeText(source)),
};
/** A text that is never empty; nothing in its place is. */
const textOrNone: Form<string | null> = {
  put: (sink, value) => putText(sink, value ?? ""),
  take: (source) => takeText(source) || null,
};
const texts: Form<readonly string[]> = {
  put(sink, values) {
    putNumber(sink, values.length);
    for (const value of values) putText(sink, value);
  },
  take: (source) => Array.from({ length: takeCount(source, bytesLeft(source)) }, () => takeText(source)),
};
/** A member that may be left out, and then leaves no bytes; its name tells it from what follows. */
// biome-ignore lint/suspicious/noExplicitAny: the value says what it is
function optional(name: string): Form<any> {
  return {
    put(sink, value) {
      if (value === undefined) return;
      putText(sink, name);
      putAny(sink, value);
    },
    take(source) {
      if (!textFollows(source, name)) return undefined;
      takeText(source);
      return takeAny(source);
    },
  };
}
const rows: Form<readonly StoredRow[]> = {
  put(sink, values) {
    putNumber(sink, values.length);
    for (const row of values) {
      putText(sink, row.table);
      putText(sink, row.key);
      putBytes(sink, row.bytes);
    }
  },
  take: (source) =>
    Array.from({ length: takeCount(source, bytesLeft(source)) }, () => {
      const [table, key] = [takeText(source), takeText(source)];
      return { table, key, bytes: takeBytes(source) };
    }),
};

const observations: Forms<ChainObservation> = {
  slot: { slot: big, blockhash: text },
  transaction: {
    address: textOrNone,
    signature: text,
    slot: big,
    commitment: text,
    succeeded: flag,
    wire: bytes,
    logs: texts,
    loaded: optional("loaded"),
    inner: optional("inner"),
  },
  absent: { signature: text, confirmed: big, finalized: big },
  account: { address: text, slot: big, account: any, commitment: optional("commitment") },
  submitted: { signature: text },
  refused: { signature: text, reason: text },
  unavailable: { reason: text },
  disagreement: { about: text, endpoint: text },
};

const facts: Forms<Fact> = {
  started: { bootSeed: bytes },
  "store.loaded": { rows, last: flag },
  "rpc.called": { replyTo: text, body: text },
  "message.received": { from: text, replyTo: text, bytes: bytes },
  "message.answered": { from: text, request: number, bytes: bytes },
  "message.failed": { to: text, request: number, reason: text },
  "peer.connected": { peer: text, address: optionalText },
  "peer.disconnected": { peer: text },
  "peer.unreachable": { address: text, reason: text },
  "peer.measured": { peer: text, latency_ms: number },
  "chain.observed": {
    observation: {
      put: (sink, value) => putVariant(sink, observationForms, value),
      take: (source) => takeVariant(source, observationForms) as ChainObservation,
    },
  },
  "notification.delivered": { dispatch: text, delivered: flag },
  "snapshot.written": { id: text, outcome: any },
  "snapshot.fetched": { id: text, location: text, outcome: any },
  "timer.fired": { timer: text },
  // Kinds are numbered in this order: what is new comes last, and what was recorded before stays readable.
  "peer.observed": { peer: text, address: text },
};

const effects: Forms<Effect> = {
  "rpc.reply": { replyTo: text, body: optionalText },
  "ws.publish": { source: text, message: text },
  "message.send": { to: text, request: number, bytes: bytes },
  "message.reply": { replyTo: text, bytes: bytes },
  "peer.dial": { address: text },
  "peer.disconnect": { peer: text },
  "chain.submit": { signature: text, bytes: bytes },
  "chain.watch": { address: text, commitment: optional("commitment") },
  "chain.unwatch": { address: text },
  "chain.read": { address: text, slot: big, commitment: optional("commitment") },
  "chain.check": { signature: text },
  "notification.deliver": { dispatch: text, endpoint: text, body: bytes, node: text, signature: text },
  "snapshot.write": { id: text, archive: bytes },
  "snapshot.fetch": { id: text, location: text, sizeBytes: big },
  "timer.set": { timer: text, at: big },
  log: { level: text, event: text, fields: any },
};

type MemberForms = readonly (readonly [string, Form<unknown>])[];
const observationForms = formsOf(observations);
const factForms = formsOf(facts);
const effectForms = formsOf(effects);

/** A change of a table that no root counts. */
export interface LocalChange {
  readonly table: Table<unknown>;
  readonly key: string;
  readonly record: unknown;
}

/** What a trace holds of a step. */
export interface TracedStep {
  /** Virtual milliseconds. */
  readonly time: number;
  readonly node: number;
  readonly input: Input;
  readonly effects: readonly Effect[];
  readonly local: readonly LocalChange[];
  /** Only where the step changed a record. */
  readonly roots: RootTexts | null;
}

/** Writes one step. */
export function putStep(sink: ByteSink, step: TracedStep): void {
  putNumber(sink, step.time);
  putNumber(sink, step.node);
  putInput(sink, step.input);
  putOutcome(sink, step);
}

/** Writes an input, with its instant and its number. */
export function putInput(sink: ByteSink, input: Input): void {
  putBig(sink, input.now);
  putNumber(sink, input.number);
  putVariant(sink, factForms, input);
}

/** Writes what a step came to. */
export function putOutcome(
  sink: ByteSink,
  { effects: made, local, roots }: Pick<TracedStep, "effects" | "local" | "roots">,
): void {
  putNumber(sink, made.length);
  for (const effect of made) putVariant(sink, effectForms, effect);
  putNumber(sink, local.length);
  const into = compactInto(sink);
  for (const change of local) putLocal(sink, into, change);
  putByte(sink, roots === null ? 0 : 1);
  if (roots === null) return;
  putText(sink, roots.statements);
  putText(sink, roots.facts);
  putText(sink, roots.state);
  putText(sink, roots.archive);
}

/** Where the length of a record is written once it is known. */
const NO_LENGTH = new Uint8Array(4);

/**
 * A record as its table encodes it. What lives in memory alone counts by its key: it is computed from what is counted
 * elsewhere, or shows in the effects of the step.
 */
function putLocal(sink: ByteSink, into: CompactInto, { table, key, record }: LocalChange): void {
  putText(sink, table.name);
  putText(sink, key);
  putByte(sink, record === undefined ? 0 : 1);
  if (record === undefined || table.record.inMemory === true) return;
  const start = sink.length;
  putRaw(sink, NO_LENGTH);
  table.record.encode(record, into);
  setLength(sink, start, sink.length - start - NO_LENGTH.length);
}

/** A step as its bytes tell it: records as bytes, without those that live in memory alone. */
export interface ToldStep {
  readonly time: number;
  readonly node: number;
  readonly input: Input;
  readonly effects: readonly Effect[];
  /** A record's bytes; null where it was removed, absent where it has none. */
  readonly local: readonly { readonly table: string; readonly key: string; readonly bytes?: Uint8Array | null }[];
  readonly roots: RootTexts | null;
}

/** Reads one step back. `isInMemory` says of a table whether its records have no bytes. */
export function takeStep(source: ByteSource, isInMemory: (table: string) => boolean): ToldStep {
  const [time, node] = [takeNumber(source), takeNumber(source)];
  const input = takeInput(source);
  const count = () => takeCount(source, bytesLeft(source));
  const effects = Array.from({ length: count() }, () => takeVariant(source, effectForms) as unknown as Effect);
  const local = Array.from({ length: count() }, () => {
    const [table, key] = [takeText(source), takeText(source)];
    if (takeByte(source) === 0) return { table, key, bytes: null };
    return isInMemory(table) ? { table, key } : { table, key, bytes: takeBytes(source) };
  });
  if (takeByte(source) === 0) return { time, node, input, effects, local, roots: null };
  const [statements, facts, state, archive] = [0, 1, 2, 3].map(() => takeText(source)) as [
    string,
    string,
    string,
    string,
  ];
  return { time, node, input, effects, local, roots: { statements, facts, state, archive } };
}

/** Reads an input back. */
export function takeInput(source: ByteSource): Input {
  const now = takeBig(source) as Input["now"];
  const common = { now, number: takeNumber(source) };
  return { ...takeVariant(source, factForms), ...common } as unknown as Input;
}

function putVariant(sink: ByteSink, forms: ReadonlyMap<string, MemberForms>, value: { readonly type: string }): void {
  putText(sink, value.type);
  const members = forms.get(value.type);
  // A form this table does not know yet still counts in full, by its own member names.
  if (members === undefined) return putAny(sink, value);
  const given = value as unknown as Readonly<Record<string, unknown>>;
  for (const [name, { put }] of members) put(sink, given[name]);
}

function takeVariant(source: ByteSource, forms: ReadonlyMap<string, MemberForms>): { readonly type: string } {
  const type = takeText(source);
  const members = forms.get(type);
  if (members === undefined) return takeAny(source) as { readonly type: string };
  const taken = members.map(([name, { take }]) => [name, take(source)] as const);
  return { type, ...Object.fromEntries(taken.filter(([, value]) => value !== undefined)) };
}

function formsOf(
  forms: Readonly<Record<string, Readonly<Record<string, Form<unknown>>>>>,
): ReadonlyMap<string, MemberForms> {
  return new Map(Object.entries(forms).map(([type, members]) => [type, Object.entries(members)] as const));
}
