/**
 * A small marketplace on the simulated chain for the tests of this folder: named wallets, their genesis, what the
 * chain shows at a time, and accounts that other programs may have written.
 */
import { openNativeCrypto } from "../../../adapters/crypto/native.ts";
import { toBase58, utf8 } from "../../../core/kernel/text.ts";
import { banRecord, encodeAccount, stakeAccount, stakeRecoveryReceipt } from "../../../core/solana/accounts.ts";
import {
  chainAddresses,
  simulatedProfile,
  stakeRoles,
  systemProgram,
  token2022Program,
} from "../../../core/solana/addresses.ts";
import type { ExecutionContext, Keypair } from "../../../sim/chain/executor.ts";
import type { GenesisAccount, GenesisOptions, Mint } from "../../../sim/chain/genesis.ts";
import { ARBITRATOR_STAKE_MIN, genesis, openMint, settlementMints } from "../../../sim/chain/genesis.ts";
import type { LookupTable } from "../../../sim/chain/lookup-tables.ts";
import { commitmentPreimage } from "../../../sim/chain/model/votes.ts";
import { rememberedAddresses } from "../../../sim/chain/remembered-addresses.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import { tokenAccountBytes } from "../../../sim/chain/token.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { compileMessage, serializeTransaction, signTransaction } from "../../../sim/chain/transaction.ts";

export const crypto = openNativeCrypto();
export const at = rememberedAddresses(chainAddresses(crypto, simulatedProfile));

export const names = [
  "merchant",
  "rival",
  "buyer",
  "other",
  "judge1",
  "judge2",
  "judge3",
  "judge4",
  "judge5",
  "judge6",
  "judge7",
  "judge8",
  "judge9",
  "stranger",
  "admin",
] as const;
export type Name = (typeof names)[number];

/** Keys that are a function of the name. */
export const wallets = Object.fromEntries(
  names.map((name) => {
    const secretKey = crypto.sha256(utf8(`wallet ${name}`));
    return [name, { secretKey, publicKey: crypto.publicKey(secretKey) }];
  }),
) as unknown as Readonly<Record<Name, Keypair>>;

export const keyring: readonly Keypair[] = Object.values(wallets);

export function addressOf(name: Name): string {
  return toBase58(wallets[name].publicKey);
}

export const START_UNIX = 1_700_000_000n;

/** The first day: one merchant with an OPEN vault, one without, four arbitrators of different weight. */
export function firstDay(terms: GenesisOptions["feeTerms"] = {}): readonly GenesisAccount[] {
  const stakes: Partial<Record<Name, bigint>> = {
    judge1: ARBITRATOR_STAKE_MIN,
    judge2: ARBITRATOR_STAKE_MIN * 2n,
    judge3: ARBITRATOR_STAKE_MIN,
    judge4: ARBITRATOR_STAKE_MIN - 1n,
    judge5: ARBITRATOR_STAKE_MIN * 3n,
    judge6: ARBITRATOR_STAKE_MIN,
    judge7: ARBITRATOR_STAKE_MIN,
    judge8: ARBITRATOR_STAKE_MIN + 1n,
    judge9: ARBITRATOR_STAKE_MIN,
    buyer: ARBITRATOR_STAKE_MIN,
    merchant: ARBITRATOR_STAKE_MIN,
  };
  return genesis(at, {
    admin: addressOf("admin"),
    stakedSince: START_UNIX - 1000n,
    feeTerms: terms,
    wallets: names
      .filter((name) => name !== "admin")
      .map((name) => ({
        address: addressOf(name),
        merchant: name === "merchant",
        arbitratorStake: stakes[name] ?? 0n,
      })),
  });
}

/** What the chain shows at a time: one slot hash a slot. */
export function contextAt(unixTimestamp: bigint): ExecutionContext {
  const slot = ((unixTimestamp - START_UNIX) * 5n) / 2n + 1000n;
  const hash = crypto.sha256(utf8(`slot ${slot}`));
  return { slot, unixTimestamp, slotHashes: [{ slot: slot - 1n, hash }] };
}

/** Signs with everybody the message asks for. */
export function wireOf(
  payer: Name,
  instructions: readonly Instruction[],
  nonce: number,
  tables: readonly LookupTable[] = [],
): Uint8Array {
  const blockhash = toBase58(crypto.sha256(utf8(`blockhash ${nonce}`)));
  return signTransaction({ payer: addressOf(payer), instructions, blockhash, tables }, keyring, crypto);
}

/** As long, but nobody signed: for a machine that looks at no signatures. */
export function unsignedWireOf(payer: Name, instructions: readonly Instruction[]): Uint8Array {
  const message = compileMessage({ payer: addressOf(payer), instructions, blockhash: NO_BLOCKHASH });
  return serializeTransaction(
    message.signers.map(() => new Uint8Array(64)),
    message.bytes,
  );
}

const NO_BLOCKHASH = toBase58(new Uint8Array(32));

/** The four mints of the marketplace and OPEN. */
export const mints: readonly Mint[] = [...settlementMints, openMint(at)];
export const usdc = mints[1] as Mint;

/** A wallet's usual token account. */
export function tokensOf(name: Name, mint: Mint): string {
  return at.tokenAccount(addressOf(name), mint.mint, mint.tokenProgram).address;
}

/** The commitment of W-14 to an outcome with a salt of equal bytes. */
export function commitmentOf(reservation: bigint, arbitrator: Name, outcome: number, salt: number): Uint8Array {
  const { address } = at.disputeCase(reservation);
  return crypto.sha256(commitmentPreimage(outcome, new Uint8Array(32).fill(salt), address, addressOf(arbitrator)));
}

export interface Command {
  readonly payer: Name;
  readonly instructions: readonly Instruction[];
  /** Seconds that pass before it. */
  readonly wait: bigint;
  /** Written over the chain before it: a slash, a ban, a wallet grown poor. */
  readonly put?: GenesisAccount;
  /** The chain shows no slot hash. */
  readonly blind?: boolean;
}

/** A stake account of an arbitrator with this amount. */
export function stakeAccountOf(name: Name, amount: bigint): GenesisAccount {
  const { address, bump } = at.stakeAccount(addressOf(name), stakeRoles.Arbitrator);
  const data = encodeAccount(stakeAccount, {
    owner: addressOf(name),
    role: stakeRoles.Arbitrator,
    amount,
    unbonding_amount: 0n,
    unbonding_release_at: 0n,
    slashed_total: 0n,
    pending_rewards: 0n,
    bump,
    first_staked_at: START_UNIX - 500n,
  });
  return {
    address,
    account: { lamports: rentExempt(data.length), owner: at.profile.stakingProgram, data, executable: false },
  };
}

/** A ban record, or only lamports at its address, which ban nobody. */
export function banOf(name: Name, real: boolean): GenesisAccount {
  const { address, bump } = at.banRecord(addressOf(name));
  const record = encodeAccount(banRecord, {
    wallet: addressOf(name),
    reason: 1,
    evidence_hash: new Uint8Array(32),
    listed_at: START_UNIX,
    authorizing_proposal: addressOf("admin"),
    bump,
  });
  const data = real ? record : new Uint8Array(0);
  const owner = real ? at.profile.governanceProgram : systemProgram;
  return { address, account: { lamports: rentExempt(data.length), owner, data, executable: false } };
}

/** What the staking program says it recovered from a merchant's stake. */
export function receiptOf(name: Name, recovered: bigint): GenesisAccount {
  const { address, bump } = at.stakeRecoveryReceipt(addressOf(name));
  const data = encodeAccount(stakeRecoveryReceipt, {
    merchant: addressOf(name),
    recovered_total: recovered,
    recovery_count: 1,
    bump,
  });
  return {
    address,
    account: { lamports: rentExempt(data.length), owner: at.profile.stakingProgram, data, executable: false },
  };
}

/** The tokens of a merchant's OPEN vault, as another program may have changed them. */
export function openTokensOf(name: Name, amount: bigint): GenesisAccount {
  const { openMint: mint } = at.profile;
  const authority = at.liquidityVault(addressOf(name), mint).address;
  const data = tokenAccountBytes({ mint, authority, amount, nativeReserve: null });
  return {
    address: at.liquidityVaultTokens(addressOf(name), mint).address,
    account: { lamports: rentExempt(data.length), owner: token2022Program, data, executable: false },
  };
}
