/**
 * What people own who come to the chain of a served network after its first day: what they would have had on it.
 * Source: DESIGN section 4 "Cluster", section 6 "serve".
 */
import type { ChainAddresses } from "../../core/testing.ts";
import {
  arbitrationPolicy,
  chainAddresses,
  decodeAccount,
  encodeAccount,
  simulatedProfile,
  stakeRoles,
} from "../../core/testing.ts";
import { genesis } from "../chain/genesis.ts";
import { readTokenAccount, withAmount } from "../chain/token.ts";
import { STAKED_FOR_SECS } from "../chain-supply.ts";
import type { Participant } from "../scenario.ts";
import { WORLD_START } from "../world.ts";
import { catchUp } from "./chain-time.ts";
import type { WorldHost } from "./world-host.ts";

/** Gives people the accounts of a first day that they lack; what is there already stays. Only within `exclusive`. */
export async function fundNewcomers(host: WorldHost, people: readonly Participant[]): Promise<void> {
  await catchUp(host);
  const world = host.world();
  const { cluster } = host.live().supply;
  const at = chainAddresses(world.crypto, simulatedProfile);
  const isThere = (address: string) => cluster.account(address, "processed") !== undefined;
  const wallets = people.map(({ name, merchant, arbitratorStake, openTokens }) => ({
    ...{ address: world.walletOf(name).address, ...(merchant !== undefined && { merchant }) },
    ...(arbitratorStake !== undefined && { arbitratorStake }),
    ...(openTokens !== undefined && { openTokens }),
  }));
  const stakes = wallets.flatMap(({ address, arbitratorStake = 0n }) => {
    return arbitratorStake > 0n && !isThere(stakeOf(at, address)) ? [arbitratorStake] : [];
  });
  const stakedSince = WORLD_START / 1_000n - STAKED_FOR_SECS;
  // Whose accounts of the programs themselves are there already, whoever their admin is.
  for (const { address, account } of genesis(at, {
    wallets,
    admin: world.walletOf("chain admin").address,
    stakedSince,
  }))
    if (!isThere(address)) await cluster.putAccount(address, account);
  if (stakes.length > 0) await countStakes(host, at, stakes);
}

/** The pool of the staking program holds new stakes as well, and the policy counts who is eligible. */
async function countStakes(host: WorldHost, at: ChainAddresses, stakes: readonly bigint[]): Promise<void> {
  const { cluster } = host.live().supply;
  const [vault, policy] = [at.stakeVault().address, at.arbitrationPolicy().address];
  const [pooled, published] = [cluster.account(vault, "processed"), cluster.account(policy, "processed")];
  const held = pooled && readTokenAccount(pooled.data);
  if (pooled !== undefined && held !== undefined) {
    const amount = stakes.reduce((total, stake) => total + stake, held.amount);
    await cluster.putAccount(vault, { ...pooled, data: withAmount(pooled.data, amount) });
  }
  const read = published && decodeAccount(arbitrationPolicy, at.profile, published);
  if (published === undefined || read?.ok !== true) return;
  const eligible_arbitrators = read.value.eligible_arbitrators + stakes.length;
  const data = encodeAccount(arbitrationPolicy, { ...read.value, eligible_arbitrators });
  await cluster.putAccount(policy, { ...published, data });
}

function stakeOf(at: ChainAddresses, owner: string): string {
  return at.stakeAccount(owner, stakeRoles.Arbitrator).address;
}
