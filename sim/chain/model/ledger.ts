/**
 * The accounts of the model chain: a map that can be forked in constant time. A fork shares every frozen layer
 * below it and writes into a layer of its own. Source: DESIGN section 4 (re-execution on another fork).
 */
import type { ChainAccount } from "../executor.ts";

/** Accounts by address, to read and to write. */
export interface Accounts {
  /** The account, or undefined when the address holds none. */
  get(address: string): ChainAccount | undefined;
  /** Writes an account; one without lamports ceases to exist, as on the chain. */
  set(address: string, account: ChainAccount): void;
}

export interface Ledger extends Accounts {
  /** An independent copy: what either side writes from now on, the other never sees. */
  fork(): Ledger;
  /** Every existing account, in no particular order. */
  entries(): ReadonlyMap<string, ChainAccount>;
}

/** A draft over a ledger: read through it, write into it, and keep it or drop it. */
export interface Draft extends Accounts {
  /** Writes the draft into the ledger below. */
  keep(): void;
}

type Layer = ReadonlyMap<string, ChainAccount | undefined>;

/** Layers are merged when a fork would stand on more of them than this. Source: ours. */
const LAYERS_MAX = 8;

export function openLedger(accounts: Iterable<readonly [string, ChainAccount]> = []): Ledger {
  const ledger = layered([], new Map());
  for (const [address, account] of accounts) ledger.set(address, account);
  return ledger;
}

export function openDraft(below: Accounts): Draft {
  const own = new Map<string, ChainAccount>();
  return {
    get: (address) => {
      const written = own.get(address);
      if (written === undefined) return below.get(address);
      return written.lamports === 0n ? undefined : written;
    },
    set: (address, account) => {
      own.set(address, account);
    },
    keep: () => {
      for (const [address, account] of own) below.set(address, account);
    },
  };
}

function layered(frozenLayers: readonly Layer[], own: Map<string, ChainAccount | undefined>): Ledger {
  let frozen = frozenLayers;
  let top = own;
  return {
    get: (address) => {
      if (top.has(address)) return top.get(address);
      const layer = frozen.find((candidate) => candidate.has(address));
      return layer?.get(address);
    },
    set: (address, account) => {
      top.set(address, account.lamports === 0n ? undefined : account);
    },
    fork: () => {
      if (top.size > 0) frozen = compacted([top, ...frozen]);
      top = new Map();
      return layered(frozen, new Map());
    },
    entries: () => existing([top, ...frozen]),
  };
}

/** Newest layer first. Small young layers are merged, so the big old one is copied only when they outgrow it. */
function compacted(layers: readonly Layer[]): readonly Layer[] {
  if (layers.length <= LAYERS_MAX) return layers;
  const young = merged(layers.slice(0, -1));
  const oldest = layers[layers.length - 1] ?? new Map();
  return young.size * 2 < oldest.size ? [young, oldest] : [merged([young, oldest])];
}

function merged(layers: readonly Layer[]): Layer {
  const whole = new Map<string, ChainAccount | undefined>();
  for (const layer of [...layers].reverse()) for (const [address, account] of layer) whole.set(address, account);
  return whole;
}

function existing(layers: readonly Layer[]): ReadonlyMap<string, ChainAccount> {
  const found = new Map<string, ChainAccount>();
  for (const [address, account] of merged(layers)) if (account !== undefined) found.set(address, account);
  return found;
}
