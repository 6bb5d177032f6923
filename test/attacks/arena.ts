/**
 * A small honest network with one trade on it, and whoever attacks it. What honest nodes spend is counted: rows kept,
 * signatures verified, dials, requests made. `core` may be a copy with a planted bug.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type * as CoreIndex from "../../core/index.ts";
import type { Effect, EpochMillis, Fields, PeerId, Reader, RecordOf, SignedType } from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import type { Table } from "../../core/kernel/table.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { AdvertisementCreate, PaymentSubmitted, ReservationRequest, SettlementInitiate } from "../../core/testing.ts";
import type { Attacker } from "../../sim/byzantine/attacker.ts";
import { joinAsAttacker } from "../../sim/byzantine/attacker.ts";
import { initiate, offer, payment, request } from "../../sim/byzantine/market-events.ts";
import { healthyDisk, openNodeDisk } from "../../sim/disk.ts";
import { healthyLink } from "../../sim/links.ts";
import { shareCrypto } from "../../sim/verdict-memory.ts";
import type { Wallet } from "../../sim/wallet.ts";
import type { World } from "../../sim/world.ts";
import { createWorld } from "../../sim/world.ts";
import { toyConfiguration } from "../sim/toy-driver.ts";

export type Core = Pick<typeof CoreIndex, "createDriver">;

export interface Arena {
  readonly world: World;
  /** The trade that honest people have: `ad-1`, `4711001`, `set-1`. */
  readonly merchant: Wallet;
  readonly buyer: Wallet;
  /** `result`, or the registered number or JSON-RPC code of the refusal. */
  ask(node: number, method: string, params?: unknown): Promise<unknown>;
  send<F extends Fields>(
    node: number,
    method: string,
    type: SignedType<F>,
    what: RecordOf<F>,
    by: Wallet,
  ): Promise<unknown>;
  pass(ms: number): Promise<void>;
  now(): EpochMillis;
  view(node: number): Reader;
  size(node: number, table: Table<never>): number;
  /** What a node has spent so far. */
  spent(node: number): Spent;
  /** Brings an attacker who has connected to every node, or to these. */
  attacker(name?: string, victims?: readonly number[]): Promise<Attacker>;
  equalRoots(): boolean;
  /** Takes the honest trade as far as its payment, at node 0. */
  trade(): Promise<void>;
}

export interface Spent {
  verified: number;
  readonly dialled: string[];
  /** Requests sent to one peer, by peer. */
  readonly sent: Map<PeerId, number>;
  readonly cut: PeerId[];
}

export interface ArenaOptions {
  readonly nodes?: number;
  readonly core?: Core | undefined;
  /** Which nodes a node dials first; the one before unless said. */
  readonly entrypoints?: (node: number) => readonly number[];
}

const shared = shareCrypto(openNativeCrypto());

export async function openArena({ nodes = 3, core, entrypoints }: ArenaOptions = {}): Promise<Arena> {
  const spent: Spent[] = Array.from({ length: nodes }, () => ({ verified: 0, dialled: [], sent: new Map(), cut: [] }));
  let opened = 0;
  const world = createWorld({
    ...{ seed: 7n, label: "arena", nodes, crypto: shared, profile: devnetNetwork, checkers: [] },
    conditions: healthyLink,
    configure: (seat) => ({ ...toyConfiguration(seat), profile: devnetNetwork }),
    openDisk: (node, clock, faults) => openNodeDisk({ node, seed: 7n, clock, faults, conditions: healthyDisk }),
    openDriver(options) {
      const own = spent[opened++ % nodes] as Spent;
      const perform = (effect: Effect) => {
        note(own, effect);
        options.perform(effect);
      };
      return (core ?? { createDriver }).createDriver({ ...options, perform, crypto: counted(options.crypto, own) });
    },
    entrypoints: entrypoints ?? ((node) => (node === 0 ? [] : [node - 1])),
  });
  const arena = arenaOver(world, spent);
  for (const node of world.nodes) node.start();
  await arena.pass(3_000);
  return arena;
}

function arenaOver(world: World, spent: readonly Spent[]): Arena {
  const [merchant, buyer] = [world.person("merchant"), world.person("buyer")];
  let attackers = 0;
  const arena: Arena = {
    ...{ world, merchant, buyer },
    async ask(node, method, params) {
      let answer: unknown;
      world.call(node, undefined, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), (text) => (answer = text));
      for (let ms = 0; ms < 2_000 && answer === undefined; ms += 5) await arena.pass(5);
      const parsed = JSON.parse(String(answer ?? "{}")) as {
        result?: unknown;
        error?: { code: number; data?: { ofsErrorCode: number } };
      };
      return parsed.error === undefined ? parsed.result : (parsed.error.data?.ofsErrorCode ?? parsed.error.code);
    },
    async send(node, method, type, what, by) {
      const answer = await arena.ask(node, method, { data: by.data(type, what) });
      if (typeof answer === "number") throw new Error(`${method} was refused with ${answer}`);
      return answer;
    },
    pass: (ms) => world.loop.runUntil(world.loop.now() + ms),
    now: () => world.loop.epoch(),
    view: (node) => world.nodes[node]!.driver()!.view,
    size: (node, table) => arena.view(node).size(table),
    spent: (node) => spent[node] as Spent,
    async attacker(name = "mallory", victims = world.nodes.map(({ index }) => index)) {
      const attacker = joinAsAttacker(world, name, ++attackers);
      for (const node of victims) attacker.dial(world.nodes[node]!.address);
      await arena.pass(1_000);
      return attacker;
    },
    equalRoots: () => new Set(world.nodes.map((node) => JSON.stringify(node.driver()?.roots()))).size === 1,
    trade: () => makeTrade(arena),
  };
  return arena;
}

async function makeTrade(arena: Arena): Promise<void> {
  const { merchant, buyer } = arena;
  await arena.send(0, "sendAdvertisementCreate", AdvertisementCreate, offer(merchant, "ad-1", arena.now()), merchant);
  const asked = request(buyer, "4711001", "ad-1", arena.now());
  await arena.send(0, "sendReservationRequest", ReservationRequest, asked, buyer);
  const begun = initiate(buyer, merchant, "set-1", "4711001", arena.now());
  await arena.send(0, "sendSettlementInitiate", SettlementInitiate, begun, buyer);
  await arena.send(0, "sendPaymentSubmitted", PaymentSubmitted, payment(buyer, "set-1", arena.now()), buyer);
  await arena.pass(1_000);
}

function note(spent: Spent, effect: Effect): void {
  if (effect.type === "peer.dial") spent.dialled.push(effect.address);
  if (effect.type === "peer.disconnect") spent.cut.push(effect.peer);
  if (effect.type === "message.send") spent.sent.set(effect.to, (spent.sent.get(effect.to) ?? 0) + 1);
}

function counted(crypto: CryptoPort, spent: Spent): CryptoPort {
  return {
    ...crypto,
    verify(key, message, signature) {
      spent.verified += 1;
      return crypto.verify(key, message, signature);
    },
  };
}
