/**
 * Random lives of a store: commits, reopenings and crashes, and what each of them is an example of.
 */
import fc from "fast-check";
import type { StoreRow, StoreWrite } from "../../core/ports/store.ts";
import { apply, listing } from "./store-calls.ts";

/** Texts that order differently by UTF-16 unit and by UTF-8 byte, or that are easily mistaken for another. */
export const KEYS = [
  "",
  "\u0000",
  "a",
  "a\u0000",
  "a\u0000b",
  "aa",
  "b",
  "é",
  "e\u0301",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
];
/** What may happen to a store, one thing after another. */
export function arbActions() {
  const large = fc.tuple(fc.integer({ min: 5_000, max: 6_000 }), fc.nat(255)).map(([length, byte]) => {
    return new Uint8Array(length).fill(byte);
  });
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 40 }), large);
  const table = fc.constantFrom("t", "u", "\uffff", "\u{10000}");
  const write = fc.record({ table, key: fc.constantFrom(...KEYS), bytes: fc.option(bytes) });
  const action = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant("commit" as const), writes: fc.array(write, { maxLength: 8 }) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("reopen" as const, "crash" as const) }) },
  );
  return fc.array(action, { minLength: 1, maxLength: 25 });
}

export type Action =
  | { readonly type: "commit"; readonly writes: readonly StoreWrite[] }
  | { readonly type: "reopen" | "crash" };

/** What actions do to the rows that are there. */
export function actionLabels(actions: readonly Action[]): readonly string[] {
  const model = new Map<string, StoreRow>();
  return actions.flatMap((action) => {
    if (action.type !== "commit") return [model.size > 0 ? `${action.type} with rows` : `${action.type} of nothing`];
    const labels = writeLabels(listing(model), action.writes);
    apply(model, action.writes);
    return labels;
  });
}

function writeLabels(rows: ReturnType<typeof listing>, writes: readonly StoreWrite[]): readonly string[] {
  const keys = writes.map(({ table, key }) => JSON.stringify([table, key]));
  const there = new Set(rows.map(([table, key]) => JSON.stringify([table, key])));
  return [
    ...(writes.length === 0 ? ["no writes"] : []),
    ...(new Set(keys).size < keys.length ? ["one key twice"] : []),
    ...writes.flatMap(({ bytes }, at) => {
      const isThere = there.has(keys[at] ?? "");
      if (bytes === null) return [isThere ? "removes a row" : "removes what is not there"];
      return [isThere ? "replaces a row" : "adds a row", ...(bytes.length > 4_096 ? ["a large record"] : [])];
    }),
  ];
}
