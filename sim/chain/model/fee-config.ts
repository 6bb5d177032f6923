/**
 * The fee configuration: what the program charges, to whom, for which mints. Source: protocol 03 D.3, D.4, D.6, D.7.
 */
import {
  array,
  feeConfig,
  i64,
  pk,
  SETTLEMENT_MINTS_MAX,
  struct,
  systemProgram,
  u16,
  u64,
  vec,
} from "../../../core/testing.ts";
import { settlementMints } from "../genesis.ts";
import type { Handler, Refusal } from "./call.ts";
import { addressAt, begin, invalidAccount, refuse, save } from "./call.ts";
import { areTreasuries, feeConfigAt, isSomeMint, isSystem } from "./identity.ts";
import { encoded } from "./program-accounts.ts";
import { createAccount } from "./programs.ts";

const BPS = 10_000;

const terms = {
  ad_listing_fee: u64,
  dispute_filing_fee: u64,
  settlement_fee_bps: u16,
} as const;

/** admin, fee_config, system. A new configuration allows the network's default mints and draws nobody. */
export const initializeFeeConfig: Handler = (call) => {
  const args = struct({ ...terms, treasuries: array(pk, 4), share_bps: array(u16, 4), timeout_secs: i64 });
  const begun = begin(call, args, "bwr");
  if (!begun.ok) return begun.error;
  const derived = call.at.feeConfig();
  if (addressAt(call, 1) !== derived.address || !isSystem(call, 2)) return invalidAccount;
  const refusal = checkTerms(begun.value.settlement_fee_bps, begun.value.share_bps, begun.value.timeout_secs);
  if (refusal !== undefined) return refusal;
  const admin = addressAt(call, 0);
  const mints = settlementMints.map((mint) => mint.mint);
  return createAccount(
    call.ledger,
    admin,
    derived.address,
    call.at.profile.escrowProgram,
    encoded(feeConfig, {
      admin,
      ...begun.value,
      bump: derived.bump,
      min_arbitrator_stake_age_secs: 0n,
      arbitrator_sortition_bps: 0,
      settlement_mints: padded(mints),
      settlement_mint_count: mints.length,
    }),
  );
};

/** admin, fee_config, mint, four treasuries. */
export const updateFeeConfig: Handler = (call) => {
  const args = struct({
    ...terms,
    share_bps: array(u16, 4),
    timeout_secs: i64,
    min_arbitrator_stake_age_secs: i64,
    arbitrator_sortition_bps: u16,
    mints: vec(pk, 65_535),
  });
  const begun = begin(call, args, "swrrrrr");
  if (!begun.ok) return begun.error;
  const config = feeConfigAt(call, 1);
  if (config === undefined || !isSomeMint(call, 2)) return invalidAccount;
  if (!areTreasuries(call, 3, addressAt(call, 2), config)) return invalidAccount;
  if (config.admin !== addressAt(call, 0)) return refuse("Unauthorized");
  const { mints, ...changed } = begun.value;
  const refusal = checkTerms(changed.settlement_fee_bps, changed.share_bps, changed.timeout_secs);
  if (refusal !== undefined) return refusal;
  if (changed.min_arbitrator_stake_age_secs < 0n) return refuse("InvalidStakeAge");
  if (changed.arbitrator_sortition_bps > BPS) return refuse("InvalidSortitionThreshold");
  if (mints.length === 0) return refuse("EmptySettlementMintList");
  if (mints.length > SETTLEMENT_MINTS_MAX) return refuse("SettlementMintListFull");
  const usable = new Set(mints.filter((mint) => mint !== systemProgram && mint !== call.at.profile.openMint));
  if (usable.size !== mints.length) return refuse("InvalidSettlementMint");
  save(call, 1, feeConfig, {
    ...config,
    ...changed,
    settlement_mints: padded(mints),
    settlement_mint_count: mints.length,
  });
  return undefined;
};

/** Shares add up to the whole fee, the fee to at most the amount, and an escrow lasts a while. */
function checkTerms(feeBps: number, shares: readonly number[], timeout: bigint): Refusal | undefined {
  if (feeBps > BPS) return refuse("InvalidFeeBps");
  if (shares.reduce((total, share) => total + share, 0) !== BPS) return refuse("InvalidFeeSplit");
  return timeout <= 0n ? refuse("InvalidTimeout") : undefined;
}

/** Unused places hold zeros. */
function padded(mints: readonly string[]): readonly string[] {
  return [...mints, ...Array.from({ length: SETTLEMENT_MINTS_MAX - mints.length }, () => systemProgram)];
}
