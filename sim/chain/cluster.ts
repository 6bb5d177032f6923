/**
 * The chain of a simulation: slots, blockhashes, signatures, commitment levels, forks, history. It has no clock, no
 * randomness and no timer: the caller says which slot it is. Executors only execute; they are awaited in `advance`,
 * `fork` and `settle` alone, so whatever reads the chain stays synchronous. Source: DESIGN section 4, protocol 03 E.
 */

import type { Result } from "../../core/index.ts";
import { acceptTransaction, err, ok, toBase58 } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { ParsedMessage, TransactionDefect } from "../../core/testing.ts";
import { known, parseTransaction } from "../../core/testing.ts";
import type { ChainState, HeldChain } from "./blocks.ts";
import { advanceTo, branchesOf, isFresh, nonceIn, nothing, putAccount, slotAt } from "./blocks.ts";
import type { Branch } from "./branches.ts";
import { accountAt, openTrunk, transactionOf } from "./branches.ts";
import type { ChainView } from "./chain-view.ts";
import { viewOf } from "./chain-view.ts";
import type { ChainAccount, ChainExecutor, Keypair, OpenExecutor } from "./executor.ts";
import type { Hold } from "./finality.ts";
import { holdFinality, releaseFinality } from "./finality.ts";
import type { Fate } from "./forks.ts";
import { fork, settle } from "./forks.ts";
import type { Simulation } from "./simulation.ts";
import { simulate } from "./simulation.ts";
import type { SlotOptions } from "./slots.ts";
import { openSlots } from "./slots.ts";

/** What a chain starts with and what executes it. */
export interface ClusterOptions extends Omit<SlotOptions, "sha256"> {
  readonly crypto: CryptoPort;
  readonly open: OpenExecutor;
  readonly genesis: readonly { readonly address: string; readonly account: ChainAccount }[];
  /** Keys of the simulated wallets, for executors that must sign anew. */
  readonly signers: readonly Keypair[];
  /** What another cluster of the same options held: this one goes on from there. */
  readonly held?: HeldChain | undefined;
}

/** Why a submitted transaction is refused at once. */
export type SubmitDefect = TransactionDefect | "BLOCKHASH_NOT_FOUND";

/** What goes wrong with a transaction that was taken. */
export interface Handling {
  /** No leader ever hears of it. */
  readonly dropped?: boolean;
  /** So many slots pass before a leader hears of it. */
  readonly late?: bigint;
  /** The runtime error with which it fails. */
  readonly fails?: string;
}

/** Reads go to the branch that the cluster follows. */
export interface Cluster extends ChainView {
  /** Makes the blocks of every slot up to this one; the first of them takes what was submitted. */
  advance(slot: bigint): Promise<void>;
  /** The newest slot that began, skipped or not. */
  currentSlot(): bigint;
  /** Whether a transaction waits for a block. */
  waits(): boolean;
  /** Takes a signed transaction for the next block. A repeat answers its signature again and changes nothing. */
  submit(wire: Uint8Array, handling?: Handling): Result<string, SubmitDefect>;
  /** Why a transaction would be refused at once; undefined when it would be taken. */
  refuses(wire: Uint8Array): SubmitDefect | undefined;
  /** Whether a nonce account holds what a message names in the place of a blockhash, so that it may run next. */
  livesByNonce(message: ParsedMessage): boolean;
  /** What a transaction would do in the next slot; nothing stays, and nothing else may run meanwhile. */
  simulate(wire: Uint8Array): Promise<Result<Simulation, TransactionDefect>>;
  /** Unix seconds of a slot. */
  unixTimestamp(slot: bigint): bigint;
  /** What a branch shows; once another has won, what that one shows. */
  on(branch: number): ChainView;
  /** The number of the branch that the cluster follows. */
  main(): number;
  /** Begins a rival branch after an unfinalized slot; answers its number. Until votes settle nothing becomes final. */
  fork(after: bigint, fate?: (signature: string) => Fate): Promise<number>;
  /** Votes settle on a branch; every other is gone. */
  settle(branch: number): Promise<void>;
  /** A fork that wins at once: blocks after `after` are replaced. */
  reorganize(after: bigint, fate?: (signature: string) => Fate): Promise<void>;
  /** Nothing becomes final until this hold is released; releasing it again changes nothing. */
  stallFinality(): Hold;
  releaseFinality(hold: Hold): void;
  /** Writes an account on the branch that the cluster follows, as of the newest slot; no transaction tells of it. */
  putAccount(address: string, account: ChainAccount | undefined): Promise<void>;
  /** All that it remembers, plain values: what lives on, not a copy of it. */
  held(): HeldChain;
  close(): Promise<void>;
}

/** Opens a chain whose slot 0 holds the genesis, or one that goes on from what another held. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const executor = await options.open(options.genesis, options.signers);
  const held = options.held ?? fromGenesis(options.genesis);
  if (options.held !== undefined) await catchUp(executor, options, held.loaded);
  const state: ChainState = {
    slots: openSlots({ ...options, sha256: options.crypto.sha256 }),
    executor,
    sha256: options.crypto.sha256,
    ...held,
  };
  const again = (): Fate => "again";
  return {
    ...viewOf(state, () => state.main),
    advance: (slot) => advanceTo(state, slot),
    currentSlot: () => state.current,
    waits: () => branchesOf(state).some((branch) => branch.pending.size > 0),
    submit: (wire, handling = {}) => submit(state, options.crypto, wire, handling),
    refuses: (wire) => {
      const taken = submit(state, options.crypto, wire, { dropped: true });
      return taken.ok ? undefined : taken.error;
    },
    livesByNonce: (message) => nonceIn(state, state.main, message, state.current + 1n) !== undefined,
    simulate: async (wire) => {
      const parsed = parseTransaction(wire);
      return parsed.ok ? ok(await simulate(state, wire, parsed.value.message)) : parsed;
    },
    unixTimestamp: state.slots.unixTimestamp,
    on: (number) => viewOf(state, () => state.rivals.get(number)?.branch ?? state.main),
    main: () => state.main.number,
    fork: (after, fate = again) => fork(state, after, fate),
    settle: (branch) => settle(state, branch),
    reorganize: async (after, fate = again) => settle(state, await fork(state, after, fate)),
    stallFinality: () => holdFinality(state.finality, slotAt(state, "finalized")),
    releaseFinality: (hold) => releaseFinality(state.finality, hold, state.current),
    putAccount: (address, account) => putAccount(state, address, account),
    held: () => {
      const { finality, main, rivals, loaded, forks, current, written } = state;
      return { finality, main, rivals, loaded, forks, current, written };
    },
    close: () => state.executor.close(),
  };
}

function fromGenesis(genesis: ClusterOptions["genesis"]): HeldChain {
  const trunk = openTrunk(genesis);
  const begun = { forks: 0, current: 0n, written: 0n };
  return { finality: { holds: [] }, main: trunk, rivals: new Map(), loaded: trunk, ...begun };
}

/**
 * Brings an executor that stands at the genesis to the accounts of a branch; one that executes a transaction once
 * has other state besides.
 */
async function catchUp(executor: ChainExecutor, { genesis }: ClusterOptions, branch: Branch): Promise<void> {
  if (!executor.replays) throw new Error(`${executor.name} cannot go on from what another held: use litesvm or model`);
  const start = openTrunk(genesis);
  for (const address of new Set([...writtenOn(branch), ...genesis.map((account) => account.address)])) {
    const [before, now] = [accountAt(start, address, NEWEST), accountAt(branch, address, NEWEST)];
    if (before !== now) await executor.putAccount(address, now ?? nothing);
  }
}

/** Later than every slot. */
const NEWEST = 2n ** 63n;

function writtenOn(branch: Branch): readonly string[] {
  const below = branch.parent === undefined ? [] : writtenOn(branch.parent);
  return [...below, ...branch.accounts.versions.keys()];
}

function submit(
  state: ChainState,
  crypto: CryptoPort,
  wire: Uint8Array,
  handling: Handling,
): Result<string, SubmitDefect> {
  const parsed = acceptTransaction(wire, crypto);
  if (!parsed.ok) return parsed;
  const { message, signatures } = parsed.value;
  const signature = toBase58(known(signatures[0], "an accepted transaction is signed"));
  const next = state.current + 1n;
  let taken = false;
  for (const branch of branchesOf(state)) {
    const repeat = transactionOf(branch, signature) !== undefined || branch.pending.has(signature);
    const isTaken =
      isFresh(state, branch, message.blockhash, next) || nonceIn(state, branch, message, next) !== undefined;
    const lands = !repeat && isTaken;
    taken ||= repeat || lands;
    if (!lands || handling.dropped === true) continue;
    const notBefore = next + (handling.late ?? 0n);
    branch.pending.set(signature, { signature, wire, message, notBefore, fails: handling.fails });
  }
  return taken ? ok(signature) : err("BLOCKHASH_NOT_FOUND");
}
