/**
 * A driver with a marketplace's shape and none of its rules: a set of texts that everybody gossips. It keeps the
 * promises of the real one (durable before visible, one input after another), so the world can be tested alone;
 * `bugs` break it on purpose, one law at a time.
 */

import { createHash } from "node:crypto";
import type { Effect, Fact, Input, NodeConfiguration, NodeDriver, NodeOptions, RootTexts } from "../../core/index.ts";
import { decodeCompact, encodeCompact } from "../../core/index.ts";
import type { Change, Reader } from "../../core/kernel/table.ts";
import type { EpochMillis, PeerId, PublicKey } from "../../core/kernel/values.ts";
import { Frame } from "../../core/testing.ts";
import type { OpenDriver } from "../../sim/node-driver.ts";
import type { NodeSeat } from "../../sim/world.ts";

/** What a toy may be told to get wrong. */
export interface ToyBugs {
  /** State depends on the order of arrival. */
  readonly ordered?: boolean;
  /** A read writes. */
  readonly writingReads?: boolean;
  /** Draws from the host's clock. */
  readonly wallClock?: () => number;
  /** Throws on this text. */
  readonly throwsOn?: string;
}

interface Toy {
  readonly options: NodeOptions;
  readonly bugs: ToyBugs;
  readonly texts: Map<string, number>;
  readonly peers: Set<PeerId>;
  readonly early: Fact[];
  readonly held: { readonly writes: readonly string[]; readonly effects: readonly Effect[] }[];
  ready: boolean;
  busy: boolean;
  number: number;
  requests: number;
}

const NO_VIEW: Reader = {
  get: () => undefined,
  find: () => [],
  count: () => 0,
  ordered: () => [],
  keys: () => [],
  size: () => 0,
};
/** Toys speak in frames that any node may send, and which no law but that of frames reads. */
const frame = (message_type: string, payload: Uint8Array): Uint8Array =>
  encodeCompact(Frame, {
    ...{ protocol_version: 1, ofs_spec: 1200, message_type, sequence: 0n, timestamp: 0n as EpochMillis },
    ...{ payload_length: payload.length, compressed: false, authenticated: false, payload, authentication: null },
  });
const encode = (texts: unknown): Uint8Array =>
  frame("GossipRuleChange", new TextEncoder().encode(JSON.stringify(texts)));
const decode = (bytes: Uint8Array): readonly string[] =>
  JSON.parse(new TextDecoder().decode(decodeCompact(Frame, bytes)?.payload)) as string[];
const ACKNOWLEDGED = frame("GossipPushAck", new Uint8Array(0));

/** A world of toys is never held. */
export function notHeld(): never {
  throw new Error("toys are not held");
}

export function toyDriver(bugs: ToyBugs = {}): OpenDriver {
  return (options) => {
    const flags = { ready: false, busy: false, number: 0, requests: 0 };
    const toy: Toy = { options, bugs, texts: new Map(), peers: new Set(), early: [], held: [], ...flags };
    const driver: NodeDriver = {
      accept: (fact) => (toy.ready ? step(toy, fact) : void toy.early.push(fact)),
      view: NO_VIEW,
      roots: () => rootsOf(toy),
      ready: () => toy.ready,
      held: notHeld,
    };
    options.store.load((page) => {
      if (!page.ok) return;
      for (const row of page.value.rows) toy.texts.set(row.key, toy.texts.size);
      if (!page.value.last) return;
      toy.ready = true;
      step(toy, { type: "started", bootSeed: options.bootSeed });
      for (const fact of toy.early.splice(0)) step(toy, fact);
    });
    return driver;
  };
}

/** A configuration that only the toy needs. */
export function toyConfiguration(seat: NodeSeat): NodeConfiguration {
  return {
    profile: { name: "toy", parity: false, escrowProgram: "escrow", stakingProgram: "staking", mints: [] },
    secretKey: seat.wallet.keypair.secretKey,
    publicKey: seat.wallet.publicKey as PublicKey,
    peerId: seat.wallet.peer,
    chain: "GossipOnly",
    announcedAddresses: [seat.address],
    entrypoints: seat.entrypoints,
    roles: [],
    version: "toy",
  };
}

function step(toy: Toy, fact: Fact): void {
  const input: Input = { ...fact, now: toy.options.now(), number: toy.number++ };
  const effects: Effect[] = [];
  const added: string[] = [];
  handle(toy, input, added, effects);
  const changes: Change[] = added.map((key) => ({ table: "texts", key, record: key }));
  toy.options.observe?.(input, changes, effects);
  toy.held.push({ writes: added, effects });
  release(toy);
}

/** Effects leave in order, each batch after its writes are durable. */
function release(toy: Toy): void {
  if (toy.busy) return;
  for (let next = toy.held.shift(); next !== undefined; next = toy.held.shift()) {
    const { writes, effects } = next;
    if (writes.length > 0) {
      toy.busy = true;
      const rows = writes.map((key) => ({ table: "texts", key, bytes: new Uint8Array(1) }));
      return toy.options.store.commit(rows, () => {
        toy.busy = false;
        for (const effect of effects) toy.options.perform(effect);
        release(toy);
      });
    }
    for (const effect of effects) toy.options.perform(effect);
  }
}

function handle(toy: Toy, input: Input, added: string[], effects: Effect[]): void {
  switch (input.type) {
    case "started":
    case "timer.fired":
      for (const address of toy.options.configuration.entrypoints) effects.push({ type: "peer.dial", address });
      sendAll(toy, [...toy.peers], effects);
      effects.push({ type: "timer.set", timer: "redial", at: (input.now + 5_000n) as EpochMillis });
      return;
    case "peer.connected":
      toy.peers.add(input.peer);
      return sendAll(toy, [input.peer], effects);
    case "peer.disconnected":
      toy.peers.delete(input.peer);
      return;
    case "message.received":
      effects.push({ type: "message.reply", replyTo: input.replyTo, bytes: ACKNOWLEDGED });
      return learn(toy, decode(input.bytes), input.from, added, effects);
    case "rpc.called":
      return answer(toy, input, added, effects);
    default:
      return;
  }
}

function answer(toy: Toy, input: Extract<Input, { type: "rpc.called" }>, added: string[], effects: Effect[]): void {
  const { id, method, params } = JSON.parse(input.body) as { id: number; method: string; params: { text: string } };
  if (method === "sendText") {
    learn(toy, [params.text], undefined, added, effects);
    effects.push({ type: "ws.publish", source: "own", message: JSON.stringify({ method, result: params.text }) });
  }
  if (method === "getTexts" && toy.bugs.writingReads === true)
    learn(toy, [`read ${input.number}`], undefined, added, effects);
  const clock = toy.bugs.wallClock === undefined ? {} : { clock: toy.bugs.wallClock() };
  const result = method === "getTexts" ? { texts: [...toy.texts.keys()].sort(byText), ...clock } : params.text;
  const response = method === "getNothing" ? { error: { code: -32601, message: "Method not found" } } : { result };
  effects.push({
    type: "rpc.reply",
    replyTo: input.replyTo,
    body: JSON.stringify({ jsonrpc: "2.0", id, ...response }),
  });
}

function learn(toy: Toy, texts: readonly string[], from: PeerId | undefined, added: string[], effects: Effect[]): void {
  const fresh = texts.filter((text) => !toy.texts.has(text));
  if (toy.bugs.throwsOn !== undefined && fresh.includes(toy.bugs.throwsOn)) throw new Error("bug: planted");
  for (const text of fresh) toy.texts.set(text, toy.texts.size);
  added.push(...fresh);
  if (fresh.length > 0)
    send(
      toy,
      [...toy.peers].filter((peer) => peer !== from),
      fresh,
      effects,
    );
}

function sendAll(toy: Toy, peers: readonly PeerId[], effects: Effect[]): void {
  if (toy.texts.size > 0) send(toy, peers, [...toy.texts.keys()], effects);
}

function send(toy: Toy, peers: readonly PeerId[], texts: readonly string[], effects: Effect[]): void {
  const bytes = encode(texts);
  for (const to of peers) effects.push({ type: "message.send", to, request: toy.requests++, bytes });
}

function rootsOf(toy: Toy): RootTexts {
  const sorted = [...toy.texts.keys()].sort(byText);
  const shown = toy.bugs.ordered === true ? [...toy.texts.keys()] : sorted;
  return { statements: digest(sorted), facts: digest([]), state: digest(shown), archive: "" };
}

function digest(texts: readonly string[]): string {
  return createHash("sha256").update(texts.join("\n")).digest("hex");
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
