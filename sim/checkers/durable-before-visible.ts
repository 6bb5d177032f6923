/**
 * Law L9: nothing leaves a node before what it rests on would survive the loss of power, and nothing that its disk kept
 * is ever lost. At every effect that leaves, the writes of its step and of all steps before are on the node's disk; and
 * what a node loads again is what it held when its disk had kept some step, none before the last that it had kept.
 * What has to be written is worked out here from the changes of steps, apart from the driver.
 * Source: DESIGN L9; CONVERGENCE "Durability".
 */
import type { Change, Reader, RootTexts, Table } from "../../core/index.ts";
import { encodeCompact, equalBytes, tables as marketplaceTables } from "../../core/index.ts";
import { Pending, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, CommitSeen, CrashSeen, StepSeen } from "../checker.ts";
import type { DiskReport } from "../disk.ts";
import type { Kept, UnkeptWrites } from "./unkept-writes.ts";
import { addWrites, clearWrites, firstWrite, noUnkeptWrites, rowKey, takeWrite } from "./unkept-writes.ts";

/** What must be found again whatever its table declares of itself. Source: protocol 05 §6.9, §11.1; 03 A.10.3 R11. */
const MUST_OUTLIVE = ["snapshot_checkpoint", "newest_slot", "chain_facts", "statements"];

/** The tables of the network that is watched: by name, and those that a node must find again. */
interface Kinds {
  readonly byName: ReadonlyMap<string, Table<unknown>>;
  /** Bytes of records, by the tables of which several nodes may hold one: it is encoded once. */
  readonly encoded: ReadonlyMap<string, WeakMap<object, Uint8Array>>;
  readonly outliving: readonly Table<unknown>[];
}

/** The roots after a step that wrote. */
interface Boundary {
  readonly step: number;
  readonly roots: RootTexts;
}

/** What a node must have once it has loaded its store again. */
interface Expected {
  /** Its roots are those of one of these. */
  readonly boundaries: readonly Boundary[];
  /** By table, records by key; nothing is said of keys in `open`. */
  readonly records: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly open: ReadonlySet<string>;
}

/** What is known of one node. */
interface Watched {
  step: number;
  readonly unkept: UnkeptWrites;
  /** Boundaries from the newest that a loss of power must leave. */
  boundaries: Boundary[];
  /** Rows that the disk reported, and may lose as it lies. */
  readonly unsafe: Set<string>;
  /** Rows that its disk changed by itself: what becomes of them, and of what rests on them, it cannot help. */
  readonly worn: Set<string>;
  /** The newest step whose writes are all safe. */
  safe: number;
  /** The step of each effect that has not left; replies also by their handle. */
  readonly waiting: Map<unknown, number>;
  expected: Expected | undefined;
}

/** Nothing leaves a node before what it rests on would survive power loss. Law L9. */
export function durableBeforeVisible({ violate, keep, tables = marketplaceTables }: CheckContext): Checker {
  const kinds: Kinds = {
    byName: new Map(tables.map((table) => [table.name, table])),
    encoded: new Map(tables.filter(({ common }) => common).map(({ name }) => [name, new WeakMap()])),
    outliving: tables.filter(({ durable, name }) => durable || MUST_OUTLIVE.includes(name)),
  };
  const nodes = keep(() => new Map<number, Watched>());
  const watched = (node: number): Watched => {
    const known = nodes.get(node) ?? nothingYet();
    nodes.set(node, known);
    return known;
  };

  function onLoaded(node: number, seen: StepSeen): void {
    const own = watched(node);
    if (own.expected !== undefined)
      for (const lost of lostOf(kinds, own.expected, own.worn, seen)) violate(`node ${node} ${lost}`);
    own.expected = undefined;
    own.worn.clear();
    own.boundaries = [{ step: own.step, roots: seen.roots }];
    own.safe = own.step;
    own.unsafe.clear();
  }

  return {
    name: "durable-before-visible",
    onStep(seen) {
      const { node, input, changes, effects, roots, rootsBefore } = seen;
      const own = watched(node);
      own.step += 1;
      for (const effect of effects) {
        own.waiting.set(effect, own.step);
        if (effect.type === "rpc.reply") own.waiting.set(effect.replyTo, own.step);
      }
      if (input.type === "store.loaded") return input.last ? onLoaded(node, seen) : undefined;
      if (own.boundaries.length === 0) own.boundaries.push({ step: 0, roots: rootsBefore });
      if (addWrites(own.unkept, own.step, changes, (change) => bytesOf(kinds, change)))
        own.boundaries.push({ step: own.step, roots });
    },
    onEffect({ node, effect }) {
      const own = watched(node);
      const handle = effect.type === "rpc.reply" ? effect.replyTo : effect;
      // What no step ordered, such as the answer to a call whose batch failed, rests on everything that was done.
      const step = own.waiting.get(effect) ?? own.waiting.get(handle) ?? own.step;
      own.waiting.delete(effect);
      own.waiting.delete(handle);
      const first = firstWrite(own.unkept);
      if (first !== undefined && first.step <= step)
        violate(`node ${node} lets ${effect.type} go before ${first.row} is on its disk`);
    },
    onCommit(seen) {
      const own = watched(seen.node);
      if (seen.report.type === "failed") return expectAgain(kinds, own, seen, true);
      if (seen.report.type === "worn") {
        for (const { table, key } of seen.report.rows) own.worn.add(rowKey(table, key));
        return;
      }
      const wrong = takeKept(own, seen.report);
      if (wrong !== undefined) violate(`node ${seen.node} ${wrong}`);
    },
    onCrash: (seen) => expectAgain(kinds, watched(seen.node), seen, false),
  };
}

function nothingYet(): Watched {
  const [unkept, waiting, unsafe] = [noUnkeptWrites(), new Map<unknown, number>(), new Set<string>()];
  return { step: 0, unkept, boundaries: [], unsafe, worn: new Set(), safe: 0, waiting, expected: undefined };
}

/** What a change makes of a row; nothing where no row is kept. Tables that the core does not have keep anything. */
function bytesOf({ byName, encoded }: Kinds, { table: name, record }: Change): Kept | undefined {
  const table = byName.get(name);
  if (table === undefined) return { bytes: undefined };
  if (!table.durable) return undefined;
  if (record === undefined) return { bytes: null };
  const known = encoded.get(name);
  if (known === undefined || typeof record !== "object" || record === null)
    return { bytes: encodeCompact(table.record, record) };
  const bytes = known.get(record) ?? encodeCompact(table.record, record);
  known.set(record, bytes);
  return { bytes };
}

/** Takes off what the disk kept; answers what it kept that no step had changed. */
function takeKept(own: Watched, { writes, safe }: Extract<DiskReport, { readonly type: "kept" }>): string | undefined {
  for (const write of writes) {
    if (!takeWrite(own.unkept, write)) return `writes ${rowKey(write.table, write.key)} as no step left it`;
    if (!safe) own.unsafe.add(rowKey(write.table, write.key));
  }
  if (!safe) return undefined;
  own.unsafe.clear();
  own.safe = keptStep(own);
  while ((own.boundaries[1]?.step ?? Infinity) <= own.safe) own.boundaries.shift();
  return undefined;
}

/** The newest step of which nothing is missing on the disk. */
function keptStep({ unkept, step }: Watched): number {
  return (firstWrite(unkept)?.step ?? step + 1) - 1;
}

/** Memory goes; what comes back is what the disk holds. A failed commit takes everything back that was not kept. */
function expectAgain(kinds: Kinds, own: Watched, seen: CrashSeen | CommitSeen, failed: boolean): void {
  const lied = "lied" in seen && seen.lied > 0;
  const from = lied ? own.safe : keptStep(own);
  if (own.expected === undefined && own.boundaries.length > 0 && seen.view !== undefined) {
    const last = own.boundaries.findLastIndex(({ step }) => step <= from);
    const open = new Set([...own.unkept.byRow.keys(), ...(lied ? own.unsafe : [])]);
    const boundaries = own.boundaries.slice(last, failed ? last + 1 : undefined);
    own.expected = { boundaries, records: recordsOf(kinds, seen.view), open };
  }
  clearWrites(own.unkept);
  own.waiting.clear();
  own.boundaries = [];
}

function recordsOf({ outliving }: Kinds, view: Reader): Expected["records"] {
  return new Map(
    outliving.map((table) => [table.name, new Map([...view.keys(table)].map((key) => [key, view.get(table, key)]))]),
  );
}

function* lostOf(
  { outliving }: Kinds,
  { boundaries, records, open }: Expected,
  worn: ReadonlySet<string>,
  { view, roots }: StepSeen,
): Generator<string> {
  if (worn.size === 0 && !boundaries.some((boundary) => sameRoots(boundary.roots, roots))) {
    const last = boundaries.at(-1)?.roots;
    yield `loads roots that it never had since its disk kept some: ${rootsText(roots)}, not ${last && rootsText(last)}`;
  }
  for (const table of outliving) {
    const before = records.get(table.name) ?? new Map();
    for (const key of new Set([...before.keys(), ...view.keys(table)])) {
      const [had, has] = [before.get(key), view.get(table, key)];
      const row = rowKey(table.name, key);
      if (open.has(row) || worn.has(row) || had === has) continue;
      if (worn.size > 0 && waits({ records, open }, view, table.name, key)) continue;
      if (had === undefined || has === undefined)
        yield `${has === undefined ? "lost" : "made up"} ${table.name}/${key}`;
      else if (!equalBytes(encodeCompact(table.record, had), encodeCompact(table.record, has)))
        yield `loads another ${table.name}/${key} than its disk kept`;
    }
  }
}

/**
 * A statement whose parent its disk lost waits for it again, as it did before; so does one that had left memory while
 * its disk still held it.
 */
function waits(
  { records, open }: Pick<Expected, "records" | "open">,
  view: Reader,
  table: string,
  key: string,
): boolean {
  if (table === Statements.name) return view.get(Pending, key) !== undefined;
  const isOnDisk = records.get(Statements.name)?.has(key) === true || open.has(rowKey(Statements.name, key));
  return table === Pending.name && isOnDisk;
}

function sameRoots(one: RootTexts, other: RootTexts): boolean {
  return rootsText(one) === rootsText(other);
}

function rootsText({ statements, facts, state, archive }: RootTexts): string {
  return [statements, facts, state, archive].map((root) => root.slice(0, 16)).join(" ");
}
