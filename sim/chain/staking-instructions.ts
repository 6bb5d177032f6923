/**
 * Builders of the staking program's instructions whose accounts the protocol lists. Source: protocol 03 D.4, D.8.
 */
import type { ChainAddresses } from "../../core/testing.ts";
import { token2022Program, u16 } from "../../core/testing.ts";
import { build, r, signer, w } from "./instruction-parts.ts";
import type { Instruction } from "./transaction.ts";

/** Who is slashed, and where the tokens go. */
export interface Slashing {
  readonly authority: string;
  readonly owner: string;
  readonly role: number;
  readonly destination: string;
}

/** Code of an arbitrator whose revealed outcome differs from the decided one. Source: protocol 03 D.8. */
export const LOSING_VOTE = 1;

/** Takes the configured share of a stake. Source: protocol 03 D.4. */
export function slash(at: ChainAddresses, slashing: Slashing, code: number): Instruction {
  return build(
    at,
    "slash",
    [u16.write(code)],
    signer(slashing.authority),
    r(at.profile.openMint),
    r(at.stakingConfig().address),
    w(at.stakeAccount(slashing.owner, slashing.role).address),
    w(at.stakeVault().address),
    w(slashing.destination),
    r(token2022Program),
  );
}
