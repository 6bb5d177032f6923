/**
 * The chain as RPC servers share it: the cluster, what ran on it, where airdrops come from, and who is told that it
 * moved. Whoever drives it says when. Source: DESIGN section 4 "Cluster".
 */
import type { Result } from "../../../core/index.ts";
import { concat, toBase58 } from "../../../core/index.ts";
import type { CryptoPort } from "../../../core/ports/crypto.ts";
import { struct, systemProgram, u32, u64 } from "../../../core/testing.ts";
import type { Cluster, ClusterOptions, SubmitDefect } from "../cluster.ts";
import { openCluster } from "../cluster.ts";
import type { Keypair } from "../executor.ts";
import type { Simulation } from "../simulation.ts";
import type { Instruction } from "../transaction.ts";
import { signTransaction } from "../transaction.ts";
import type { Recorder } from "./recorder.ts";
import { openRecorder } from "./recorder.ts";

/** Lamports of one airdrop at most. Source: DESIGN "Simulated world"; public test clusters allow a few SOL. */
export const AIRDROP_LAMPORTS_MAX = 10_000_000_000n;
/** The system program's number of a transfer. Source: Solana's System program. */
const TRANSFER = 2;

/** What the RPC server asks of a chain. */
export interface ServedChain {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  /** What names this chain among others: the blockhash of its first block. */
  readonly genesisHash: string;
  /** Resolves once no block is being made: only then is the chain read. */
  settled(): Promise<void>;
  submit(wire: Uint8Array): Result<string, SubmitDefect>;
  /** What a transaction would do now, between two blocks; undefined when the executor cannot try it. */
  simulate(wire: Uint8Array): Promise<Simulation | undefined>;
  /** Sends lamports from the faucet; answers the signature. Undefined when there is no faucet. */
  airdrop(to: string, lamports: bigint): Result<string, SubmitDefect> | undefined;
  /** Calls `told` whenever the chain moved; answers how to end that. */
  onMoved(told: () => void): () => void;
}

/** A chain that its owner moves by hand. */
export interface LiveChain extends ServedChain {
  /** Moves on by so many slots. */
  advance(slots: number): Promise<void>;
  /** Changes the chain in another way; nobody reads it meanwhile. */
  change(work: (cluster: Cluster) => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** A cluster's options, and who pays airdrops. */
export interface LiveChainOptions extends ClusterOptions {
  /** Pays airdrops; its account belongs into the genesis. */
  readonly faucet?: Keypair;
}

/** Opens a chain that servers share; whoever drives it says when it moves. */
export async function openLiveChain(options: LiveChainOptions): Promise<LiveChain> {
  const recorder = openRecorder(options.open);
  const cluster = await openCluster({ ...options, open: recorder.open });
  const genesisHash = cluster.latestBlockhash("finalized").blockhash;
  const listeners = new Set<() => void>();
  let moving: Promise<void> = Promise.resolve();
  const change = (work: (moved: Cluster) => Promise<unknown>): Promise<void> => {
    moving = moving.then(async () => {
      await work(cluster);
      for (const told of listeners) told();
    });
    return moving;
  };
  return {
    cluster,
    recorder,
    genesisHash,
    settled: () => moving,
    submit: (wire) => cluster.submit(wire),
    simulate(wire) {
      const tried = moving.then(() => recorder.unrecorded(() => cluster.simulate(wire)));
      moving = tried.then(
        () => undefined,
        () => undefined,
      );
      return tried.then(
        (simulated) => (simulated.ok ? simulated.value : undefined),
        () => undefined,
      );
    },
    airdrop: faucetOf(cluster, options.crypto, options.faucet),
    onMoved(told) {
      listeners.add(told);
      return () => void listeners.delete(told);
    },
    advance: (slots) => change(() => cluster.advance(cluster.currentSlot() + BigInt(slots))),
    change,
    close: () => moving.then(() => cluster.close()),
  };
}

/** Pays airdrops on a cluster, each by a transaction of its own. */
export function faucetOf(
  cluster: Pick<Cluster, "latestBlockhash" | "submit">,
  crypto: CryptoPort,
  faucet: Keypair | undefined,
): (to: string, lamports: bigint) => Result<string, SubmitDefect> | undefined {
  let drops = 0n;
  return (to, lamports) => {
    if (faucet === undefined) return undefined;
    drops += 1n;
    const payer = toBase58(faucet.publicKey);
    const { blockhash } = cluster.latestBlockhash("processed");
    const instructions = [transfer(payer, to, lamports, numbered(crypto, drops))];
    return cluster.submit(signTransaction({ payer, instructions, blockhash }, [faucet], crypto));
  };
}

/** A transfer of lamports. The mark is an account that it only names: equal transfers would be one transaction. */
function transfer(from: string, to: string, lamports: bigint, mark: string): Instruction {
  return {
    program: systemProgram,
    accounts: [
      { address: from, signer: true, writable: true },
      { address: to, signer: false, writable: true },
      { address: mark, signer: false, writable: false },
    ],
    data: struct({ kind: u32, lamports: u64 }).write({ kind: TRANSFER, lamports }),
  };
}

function numbered(crypto: CryptoPort, number: bigint): string {
  return toBase58(crypto.sha256(concat(new TextEncoder().encode("airdrop "), u64.write(number))));
}
