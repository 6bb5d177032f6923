/**
 * A node that is told again what a recorded one was told, over a real store, and starts again now and then: at rest, or
 * killed while its newest commits were not yet carried out. What it must find again is judged by the checker of law L9.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiskOutcome } from "../../adapters/memory/store.ts";
import { openMemoryDisk, openMemoryStore } from "../../adapters/memory/store.ts";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import { openSqljsRows } from "../../adapters/sqlite/sqljs.ts";
import type * as CoreIndex from "../../core/index.ts";
import type { NodeDriver, RootTexts } from "../../core/index.ts";
import { createDriver, methods, tables } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StorePort } from "../../core/ports/store.ts";
import type { Checker } from "../../sim/checker.ts";
import { durableBeforeVisible } from "../../sim/checkers/durable-before-visible.ts";
import { crypto } from "../rpc/lone-node.ts";
import type { RecordedNode } from "./recorded.ts";

export const storeKinds = ["memory", "sqljs", "libsql"] as const;
export type StoreKind = (typeof storeKinds)[number];
type Core = Pick<typeof CoreIndex, "createDriver">;

export interface Restart {
  /** After which share of the facts, in thousandths. */
  readonly at: number;
  /** Facts before the restart after which no commit is carried out any more. None for a file, which is closed. */
  readonly late: number;
}

/** What became of a node that was restarted. */
export interface Replayed {
  readonly lost: readonly string[];
  /** Tables that held something when the node started again, by how often. */
  readonly restored: ReadonlyMap<string, number>;
}

/** Reads about the process: its peers, what it heard of the chain's head, services that it registers as it starts. */
const OF_THE_PROCESS = ["getPeers", "getChainStatus", "getLatestBlockhash", "getProviders"];
const keptReads = Object.entries(methods)
  .filter(([name, { kind, need }]) => kind === "query" && need !== "required" && !OF_THE_PROCESS.includes(name))
  .map(([name]) => name);

/** What is said of one node at most. */
const LOST_MAX = 100;

/** A store that outlives the node's processes. */
interface Ledger {
  open(): StorePort;
  /** Carries out what was asked of it. */
  settle(): Promise<void>;
  /** The process ends. */
  leave(): Promise<void>;
  remove(): void;
}

export async function replay(
  { configuration, told }: RecordedNode,
  kind: StoreKind,
  restarts: readonly Restart[],
  core: Core = { createDriver },
): Promise<Replayed> {
  const [lost, restored]: [string[], Map<string, number>] = [[], new Map()];
  const profile = configuration.profile;
  const checker: Checker = durableBeforeVisible({
    violate: (text) => void (lost.length < LOST_MAX && lost.push(text)),
    keep: (fresh) => fresh(),
    people: () => [],
    time: () => 0,
    chain: () => undefined,
    profile,
  });
  const ledger = await openKind(kind);
  const answers = new Map<string, string | null>();
  let now = told[0]?.now ?? (0n as EpochMillis);
  let life = 0;
  let roots: RootTexts = { statements: "", facts: "", state: "", archive: "" };

  async function start(): Promise<NodeDriver> {
    const own = ++life;
    const store = watched(ledger.open(), checker, () => driver.view);
    const driver: NodeDriver = core.createDriver({
      ...{ crypto, configuration, store, now: () => now, bootSeed: new Uint8Array(32).fill(own) },
      perform(effect) {
        if (own !== life) return;
        if (effect.type === "rpc.reply") answers.set(effect.replyTo, effect.body);
        checker.onEffect?.({ node: 0, effect });
      },
      observe(input, changes, effects) {
        const rootsBefore = roots;
        roots = driver.roots();
        checker.onStep?.({ node: 0, input, changes, effects, view: driver.view, roots, rootsBefore });
        if (own === 1 || input.type !== "store.loaded" || !input.last) return;
        for (const table of tables)
          if (driver.view.size(table) > 0) restored.set(table.name, (restored.get(table.name) ?? 0) + 1);
      },
    });
    await ledger.settle();
    return driver;
  }

  const stops = restarts.map(({ at, late }) => ({ place: Math.floor((at * told.length) / 1_000), late }));
  let driver = await start();
  for (const [place, { fact, now: then }] of told.entries()) {
    now = then;
    driver.accept(fact);
    const late = kind !== "libsql" && stops.some((stop) => place < stop.place && stop.place - stop.late <= place);
    if (!late) await ledger.settle();
    if (!stops.some((stop) => stop.place === place + 1)) continue;
    const atRest = kind === "libsql" || stops.every((stop) => stop.place !== place + 1 || stop.late === 0);
    const before = atRest ? await readsOf(driver, ledger, answers) : undefined;
    await ledger.leave();
    checker.onCrash?.({ node: 0, view: driver.view, lied: 0 });
    driver = await start();
    const after = before && (await readsOf(driver, ledger, answers));
    for (const [method, answer] of before ?? []) {
      if (after?.get(method) !== answer) lost.push(`${method} answered ${answer}, then ${after?.get(method)}`);
    }
  }
  await ledger.leave();
  ledger.remove();
  return { lost, restored };
}

/** Reads that need nothing and are about what a node keeps: what it answers to each. */
async function readsOf(
  driver: NodeDriver,
  ledger: Ledger,
  answers: Map<string, string | null>,
): Promise<ReadonlyMap<string, string | null>> {
  answers.clear();
  for (const method of keptReads) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} });
    driver.accept({ type: "rpc.called", replyTo: method, body });
  }
  await ledger.settle();
  // Clients of the story may be answered at the same time.
  return new Map(keptReads.flatMap((method) => (answers.has(method) ? [[method, answers.get(method) ?? null]] : [])));
}

/** A store whose commits the checker hears of. */
function watched(store: StorePort, checker: Checker, view: () => NodeDriver["view"]): StorePort {
  return {
    ...store,
    commit: (writes, done) =>
      store.commit(writes, (result) => {
        const report = result.ok ? ({ type: "kept", writes, safe: true } as const) : ({ type: "failed" } as const);
        checker.onCommit?.({ node: 0, report, view: view() });
        done(result);
      }),
  };
}

function openKind(kind: StoreKind): Promise<Ledger> {
  return kind === "libsql" ? openFile() : openInMemory(kind);
}

/** Commits are carried out when the store is told to settle; what was not is lost with the process. */
async function openInMemory(kind: "memory" | "sqljs"): Promise<Ledger> {
  const disk = openMemoryDisk(...(kind === "sqljs" ? [await openSqljsRows()] : []));
  let tasks: (() => void)[] = [];
  const done: DiskOutcome = { type: "done" };
  return {
    open: () => openMemoryStore(disk, { schedule: (_, end) => void tasks.push(() => end(done)) }),
    async settle() {
      for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) task();
    },
    async leave() {
      tasks = [];
      disk.crash(0);
    },
    remove: () => undefined,
  };
}

/** A ledger in a file, as production opens it; it is closed, and opened again. */
async function openFile(): Promise<Ledger> {
  const directory = mkdtempSync(join(tmpdir(), "ofs-restarts-"));
  let current: StorePort | undefined;
  let asked = 0;
  const settle = async (): Promise<void> => {
    while (asked > 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    open() {
      const opened = openLedger(directory);
      if (!opened.ok) throw new Error(opened.error.reason);
      const store = opened.value;
      current = store;
      return {
        commit(writes, done) {
          asked += 1;
          store.commit(writes, (result) => {
            asked -= 1;
            done(result);
          });
        },
        load(page) {
          asked += 1;
          store.load((result) => {
            if (!result.ok || result.value.last) asked -= 1;
            page(result);
          });
        },
        close: store.close,
      };
    },
    settle,
    async leave() {
      await settle();
      await new Promise<void>((resolve) => current?.close(resolve));
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}
