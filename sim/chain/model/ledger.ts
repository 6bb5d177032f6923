/**
 * The accounts of the model chain: a map that can be forked in constant time. A fork shares every frozen layer
 * below it and writes into a layer of its own. Source: DESIGN section 4 (re-execution on another fork).
 */
import type { ChainAccount } from "../executor.ts";

/** What a ledger has to know of the accounts it keeps. */
interface Kept {
  readonly lamports: bigint;
}

/** Accounts by address, to read and to write. */
export interface Accounts<A extends Kept = ChainAccount> {
  /** The account, or undefined when the address holds none. */
  get(address: string): A | undefined;
  /** Writes an account; one without lamports ceases to exist, as on the chain. */
  set(address: string, account: A): void;
}

export interface Ledger<A extends Kept = ChainAccount> extends Accounts<A> {
  /** An independent copy: what either side writes from now on, the other never sees. */
  fork(): Ledger<A>;
  /** Every existing account, in no particular order. */
  entries(): ReadonlyMap<string, A>;
}

/** A draft over a ledger: read through it, write into it, and keep it or drop it. */
export interface Draft<A extends Kept = ChainAccount> extends Accounts<A> {
  /** Writes the draft into the ledger below. */
  keep(): void;
}

type Layer<A> = ReadonlyMap<string, A | undefined>;

/** Layers are merged when a fork would stand on more of them than this. Source: DESIGN "Simulated world". */
const LAYERS_MAX = 8;

export function openLedger<A extends Kept>(accounts: Iterable<readonly [string, A]> = []): Ledger<A> {
  const ledger = layered<A>([], new Map());
  for (const [address, account] of accounts) ledger.set(address, account);
  return ledger;
}

export function openDraft<A extends Kept>(below: Accounts<A>): Draft<A> {
  const own = new Map<string, A>();
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

function layered<A extends Kept>(frozenLayers: readonly Layer<A>[], own: Map<string, A | undefined>): Ledger<A> {
  let frozen = frozenLayers;
  let top = own;
  return {
    get: (address) => {
      const held = top.get(address);
      return held !== undefined || top.has(address) ? held : newest(frozen, address);
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

/** What the first layer that knows the address says of it. */
function newest<A>(layers: readonly Layer<A>[], address: string): A | undefined {
  for (const layer of layers) if (layer.has(address)) return layer.get(address);
  return undefined;
}

/** Newest layer first. Small young layers are merged, so the big old one is copied only when they outgrow it. */
function compacted<A>(layers: readonly Layer<A>[]): readonly Layer<A>[] {
  if (layers.length <= LAYERS_MAX) return layers;
  const young = merged(layers.slice(0, -1));
  const oldest = layers[layers.length - 1] ?? new Map<string, A | undefined>();
  return young.size * 2 < oldest.size ? [young, oldest] : [merged([young, oldest])];
}

function merged<A>(layers: readonly Layer<A>[]): Layer<A> {
  const whole = new Map<string, A | undefined>();
  for (const layer of [...layers].reverse()) for (const [address, account] of layer) whole.set(address, account);
  return whole;
}

function existing<A>(layers: readonly Layer<A>[]): ReadonlyMap<string, A> {
  const found = new Map<string, A>();
  for (const [address, account] of merged(layers)) if (account !== undefined) found.set(address, account);
  return found;
}
