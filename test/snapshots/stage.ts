/**
 * Nodes that make, serve and take files, without a network: what one writes lies on a shelf that all share, and a
 * test may put anything else there. Timers that are due fire by themselves. Source: protocol 05 §6.
 */
import type * as CoreIndex from "../../core/index.ts";
import type { Effect, NodeConfiguration, NodeListing } from "../../core/index.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { BLOCKHASH } from "../oracles/market.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";

export const SLOT = 412_000_000n;
export const EVERY_MS = 60_000;
/** Producer and taker of most stories. */
export const [producer, taker] = [person(41), person(42)];

export type Core = Pick<typeof CoreIndex, "createDriver" | "devnetNetwork">;

/** Archives by where they are fetched. */
export type Shelf = Map<string, Uint8Array>;

export interface StagedNode extends LoneNode {
  readonly who: Person;
  /** Lets what was ordered happen, until nothing more is due. */
  settle(): void;
  /** Lets time pass, timers included. */
  pass(ms: number): void;
  observe(slot: bigint): void;
  /** Log lines: event and reason or code. */
  told(): readonly string[];
  /** A node that was lost and is started on what its store held. */
  again(): StagedNode;
  readonly written: readonly string[];
  readonly fetched: readonly string[];
}

export interface Staged {
  readonly who: Person;
  readonly now: bigint;
  readonly shelf: Shelf;
  readonly told?: Partial<NodeConfiguration>;
  /** A copy of the core with a planted bug. */
  readonly core?: Core;
}

export const baseOf = (who: Person) => `http://${who.key.slice(0, 8).toLowerCase()}.net:7080`;

/** What a node that makes files and trusts the producer's is told. */
export function snapshotting(who: Person, listing: NodeListing = { snapshotUrls: [baseOf(who)] }) {
  return { listing, snapshots: { produceEveryMs: EVERY_MS, anchors: [producer.key] } };
}

/** What a node that only takes files is told. */
export const taking = { snapshots: { anchors: [producer.key] } };

export function stage(staged: Staged, rows = new Map<string, StoreRow>()): StagedNode {
  const { who, shelf } = staged;
  const timers = new Map<string, bigint>();
  const [written, fetched, log]: [string[], string[], string[]] = [[], [], []];
  let obeyed = 0;
  const node = loneNode(staged.now, staged.core, rows, {
    secretKey: who.secret,
    publicKey: who.key,
    peerId: who.peer,
    ...staged.told,
  });

  function obey(effect: Effect): void {
    if (effect.type === "timer.set" && effect.timer.startsWith("snapshot")) timers.set(effect.timer, effect.at);
    if (effect.type === "log") log.push(`${effect.event}: ${effect.fields.reason ?? effect.fields.code ?? ""}`);
    if (effect.type === "snapshot.write") {
      written.push(effect.id);
      shelf.set(`${baseOf(who)}/snapshot/${effect.id}`, effect.archive);
      const outcome = { ok: true, sizeBytes: effect.archive.length } as const;
      node.accept({ type: "snapshot.written", id: effect.id, outcome });
    }
    if (effect.type !== "snapshot.fetch") return;
    const { id, location } = effect;
    fetched.push(id);
    const archive = shelf.get(location);
    const outcome =
      archive === undefined
        ? ({ ok: false, code: "NETWORK_ERROR", reason: "no such file" } as const)
        : ({ ok: true, sizeBytes: archive.length, archive } as const);
    node.accept({ type: "snapshot.fetched", id, location, outcome });
  }

  const staging: StagedNode = Object.assign(Object.create(node) as LoneNode, {
    who,
    written,
    fetched,
    told: () => log,
    observe: (slot: bigint) =>
      node.accept({ type: "chain.observed", observation: { type: "slot", slot, blockhash: BLOCKHASH } }),
    settle() {
      for (let busy = true; busy; ) {
        busy = false;
        for (; obeyed < node.effects.length; obeyed++) {
          const effect = node.effects[obeyed];
          if (effect !== undefined) obey(effect);
          busy = true;
        }
        for (const [timer, at] of [...timers]) {
          if (at > node.now) continue;
          timers.delete(timer);
          node.accept({ type: "timer.fired", timer: timer as "snapshot-page" });
          busy = true;
        }
      }
    },
    pass(ms: number) {
      staging.settle();
      const until = node.now + BigInt(ms);
      for (let next = soonest(timers); next !== undefined && next <= until; next = soonest(timers)) {
        node.now = next;
        staging.settle();
      }
      node.now = until;
      staging.settle();
    },
    again: () => stage({ ...staged, now: node.now }, rows),
  });
  return Object.defineProperty(staging, "now", {
    get: () => node.now,
    set: (instant: bigint) => {
      node.now = instant;
    },
  });
}

/** Gives one node's statements to another by gossip, as a relay would. */
export function replay(to: LoneNode, statements: readonly SignedBy[]): void {
  for (const { type, payload, by } of statements) to.gossip(type, payload, by);
}

/** A statement that is still to be signed. */
export interface SignedBy {
  readonly type: SignedType<Fields>;
  readonly payload: RecordOf<Fields>;
  readonly by: Person;
}

function soonest(timers: ReadonlyMap<string, bigint>): bigint | undefined {
  let first: bigint | undefined;
  for (const at of timers.values()) if (first === undefined || at < first) first = at;
  return first;
}
