/**
 * The driver: the one loop around the core, the same under a virtual clock and in production. A step is
 * committed to memory at once and its durable changes join the open batch; every effect computed after it
 * waits, in order, until that batch would survive power loss. Source: CONVERGENCE "Durability".
 */

import type { Effect, Fact, Input, NodeConfiguration } from "../inputs.ts";
import { assert } from "../kernel/assert.ts";
import type { HeldStore, Roots, Store } from "../kernel/state.ts";
import { openStore, rootText } from "../kernel/state.ts";
import type { Change, Reader } from "../kernel/table.ts";
import { readerOf } from "../kernel/table.ts";
import type { EpochMillis } from "../kernel/values.ts";
import { later } from "../kernel/values.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import type { PagesPort } from "../ports/pages.ts";
import type { SharingPort } from "../ports/sharing.ts";
import type { StorePort, StoreWrite } from "../ports/store.ts";
import type { CallAhead } from "./admission/payload.ts";
import type { Network } from "./domain.ts";
import { openKeptAnswers } from "./kept-answers.ts";
import type { ResolvedConfiguration } from "./overrides.ts";
import { ruleOf, rulesOf } from "./overrides.ts";
import { storeFailedAnswer } from "./rpc.ts";
import { callsHeld, HeldCalls } from "./statements/held-calls.ts";
import { recordsEnd } from "./statements/table.ts";
import type { Step } from "./step.ts";
import { writesOf } from "./step.ts";

/** Facts that wait while the store loads: beyond, calls are refused and the rest dropped. Source: DESIGN L10. */
export const WAITING_MAX = 65_536;
/** After which a store that did not load is asked again, in milliseconds. Source: DESIGN "Waiting times". */
export const LOAD_AGAIN_MS = 5_000;
/** After which a store that refused writes is asked again, in milliseconds. Source: DESIGN "Waiting times". */
export const COMMIT_AGAIN_MS = 1_000;
/** A store that refuses sooner than this after it last did waits before it is asked again, in milliseconds. */
const REFUSED_LATELY_MS = 60_000;
/** Facts that wait while the store refuses writes, which may be for days; the rest is dropped. Source: DESIGN L10. */
export const REFUSED_WAITING_MAX = 4_096;

/** The roots of a node's sets and states as text, to compare nodes by. */
export interface RootTexts {
  readonly statements: string;
  readonly facts: string;
  readonly state: string;
  readonly archive: string;
}

/** A node as a process drives it: facts go in, effects come out, and its state can be read. */
export interface NodeDriver {
  /** Takes a fact, with what was read of it before. The driver adds the instant and the number. */
  accept(fact: Fact, ahead?: CallAhead): void;
  /** Committed memory. */
  readonly view: Reader;
  roots(): RootTexts;
  /** Whether the store was loaded and calls are answered. */
  ready(): boolean;
  /**
   * All that the driver remembers; `from` of another goes on with it. It is what lives on; for a copy its memory is one
   * of its own, which shares what neither writes into.
   */
  held(what: "bytes" | "copy"): HeldDriver;
}

type Connected = Extract<Fact, { readonly type: "peer.connected" }>;

type Refusing = "no" | "waits" | "asks";

/** What a driver remembers between two facts: plain values. */
export interface HeldDriver {
  readonly memory: HeldStore;
  readonly bootSeed: Uint8Array;
  readonly number: number;
  readonly ready: boolean;
  /** Whether the store did not load, and is asked again when the timer comes. */
  readonly resting: boolean;
  /** Whether the store refuses writes: until the timer comes, or while it is asked whether it takes them again. */
  readonly refusing: Refusing;
  /** When the store last refused. */
  readonly refusedAt: EpochMillis | undefined;
  readonly waiting: readonly Fact[];
  /** Connections that are open, as they were told. */
  readonly connected: readonly Connected[];
  /** What is being made durable, and what comes after it. */
  readonly flying: Batch | undefined;
  readonly open: Batch;
}

/** What a node is opened with. */
export interface DriverOptions {
  /** The domains that this node runs. */
  readonly network: Network;
  readonly crypto: CryptoPort;
  /** What this node shares with others of its process, which have the same cryptography; nothing when absent. */
  readonly sharing?: SharingPort | undefined;
  readonly configuration: NodeConfiguration;
  readonly store: StorePort;
  readonly bootSeed: Uint8Array;
  readonly now: () => EpochMillis;
  readonly perform: (effect: Effect) => void;
  readonly observe?: (input: Input, changes: readonly Change[], effects: readonly Effect[]) => void;
  /** Where sealed rows lie; in memory unless said. */
  readonly pages?: PagesPort | undefined;
  /** Goes on from what another driver remembered: whatever that one had asked of its store is asked again. */
  readonly from?: HeldDriver | undefined;
}

/** Writes that become durable together, and the effects that wait for them. */
export interface Batch {
  readonly writes: StoreWrite[];
  readonly effects: Effect[];
}

/** Opens a node: loads its store, again and again if need be, then takes `started`, then whatever waited. */
export function openDriver(options: DriverOptions): NodeDriver {
  const { crypto, store, perform, from, sharing, pages } = options;
  const network = withUnits(options.network, crypto, sharing);
  const { configuration, kept: known } = rulesAndState(network, options.configuration);
  const kept = { sharing, pages, ...known };
  let { bootSeed } = from ?? options;
  let memory = openStore(crypto, network.tables, { from: from?.memory, ...kept });
  let { number, ready, resting, refusing, refusedAt, flying, open } = from ?? nothingDone();
  let waiting: Fact[] = [...(from?.waiting ?? [])];
  let spelled: SpelledRoots | undefined;
  const connected = new Map(from?.connected.map((fact) => [fact.peer, fact]));
  const answers = openKeptAnswers();
  let performing = false;

  function accept(fact: Fact, ahead?: CallAhead): void {
    if (fact.type === "timer.fired" && fact.timer === "store-retry") return askAgain();
    if (ready && refusing === "no") run(fact, ahead);
    else if (ready) acceptUnwritten(fact);
    else if (fact.type === "rpc.called" && (resting || waiting.length >= WAITING_MAX))
      perform(failed(configuration, fact));
    else if (waiting.length < WAITING_MAX) waiting.push(fact);
  }

  function run(fact: Fact, ahead?: CallAhead): void {
    noteLink(fact);
    const input = inputOf(fact);
    const taken = stepOf(input, ahead);
    // What is loaded is durable already; writing it again would double every restart.
    keep(input, taken, fact.type === "store.loaded" ? [] : writesOf(network, taken.changes, sharing));
  }

  function inputOf(fact: Fact): Input {
    const now = options.now();
    // Most facts are calls, and copying what one has costs more than writing it down.
    if (fact.type !== "rpc.called") return { now, number, ...fact };
    const { type, replyTo, body } = fact;
    return { type, replyTo, body, now, number };
  }

  function stepOf(input: Input, ahead?: CallAhead): Step {
    return answers.stepOf({ store: memory, crypto, configuration, bootSeed, network }, input, ahead);
  }

  function keep(input: Input, { changes, effects }: Step, writes: readonly StoreWrite[]): void {
    number += 1;
    memory.commit(changes);
    answers.onChanges(changes);
    options.observe?.(input, changes, effects);
    open.writes.push(...writes);
    open.effects.push(...effects);
    flush();
  }

  function beginAnew(): void {
    memory = openStore(crypto, network.tables, kept);
    answers.forget();
  }

  function noteLink(fact: Fact): void {
    if (fact.type === "peer.connected") connected.set(fact.peer, fact);
    else if (fact.type === "peer.disconnected") connected.delete(fact.peer);
  }

  /**
   * The store refuses writes, and memory is what it holds: who reads is answered, who writes hears so before anything
   * is done. All else waits, since there is no telling a step that writes from one that does not before it is made.
   */
  function acceptUnwritten(fact: Fact): void {
    if (fact.type === "rpc.called") answerUnwritten(fact);
    else if (waiting.length < REFUSED_WAITING_MAX) waiting.push(fact);
    else dropUnwritten(fact);
  }

  /** What connections there are is known all the same, and what waits is older. */
  function dropUnwritten(fact: Fact): void {
    if (fact.type !== "peer.connected" && fact.type !== "peer.disconnected") return;
    noteLink(fact);
    const isOfIt = (older: Fact) =>
      (older.type === "peer.connected" || older.type === "peer.disconnected") && older.peer === fact.peer;
    waiting = waiting.filter((older) => !isOfIt(older));
  }

  function answerUnwritten(call: Extract<Fact, { readonly type: "rpc.called" }>): void {
    const input = inputOf(call);
    const taken = stepOf(input);
    // What a call waits for is attached by a step that writes.
    const held = taken.changes.some(({ table }) => table === HeldCalls.name);
    if (held || writesOf(network, taken.changes).length > 0) perform(failed(configuration, call));
    else keep(input, taken, []);
  }

  /** Starts the open batch when none is flying; a batch without writes needs no store. */
  function flush(): void {
    if (flying !== undefined || performing) return;
    const batch = open;
    if (batch.writes.length === 0 && batch.effects.length === 0) return;
    open = emptyBatch();
    if (batch.writes.length === 0) return release(batch);
    flying = batch;
    commit(batch);
  }

  function commit(batch: Batch): void {
    store.commit(batch.writes, (result) => {
      flying = undefined;
      if (result.ok) release(batch);
      else giveUp(batch);
    });
  }

  function release(batch: Batch): void {
    performing = true;
    for (const effect of batch.effects) perform(effect);
    performing = false;
    flush();
  }

  /**
   * The store refused: callers hear so, and memory is rebuilt from what is durable before the next input. Which
   * challenges were answered is forgotten with it, so none that was issued before may be answered after: the seed goes
   * on. Nothing is written from then on until the store takes writes again, so that it is read once and not for each
   * batch. Source: protocol 03 W-12; CONVERGENCE "Durability".
   */
  function giveUp(batch: Batch): void {
    const lost = [...batch.effects, ...open.effects];
    const held = callsHeld(memory);
    open = emptyBatch();
    ready = false;
    refusing = isLately(refusedAt, options.now()) ? "waits" : "asks";
    refusedAt = options.now();
    beginAnew();
    bootSeed = crypto.sha256(bootSeed);
    for (const effect of lost) if (effect.type === "rpc.reply") perform(failed(configuration, effect));
    for (const call of held) perform(failed(configuration, call));
    load();
  }

  function load(): void {
    store.load((result) => {
      if (!result.ok) return rest(result.error.code);
      run({ type: "store.loaded", rows: result.value.rows, last: result.value.last });
      if (!result.value.last) return;
      if (refusing === "no") return begin();
      ready = true;
      takeWaiting();
      if (refusing === "asks") ask();
      else wait(COMMIT_AGAIN_MS);
    });
  }

  function begin(): void {
    run({ type: "started", bootSeed });
    // Connections outlive the memory that was given up: nobody will tell of them again.
    for (const fact of [...connected.values()]) run(fact);
    ready = true;
    takeWaiting();
  }

  /** Whether the store takes writes: a commit of none tells. */
  function ask(): void {
    refusing = "asks";
    store.commit([], (result) => {
      refusing = result.ok ? "no" : "waits";
      if (result.ok) begin();
      else wait(COMMIT_AGAIN_MS);
    });
  }

  /** The store may be read again later: whoever called hears that it cannot now; what it told so far is forgotten. */
  function rest(reason: string): void {
    resting = true;
    open = emptyBatch();
    beginAnew();
    takeWaiting();
    perform({ type: "log", level: "error", event: "store does not load", fields: { reason } });
    wait(LOAD_AGAIN_MS);
  }

  function wait(ms: number): void {
    perform({ type: "timer.set", timer: "store-retry", at: later(options.now(), ms) });
  }

  function takeWaiting(): void {
    const held = waiting;
    waiting = [];
    for (const fact of held) accept(fact);
  }

  function askAgain(): void {
    if (refusing === "waits" && ready) return ask();
    if (!resting) return;
    resting = false;
    load();
  }

  function held(what: "bytes" | "copy"): HeldDriver {
    const state = { memory: what === "copy" ? memory.copy() : memory.held(), bootSeed, number };
    const disk = { ready, resting, refusing, refusedAt, flying, open };
    return { ...state, ...disk, waiting, connected: [...connected.values()] };
  }

  if (flying !== undefined) commit(flying);
  else if (ready && refusing === "asks") ask();
  else if (!ready && !resting) load();
  return {
    accept,
    view: readerOf(() => memory),
    roots() {
      spelled = spelledRoots(memory.roots, spelled);
      return spelled.texts;
    },
    ready: () => ready,
    held,
  };
}

/** What a driver goes on from that begins with a memory, and has done nothing yet. */
export function heldOf(memory: HeldStore): HeldDriver {
  return { ...nothingDone(), memory, bootSeed: new Uint8Array(0), waiting: [], connected: [] };
}

/** What a driver remembers beside its memory before its store is loaded. */
function nothingDone(): Omit<HeldDriver, "memory" | "bootSeed" | "waiting" | "connected"> {
  const disk = { resting: false, refusing: "no", refusedAt: undefined } as const;
  return { number: 0, ready: false, ...disk, flying: undefined, open: emptyBatch() };
}

/** A configuration with the rules of its profile, and what a state needs to know of them. */
export function rulesAndState(network: Network, given: NodeConfiguration) {
  const configuration = { ...given, rules: rulesOf(network.overrides, given.profile) };
  const { amendments = [] } = configuration.profile;
  for (const { rule } of amendments) assert(network.amendments.includes(rule), `this software has the rule ${rule}`);
  return {
    configuration,
    kept: { endless: !ruleOf(configuration, recordsEnd)(), amendments, types: network.typesByName },
  };
}

/** Whether an instant is less than a minute ago, or ahead: the clock was set back. */
function isLately(instant: EpochMillis | undefined, now: EpochMillis): boolean {
  return instant !== undefined && now < instant + BigInt(REFUSED_LATELY_MS);
}

/** What a caller hears, of whose call this is the text, or the answer that is lost. */
function failed(
  configuration: ResolvedConfiguration,
  { replyTo, body }: { readonly replyTo: string; readonly body: string | null },
): Effect {
  return { type: "rpc.reply", replyTo, body: storeFailedAnswer(configuration, body ?? "") };
}

function emptyBatch(): Batch {
  return { writes: [], effects: [] };
}

/** The same network, whose folds are made once: they are of a kind of cryptography, and remember nothing. */
function withUnits(network: Network, crypto: CryptoPort, sharing: SharingPort | undefined): Network {
  const make = () => network.units(crypto);
  const units = sharing === undefined ? make() : sharing.of(network, crypto, make);
  return { ...network, units: () => units };
}

/** Roots as numbers and as texts. */
interface SpelledRoots {
  readonly of: Readonly<Roots>;
  readonly texts: RootTexts;
}

/** Roots as text; those that are as they were are not spelled again. */
function spelledRoots({ statements, facts, state, archive }: Readonly<Roots>, before?: SpelledRoots): SpelledRoots {
  const { of, texts } = before ?? { of: undefined, texts: undefined };
  const isSame = of?.statements === statements && of.facts === facts && of.state === state && of.archive === archive;
  if (before !== undefined && isSame) return before;
  const now = { statements, facts, state, archive };
  const spell = (name: keyof Roots) =>
    texts !== undefined && of?.[name] === now[name] ? texts[name] : rootText(now[name]);
  return {
    of: now,
    texts: { statements: spell("statements"), facts: spell("facts"), state: spell("state"), archive: spell("archive") },
  };
}

/** The roots of a state as text. */
export function rootsOf({ roots }: Store): RootTexts {
  return spelledRoots(roots).texts;
}
