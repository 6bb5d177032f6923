/**
 * Derived addresses with a bounded memory: a derivation hashes and tests curve points, and a chain asks for the
 * same few again and again. Same answers as core/solana/addresses.ts.
 */
import type { ChainAddresses, DerivedAddress } from "../../core/testing.ts";

/** How many derived addresses of each kind are kept. Source: DESIGN "Simulated world". */
export const ADDRESSES_REMEMBERED_MAX = 65_536;

export function rememberedAddresses(at: ChainAddresses): ChainAddresses {
  const remember = <A extends readonly (string | bigint | number)[]>(derive: (...seeds: A) => DerivedAddress) => {
    const known = new Map<A[number] | undefined, DerivedAddress>();
    return (...seeds: A) => {
      // Stryker disable next-line EqualityOperator: one seed joined is its text, which tells it apart as well
      const question = seeds.length > 1 ? seeds.join("/") : seeds[0];
      const answered = known.get(question);
      if (answered !== undefined) return answered;
      const answer = derive(...seeds);
      if (known.size >= ADDRESSES_REMEMBERED_MAX) known.clear();
      known.set(question, answer);
      return answer;
    };
  };
  return {
    profile: at.profile,
    liquidityVault: remember(at.liquidityVault),
    liquidityVaultTokens: remember(at.liquidityVaultTokens),
    tradeEscrow: remember(at.tradeEscrow),
    tradeEscrowTokens: remember(at.tradeEscrowTokens),
    feeConfig: remember(at.feeConfig),
    disputeCase: remember(at.disputeCase),
    arbitrationPool: remember(at.arbitrationPool),
    arbitrationPolicy: remember(at.arbitrationPolicy),
    slashingAuthority: remember(at.slashingAuthority),
    stakeRecoveryClaim: remember(at.stakeRecoveryClaim),
    stakeAccount: remember(at.stakeAccount),
    stakingConfig: remember(at.stakingConfig),
    stakeVault: remember(at.stakeVault),
    rewardsVault: remember(at.rewardsVault),
    stakeRecoveryReceipt: remember(at.stakeRecoveryReceipt),
    banRecord: remember(at.banRecord),
    proposal: remember(at.proposal),
    proposalAction: remember(at.proposalAction),
    voteRecord: remember(at.voteRecord),
    governanceConfig: remember(at.governanceConfig),
    depositVault: remember(at.depositVault),
    emergencyAuthority: remember(at.emergencyAuthority),
    tokenAccount: remember(at.tokenAccount),
  };
}
