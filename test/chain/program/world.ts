/**
 * A world for the tests of the on-chain program: one executor, wallets with money, and a clock.
 * One world serves a whole test file (a bankrun start is never given back), so every trade has its own people.
 */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { openNativeCrypto } from "../../../adapters/crypto/native.ts";
import { toBase58 } from "../../../core/kernel/text.ts";
import type { AccountLayout } from "../../../core/solana/accounts.ts";
import { decodeAccount, encodeAccount, stakeAccount, stakeRecoveryReceipt } from "../../../core/solana/accounts.ts";
import { chainAddresses, simulatedProfile, stakeRoles, systemProgram } from "../../../core/solana/addresses.ts";
import type { ChainEvent } from "../../../core/solana/events.ts";
import { decodeEventLine, programLines } from "../../../core/solana/events.ts";
import type {
  ChainAccount,
  ChainExecutor,
  ExecutionContext,
  Keypair,
  OpenExecutor,
} from "../../../sim/chain/executor.ts";
import type { Mint } from "../../../sim/chain/genesis.ts";
import { ARBITRATOR_STAKE_MIN, genesis, openMint, settlementMints } from "../../../sim/chain/genesis.ts";
import { nothingLoaded } from "../../../sim/chain/lookup-tables.ts";
import { readTokenAccount } from "../../../sim/chain/token.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";

export const crypto = openNativeCrypto();
export const at = chainAddresses(crypto, simulatedProfile);
export const START = 1_700_000_000n;
/** Wallets of each kind that a file's trades may use up. */
const TRADES_MAX = 400;
const ARBITRATORS = 21;
/** Wallets of the published examples. Source: protocol 03 H. */
const PUBLISHED = ["seed 2", "seed 3", "seed 4"];

/** The mint most tests trade in. */
export const usdc: Mint = mintOf("USDC");
/** What deposits and rewards are paid in. */
export const OPEN: Mint = openMint(at);
export const SLOT_HASHES: ExecutionContext["slotHashes"] = [
  { slot: 1000n, hash: new Uint8Array(32).fill(0xab) },
  { slot: 999n, hash: new Uint8Array(32).fill(0xac) },
];

export interface World {
  readonly executor: ChainExecutor;
  /** Unix seconds; tests move it. */
  now: bigint;
  slotHashes: ExecutionContext["slotHashes"];
  /** The next unused number for a trade. */
  nextTrade: number;
}

export function mintOf(symbol: string): Mint {
  const mint = settlementMints.find((candidate) => candidate.symbol === symbol);
  if (mint === undefined) throw new Error(`no mint ${symbol}`);
  return mint;
}

const keypairs = new Map<string, Keypair>();

/** The keypair of a name; equal names, equal keys. `seed N` has the seed of 32 bytes N, as protocol 03 H has. */
export function keypair(name: string): Keypair {
  const held = keypairs.get(name);
  if (held !== undefined) return held;
  const seed = /^seed (\d+)$/.exec(name)?.[1];
  const secretKey =
    seed === undefined
      ? new Uint8Array(createHash("sha256").update(name).digest())
      : new Uint8Array(32).fill(Number(seed));
  const made = { publicKey: crypto.publicKey(secretKey), secretKey };
  keypairs.set(name, made);
  return made;
}

export function wallet(name: string): string {
  return toBase58(keypair(name).publicKey);
}

/** Whose address a nonce account is made at: nothing is there on the first day. */
export const NONCE_NAME = "nonce";

/** Everybody who may sign: bankrun must know them when it starts. */
function names(tradesMax: number): readonly string[] {
  const trades = Array.from({ length: tradesMax }, (_, index) => [`merchant ${index}`, `buyer ${index}`]).flat();
  const arbitrators = Array.from({ length: ARBITRATORS }, (_, index) => `arbitrator ${index}`);
  return ["admin", "stranger", "outsider", "pauper", NONCE_NAME, ...PUBLISHED, ...arbitrators, ...trades];
}

/** Opens a world. Buyer and arbitrator keys all hold lamports and tokens; merchants hold an OPEN vault. */
export async function openWorld(open: OpenExecutor, tradesMax: number = TRADES_MAX): Promise<World> {
  const people = names(tradesMax);
  const wallets = people
    .filter((name) => name !== "admin" && name !== "pauper" && name !== NONCE_NAME)
    .map((name) => ({
      address: wallet(name),
      merchant: name.startsWith("merchant"),
      ...(name.startsWith("arbitrator") ? { arbitratorStake: ARBITRATOR_STAKE_MIN } : {}),
    }));
  const accounts = genesis(at, { wallets, admin: wallet("admin"), stakedSince: START - 1_000_000n });
  const executor = await open(accounts, people.map(keypair));
  return { executor, now: START, slotHashes: SLOT_HASHES, nextTrade: 0 };
}

let nonce = 0;

/** Runs instructions in one transaction, signed by `signers` in that order; the first pays. */
export async function run(world: World, instructions: readonly Instruction[], ...signers: readonly string[]) {
  nonce += 1; // a blockhash of its own keeps equal messages apart
  const blockhash = toBase58(new Uint8Array(createHash("sha256").update(`blockhash ${nonce}`).digest()));
  const payer = wallet(signers[0] ?? "stranger");
  const wire = signTransaction({ payer, instructions, blockhash }, signers.map(keypair), crypto);
  return world.executor.execute(wire, { slot: 1001n, unixTimestamp: world.now, slotHashes: world.slotHashes });
}

/** Runs and expects success; answers the events. */
export async function succeed(
  world: World,
  instructions: readonly Instruction[],
  ...signers: readonly string[]
): Promise<readonly ChainEvent[]> {
  const result = await run(world, instructions, ...signers);
  expect(result.error).toBeNull();
  const { escrowProgram, stakingProgram } = at.profile;
  return [escrowProgram, stakingProgram]
    .flatMap((program) => programLines(result.logs, program))
    .map((line) => {
      const event = decodeEventLine(line);
      if (event === undefined) throw new Error(`no event: ${line}`);
      return event;
    });
}

/** Runs and expects a refusal of the instruction at `place`: the program's number or the runtime's name. */
export async function refused(
  world: World,
  refusal: number | string,
  instructions: readonly Instruction[],
  ...signers: readonly string[]
): Promise<void> {
  const result = await run(world, instructions, ...signers);
  const instruction = instructions.length - 1;
  const error =
    typeof refusal === "number"
      ? { type: "custom", instruction, code: refusal }
      : { type: "other", instruction, name: refusal };
  expect(result).toEqual({ ok: false, error, logs: [], invoked: [], loaded: nothingLoaded });
}

/** An account of a kind, decoded. */
export async function read<T>(world: World, kind: AccountLayout<T>, address: string): Promise<T> {
  const account = await stored(world, address);
  expect(account.data.length).toBe(kind.bytesAllocated);
  const decoded = decodeAccount(kind, simulatedProfile, account);
  if (!decoded.ok) throw new Error(`${address}: ${decoded.error}`);
  return decoded.value;
}

export async function stored(world: World, address: string): Promise<ChainAccount> {
  const account = await world.executor.account(address);
  if (account === undefined) throw new Error(`${address}: no account`);
  return account;
}

/** Tokens an account holds; 0n when there is none. */
export async function tokens(world: World, address: string): Promise<bigint> {
  const account = await world.executor.account(address);
  return account === undefined ? 0n : (readTokenAccount(account.data)?.amount ?? 0n);
}

/** A wallet's usual token account. */
export function tokensOf(name: string, mint: Mint): string {
  return at.tokenAccount(wallet(name), mint.mint, mint.tokenProgram).address;
}

/** Changes one account for the length of `test`: the program itself could not have written it so. */
export async function withAccount(
  world: World,
  address: string,
  change: (account: ChainAccount) => ChainAccount,
  test: () => Promise<void>,
): Promise<void> {
  const before = (await world.executor.account(address)) ?? nothing;
  await world.executor.putAccount(address, change(before));
  try {
    await test();
  } finally {
    await world.executor.putAccount(address, before);
  }
}

/** The same for several addresses, which all look alike meanwhile. */
export function withAccounts(
  world: World,
  addresses: readonly string[],
  account: ChainAccount,
  test: () => Promise<void>,
): Promise<void> {
  const [address, ...others] = addresses;
  if (address === undefined) return test();
  return withAccount(
    world,
    address,
    () => account,
    () => withAccounts(world, others, account, test),
  );
}

/** What an address without an account looks like. */
export const nothing: ChainAccount = { lamports: 0n, owner: systemProgram, data: new Uint8Array(0), executable: false };

/** The same instruction with another address at one place. */
export function swapped(instruction: Instruction, place: number, address: string): Instruction {
  return {
    ...instruction,
    accounts: instruction.accounts.map((meta, index) => (index === place ? { ...meta, address } : meta)),
  };
}

/** The same instruction with other rights at one place. */
export function withRights(
  instruction: Instruction,
  place: number,
  rights: { readonly signer?: boolean; readonly writable?: boolean },
): Instruction {
  return {
    ...instruction,
    accounts: instruction.accounts.map((meta, index) => (index === place ? { ...meta, ...rights } : meta)),
  };
}

/** Overwrites bytes of an account for the length of `test`. */
export function patched(
  world: World,
  address: string,
  offset: number,
  bytes: ArrayLike<number>,
  test: () => Promise<void>,
): Promise<void> {
  return withAccount(
    world,
    address,
    (account) => {
      const data = account.data.slice();
      data.set(bytes, offset);
      return { ...account, data };
    },
    test,
  );
}

export function u64le(value: bigint): readonly number[] {
  return Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

/** The arbitrator stake account of a name. */
export function stakeOf(name: string): string {
  return at.stakeAccount(wallet(name), stakeRoles.Arbitrator).address;
}

/** Gives a wallet an arbitrator's stake for the length of `test`. */
export function staked(world: World, name: string, test: () => Promise<void>): Promise<void> {
  const derived = at.stakeAccount(wallet(name), stakeRoles.Arbitrator);
  const data = encodeAccount(stakeAccount, {
    owner: wallet(name),
    role: stakeRoles.Arbitrator,
    amount: ARBITRATOR_STAKE_MIN,
    unbonding_amount: 0n,
    unbonding_release_at: 0n,
    slashed_total: 0n,
    pending_rewards: 0n,
    bump: derived.bump,
    first_staked_at: 0n,
  });
  const account = { lamports: 10_000_000n, owner: simulatedProfile.stakingProgram, data, executable: false };
  return withAccount(world, derived.address, () => account, test);
}

/** The staking program's receipt for what it recovered from a merchant's stake. */
export function recoveryReceipt(
  name: string,
  total: bigint,
): { readonly address: string; readonly account: ChainAccount } {
  const { address, bump } = at.stakeRecoveryReceipt(wallet(name));
  const receipt = { merchant: wallet(name), recovered_total: total, recovery_count: 1, bump };
  const data = encodeAccount(stakeRecoveryReceipt, receipt);
  const account = { lamports: 10_000_000n, owner: simulatedProfile.stakingProgram, data, executable: false };
  return { address, account };
}
