/**
 * A node as a value: what its driver remembers, its disk and its timers. The machine takes one and a fact, and gives
 * the next one and the effects that left; it remembers nothing itself. It runs the driver that production runs.
 * Source: DESIGN L11, section 5 "Exhaustive scopes".
 */
import type {
  Change,
  Effect,
  EpochMillis,
  Fact,
  HeldDriver,
  Input,
  Network,
  NodeConfiguration,
  Reader,
  RootTexts,
  StoreRow,
  StoreWrite,
  TimerName,
} from "../../core/index.ts";
import { openDriver } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { byUnits, canonicalText, digestOf, rowsDigest } from "./canonical.ts";
import { countedNetwork } from "./counted-network.ts";
import { renamedRequests } from "./request-names.ts";

/** Rows by table and key. Never changed once made. */
export type DiskImage = ReadonlyMap<string, StoreRow>;

/** All that a node is. Never changed once made. */
export interface NodeValue {
  /** Nothing while the process is down. */
  readonly driver: HeldDriver | undefined;
  readonly disk: DiskImage;
  readonly timers: ReadonlyMap<TimerName, EpochMillis>;
  readonly starts: number;
  /** Steps of this process that asked for the number of their input. */
  readonly asked: number;
}

/** What one step did, for those who check it. */
export interface StepMade {
  readonly input: Input;
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
}

/** What a node became, and what left it, in order. */
export interface Outcome {
  readonly value: NodeValue;
  readonly effects: readonly Effect[];
  readonly steps: readonly StepMade[];
  readonly view: Reader | undefined;
  readonly roots: RootTexts | undefined;
}

export interface MachineOptions {
  readonly network: Network;
  readonly crypto: CryptoPort;
  readonly configuration: NodeConfiguration;
  /** Seed of the nth start. */
  readonly bootSeed: (start: number) => Uint8Array;
  /** `at once`: a commit is durable when the driver asks for it. `later`: when `sync` says so. */
  readonly disk: "at once" | "later";
  /**
   * Whether requests bear the core's own numbers, and inputs theirs: as in a life that nobody folds together. Asked for
   * by the test that compares the two.
   */
  readonly asCounted?: boolean;
}

/** One node's transitions. */
export interface Machine {
  readonly configuration: NodeConfiguration;
  take(value: NodeValue, now: EpochMillis, facts: readonly Fact[]): Outcome;
  /** What the disk was asked for is durable now. */
  sync(value: NodeValue, now: EpochMillis): Outcome;
  start(value: NodeValue, now: EpochMillis): Outcome;
  crash(value: NodeValue): NodeValue;
}

/**
 * Between the numbers of two inputs that ask for theirs. A real node has taken other inputs in between: reads that
 * changed nothing, say. So every explored life of a node is a real one with fewer than so many reads added.
 */
export const NUMBERS_APART = 4_096;

export const NEW_NODE: NodeValue = { driver: undefined, disk: new Map(), timers: new Map(), starts: 0, asked: 0 };

/** Opens the machine of one node. */
export function openMachine(options: MachineOptions): Machine {
  const { crypto, configuration, disk, bootSeed } = options;
  const { asCounted = false } = options;
  const shared = new Map<string, unknown>();
  let asked = false;
  const network = countedNetwork(options.network, () => {
    asked = true;
  });

  function run(value: NodeValue, now: EpochMillis, seed: Uint8Array, act: Act): Outcome {
    const effects: Effect[] = [];
    const steps: StepMade[] = [];
    const timers = new Map(value.timers);
    let rows: Map<string, StoreRow> | undefined;
    let syncs = act.sync === true || disk === "at once";
    let asks = value.asked;
    const from = value.driver && driverFrom(value.driver, value.asked * (asCounted ? 1 : NUMBERS_APART));
    asked = false;
    const driver = openDriver({
      ...{ network, crypto, configuration, bootSeed: seed, now: () => now, from },
      store: {
        commit(writes, done) {
          if (!syncs) return;
          if (disk === "later") syncs = false;
          rows ??= new Map(value.disk);
          for (const write of writes) writeRow(rows, write);
          done({ ok: true, value: null });
        },
        load: (page) => page({ ok: true, value: { rows: loadedRows(value.disk), last: true } }),
        close: (done) => done(),
      },
      perform(effect) {
        effects.push(effect);
        if (effect.type === "timer.set") timers.set(effect.timer, effect.at);
      },
      observe(input, changes, told) {
        steps.push({ input, changes, effects: told });
        if (asked) asks += 1;
        asked = false;
      },
    });
    for (const fact of act.facts ?? []) {
      if (fact.type === "timer.fired") timers.delete(fact.timer);
      driver.accept(fact);
    }
    const held = driver.held("bytes");
    const named = asCounted ? { held, effects } : renamedRequests(held, effects, { network, crypto, now });
    const next = asCounted ? held.number : asks;
    return {
      value: { ...value, timers, asked: next, disk: rows ?? value.disk, driver: shareTables(named.held, shared) },
      effects: named.effects,
      ...{ steps, view: driver.view, roots: driver.roots() },
    };
  }

  return {
    configuration,
    take: (value, now, facts) => run(value, now, bootSeed(value.starts), { facts }),
    sync: (value, now) => run(value, now, bootSeed(value.starts), { sync: true }),
    start(value, now) {
      const fresh = { ...value, starts: value.starts + 1, asked: 0, timers: new Map() };
      return run(fresh, now, bootSeed(fresh.starts), {});
    },
    crash: ({ disk: rows, starts }) => ({ ...NEW_NODE, disk: rows, starts }),
  };
}

interface Act {
  readonly facts?: readonly Fact[];
  readonly sync?: boolean;
}

/** The text that tells a node's value from every other one. */
export function nodeText({ driver, disk, timers, starts, asked }: NodeValue): string {
  const due = [...timers].map(([timer, at]) => `${timer}@${at}`).sort(byUnits);
  return [starts, asked, due.join(), diskDigest(disk), driver === undefined ? "down" : driverText(driver)].join(" ");
}

function driverText({
  memory,
  number: _,
  connected,
  flying,
  open,
  waiting,
  bootSeed: __,
  ...rest
}: HeldDriver): string {
  const tables = [...memory.tables].flatMap(([name, rows]) =>
    rows.rows.size === 0 ? [] : [`${name}:${rowsDigest(rows)}`],
  );
  const links = connected.map(({ peer, address }) => `${peer}/${address}`).sort(byUnits);
  const held = canonicalText({ flying, open, waiting, rest });
  return digestOf([tables.sort(byUnits).join(), links.join(), held].join("\n"));
}

const disks = new WeakMap<DiskImage, string>();

function diskDigest(disk: DiskImage): string {
  const known = disks.get(disk);
  if (known !== undefined) return known;
  const lines = [...disk].map(([key, { bytes }]) => `${JSON.stringify(key)}=${Buffer.from(bytes).toString("hex")}`);
  const digest = digestOf(lines.sort(byUnits).join("\n"));
  disks.set(disk, digest);
  return digest;
}

/** A driver's memory to go on from, which leaves the value as it is: rows are copied when they are written into. */
function driverFrom(held: HeldDriver, number: number): HeldDriver {
  const { memory, open } = held;
  return {
    ...{ ...held, number },
    memory: { ...memory, owner: { owns: "rows" }, roots: { ...memory.roots }, tables: new Map(memory.tables) },
    open: { writes: [...open.writes], effects: [...open.effects] },
  };
}

/** Rows that another value has as well are kept once. */
function shareTables(held: HeldDriver, shared: Map<string, unknown>): HeldDriver {
  const { tables } = held.memory;
  for (const [name, rows] of tables) {
    const digest = `${name} ${rowsDigest(rows)}`;
    const known = shared.get(digest);
    if (known === undefined) shared.set(digest, rows);
    else if (known !== rows) tables.set(name, known as typeof rows);
  }
  return held;
}

function writeRow(rows: Map<string, StoreRow>, { table, key, bytes }: StoreWrite): void {
  const place = `${table}\n${key}`;
  if (bytes === null) rows.delete(place);
  else rows.set(place, { table, key, bytes });
}

/** In the order that the port demands; names of tables and keys here are ASCII, whose units are its bytes. */
function loadedRows(disk: DiskImage): readonly StoreRow[] {
  return [...disk.values()].sort((a, b) => byUnits(a.table, b.table) || byUnits(a.key, b.key));
}
