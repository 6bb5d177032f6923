/**
 * The simulated chain on its first day: mints, wallets with lamports and tokens, fee configuration, staking,
 * OPEN vaults of merchants, arbitration pool. Nothing here draws a random number: equal wallets, equal chain.
 * Source: DESIGN section 4; mints of protocol 02 F.4 and OPEN; figures of protocol 03 D.3, D.7, D.8.
 */

import { toBase58, utf8 } from "../../core/index.ts";
import type { ChainAddresses, FeeConfig } from "../../core/testing.ts";
import {
  arbitrationPolicy,
  encodeAccount,
  feeConfig,
  liquidityVault,
  SETTLEMENT_MINTS_MAX,
  stakeAccount,
  stakeRoles,
  stakingConfig,
  systemProgram,
  token2022Program,
  tokenProgram,
} from "../../core/testing.ts";
import type { ChainAccount } from "./executor.ts";
import type { MintRef, Treasuries } from "./instruction-parts.ts";
import { treasuryList } from "./instruction-parts.ts";
import { rentExempt } from "./rent.ts";
import { mintBytes, NATIVE_MINT, TOKEN_ACCOUNT_BYTES, tokenAccountBytes } from "./token.ts";

export interface Mint extends MintRef {
  readonly symbol: string;
  readonly decimals: number;
}

/** Mints a trade may settle in. Source: protocol 02 F.4; owning programs: protocol 03 D.1. */
export const settlementMints: readonly Mint[] = [
  { mint: NATIVE_MINT, symbol: "wSOL", decimals: 9, tokenProgram },
  { mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", symbol: "USDC", decimals: 6, tokenProgram },
  { mint: "C4rSGhdxWhSFQuFcAxQti1JvBxriwHJoHtJjfhs5p24Y", symbol: "USDT", decimals: 6, tokenProgram },
  { mint: "SK1JEbfsjjTG2WELNirmM7iJVcdnwerqfF32kCnoWsM", symbol: "tUSDC", decimals: 6, tokenProgram: token2022Program },
];

/** What a wallet owns on the first day. */
export interface GenesisWallet {
  readonly address: string;
  /** Wallets of merchants get an OPEN vault to pay arbitration deposits from. */
  readonly merchant?: boolean;
  /** OPEN base units staked as an arbitrator; absent or 0: no stake account. */
  readonly arbitratorStake?: bigint;
  /** OPEN base units in its purse; `WALLET_TOKENS` when absent. */
  readonly openTokens?: bigint;
}

export interface GenesisOptions {
  readonly wallets: readonly GenesisWallet[];
  /** Admin of the programs; holds the OPEN that nobody else does, and receives what is slashed. */
  readonly admin: string;
  /** Unix seconds at which every stake began. */
  readonly stakedSince: bigint;
  readonly feeTerms?: Partial<
    Pick<
      FeeConfig,
      "dispute_filing_fee" | "settlement_fee_bps" | "min_arbitrator_stake_age_secs" | "arbitrator_sortition_bps"
    >
  >;
  /** Published number of eligible arbitrators; absent: no policy account. */
  readonly eligibleArbitrators?: number;
}

/** An account that the chain starts with. */
export interface GenesisAccount {
  readonly address: string;
  readonly account: ChainAccount;
}

/**
 * Lamports of a wallet, its tokens of each mint, and the OPEN in a merchant's vault. Source: DESIGN "Simulated world".
 */
export const WALLET_LAMPORTS = 1_000_000_000_000n;
export const WALLET_TOKENS = 1_000_000_000_000n;
export const VAULT_OPEN = 1_000_000_000n;
/** Stake that makes an arbitrator eligible, in OPEN base units. Source: protocol 03 D.3. */
export const ARBITRATOR_STAKE_MIN = 100_000_000_000n;
/** Source: protocol 03 D.1. */
const OPEN_SUPPLY = 100_000_000_000_000_000n;
const OPEN_DECIMALS = 6;
const DAY_SECS = 86_400n;

/**
 * The four treasury wallets: the fee configuration names them, and each has a token account per mint. Release
 * accepts as a treasury the very address in the configuration, or a token account whose authority it is; so one
 * configuration serves every mint. Source: DESIGN "Simulated world"; protocol 03 D.3 has room for four addresses and 16
 * mints.
 */
export const treasuryWallets: Treasuries = {
  dev: named("treasury dev"),
  ecosystem: named("treasury ecosystem"),
  infra: named("treasury infra"),
  emergency: named("treasury emergency"),
};

/** Every account of the first day. Source: DESIGN section 4. */
export function genesis(at: ChainAddresses, options: GenesisOptions): readonly GenesisAccount[] {
  const tokens = [
    ...options.wallets.flatMap((wallet) => walletTokens(at, wallet)),
    ...treasuryList(treasuryWallets).flatMap((wallet) => emptyTokens(at, wallet)),
    ...pooledTokens(at, options),
  ];
  const rest = tokenHolding(at, options.admin, openMint(at), OPEN_SUPPLY - held(tokens, at.profile.openMint));
  const holdings = [...tokens, rest];
  return [
    ...[...settlementMints, openMint(at)].map((mint) => mintAccount(mint, options.admin, held(holdings, mint.mint))),
    ...holdings.map(tokenAccountOf),
    ...[options.admin, ...options.wallets.map((wallet) => wallet.address)].map(lamportAccount),
    ...programAccounts(at, options),
  ];
}

/** OPEN as a mint; deliberately not among the settlement mints. Source: protocol 02 F.4. */
export function openMint(at: ChainAddresses): Mint {
  return { mint: at.profile.openMint, symbol: "OPEN", decimals: OPEN_DECIMALS, tokenProgram: token2022Program };
}

/** The treasuries' token accounts for a mint, as release and execute take them. */
export function treasuriesFor(at: ChainAddresses, ref: MintRef): Treasuries {
  const tokens = (wallet: string) => at.tokenAccount(wallet, ref.mint, ref.tokenProgram).address;
  return {
    dev: tokens(treasuryWallets.dev),
    ecosystem: tokens(treasuryWallets.ecosystem),
    infra: tokens(treasuryWallets.infra),
    emergency: tokens(treasuryWallets.emergency),
  };
}

/** A token account of the first day: where, whose, what, how much. */
interface Holding {
  readonly address: string;
  readonly authority: string;
  readonly mint: Mint;
  readonly amount: bigint;
}

function walletTokens(at: ChainAddresses, wallet: GenesisWallet): readonly Holding[] {
  const usual = settlementMints.map((mint) => tokenHolding(at, wallet.address, mint, WALLET_TOKENS));
  const open = tokenHolding(at, wallet.address, openMint(at), wallet.openTokens ?? WALLET_TOKENS);
  if (wallet.merchant !== true) return [...usual, open];
  const vault = at.liquidityVault(wallet.address, at.profile.openMint).address;
  const address = at.liquidityVaultTokens(wallet.address, at.profile.openMint).address;
  return [...usual, open, { address, authority: vault, mint: openMint(at), amount: VAULT_OPEN }];
}

function emptyTokens(at: ChainAddresses, wallet: string): readonly Holding[] {
  return [...settlementMints, openMint(at)].map((mint) => tokenHolding(at, wallet, mint, 0n));
}

/** Tokens that belong to no wallet: the arbitration pool, all stakes, rewards of staking. */
function pooledTokens(at: ChainAddresses, options: GenesisOptions): readonly Holding[] {
  const mint = openMint(at);
  const staked = options.wallets.reduce((total, wallet) => total + (wallet.arbitratorStake ?? 0n), 0n);
  const staking = at.stakingConfig().address;
  return [
    { address: at.arbitrationPool().address, authority: at.feeConfig().address, mint, amount: 0n },
    { address: at.stakeVault().address, authority: staking, mint, amount: staked },
    { address: at.rewardsVault().address, authority: staking, mint, amount: 0n },
  ];
}

function programAccounts(at: ChainAddresses, options: GenesisOptions): readonly GenesisAccount[] {
  const { escrowProgram, stakingProgram } = at.profile;
  const { admin, eligibleArbitrators, stakedSince, wallets } = options;
  const policy =
    eligibleArbitrators === undefined
      ? []
      : [
          owned(
            at.arbitrationPolicy().address,
            escrowProgram,
            encodeAccount(arbitrationPolicy, {
              admin,
              eligible_arbitrators: eligibleArbitrators,
              updated_at: stakedSince,
              bump: at.arbitrationPolicy().bump,
            }),
          ),
        ];
  return [
    owned(at.feeConfig().address, escrowProgram, encodeAccount(feeConfig, genesisFeeConfig(at, options))),
    owned(at.stakingConfig().address, stakingProgram, genesisStakingConfig(at, admin)),
    ...policy,
    ...wallets.filter((wallet) => wallet.merchant === true).map((wallet) => openVault(at, wallet.address)),
    ...wallets.flatMap((wallet) => {
      const stake = wallet.arbitratorStake ?? 0n;
      return stake === 0n ? [] : [arbitratorStake(at, wallet.address, stake, stakedSince)];
    }),
  ];
}

function genesisFeeConfig(at: ChainAddresses, options: GenesisOptions): FeeConfig {
  const unused = Array.from({ length: SETTLEMENT_MINTS_MAX - settlementMints.length }, () => systemProgram);
  return {
    admin: options.admin,
    ad_listing_fee: 1_000_000n,
    dispute_filing_fee: 10_000_000n,
    settlement_fee_bps: 85,
    treasuries: treasuryList(treasuryWallets),
    share_bps: [4_000, 3_000, 2_000, 1_000],
    timeout_secs: 1_800n,
    bump: at.feeConfig().bump,
    min_arbitrator_stake_age_secs: 0n,
    arbitrator_sortition_bps: 0,
    settlement_mints: [...settlementMints.map((mint) => mint.mint), ...unused],
    settlement_mint_count: settlementMints.length,
    ...options.feeTerms,
  };
}

function genesisStakingConfig(at: ChainAddresses, admin: string): Uint8Array {
  const other = ARBITRATOR_STAKE_MIN;
  const open = openMint(at);
  return encodeAccount(stakingConfig, {
    admin,
    mint: open.mint,
    min_stake_by_role: [500_000_000n, ARBITRATOR_STAKE_MIN, 500_000_000_000n, other, other, other, other],
    unbonding_secs_by_role: [1n, 3n, 7n, 7n, 7n, 7n, 7n].map((days) => days * DAY_SECS),
    slash_bps: 500,
    slashing_authority: at.slashingAuthority().address,
    slash_destination: at.tokenAccount(admin, open.mint, open.tokenProgram).address,
    rewards_authority: admin,
    bump: at.stakingConfig().bump,
    stake_vault_bump: at.stakeVault().bump,
    rewards_vault_bump: at.rewardsVault().bump,
  });
}

function openVault(at: ChainAddresses, merchant: string): GenesisAccount {
  const mint = at.profile.openMint;
  const vault = at.liquidityVault(merchant, mint);
  return owned(
    vault.address,
    at.profile.escrowProgram,
    encodeAccount(liquidityVault, {
      merchant,
      mint,
      total: VAULT_OPEN,
      reserved: 0n,
      available: VAULT_OPEN,
      settled: 0n,
      pending_settlement: 0n,
      bump: vault.bump,
      token_bump: at.liquidityVaultTokens(merchant, mint).bump,
    }),
  );
}

function arbitratorStake(at: ChainAddresses, owner: string, amount: bigint, since: bigint): GenesisAccount {
  const derived = at.stakeAccount(owner, stakeRoles.Arbitrator);
  return owned(
    derived.address,
    at.profile.stakingProgram,
    encodeAccount(stakeAccount, {
      owner,
      role: stakeRoles.Arbitrator,
      amount,
      unbonding_amount: 0n,
      unbonding_release_at: 0n,
      slashed_total: 0n,
      pending_rewards: 0n,
      bump: derived.bump,
      first_staked_at: since,
    }),
  );
}

function tokenHolding(at: ChainAddresses, wallet: string, mint: Mint, amount: bigint): Holding {
  return { address: at.tokenAccount(wallet, mint.mint, mint.tokenProgram).address, authority: wallet, mint, amount };
}

function tokenAccountOf(holding: Holding): GenesisAccount {
  const rent = rentExempt(TOKEN_ACCOUNT_BYTES);
  const native = holding.mint.mint === NATIVE_MINT;
  const data = tokenAccountBytes({
    mint: holding.mint.mint,
    authority: holding.authority,
    amount: holding.amount,
    nativeReserve: native ? rent : null,
  });
  const lamports = native ? rent + holding.amount : rent;
  return { address: holding.address, account: { lamports, owner: holding.mint.tokenProgram, data, executable: false } };
}

/** Supply is what the first day's accounts hold; the native mint counts none. */
function mintAccount(mint: Mint, admin: string, supply: bigint): GenesisAccount {
  const native = mint.mint === NATIVE_MINT;
  return owned(mint.mint, mint.tokenProgram, mintBytes(native ? null : admin, native ? 0n : supply, mint.decimals));
}

function held(holdings: readonly Holding[], mint: string): bigint {
  return holdings.reduce((total, holding) => (holding.mint.mint === mint ? total + holding.amount : total), 0n);
}

function lamportAccount(address: string): GenesisAccount {
  return {
    address,
    account: { lamports: WALLET_LAMPORTS, owner: systemProgram, data: new Uint8Array(0), executable: false },
  };
}

function owned(address: string, owner: string, data: Uint8Array): GenesisAccount {
  return { address, account: { lamports: rentExempt(data.length), owner, data, executable: false } };
}

/** An address that spells its own name; nobody holds a key for it. */
function named(name: string): string {
  const bytes = new Uint8Array(32);
  bytes.set(utf8(name));
  return toBase58(bytes);
}
