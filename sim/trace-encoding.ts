/**
 * The canonical bytes of one step, as the trace hashes them: time, node, input, effects and roots.
 * Every field of every input and effect is named below, in the order of its bytes; the compiler demands each one.
 * Texts, byte strings and lists carry their length, so no two steps have the same bytes. Nothing of the wall clock
 * is among them. Source: DESIGN section 5 "Trace".
 */
import type { ChainObservation, Effect, Fact, Input, RootTexts, StoredRow, Table } from "../core/index.ts";
import { encodeCompact } from "../core/index.ts";
import type { ByteSink } from "./byte-sink.ts";
import { putAny, putBig, putByte, putBytes, putNumber, putText } from "./byte-sink.ts";

type Put<T> = (sink: ByteSink, value: T) => void;
/** An encoder for every member of a variant but its discriminant. */
type Members<V> = { readonly [K in Exclude<keyof V, "type">]: Put<V[K]> };
type Forms<U extends { readonly type: string }> = {
  readonly [T in U["type"]]: Members<Extract<U, { readonly type: T }>>;
};

const flag: Put<boolean> = (sink, value) => putByte(sink, value ? 1 : 0);
const optionalText: Put<string | null> = (sink, value) => {
  putByte(sink, value === null ? 0 : 1);
  if (value !== null) putText(sink, value);
};
const texts: Put<readonly string[]> = (sink, values) => {
  putNumber(sink, values.length);
  for (const value of values) putText(sink, value);
};
/** A member that may be left out, and then leaves no bytes; its name tells it from what follows. */
function optional(name: string): Put<unknown> {
  return (sink, value) => {
    if (value === undefined) return;
    putText(sink, name);
    putAny(sink, value);
  };
}
const rows: Put<readonly StoredRow[]> = (sink, values) => {
  putNumber(sink, values.length);
  for (const row of values) {
    putText(sink, row.table);
    putText(sink, row.key);
    putBytes(sink, row.bytes);
  }
};

const observations: Forms<ChainObservation> = {
  slot: { slot: putBig, blockhash: putText },
  transaction: {
    address: (sink, value) => putText(sink, value ?? ""),
    signature: putText,
    slot: putBig,
    commitment: putText,
    succeeded: flag,
    wire: putBytes,
    logs: texts,
    loaded: optional("loaded"),
    inner: optional("inner"),
  },
  absent: { signature: putText, confirmed: putBig, finalized: putBig },
  account: { address: putText, slot: putBig, account: putAny, commitment: optional("commitment") },
  submitted: { signature: putText },
  refused: { signature: putText, reason: putText },
  unavailable: { reason: putText },
  disagreement: { about: putText, endpoint: putText },
};

const facts: Forms<Fact> = {
  started: { bootSeed: putBytes },
  "store.loaded": { rows, last: flag },
  "rpc.called": { replyTo: putText, body: putText },
  "message.received": { from: putText, replyTo: putText, bytes: putBytes },
  "message.answered": { from: putText, request: putNumber, bytes: putBytes },
  "message.failed": { to: putText, request: putNumber, reason: putText },
  "peer.connected": { peer: putText, address: optionalText },
  "peer.disconnected": { peer: putText },
  "peer.unreachable": { address: putText, reason: putText },
  "peer.measured": { peer: putText, latency_ms: putNumber },
  "chain.observed": { observation: (sink, value) => putVariant(sink, putObservation, value) },
  "notification.delivered": { dispatch: putText, delivered: flag },
  "snapshot.written": { id: putText, outcome: putAny },
  "snapshot.fetched": { id: putText, location: putText, outcome: putAny },
  "timer.fired": { timer: putText },
};

const effects: Forms<Effect> = {
  "rpc.reply": { replyTo: putText, body: optionalText },
  "ws.publish": { source: putText, message: putText },
  "message.send": { to: putText, request: putNumber, bytes: putBytes },
  "message.reply": { replyTo: putText, bytes: putBytes },
  "peer.dial": { address: putText },
  "peer.disconnect": { peer: putText },
  "chain.submit": { signature: putText, bytes: putBytes },
  "chain.watch": { address: putText, commitment: optional("commitment") },
  "chain.unwatch": { address: putText },
  "chain.read": { address: putText, slot: putBig, commitment: optional("commitment") },
  "chain.check": { signature: putText },
  "notification.deliver": { dispatch: putText, endpoint: putText, body: putBytes, node: putText, signature: putText },
  "snapshot.write": { id: putText, archive: putBytes },
  "snapshot.fetch": { id: putText, location: putText, sizeBytes: putBig },
  "timer.set": { timer: putText, at: putBig },
  log: { level: putText, event: putText, fields: putAny },
};

type Encoder = readonly (readonly [string, Put<unknown>])[];
const putObservation = encodersOf(observations);
const putFact = encodersOf(facts);
const putEffect = encodersOf(effects);

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
  const { time, node, input, effects: made, local, roots } = step;
  putNumber(sink, time);
  putNumber(sink, node);
  putBig(sink, input.now);
  putNumber(sink, input.number);
  putVariant(sink, putFact, input);
  putNumber(sink, made.length);
  for (const effect of made) putVariant(sink, putEffect, effect);
  putNumber(sink, local.length);
  for (const change of local) putLocal(sink, change);
  putByte(sink, roots === null ? 0 : 1);
  if (roots === null) return;
  putText(sink, roots.statements);
  putText(sink, roots.facts);
  putText(sink, roots.state);
  putText(sink, roots.archive);
}

/**
 * A record as its table encodes it. What lives in memory alone counts by its key: it is computed from what is counted
 * elsewhere, or shows in the effects of the step.
 */
function putLocal(sink: ByteSink, { table, key, record }: LocalChange): void {
  putText(sink, table.name);
  putText(sink, key);
  putByte(sink, record === undefined ? 0 : 1);
  if (record !== undefined && table.record.inMemory !== true) putBytes(sink, encodeCompact(table.record, record));
}

function putVariant(sink: ByteSink, encoders: ReadonlyMap<string, Encoder>, value: { readonly type: string }): void {
  putText(sink, value.type);
  const encoder = encoders.get(value.type);
  // A form this table does not know yet still counts in full, by its own member names.
  if (encoder === undefined) return putAny(sink, value);
  const members = value as unknown as Readonly<Record<string, unknown>>;
  for (const [name, put] of encoder) put(sink, members[name]);
}

function encodersOf(forms: Readonly<Record<string, Readonly<Record<string, unknown>>>>): ReadonlyMap<string, Encoder> {
  const entries = Object.entries(forms).map(([type, members]) => [type, Object.entries(members) as Encoder] as const);
  return new Map(entries);
}
