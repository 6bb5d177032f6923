/**
 * A few whole nodes in one process on links that are cut, lose and reorder: each with its ledger, its timers, its clock
 * and the files that it makes and takes. What is under way is delivered in an order drawn from a number, and time goes
 * on when nothing is. It is the least of a network that every ingress is behind, so that hundreds of cases take
 * seconds; the simulated network has the rest. Source: DESIGN section 5; CONVERGENCE "Three layers".
 */

import type * as CoreIndex from "../../core/index.ts";
import type { Effect, Fact, NodeConfiguration, NodeDriver, PeerId } from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { shareCrypto } from "../../sim/verdict-memory.ts";
import { BLOCKHASH } from "../oracles/market.ts";
import type { Person } from "../rpc/lone-node.ts";
import { gossipOnly, mapStore, crypto as native } from "../rpc/lone-node.ts";
import { baseOf, SLOT, taking } from "../snapshots/stage.ts";
import type { Shuffle } from "./shuffle.ts";

export type Core = Pick<typeof CoreIndex, "createDriver" | "devnetNetwork">;

/** How often the first node makes a file, in milliseconds. */
const FILES_EVERY_MS = 3_600_000;
/** Deliveries of one instant; more is a network that never comes to rest. */
const DELIVERIES_MAX = 200_000;

interface Member {
  readonly who: Person;
  readonly skewMs: bigint;
  readonly rows: Map<string, StoreRow>;
  readonly timers: Map<string, bigint>;
  driver: NodeDriver | undefined;
  /** Grows with each start: what was under way to an earlier life does not come. */
  life: number;
  /** Requests that it answered and asked, of which one is awaited. */
  readonly replies: Map<string, (bytes: Uint8Array) => void>;
}

export interface Network {
  now: bigint;
  readonly moved: { requests: number; fetches: number };
  readonly members: readonly Member[];
  /** Who runs. */
  up(): readonly NodeDriver[];
  /** Hands something to a node from outside. */
  push(node: number, from: PeerId, bytes: Uint8Array): void;
  /** Time goes on, and every timer that is due by then fires once. */
  pass(ms: number): void;
  cut(node: number): void;
  heal(): void;
  stop(node: number): void;
  start(node: number): void;
  /** Every node compares its set with each other. */
  compareAll(): void;
  clockOf(node: number): EpochMillis;
}

interface Options {
  readonly people: readonly Person[];
  readonly skewsMs: readonly bigint[];
  readonly now: bigint;
  readonly random: Shuffle;
  /** Of so many messages one is lost; none where it is 0. */
  readonly lossOf: number;
  readonly core?: Core;
}

/** A network in which nobody runs yet; the first makes files, and all take his. */
export function linkedNetwork({ people, skewsMs, now, random, lossOf, core }: Options): Network {
  const crypto = shareCrypto(native);
  const members = people.map((who, n): Member => {
    const empty = { rows: new Map<string, StoreRow>(), timers: new Map<string, bigint>(), replies: new Map() };
    return { who, skewMs: skewsMs[n] ?? 0n, driver: undefined, life: 0, ...empty };
  });
  const shelf = new Map<string, Uint8Array>();
  const cuts = new Set<Member>();
  const queue: (() => void)[] = [];
  const moved = { requests: 0, fetches: 0 };
  const memberOf = (peer: PeerId) => members.find(({ who }) => who.peer === peer);
  const areLinked = (a: Member, b: Member) =>
    a.driver !== undefined && b.driver !== undefined && cuts.has(a) === cuts.has(b);
  const clock = (member: Member) => (network.now + member.skewMs) as EpochMillis;

  /** Something that comes to a member, unless it has begun another life since. */
  function bring(member: Member, fact: Fact): void {
    const { life } = member;
    queue.push(() => {
      if (member.life === life) member.driver?.accept(fact);
    });
  }

  function send(from: Member, effect: Extract<Effect, { readonly type: "message.send" }>): void {
    const { request, bytes } = effect;
    const to = memberOf(effect.to);
    const isLost = lossOf > 0 && random.below(lossOf) === 0;
    if (to === undefined || isLost || !areLinked(from, to))
      return bring(from, { type: "message.failed", to: effect.to, request, reason: "lost" });
    moved.requests += 1;
    if (new TextDecoder("latin1").decode(bytes.subarray(0, 64)).includes("GossipFetchRequest")) moved.fetches += 1;
    const replyTo = `${from.who.peer}/${from.life}/${request}`;
    to.replies.set(replyTo, (answer) =>
      bring(from, { type: "message.answered", from: to.who.peer, request, bytes: answer }),
    );
    bring(to, { type: "message.received", from: from.who.peer, replyTo, bytes });
  }

  function perform(member: Member, effect: Effect): void {
    switch (effect.type) {
      case "message.send":
        return send(member, effect);
      case "message.reply":
        member.replies.get(effect.replyTo)?.(effect.bytes);
        return void member.replies.delete(effect.replyTo);
      case "timer.set":
        return void member.timers.set(effect.timer, effect.at);
      case "snapshot.write": {
        shelf.set(`snapshot/${effect.id}`, effect.archive);
        const outcome = { ok: true, sizeBytes: effect.archive.length } as const;
        return bring(member, { type: "snapshot.written", id: effect.id, outcome });
      }
      case "snapshot.fetch": {
        const archive = shelf.get(`snapshot/${effect.id}`);
        const outcome =
          archive === undefined
            ? ({ ok: false, code: "NETWORK_ERROR", reason: "no such file" } as const)
            : ({ ok: true, sizeBytes: archive.length, archive } as const);
        return bring(member, { type: "snapshot.fetched", id: effect.id, location: effect.location, outcome });
      }
      default:
        return;
    }
  }

  /** Delivers in a drawn order, until nothing is under way and no timer is due. */
  function rest(): void {
    for (let left = DELIVERIES_MAX; ; left--) {
      if (left === 0) throw new Error("the network does not come to rest");
      if (queue.length === 0 && !fireDue()) return;
      const at = random.below(Math.min(queue.length, 8));
      const [next] = queue.splice(at, 1);
      next?.();
    }
  }

  /** Whether a timer was due; those that are fire. */
  function fireDue(): boolean {
    let fired = false;
    for (const member of members)
      for (const [timer, at] of [...member.timers]) {
        if (member.driver === undefined || at > clock(member)) continue;
        member.timers.delete(timer);
        bring(member, { type: "timer.fired", timer: timer as never });
        fired = true;
      }
    return fired;
  }

  function link(member: Member, other: Member): void {
    bring(member, { type: "peer.connected", peer: other.who.peer, address: null });
    bring(other, { type: "peer.connected", peer: member.who.peer, address: null });
  }

  function unlink(member: Member, other: Member): void {
    bring(member, { type: "peer.disconnected", peer: other.who.peer });
    bring(other, { type: "peer.disconnected", peer: member.who.peer });
  }

  const othersOf = (member: Member) => members.filter((each) => each !== member && areLinked(member, each));

  const network: Network = {
    ...{ now, moved, members },
    up: () => members.flatMap(({ driver }) => driver ?? []),
    clockOf: (node) => clock(at(node)),
    push(node, from, bytes) {
      bring(at(node), { type: "message.received", from, replyTo: "outside", bytes });
      rest();
    },
    pass(ms) {
      network.now += BigInt(ms);
      rest();
    },
    cut(node) {
      const member = at(node);
      for (const other of othersOf(member)) unlink(member, other);
      cuts.add(member);
      rest();
    },
    heal() {
      for (const member of [...cuts]) {
        for (const other of othersOf(member)) if (!cuts.has(other)) unlink(member, other);
        cuts.delete(member);
        for (const other of othersOf(member)) link(member, other);
      }
      rest();
    },
    stop(node) {
      const member = at(node);
      for (const other of othersOf(member)) bring(other, { type: "peer.disconnected", peer: member.who.peer });
      Object.assign(member, { driver: undefined, life: member.life + 1 });
      member.timers.clear();
      rest();
    },
    start(node) {
      const member = at(node);
      if (member.driver !== undefined) return;
      member.driver = openNode(member, node, core ?? { createDriver, devnetNetwork });
      if (node === 0)
        bring(member, { type: "chain.observed", observation: { type: "slot", slot: SLOT, blockhash: BLOCKHASH } });
      for (const other of othersOf(member)) link(member, other);
      rest();
    },
    compareAll() {
      for (const member of members) bring(member, { type: "timer.fired", timer: "recover" });
      rest();
    },
  };

  const at = (node: number) => members[node] as Member;

  function openNode(member: Member, node: number, { createDriver: open, devnetNetwork: profile }: Core): NodeDriver {
    const { who, rows } = member;
    const configuration: NodeConfiguration = {
      ...gossipOnly(profile),
      ...{ secretKey: who.secret, publicKey: who.key, peerId: who.peer },
      ...(node === 0
        ? {
            listing: { snapshotUrls: [baseOf(who)] },
            snapshots: { ...taking.snapshots, produceEveryMs: FILES_EVERY_MS },
          }
        : taking),
    };
    return open({
      ...{ crypto: crypto as CryptoPort, store: mapStore(rows), configuration, now: () => clock(member) },
      bootSeed: Uint8Array.from({ length: 32 }, (_, n) => (n === 0 ? member.life : node)),
      perform: (effect) => perform(member, effect),
    });
  }

  return network;
}
