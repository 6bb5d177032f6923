/**
 * What the simulated chain expects of whatever executes its transactions.
 * Every executor passes test/chain/executor.contract.ts; random instruction sequences give equal
 * account bytes, logs and errors on all three. Source: DESIGN section 4.
 */

/** A wallet of the simulation: 32-byte public key, 32-byte Ed25519 seed. */
export interface Keypair {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

/** The executors by name. */
export type ExecutorName = "bankrun" | "litesvm" | "model";

/** An account as the chain stores it; `owner` is the base58 address of the owning program. */
export interface ChainAccount {
  readonly lamports: bigint;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

/** What the chain shows a transaction besides its accounts; `slotHashes` most recent first. */
export interface ExecutionContext {
  readonly slot: bigint;
  readonly unixTimestamp: bigint;
  readonly slotHashes: readonly { readonly slot: bigint; readonly hash: Uint8Array }[];
}

/**
 * `logs` are the frames of the calls, and between them the lines of the escrow program and memos, in order and whole;
 * what the escrow program's own callees log is left out. Empty when the transaction failed (a failed transaction
 * leaves no event, protocol 03 E15).
 */
export interface ExecutionResult {
  readonly ok: boolean;
  readonly error: ExecutionError | null;
  readonly logs: readonly string[];
  /** What programs called, in order, but for the calls of the escrow program; empty when the transaction failed. */
  readonly invoked: readonly Invoked[];
  /** What its message looked up; nothing when that could not be had. */
  readonly loaded: LoadedAddresses;
}

/** What a message looked up, in the order of its indexes: writable first. */
export interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

/** An instruction that a program called. */
export interface Invoked {
  /** The place of the message's own instruction that it came of. */
  readonly instruction: number;
  /** How deep it stands: 2 when the message's own instruction called it. */
  readonly height: number;
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/**
 * Why a transaction failed. `custom` carries the program's own number (protocol 03 D.6, or the SPL token
 * and system programs' numbers). `other` carries a runtime name of `otherErrorNames`; with `instruction`
 * null the transaction as a whole was refused before its first instruction.
 */
export type ExecutionError =
  | { readonly type: "custom"; readonly instruction: number; readonly code: number }
  | { readonly type: "other"; readonly instruction: number | null; readonly name: string };

/** What executes transactions on accounts. */
export interface ChainExecutor {
  readonly name: ExecutorName;
  /** Whether a transaction may run again on other accounts, as forks need. */
  readonly replays: boolean;
  /** Executes one signed transaction. Its signatures were verified and its blockhash judged by the caller. */
  execute(wire: Uint8Array, context: ExecutionContext): Promise<ExecutionResult>;
  account(address: string): Promise<ChainAccount | undefined>;
  putAccount(address: string, account: ChainAccount): Promise<void>;
  close(): Promise<void>;
}

/** Opens an executor over the accounts of a genesis. */
export type OpenExecutor = (
  genesis: readonly { readonly address: string; readonly account: ChainAccount }[],
  signers: readonly Keypair[],
) => Promise<ChainExecutor>;
