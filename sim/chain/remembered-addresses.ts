/**
 * Derived addresses with a bounded memory: a derivation hashes and tests curve points, and a chain asks for the
 * same few again and again. Same answers as core/chain-bridge/addresses.ts.
 */
import type { ChainAddresses, DerivedAddress } from "../../core/index.ts";

/** How many derived addresses are kept. Source: ours. */
export const ADDRESSES_REMEMBERED_MAX = 65_536;

export function rememberedAddresses(at: ChainAddresses): ChainAddresses {
  const known = new Map<string, DerivedAddress>();
  const remember =
    <A extends readonly (string | bigint | number)[]>(name: string, derive: (...seeds: A) => DerivedAddress) =>
    (...seeds: A) => {
      const question = `${name}/${seeds.join("/")}`;
      const answered = known.get(question);
      if (answered !== undefined) return answered;
      const answer = derive(...seeds);
      if (known.size >= ADDRESSES_REMEMBERED_MAX) known.clear();
      known.set(question, answer);
      return answer;
    };
  return {
    profile: at.profile,
    liquidityVault: remember("liquidityVault", at.liquidityVault),
    liquidityVaultTokens: remember("liquidityVaultTokens", at.liquidityVaultTokens),
    tradeEscrow: remember("tradeEscrow", at.tradeEscrow),
    tradeEscrowTokens: remember("tradeEscrowTokens", at.tradeEscrowTokens),
    feeConfig: remember("feeConfig", at.feeConfig),
    disputeCase: remember("disputeCase", at.disputeCase),
    arbitrationPool: remember("arbitrationPool", at.arbitrationPool),
    arbitrationPolicy: remember("arbitrationPolicy", at.arbitrationPolicy),
    stakeRecoveryClaim: remember("stakeRecoveryClaim", at.stakeRecoveryClaim),
    stakeAccount: remember("stakeAccount", at.stakeAccount),
    stakingConfig: remember("stakingConfig", at.stakingConfig),
    stakeVault: remember("stakeVault", at.stakeVault),
    rewardsVault: remember("rewardsVault", at.rewardsVault),
    stakeRecoveryReceipt: remember("stakeRecoveryReceipt", at.stakeRecoveryReceipt),
    banRecord: remember("banRecord", at.banRecord),
    proposal: remember("proposal", at.proposal),
    proposalAction: remember("proposalAction", at.proposalAction),
    voteRecord: remember("voteRecord", at.voteRecord),
    governanceConfig: remember("governanceConfig", at.governanceConfig),
    depositVault: remember("depositVault", at.depositVault),
    emergencyAuthority: remember("emergencyAuthority", at.emergencyAuthority),
    tokenAccount: remember("tokenAccount", at.tokenAccount),
  };
}
