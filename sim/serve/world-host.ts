/**
 * Holds the one world of a served network, and sees to it that one thing at a time happens in it: a call of a client, a
 * stretch of time, a change that control asks for. Calls of clients end here: each is answered once, also when the
 * world is replaced by an earlier state of its own. Source: DESIGN section 6 "serve".
 */
import { nextTurn } from "../runtime.ts";
import type { Granted } from "../script.ts";
import type { SimNode } from "../sim-node.ts";
import type { Listener, World } from "../world.ts";
import type { Answered, ClientCall, Rule } from "./client-faults.ts";
import { errorAnswer, faultLine } from "./client-faults.ts";
import type { LiveWorld } from "./live-world.ts";
import { CLIENTS } from "./live-world.ts";
import { nodesThere } from "./members.ts";
import type { Deed } from "./session.ts";

/** Events between two looks at whether somebody else on this process waits. */
const SLICE_EVENTS = 256;
/** Something that was done in the midst of a deed has no place in the order of them. */
const INTERRUPTED = { name: "NOT_REPLAYABLE", why: "a transaction came in the midst of something else" } as const;

/** The world as everything that serves it sees it. */
export interface WorldHost {
  live(): LiveWorld;
  world(): World;
  /**
   * Waits until nothing else happens in the world, and does something in it. The session of the world notes it as one
   * deed; as none where it is `null`; and where nothing is said, each call and each stretch of time of it.
   */
  exclusive<T>(work: () => Promise<T> | T, deed?: Deed | null): Promise<T>;
  /** Notes something that was done to the world between two works. */
  noteDeed(deed: Deed): void;
  /** Runs the world up to an instant, or until it is enough. Only within `exclusive`. */
  advance(to: number, enough?: () => boolean): Promise<void>;
  /** Hands a call to a node; told once what came of it, nothing when the node went down. Only within `exclusive`. */
  call(node: number, body: string, done: (answer: Granted) => void): void;
  /**
   * The same of a client, with whose calls something may go wrong; answers by how many milliseconds it is late. Only
   * within `exclusive`.
   */
  callOfClient(node: number, body: string, done: Answered): number;
  /** Puts another world in the place of this one, which is closed. Only within `exclusive`. */
  replace(next: LiveWorld): Promise<void>;
  /** The same of a world that goes on from where this one stands: calls that wait there wait on. */
  goOnIn(next: LiveWorld): Promise<void>;
  /** The nodes that are there, up or down; not those that left. */
  nodes(): readonly SimNode[];
  /** Told every message of a stream; answers how to end that. */
  onPublished(listener: Listener): () => void;
  /** Told after everything that happened in the world. */
  onSettled(listener: () => void): void;
  /** Told after another world took the place of the one before. */
  onReplaced(listener: () => void): void;
  /** Calls of clients that came so far: their numbers stand in the world. */
  calls(): number;
  close(): Promise<void>;
}

interface Host {
  live: LiveWorld;
  tail: Promise<unknown>;
  calls: number;
  /** Whether one note stands for all that happens now. */
  noted: boolean;
  readonly waiting: Map<number, (answer: Granted) => void>;
  readonly published: Set<Listener>;
  readonly settled: (() => void)[];
  readonly replaced: (() => void)[];
}

/** Takes a world in, which nobody else drives from now on; so many calls of clients came to it before. */
export function openWorldHost(first: LiveWorld, callsBefore = 0): WorldHost {
  const host: Host = {
    ...{ live: first, tail: Promise.resolve(), calls: callsBefore, noted: false },
    ...{ waiting: new Map(), published: new Set(), settled: [], replaced: [] },
  };
  attach(host);
  return {
    live: () => host.live,
    world: () => host.live.run.world,
    exclusive: (work, deed) => exclusive(host, work, deed),
    noteDeed(deed) {
      if (host.noted) return host.live.session.lose(INTERRUPTED);
      noteDeed(host, deed);
    },
    advance: (to, enough) => advance(host, to, enough),
    call: (node, body, done) => call(host, node, body, done),
    callOfClient(node, body, done) {
      const rule = host.live.clientFaults.meet(node, body);
      if (rule === undefined) {
        call(host, node, body, done);
        return 0;
      }
      const { loop } = host.live.run.world;
      host.live.events.noted(loop.now(), `${rule.id}: ${faultLine(rule.fault)}`);
      callUnder(host, rule, { node, body }, done);
      return rule.fault.kind === "delay" ? rule.fault.ms : 0;
    },
    goOnIn: (next) => exchange(host, next),
    nodes: () => nodesThere(host.live.run.world, host.live.members),
    async replace(next) {
      const lost = [...host.waiting.values()];
      host.waiting.clear();
      for (const done of lost) done(undefined);
      await exchange(host, next);
    },
    onPublished(listener) {
      host.published.add(listener);
      return () => void host.published.delete(listener);
    },
    onSettled: (listener) => void host.settled.push(listener),
    onReplaced: (listener) => void host.replaced.push(listener),
    calls: () => host.calls,
    close: () => exclusive(host, () => host.live.run.close(), null),
  };
}

function call(host: Host, node: number, body: string, done: (answer: Granted) => void, late?: number): void {
  const number = host.calls++;
  const seat = host.live.run.world.nodes[node];
  if (seat === undefined) throw new RangeError(`there is no node ${node}`);
  host.waiting.set(number, done);
  if (!host.noted) noteDeed(host, { kind: "call", node, body });
  if (late === undefined) seat.call(body, { to: CLIENTS, number });
  else host.live.clientFaults.later({ node, body, number }, late);
}

/** What becomes of a client's call that meets a rule. */
function callUnder(
  host: Host,
  { fault }: Rule,
  { node, body }: Pick<ClientCall, "node" | "body">,
  done: Answered,
): void {
  if (fault.kind === "delay") return call(host, node, body, done, fault.ms);
  if (fault.kind === "drop" && fault.lost === "answer")
    return call(host, node, body, () => done(undefined, fault.line ?? "cut"));
  if (!host.noted) noteDeed(host, { kind: "call", node, body });
  if (fault.kind === "drop") return done(undefined, fault.line ?? "cut");
  if (fault.kind === "status") return done(undefined, { status: fault.status });
  done(errorAnswer(body, fault.name));
}

async function exchange(host: Host, next: LiveWorld): Promise<void> {
  const before = host.live;
  host.live = next;
  attach(host);
  await before.run.close();
  for (const listener of host.replaced) listener();
}

/** Listens to a world that came in. */
function attach(host: Host): void {
  const { world } = host.live.run;
  world.listen((node, source, message) => {
    for (const listener of host.published) listener(node, source, message);
  });
  world.recipients.set(CLIENTS, (number, answer) => {
    const done = host.waiting.get(number);
    host.waiting.delete(number);
    done?.(answer);
  });
}

/** One after another, in the order of asking; whoever waited for one goes on before the next begins. */
function exclusive<T>(host: Host, work: () => Promise<T> | T, deed?: Deed | null): Promise<T> {
  const done = host.tail.then(deed === undefined ? work : () => asDeed(host, deed, work));
  host.tail = done.then(
    () => settle(host),
    () => settle(host),
  );
  return done;
}

async function asDeed<T>(host: Host, deed: Deed | null, work: () => Promise<T> | T): Promise<T> {
  if (deed !== null) noteDeed(host, deed);
  host.noted = true;
  try {
    return await work();
  } finally {
    host.noted = false;
  }
}

function noteDeed({ live }: Host, deed: Deed): void {
  live.session.add({ ...deed, at: live.run.world.loop.now() });
}

async function settle(host: Host): Promise<void> {
  for (const listener of host.settled) listener();
  await nextTurn();
}

async function advance(host: Host, to: number, enough: () => boolean = () => false): Promise<void> {
  const { session, run } = host.live;
  const { loop } = run.world;
  const began = loop.now();
  let events = 0;
  try {
    for (let over = enough(); !over && loop.now() < to; ) {
      let ran = 0;
      const isSlice = () => {
        ran += 1;
        events += 1;
        over = enough();
        return over || ran === SLICE_EVENTS;
      };
      await loop.runUntil(to, isSlice);
      if (!over && ran === SLICE_EVENTS) await nextTurn();
    }
  } finally {
    const until = loop.now();
    if (!host.noted && (events > 0 || until > began)) session.add({ kind: "run", until, events });
  }
}
