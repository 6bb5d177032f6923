/**
 * One node in memory behind its JSON-RPC ingress, and people who sign what they send it.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { marketplace } from "../../core/domains.ts";
import type { Overrides, ResolvedConfiguration } from "../../core/engine/overrides.ts";
import { rulesOf } from "../../core/engine/overrides.ts";
import { HeldCalls } from "../../core/engine/statements/held-calls.ts";
import type {
  createDriver as CreateDriver,
  devnetNetwork as DevnetNetwork,
  Effect,
  EpochMillis,
  Fact,
  NetworkProfile,
  NodeConfiguration,
  Reader,
  RootTexts,
} from "../../core/index.ts";
import { createDriver, devnetNetwork, peerOfKey, publicKeyText } from "../../core/index.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { tagged, transcript } from "../../core/kernel/signed.ts";
import { toBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { Signature } from "../../core/kernel/values.ts";
import { eventId, Frame, frameOf, GossipEvent, OFS_GOSSIP, signedBytes } from "../../core/network/gossip/envelope.ts";
import type { StorePort, StoreRow } from "../../core/ports/store.ts";
import { misdescribedBody } from "../document/described.ts";

export const crypto = openNativeCrypto();

export interface Person {
  readonly secret: Uint8Array;
  readonly key: ReturnType<typeof publicKeyText>;
  readonly peer: ReturnType<typeof peerOfKey>;
}

/** The key of a node that relays what others signed. */
const relaySecret = new Uint8Array(32).fill(0xee);
const relayKey = crypto.publicKey(relaySecret);
const stranger: Person = { secret: relaySecret, key: publicKeyText(relayKey), peer: peerOfKey(relayKey) };

/** Who brings the next event: another peer now and then, so that no link's credit runs out. */
function relayOf(pushed: number): Person["peer"] {
  const number = Math.floor(pushed / 4);
  return peerOfKey(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 0xee : (number >> (8 * (at % 2))) & 255)));
}

/** A person whose secret key is 32 equal bytes. */
export function person(byte: number): Person {
  const secret = new Uint8Array(32).fill(byte);
  const key = crypto.publicKey(secret);
  return { secret, key: publicKeyText(key), peer: peerOfKey(key) };
}

/** The `data` of a send, signed bare, where its type may be and nothing else is asked for. */
export function signedData<F extends Fields>(
  type: SignedType<F>,
  payload: RecordOf<F>,
  by: Person,
  form: "bare" | "tagged" = "bare",
): string {
  const json = transcript(type, payload);
  const bytes = type.forms === "both" && form === "bare" ? json : tagged(type as SignedType, json);
  const signature = toBase58(crypto.sign(by.secret, bytes));
  return toBase64(utf8(`{"${type.outer}":${new TextDecoder().decode(json)},"signature":"${signature}"}`));
}

export interface LoneNode {
  now: bigint;
  /** Committed memory. */
  readonly view: Reader;
  readonly effects: readonly Effect[];
  /** Any fact that the outside could bring. */
  accept(fact: Fact): void;
  /** A statement that a stranger's node pushes; its date may differ from the payload's. */
  gossip<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>, by: Person, event?: string): void;
  /** The whole answer to a body. */
  body(text: string): string | null;
  /** `result`, or the registered number or JSON-RPC code of the refusal. */
  call(method: string, params?: unknown): unknown;
  roots(): RootTexts;
  readonly published: readonly string[];
  restart(): LoneNode;
}

/** Whether nodes play the reference that are opened without a word on it. */
let playReference = false;

/** Does something with nodes that play the reference, or do not, unless they are told otherwise. */
export function underProfile<R>(parity: boolean, act: () => R): R {
  const before = playReference;
  playReference = parity;
  try {
    return act();
  } finally {
    playReference = before;
  }
}

/** The profile of a node that is told none. */
export function usualProfile(usual: NetworkProfile = devnetNetwork): NetworkProfile {
  return playReference ? { ...usual, parity: true } : usual;
}

interface Core {
  readonly createDriver: typeof CreateDriver;
  readonly devnetNetwork: typeof DevnetNetwork;
}

/** The rules under a profile of the marketplace: ours, or the reference's. */
export function marketRules(parity: boolean): Overrides {
  return rulesOf(marketplace.overrides, { ...devnetNetwork, parity });
}

/** What a driver makes of what a node is told, for tests that run without one. */
export function resolved(told: NodeConfiguration): ResolvedConfiguration {
  return { ...told, rules: marketRules(told.profile.parity) };
}

/** What a node without a chain endpoint is told at its start. */
export function gossipOnly(profile: NetworkProfile): ResolvedConfiguration {
  const own = person(9);
  return resolved({
    profile,
    secretKey: own.secret,
    publicKey: own.key,
    peerId: own.peer,
    chain: "GossipOnly" as const,
    announcedAddresses: [],
    entrypoints: [],
    roles: [],
    version: "0.1.0",
  });
}

/** A gossip-only node; `core` may be a copy with a planted bug, `toldBeside` changes what it is told at its start. */
export function loneNode(
  now: bigint,
  core: Core = { createDriver, devnetNetwork },
  rows = new Map<string, StoreRow>(),
  toldBeside: Partial<NodeConfiguration> = {},
  bootSeed = new Uint8Array(32),
): LoneNode {
  const told = { profile: usualProfile(core.devnetNetwork), ...toldBeside };
  const isOurs = core.createDriver === createDriver && !told.profile.parity;
  const published: string[] = [];
  const effects: Effect[] = [];
  let answer: string | null = null;
  let pushed = 0;
  const node: LoneNode = {
    now,
    published,
    effects,
    get view() {
      return driver.view;
    },
    accept: (fact) => driver.accept(fact),
    gossip: (type, payload, by, event) =>
      driver.accept({
        type: "message.received",
        from: relayOf(pushed++),
        replyTo: "push",
        bytes: pushFrame(type, payload, by, node.now as EpochMillis, event),
      }),
    body(text) {
      answer = null;
      driver.accept({ type: "rpc.called", replyTo: "1", body: text });
      // A call that came while a queue holds what it may tell of is answered after the slices that attach that.
      while (driver.view.size(HeldCalls) > 0) driver.accept({ type: "timer.fired", timer: "attach" });
      // Whatever a test asks for: our rules answer what the document says of them.
      const wrong = isOurs ? misdescribedBody(text, answer) : "";
      if (wrong !== "") throw new Error(`the document does not say what this answers: ${wrong}`);
      return answer;
    },
    call(method, params) {
      const text = node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })) ?? "{}";
      const answer = JSON.parse(text) as {
        result?: unknown;
        error?: { code: number; data?: { ofsErrorCode: number } };
      };
      return answer.error === undefined ? answer.result : (answer.error.data?.ofsErrorCode ?? answer.error.code);
    },
    roots: () => driver.roots(),
    restart: () => loneNode(node.now, core, rows, told, bootSeed),
  };
  const driver = core.createDriver({
    crypto,
    store: mapStore(rows),
    bootSeed,
    now: () => node.now as EpochMillis,
    perform(effect) {
      effects.push(effect);
      if (effect.type === "rpc.reply") answer = effect.body;
      if (effect.type === "ws.publish") published.push(effect.message);
    },
    configuration: { ...gossipOnly(told.profile), ...told },
  });
  return node;
}

/** A node under the reference's rules. */
export function parityNode(now: bigint, told: Partial<NodeConfiguration> = {}): LoneNode {
  return loneNode(now, undefined, undefined, { ...told, profile: { ...devnetNetwork, parity: true } });
}

/** The frame in which a stranger's node pushes a statement. */
export function pushFrame<F extends Fields>(
  type: SignedType<F>,
  payload: RecordOf<F>,
  by: Person,
  now: EpochMillis,
  event = type.eventOf(payload),
): Uint8Array {
  const json = transcript(type, payload);
  const preimage = type.forms === "both" ? json : tagged(type as SignedType, json);
  const outer = { [type.outer]: payload, signature: toBase58(crypto.sign(by.secret, preimage)) };
  const body = {
    event_type: event,
    ofs_spec: type.ofs,
    version: 1,
    origin: stranger.peer,
    timestamp: now,
    ttl: 8,
    priority: "BackgroundSync" as const,
    payload: encodeCompact(type.wire, outer as never),
  };
  const signature = toBase58(crypto.sign(stranger.secret, signedBytes(body))) as Signature;
  const whole = { ...body, signature, id: eventId(crypto, { ...body, signature }) };
  return encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, whole), now));
}

export function mapStore(rows: Map<string, StoreRow>): StorePort {
  return {
    commit(writes, done) {
      for (const { table, key, bytes } of writes) {
        if (bytes === null) rows.delete(`${table} ${key}`);
        else rows.set(`${table} ${key}`, { table, key, bytes });
      }
      done({ ok: true, value: null });
    },
    load: (page) => page({ ok: true, value: { rows: [...rows.values()], last: true } }),
    close: (done) => done(),
  };
}
