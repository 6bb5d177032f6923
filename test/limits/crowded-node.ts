/**
 * A node whose memory says that it holds more than it does, so that what happens at two million rows is seen without
 * them: the real step over the real state, but for the numbers that a test gives. Rows that are only said to be there
 * all have one record.
 */

import { marketplace, tables } from "../../core/domains.ts";
import { step } from "../../core/engine/step.ts";
import type { StepContext } from "../../core/engine/step-context.ts";
import { stepContextOf } from "../../core/engine/step-context.ts";
import type { Effect, EpochMillis, Fact, NodeConfiguration } from "../../core/index.ts";
import { devnetNetwork, peerOfKey } from "../../core/index.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { Table } from "../../core/kernel/table.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import { misdescribedBody } from "../document/described.ts";
import type { Person } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, pushFrame, resolved, signedData } from "../rpc/lone-node.ts";

/** Begins the keys of rows that are only declared to be there. */
const DECLARED = "declared ";

/** Keys of rows that are only declared to be at a place. */
function declared(place: string, rows: number): readonly string[] {
  return Array.from({ length: rows }, () => `${DECLARED}${place}`);
}

/** The peer that brings what is gossiped: another one now and then, so that no link's credit runs out. */
function relayOf(pushed: number): PeerId {
  const relay = Math.floor(pushed / 4);
  return peerOfKey(Uint8Array.from({ length: 32 }, (_, place) => (place === 0 ? relay & 255 : 0xe0 + (relay >> 8))));
}

export interface CrowdedNode {
  now: EpochMillis;
  readonly store: Store;
  /** Rows that were looked at so far: read by key, found by an index, or gone through. */
  readonly touched: () => number;
  /** From now on a table says that it holds so many rows. */
  holds<R>(table: Table<R>, rows: number): void;
  /** From now on so many rows stand under a value of an index or of an order, all like one record. */
  holdsUnder<R>(table: Table<R>, index: string, value: string, rows: number, like?: R): void;
  /** One step; its effects. */
  does(fact: Fact): readonly Effect[];
  /** A record put there beside every rule. */
  put<R>(table: Table<R>, key: string, record: R | undefined): void;
  /** Changes that come of something done in a step of its own. */
  withContext<T>(act: (stepContext: StepContext & { readonly effects: readonly Effect[] }) => T): T;
  /** The whole answer to a body. */
  body(text: string): string | null;
  /** `ok`, the name of the refusal, or the text of what was wrong with the parameters. */
  call(method: string, params?: unknown): string;
  /** The result, when there is one. */
  read(method: string, params?: unknown): unknown;
  /** Sends what somebody signed. */
  send<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>, by: Person): string;
  gossip<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>, by: Person, sentAt?: bigint): readonly Effect[];
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: { readonly ofsErrorName: string } };
}

export function crowdedNode(now: bigint, told: Partial<NodeConfiguration> = {}): CrowdedNode {
  const real = openStore(crypto, tables);
  let touched = 0;
  const sizes = new Map<string, number>();
  const under = new Map<string, { readonly rows: number; readonly like: unknown }>();
  const store: Store = {
    roots: real.roots,
    identities: real.identities,
    get(table, key) {
      touched += 1;
      return key.startsWith(DECLARED) ? (under.get(key.slice(DECLARED.length))?.like as never) : real.get(table, key);
    },
    *keys(table) {
      for (const key of real.keys(table)) {
        touched += 1;
        yield key;
      }
    },
    ordered(table, order, value) {
      const place = placeOf(table, order, value);
      const rows = under.get(place)?.rows;
      return rows === undefined ? real.ordered(table, order, value) : declared(place, rows);
    },
    commit: real.commit,
    held: real.held,
    copy: real.copy,
    size: (table) => sizes.get(table.name) ?? real.size(table),
    count: (table, index, value) => under.get(placeOf(table, index, value))?.rows ?? real.count(table, index, value),
    find(table, index, value, most = Infinity) {
      const place = placeOf(table, index, value);
      const rows = under.get(place)?.rows;
      const found = rows === undefined ? real.find(table, index, value, most) : declared(place, Math.min(rows, most));
      touched += found.length;
      return found;
    },
  };
  const context = {
    store,
    crypto,
    configuration: resolved({ ...gossipOnly(devnetNetwork), ...told }),
    bootSeed: new Uint8Array(32),
    network: marketplace,
    registry: marketplace,
  };
  let number = 0;
  let pushed = 0;
  const node: CrowdedNode = {
    now: now as EpochMillis,
    store,
    touched: () => touched,
    holds: (table, rows) => void sizes.set(table.name, rows),
    holdsUnder: (table, index, value, rows, like) =>
      void under.set(placeOf(table, index, value), { rows, like: like ?? {} }),
    does(fact) {
      const { changes, effects } = step(context, { ...fact, now: node.now, number: number++ });
      real.commit(changes);
      return effects;
    },
    put: (table, key, record) => real.commit([{ table: table.name, key, record }]),
    withContext(act) {
      const stepContext = stepContextOf(store, {
        ...context,
        now: node.now,
        number: number++,
        identities: store.identities,
      });
      const result = act(stepContext);
      real.commit(stepContext.draft.changes());
      return result;
    },
    body(text) {
      const replies = node.does({ type: "rpc.called", replyTo: "1", body: text });
      return replies.flatMap((effect) => (effect.type === "rpc.reply" ? [effect.body] : []))[0] ?? null;
    },
    call(method, params) {
      const { result, error } = ask(node, method, params);
      return result !== undefined ? "ok" : (error?.data?.ofsErrorName ?? error?.message ?? "no answer");
    },
    read: (method, params) => ask(node, method, params).result,
    send: (type, payload, by) => node.call(`send${type.name}`, { data: signedData(type, payload, by) }),
    gossip: (type, payload, by, sentAt = node.now) =>
      node.does({
        type: "message.received",
        from: relayOf(pushed++),
        replyTo: "push",
        bytes: pushFrame(type, payload, by, sentAt as EpochMillis),
      }),
  };
  return node;
}

function ask(node: CrowdedNode, method: string, params: unknown): Answer {
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = node.body(call) ?? "{}";
  // What a full node refuses, the document says too.
  const wrong = misdescribedBody(call, answer);
  if (wrong !== "") throw new Error(`the document does not say what this answers: ${wrong}`);
  return JSON.parse(answer) as Answer;
}

function placeOf(table: { readonly name: string }, index: string, value: string): string {
  return `${table.name} ${index} ${value}`;
}
