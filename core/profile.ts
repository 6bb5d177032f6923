/**
 * Network profiles that come with the software. Source: protocol 01 §13.5; 02 F.4; 03 D.1.
 */

import type { Amendment, NetworkProfile } from "./inputs.ts";
import type { EpochMillis } from "./kernel/values.ts";
import { devnetProfile } from "./solana/addresses.ts";

/** Devnet as deployed, with the named mints in their order. */
export const devnetNetwork: NetworkProfile = {
  name: "devnet",
  parity: false,
  escrowProgram: devnetProfile.escrowProgram,
  stakingProgram: devnetProfile.stakingProgram,
  mints: [
    { mint: "So11111111111111111111111111111111111111112", symbol: "wSOL", decimals: 9 },
    { mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", symbol: "USDC", decimals: 6 },
    { mint: "C4rSGhdxWhSFQuFcAxQti1JvBxriwHJoHtJjfhs5p24Y", symbol: "USDT", decimals: 6 },
    { mint: "SK1JEbfsjjTG2WELNirmM7iJVcdnwerqfF32kCnoWsM", symbol: "tUSDC", decimals: 6 },
  ],
  pricedOnly: [{ mint: devnetProfile.openMint, symbol: "OPEN", decimals: 6 }],
};

/**
 * The network that simulated nodes belong to, and whoever joins one that is served: devnet's addresses, a name of its
 * own, so that nothing of it is compared with devnet's nodes. Source: DESIGN section 4, section 7 #25.
 */
export const simulatedNetwork: NetworkProfile = { ...devnetNetwork, name: "simulated" };

/** A profile with the rules in force at an instant, as one text: nodes whose texts differ do not reconcile. */
export function profileText(profile: NetworkProfile, at: EpochMillis): string {
  const { name, parity, escrowProgram, stakingProgram, mints } = profile;
  const named = mints.map(({ mint, symbol, decimals }) => [mint, symbol, decimals]);
  const amended = amendmentsBy(profile, at).map(({ rule, from }) => [rule, from.toString()]);
  const text = [name, parity, escrowProgram, stakingProgram, named];
  return JSON.stringify(amended.length === 0 ? text : [...text, amended]);
}

/** What a profile takes up by an instant, in order of date and name. */
function amendmentsBy({ amendments = [] }: NetworkProfile, at: EpochMillis): readonly Amendment[] {
  const begun = amendments.filter(({ from }) => from <= at);
  return begun.sort((a, b) => (a.from === b.from ? (a.rule < b.rule ? -1 : 1) : a.from < b.from ? -1 : 1));
}
