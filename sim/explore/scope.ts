/**
 * A scope: a world so small that every order of what can happen in it is tried. Source: DESIGN section 5.1.
 */
import type { NodeConfiguration, TimerName } from "../../core/index.ts";
import type { Wallet } from "../wallet.ts";
import type { Json } from "./calls.ts";
import type { ChainWay, EscrowTrade } from "./chain-tale.ts";
import type { Item } from "./environment.ts";
import type { Broken } from "./laws.ts";

/** What a body is written from. */
export interface CallSetting {
  readonly walletOf: (name: string) => Wallet;
  readonly wallets: readonly Wallet[];
  /** The instant at which everybody says that he speaks, in milliseconds since 1970. */
  readonly at: bigint;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** The result of the client's last call that is kept; `undefined` unless one came. */
  readonly last: Json | undefined;
}

/** One call of a client. */
export interface ScopeCall {
  readonly via: number;
  readonly method: string;
  /** Its parameters, written when it is sent. */
  readonly params: (setting: CallSetting) => Json;
  /** Whether later calls are written from its answer: then that is kept. */
  readonly keep?: boolean;
}

/** Somebody who calls one after the other, each when the one before was answered or lost. */
export type Client = readonly ScopeCall[];

/** How often what may go wrong does, in one order of events. */
export interface FaultBudget {
  readonly drops?: number;
  readonly duplicates?: number;
  readonly crashes?: number;
}

export interface Scope {
  readonly name: string;
  readonly description: string;
  readonly nodes: number;
  /** Who was told what before everything else, one after the other, in a world without faults. */
  readonly before: Client;
  readonly clients: readonly Client[];
  readonly faults: FaultBudget;
  /** Nodes that may crash; all when absent. */
  readonly crashing?: readonly number[];
  /** How often the clock goes on to the next timer. */
  readonly ticks: number;
  readonly disk: "at once" | "later";
  /** What a node is told otherwise than all others. */
  readonly configured?: (node: number, walletOf: (name: string) => Wallet) => Partial<NodeConfiguration>;
  /** The trade whose escrow is on the chain, and the ways that its history may take. */
  readonly chain?: {
    readonly trade: (walletOf: (name: string) => Wallet) => EscrowTrade;
    readonly ways: readonly ChainWay[];
  };
  /** Nodes that start for the first time when all the others know what was said before. */
  readonly joining?: readonly number[];
  /** The walk begins when such a thing is under way; before, nothing goes wrong. */
  readonly beginsWith?: Item["kind"];
  /** Between the first words and the walk, in milliseconds: processes are off meanwhile. They are not when absent. */
  readonly offMs?: bigint;
  /** Where the clock may jump to, one after the other, in milliseconds after the walk began. */
  readonly jumpsMs?: readonly bigint[];
  /** Timers that come in any order behind a jump; all others that are due fire with it, node by node, by name. */
  readonly timersAfterJump?: readonly TimerName[];
  /** Why calls may not have come to this, if so: what came of each client's calls, in order. */
  readonly forbids?: (outcomes: readonly (readonly string[])[]) => Broken | undefined;
}
