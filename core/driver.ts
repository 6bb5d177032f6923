/**
 * The driver: the one loop around the core, the same under a virtual clock and in production. A step is
 * committed to memory at once and its durable changes join the open batch; every effect computed after it
 * waits, in order, until that batch would survive power loss. Source: CONVERGENCE "Durability" (ours).
 */

import type { Effect, Fact, Input, NodeConfiguration } from "./inputs.ts";
import { openStore, rootText, type Store } from "./kernel/state.ts";
import type { Change, Reader } from "./kernel/table.ts";
import type { EpochMillis } from "./kernel/values.ts";
import type { CryptoPort } from "./ports/crypto.ts";
import type { StorePort, StoreWrite } from "./ports/store.ts";
import { storeFailedAnswer } from "./rpc.ts";
import { step, tables, writesOf } from "./step.ts";

/** Facts that wait while the store loads or is loaded again: beyond, calls are refused and the rest dropped. Source: ours (L10). */
export const WAITING_MAX = 65_536;

export interface RootTexts {
  readonly statements: string;
  readonly facts: string;
  readonly state: string;
}

export interface NodeDriver {
  /** Takes a fact. The driver adds the instant and the number. */
  accept(fact: Fact): void;
  /** Committed memory. */
  readonly view: Reader;
  roots(): RootTexts;
  /** Whether the store was loaded and calls are answered. */
  ready(): boolean;
}

export interface DriverOptions {
  readonly crypto: CryptoPort;
  readonly configuration: NodeConfiguration;
  readonly store: StorePort;
  readonly bootSeed: Uint8Array;
  readonly now: () => EpochMillis;
  readonly perform: (effect: Effect) => void;
  readonly observe?: (input: Input, changes: readonly Change[], effects: readonly Effect[]) => void;
}

interface Batch {
  readonly writes: StoreWrite[];
  readonly effects: Effect[];
}

interface Loop {
  readonly options: DriverOptions;
  memory: Store;
  number: number;
  ready: boolean;
  waiting: Fact[];
  /** What is being made durable now, and what comes after it. */
  flying: Batch | undefined;
  open: Batch;
  performing: boolean;
}

/** Opens a node: loads its store, then takes `started`, then whatever waited. */
export function createDriver(options: DriverOptions): NodeDriver {
  const loop: Loop = {
    options,
    memory: openStore(options.crypto, tables),
    number: 0,
    ready: false,
    waiting: [],
    flying: undefined,
    open: emptyBatch(),
    performing: false,
  };
  load(loop);
  return {
    accept: (fact) => accept(loop, fact),
    view: readerOf(loop),
    roots: () => rootsOf(loop.memory),
    ready: () => loop.ready,
  };
}

function accept(loop: Loop, fact: Fact): void {
  if (!loop.ready) {
    if (loop.waiting.length < WAITING_MAX) loop.waiting.push(fact);
    else if (fact.type === "rpc.called") loop.options.perform(failed(fact.replyTo));
    return;
  }
  run(loop, fact);
}

function run(loop: Loop, fact: Fact): void {
  const { options, memory } = loop;
  const input: Input = { ...fact, now: options.now(), number: loop.number++ };
  const { crypto, configuration, bootSeed } = options;
  const { changes, effects } = step({ store: memory, crypto, configuration, bootSeed }, input);
  memory.commit(changes);
  options.observe?.(input, changes, effects);
  // What is loaded is durable already; writing it again would double every restart.
  if (fact.type !== "store.loaded") loop.open.writes.push(...writesOf(changes));
  loop.open.effects.push(...effects);
  flush(loop);
}

/** Starts the open batch when none is flying; a batch without writes needs no store. */
function flush(loop: Loop): void {
  if (loop.flying !== undefined || loop.performing) return;
  const batch = loop.open;
  if (batch.writes.length === 0 && batch.effects.length === 0) return;
  loop.open = emptyBatch();
  if (batch.writes.length === 0) return release(loop, batch);
  loop.flying = batch;
  loop.options.store.commit(batch.writes, (result) => {
    loop.flying = undefined;
    if (result.ok) release(loop, batch);
    else giveUp(loop, batch);
  });
}

function release(loop: Loop, batch: Batch): void {
  loop.performing = true;
  for (const effect of batch.effects) loop.options.perform(effect);
  loop.performing = false;
  flush(loop);
}

/** The store refused: callers hear so, and memory is rebuilt from what is durable before the next input. */
function giveUp(loop: Loop, batch: Batch): void {
  const lost = [...batch.effects, ...loop.open.effects];
  loop.open = emptyBatch();
  loop.ready = false;
  loop.memory = openStore(loop.options.crypto, tables);
  for (const effect of lost) if (effect.type === "rpc.reply") loop.options.perform(failed(effect.replyTo));
  load(loop);
}

function load(loop: Loop): void {
  loop.options.store.load((result) => {
    if (!result.ok) {
      const fields = { reason: result.error.code };
      return loop.options.perform({ type: "log", level: "error", event: "store does not load", fields });
    }
    run(loop, { type: "store.loaded", rows: result.value.rows, last: result.value.last });
    if (!result.value.last) return;
    run(loop, { type: "started", bootSeed: loop.options.bootSeed });
    loop.ready = true;
    const waiting = loop.waiting;
    loop.waiting = [];
    for (const fact of waiting) accept(loop, fact);
  });
}

function failed(replyTo: string): Effect {
  return { type: "rpc.reply", replyTo, body: storeFailedAnswer() };
}

function emptyBatch(): Batch {
  return { writes: [], effects: [] };
}

function rootsOf({ roots }: Store): RootTexts {
  return { statements: rootText(roots.statements), facts: rootText(roots.facts), state: rootText(roots.state) };
}

/** Reads go to whichever memory is the current one. */
function readerOf(loop: Loop): Reader {
  return {
    get: (table, key) => loop.memory.get(table, key),
    find: (table, index, value) => loop.memory.find(table, index, value),
    keys: (table) => loop.memory.keys(table),
    size: (table) => loop.memory.size(table),
  };
}
