// Goal: the trace hash covers every field of every input and effect, is chained, and finds the first difference.
// Method: every form once, changed in one member at a time; two runs that part at a known event.

import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { createByteSink } from "../../adapters/recording/byte-sink.ts";
import { BytesDefect, byteSource, bytesLeft } from "../../adapters/recording/byte-source.ts";
import type { LocalChange, TracedStep } from "../../adapters/recording/step-encoding.ts";
import { putStep, takeStep } from "../../adapters/recording/step-encoding.ts";
import type { Effect, Input, RootTexts, Table } from "../../core/index.ts";
import { struct } from "../../core/index.ts";
import { plainText } from "../../core/kernel/schema-scalars.ts";
import { table } from "../../core/kernel/table.ts";
import { arbCharacter } from "../../sim/arbitraries/texts.ts";
import { createLoop } from "../../sim/clock.ts";
import type { Trace } from "../../sim/trace.ts";
import { createTrace, firstDifferingEvent, firstDifferingStretch } from "../../sim/trace.ts";
import { WORLD_START } from "../../sim/world.ts";
import { forAll } from "../property/for-all.ts";

const common = { now: 5n, number: 1 };
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

const inputs = [
  { type: "started", bootSeed: bytes(1) },
  { type: "store.loaded", rows: [{ table: "t", key: "k", bytes: bytes(1) }], last: true },
  { type: "rpc.called", replyTo: "c1", body: "{}" },
  { type: "message.received", from: "p", replyTo: "m1", bytes: bytes(1, 2) },
  { type: "message.answered", from: "p", request: 3, bytes: bytes(1, 2) },
  { type: "message.failed", to: "p", request: 3, reason: "timeout" },
  { type: "peer.connected", peer: "p", address: null },
  { type: "peer.disconnected", peer: "p" },
  { type: "chain.observed", observation: { type: "slot", slot: 3n, blockhash: "b" } },
  {
    type: "chain.observed",
    observation: {
      type: "transaction",
      address: "a",
      signature: "s",
      slot: 3n,
      commitment: "confirmed",
      succeeded: true,
      wire: bytes(1),
      logs: ["x", "y"],
    },
  },
  {
    type: "chain.observed",
    observation: { type: "account", address: "a", slot: 3n, account: { owner: "o", lamports: 4n, data: bytes(1) } },
  },
  { type: "chain.observed", observation: { type: "submitted", signature: "s" } },
  { type: "chain.observed", observation: { type: "refused", signature: "s", reason: "r" } },
  { type: "chain.observed", observation: { type: "unavailable", reason: "r" } },
  { type: "timer.fired", timer: "recover" },
].map((fact) => ({ ...fact, ...common })) as unknown as readonly Input[];

const effects = [
  { type: "rpc.reply", replyTo: "c1", body: null },
  { type: "ws.publish", source: "own", message: "m" },
  { type: "message.send", to: "p", request: 1, bytes: bytes(1) },
  { type: "message.reply", replyTo: "m1", bytes: bytes(1) },
  { type: "peer.dial", address: "a" },
  { type: "peer.disconnect", peer: "p" },
  { type: "chain.submit", signature: "s", bytes: bytes(1) },
  { type: "chain.watch", address: "a" },
  { type: "chain.unwatch", address: "a" },
  { type: "chain.read", address: "a", slot: 1n },
  { type: "timer.set", timer: "recover", at: 1n },
  { type: "log", level: "info", event: "e", fields: { a: 1, b: "x" } },
] as unknown as readonly Effect[];

/** Forms that came later; the golden bytes are of those before. */
const laterInputs = [
  {
    type: "chain.observed",
    observation: { type: "account", address: "a", slot: 3n, commitment: "confirmed", account: null },
  },
  {
    type: "chain.observed",
    observation: {
      type: "transaction",
      address: "a",
      signature: "s",
      slot: 3n,
      commitment: "confirmed",
      succeeded: true,
      wire: bytes(1),
      logs: ["x"],
      loaded: ["x"],
      inner: [{ program: "p", accounts: ["a"], data: bytes(1) }],
    },
  },
  { type: "chain.observed", observation: { type: "absent", signature: "s", confirmed: 1n, finalized: 2n } },
].map((fact) => ({ ...fact, ...common })) as unknown as readonly Input[];
const laterEffects = [
  { type: "chain.watch", address: "a", commitment: "confirmed" },
  { type: "chain.read", address: "a", slot: 1n, commitment: "confirmed" },
  { type: "chain.check", signature: "s" },
] as unknown as readonly Effect[];

/** A table that no root counts. */
const notes = table("notes", struct("Note", { text: plainText }), { root: "local" }) as Table<unknown>;

const tick = { type: "timer.fired", timer: "recover", ...common } as unknown as Input;

function step(
  time: number,
  node: number,
  input: Input,
  effects: readonly Effect[],
  roots: RootTexts | null,
  local: readonly LocalChange[] = [],
): TracedStep {
  return { time, node, input, effects, local, roots };
}

function headOf(record: (trace: Trace) => void, label = "run"): string {
  const trace = createTrace({ clock: createLoop(WORLD_START), label });
  record(trace);
  return trace.head();
}

/** Copies of a plain value, each changed in one place. */
function* changed(value: unknown): Generator<unknown> {
  if (typeof value === "number") yield value + 1;
  else if (typeof value === "bigint") yield value + 1n;
  else if (typeof value === "string") yield `${value}x`;
  else if (typeof value === "boolean") yield !value;
  else if (value === null) yield "something";
  else if (value instanceof Uint8Array) yield Uint8Array.from([...value, 0]);
  else if (Array.isArray(value)) {
    yield [...value, value[0]];
    for (let at = 0; at < value.length; at++) for (const other of changed(value[at])) yield value.with(at, other);
  } else {
    for (const [name, member] of Object.entries(value as object)) {
      if (name === "type") continue;
      for (const other of changed(member)) yield { ...(value as object), [name]: other };
    }
  }
}

describe("the trace", () => {
  test("every member of every input changes the hash", () => {
    for (const input of [...inputs, ...laterInputs]) {
      const usual = headOf((trace) => trace.record(step(1, 0, input, [], null)));
      let variants = 0;
      for (const other of changed(input)) {
        assert.notEqual(
          headOf((trace) => trace.record(step(1, 0, other as Input, [], null))),
          usual,
          JSON.stringify(input.type),
        );
        variants += 1;
      }
      assert.ok(variants >= 3, input.type);
    }
  });

  test("every member of every effect changes the hash", () => {
    for (const effect of [...effects, ...laterEffects]) {
      const usual = headOf((trace) => trace.record(step(1, 0, tick, [effect], null)));
      for (const other of changed(effect)) {
        assert.notEqual(
          headOf((trace) => trace.record(step(1, 0, tick, [other as Effect], null))),
          usual,
          effect.type,
        );
      }
    }
  });

  test("time, node, label, roots, rows of no root, order and what it all came to change the hash", () => {
    const roots = { statements: "a", facts: "b", state: "c", archive: "d" };
    const row = (key: string, record: unknown) => [{ table: notes, key, record }];
    const heads = [
      headOf((trace) => trace.record(step(1, 0, tick, [], null, row("k", { text: "a" })))),
      headOf((trace) => trace.record(step(1, 0, tick, [], null, row("l", { text: "a" })))),
      headOf((trace) => trace.record(step(1, 0, tick, [], null, row("k", { text: "b" })))),
      headOf((trace) => trace.record(step(1, 0, tick, [], null, row("k", undefined)))),
      headOf((trace) => trace.record(step(1, 0, tick, [], { ...roots, archive: "e" }))),
      headOf((trace) => trace.close({ faults: [] })),
      headOf((trace) => trace.close({ faults: [{ kind: "loss", injected: 1, effective: 0 }] })),
      headOf((trace) => trace.record(step(1, 0, tick, [], null))),
      headOf((trace) => trace.record(step(2, 0, tick, [], null))),
      headOf((trace) => trace.record(step(1, 1, tick, [], null))),
      headOf((trace) => trace.record(step(1, 0, tick, [], roots))),
      headOf((trace) => trace.record(step(1, 0, tick, [], { ...roots, state: "d" }))),
      headOf((trace) => trace.record(step(1, 0, tick, [], null)), "other run"),
      headOf((trace) => {
        trace.record(step(1, 0, tick, [], null));
        trace.record(step(2, 0, tick, [], null));
      }),
      headOf((trace) => {
        trace.record(step(2, 0, tick, [], null));
        trace.record(step(1, 0, tick, [], null));
      }),
    ];
    assert.equal(new Set(heads).size, heads.length);
  });

  test("every form comes back from its bytes, and other bytes are refused or read otherwise", () => {
    const isInMemory = () => false;
    const bytesOf = (told: TracedStep): Uint8Array => {
      const sink = createByteSink(64);
      putStep(sink, told);
      return Uint8Array.from(sink.buffer.subarray(0, sink.length));
    };
    const local = [{ table: notes, key: "k", record: { text: "x" } }];
    const roots = { statements: "1", facts: "2", state: "3", archive: "4" };
    for (const input of [...inputs, ...laterInputs]) {
      const told = step(7, 2, input, [...effects, ...laterEffects], roots, local);
      const source = byteSource(bytesOf(told));
      const back = takeStep(source, isInMemory);
      assert.equal(bytesLeft(source), 0);
      assert.deepEqual([back.input, back.effects, back.roots], [input, told.effects, roots] as never);
      assert.deepEqual([back.time, back.node, back.local[0]?.key], [7, 2, "k"]);
    }
    forAll(
      [fc.constantFrom(...inputs, ...laterInputs), fc.nat({ max: 2_000 }), fc.integer({ min: 1, max: 255 })],
      (input, where, by) => {
        const told = bytesOf(step(7, 2, input, [...effects, ...laterEffects], roots, local));
        told[where % told.length] = (told[where % told.length] ?? 0) ^ by;
        try {
          takeStep(byteSource(told), isInMemory);
          return ["read"];
        } catch (error) {
          if (error instanceof BytesDefect) return ["refused"];
          throw error;
        }
      },
      { runs: 300, shares: { refused: 0.1, read: 0.1 } },
    );
  });

  test("golden: the bytes of a trace never change between versions", () => {
    const head = headOf((trace) => {
      for (const input of inputs)
        trace.record(step(7, 2, input, effects, { statements: "1", facts: "2", state: "3", archive: "4" }));
    });
    assert.equal(head, "0e9fedd901a6dfb74513ae5e0cdb0ea5c58c25ac708332a58461692fea04ea01");
  });

  test("asking for the head changes nothing, and texts beyond ASCII count in full", () => {
    const text = fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: arbCharacter(), maxLength: 30 }) },
      fc.constantFrom("", "a"),
    );
    const event = (body: string) => ({ type: "rpc.called", replyTo: "c", body, ...common }) as unknown as Input;
    forAll(
      [fc.array(text, { maxLength: 20 })],
      (texts) => {
        const asking = createTrace({ clock: createLoop(WORLD_START), label: "x", checkpointEvents: 4 });
        const quiet = createTrace({ clock: createLoop(WORLD_START), label: "x", checkpointEvents: 4 });
        const heads = new Set<string>();
        for (const text of texts) {
          asking.record(step(0, 0, event(text), [], null));
          quiet.record(step(0, 0, event(text), [], null));
          heads.add(asking.head());
        }
        assert.equal(asking.head(), quiet.head());
        assert.equal(heads.size, texts.length);
      },
      {
        runs: 100,
        classes: (texts) => [
          ...(texts.length > 4 ? ["beyond a checkpoint"] : []),
          ...(texts.length > 0 && texts.length % 4 === 0 ? ["ends at a checkpoint"] : []),
          ...(new Set(texts).size < texts.length ? ["a text twice"] : []),
          ...(texts.some((text) => /[\ud800-\udfff]/.test(text)) ? ["beyond sixteen bits"] : []),
        ],
        shares: {
          "beyond a checkpoint": 0.5,
          "ends at a checkpoint": 0.1,
          "a text twice": 0.1,
          "beyond sixteen bits": 0.5,
        },
      },
    );
  });

  test("what differed once differs for ever", () => {
    const run = (first: string): string => {
      const trace = createTrace({ clock: createLoop(WORLD_START), label: "x", checkpointEvents: 3 });
      for (const body of [first, "b", "c", "d", "e", "f", "g"]) {
        trace.record(step(0, 0, { type: "rpc.called", replyTo: "c", body, ...common } as unknown as Input, [], null));
      }
      return trace.head();
    };
    assert.equal(run("a"), run("a"));
    assert.notEqual(run("a"), run("x"));
  });

  test("large events are hashed in full", () => {
    const big = (last: number) => {
      const body = new Uint8Array(3_000_000);
      body[body.length - 1] = last;
      return { type: "message.send", to: "p", request: 1, bytes: body } as unknown as Effect;
    };
    const head = (last: number) => headOf((trace) => trace.record(step(0, 0, tick, [big(last), big(last)], null)));
    assert.equal(head(1), head(1));
    assert.notEqual(head(1), head(2));
  });

  test("two runs that part are told apart at the first differing event", () => {
    const parting = 777;
    const run = (other: boolean, capture?: { from: number; to: number }): Trace => {
      const trace = createTrace({
        clock: createLoop(WORLD_START),
        label: "x",
        checkpointEvents: 100,
        ...(capture && { capture }),
      });
      for (let n = 1; n <= 2_000; n++) {
        const body = other && n >= parting ? `${n} other` : `${n}`;
        trace.record(
          step(n, n % 5, { type: "rpc.called", replyTo: "c", body, ...common } as unknown as Input, [], null),
        );
      }
      return trace;
    };
    const stretch = firstDifferingStretch(run(false).checkpoints(), run(true).checkpoints(), 100);
    assert.deepEqual(stretch, { from: 701, to: 800 });
    const found = firstDifferingEvent(run(false, stretch).captured(), run(true, stretch).captured());
    assert.equal(found?.a?.event, parting);
    assert.match(found?.a?.text ?? "", /"777"/);
    assert.match(found?.b?.text ?? "", /777 other/);
    assert.equal(firstDifferingEvent(run(true, stretch).captured(), run(true, stretch).captured()), undefined);
  });
});
