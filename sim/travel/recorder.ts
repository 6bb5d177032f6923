/**
 * Records a run while it goes on: what each event changed in a node's tables, and which event led to it. It watches
 * steps and takes no part in them: a run that is recorded has the trace of one that is not. Tables that live in memory
 * alone are left out; they are computed from the others. Source: DESIGN section 6 (`run --record`).
 */
import type { Effect, Input, StoredRow } from "../../core/index.ts";
import { tables } from "../../core/index.ts";
import type { Statement } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { recordLine } from "../record-text.ts";
import type { RecordingWriter, WrittenChange } from "./recording-writer.ts";

/** Transactions, timers and calls of which the recorder remembers whence they came. Source: DESIGN L10. */
const REMEMBERED = 1 << 16;
/** Bytes of a message within which its type stands. Source: protocol 01 §5.3. */
const HEAD_BYTES = 96;
/** Characters of a label at most. Source: DESIGN L10. */
const LABEL_CHARACTERS = 240;

/** What a recorder needs of the world that it watches. */
export interface Watched {
  /** The number of the newest event. */
  readonly event: () => number;
  readonly time: () => number;
  /** The number of the node that a peer is, if it is one. */
  readonly nodeOf: (peer: string) => number | undefined;
}

interface Recorder {
  readonly watched: Watched;
  readonly writer: RecordingWriter;
  /** The event in which some bytes were sent; a broadcast is one buffer. */
  readonly sent: WeakMap<Uint8Array, number>;
  /** The event that ordered a transaction or a timer. */
  readonly ordered: Map<string, number>;
  /** Who made a call that no node has taken yet. */
  readonly callers: Map<string, string>;
  /** What each node was told last. */
  readonly before: Map<number, Input>;
}

const inMemory: ReadonlySet<string> = new Set(
  tables.filter(({ record }) => record.inMemory === true).map(({ name }) => name),
);

/** A recorder as a run takes it, and for who tells it of senders outside. */
export interface RunRecorder {
  readonly checker: (context?: CheckContext) => Checker;
  /** Some bytes that will come were sent in an event. */
  noteSent(bytes: Uint8Array, event: number): void;
}

/** Watches a run for a writer. */
export function createRecorder(writer: RecordingWriter, watched: Watched): RunRecorder {
  const recorder: Recorder = {
    ...{ watched, writer, sent: new WeakMap(), ordered: new Map(), callers: new Map(), before: new Map() },
  };
  const checker = (): Checker => ({
    name: "recorder",
    onCall: ({ node, by, request }) => {
      if (by !== undefined) remember(recorder.callers, `${node} ${request}`, by.name);
    },
    onStep: (seen) => recordStep(recorder, seen),
    onCrash: ({ node }) => recordCrash(recorder, node),
  });
  return { checker, noteSent: (bytes, event) => void recorder.sent.set(bytes, event) };
}

function recordStep(recorder: Recorder, { node, input, changes, effects }: StepSeen): void {
  const { writer, watched, sent, before } = recorder;
  const event = watched.event();
  if (input.type === "store.loaded" && beginsAnew(before.get(node), input.rows)) writer.forgotten(node, event, "anew");
  before.set(node, input);
  const written = changes.flatMap(({ table, key, record }): WrittenChange[] =>
    inMemory.has(table) ? [] : [{ table, key, text: record === undefined ? undefined : recordLine(record) }],
  );
  // What a row is twice written to within one step is what it was written to last.
  const last = new Map(written.map((change) => [`${change.table} ${change.key}`, change]));
  writer.changes(node, event, [...last.values()]);
  const label = labelOf(recorder, node, input, changes, effects).slice(0, LABEL_CHARACTERS);
  const cause = causeOf(recorder, node, input);
  writer.event({ event, time: watched.time(), node, kind: input.type, cause, label, changed: last.size });
  for (const effect of effects) {
    if (effect.type === "message.send" || effect.type === "message.reply") sent.set(effect.bytes, event);
    else if (effect.type === "timer.set") remember(recorder.ordered, `timer ${node} ${effect.timer}`, event);
    else if (effect.type === "chain.submit") remember(recorder.ordered, `transaction ${effect.signature}`, event);
  }
}

function recordCrash({ writer, watched, before }: Recorder, node: number): void {
  const event = watched.event();
  before.delete(node);
  writer.forgotten(node, event, "crashed");
  const label = "its process ended";
  writer.event({ event, time: watched.time(), node, kind: "crashed", cause: 0, label, changed: 0 });
}

/** Whether a page of the store is the first of a new memory: a page after another begins behind it. */
function beginsAnew(before: Input | undefined, rows: readonly StoredRow[]): boolean {
  if (before?.type !== "store.loaded" || before.last) return true;
  const [end, first] = [before.rows.at(-1), rows[0]];
  if (end === undefined || first === undefined) return false;
  return end.table === first.table ? end.key >= first.key : end.table > first.table;
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
}

function causeOf({ sent, ordered }: Recorder, node: number, input: Input): number {
  switch (input.type) {
    case "message.received":
    case "message.answered":
      return sent.get(input.bytes) ?? 0;
    case "timer.fired":
      return ordered.get(`timer ${node} ${input.timer}`) ?? 0;
    case "chain.observed": {
      const { observation } = input;
      return "signature" in observation ? (ordered.get(`transaction ${observation.signature}`) ?? 0) : 0;
    }
    default:
      return 0;
  }
}

/** What an event was, in a line: what came, from whom, which statements were taken, what was refused or logged. */
function labelOf(
  { watched, callers }: Recorder,
  node: number,
  input: Input,
  changes: StepSeen["changes"],
  effects: readonly Effect[],
): string {
  const statements = input.type === "store.loaded" ? [] : changes.flatMap(statementOf);
  const counted = new Map<string, number>();
  for (const name of statements) counted.set(name, (counted.get(name) ?? 0) + 1);
  const taken = [...counted].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  const peer = (name: string) => {
    const number = watched.nodeOf(name);
    return number === undefined ? name : `node ${number}`;
  };
  const caller = input.type === "rpc.called" ? callerOf(callers, node, input.body) : undefined;
  const parts = [factText(input, peer), caller && `by ${caller}`, taken.length > 0 && `takes ${taken.join(", ")}`];
  return [...parts, ...effects.flatMap(outcomeOf)].filter(Boolean).join(" · ");
}

function callerOf(callers: Map<string, string>, node: number, body: string): string | undefined {
  const key = `${node} ${body}`;
  const caller = callers.get(key);
  callers.delete(key);
  return caller;
}

function statementOf({ table, record }: StepSeen["changes"][number]): readonly string[] {
  if (table !== "statements" || record === undefined) return [];
  const { type, payload } = record as Partial<Statement>;
  return type === undefined ? [] : [type.eventOf?.(payload as never) ?? type.name];
}

function factText(input: Input, peer: (name: string) => string): string {
  switch (input.type) {
    case "rpc.called":
      return `calls ${methodsIn(input.body)}`;
    case "message.received":
      return `${messageName(input.bytes)} from ${peer(input.from)}`;
    case "message.answered":
      return `answer of ${peer(input.from)}: ${messageName(input.bytes)}`;
    case "message.failed":
      return `no answer of ${peer(input.to)}: ${input.reason}`;
    case "peer.connected":
    case "peer.disconnected":
      return `${input.type === "peer.connected" ? "connected to" : "lost"} ${peer(input.peer)}`;
    case "peer.unreachable":
      return `cannot reach ${input.address}: ${input.reason}`;
    case "peer.measured":
      return `${peer(input.peer)} is ${input.latency_ms} ms away`;
    case "peer.observed":
      return `${peer(input.peer)} sees it at ${input.address}`;
    case "timer.fired":
      return `timer ${input.timer}`;
    case "chain.observed":
      return observationText(input.observation);
    case "store.loaded":
      return `${input.rows.length} rows from its store${input.last ? ", the last" : ""}`;
    case "started":
      return "begins";
    default:
      return input.type;
  }
}

function observationText(observation: Extract<Input, { readonly type: "chain.observed" }>["observation"]): string {
  switch (observation.type) {
    case "slot":
      return `slot ${observation.slot}`;
    case "transaction":
      return [
        `transaction ${observation.signature}`,
        observation.commitment,
        ...(observation.succeeded ? [] : ["failed"]),
      ].join(", ");
    case "account":
      return `account ${observation.address} as of slot ${observation.slot}`;
    case "disagreement":
      return `endpoints disagree about a ${observation.about}`;
    case "unavailable":
      return `chain out of reach: ${observation.reason}`;
    default:
      return `${observation.type} ${observation.signature}`;
  }
}

/** The methods of a body, alone or a batch. */
function methodsIn(body: string): string {
  const names = [...body.matchAll(/"method"\s*:\s*"([^"\\]{1,64})"/g)].map(([, name]) => name);
  return names.length === 0 ? "nothing that is a method" : names.slice(0, 4).join(", ");
}

/** What a frame calls itself, which stands near its beginning; decoding all of it would cost more than the run does. */
export function messageName(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEAD_BYTES, bytes.length)).toString("latin1");
  return /[A-Z][a-z]+[A-Z][A-Za-z]{2,40}/.exec(head)?.[0] ?? "message";
}

function outcomeOf(effect: Effect): readonly string[] {
  if (effect.type === "rpc.reply" && effect.body !== null) {
    const refusal = /"error":\{.*?"message":"([^"]{1,80})/.exec(effect.body.slice(0, 400));
    return refusal === null ? [] : [`refused: ${refusal[1]}`];
  }
  if (effect.type === "log" && effect.level !== "debug" && effect.level !== "info") return [`logs ${effect.event}`];
  return [];
}
