/**
 * Stakes of a drawn world that come and go while cases are voted on, and votes that are slashed. In few worlds: a
 * transaction that nobody's trade is about takes its place in the blocks all the same.
 * Source: protocol 03 D.8, E5, E5b, E14.
 */
import type { Action } from "../action-kinds.ts";
import { requestUnstake, slashDissentingArbitrator, stake, withdrawUnstaked } from "../actions/stake.ts";
import { ARBITRATOR_STAKE_MIN } from "../chain/genesis.ts";
import type { Dice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { caseOf, isOnChain, STRANGERS, somewhen } from "./roster.ts";

/** One world in so many, of those with a chain. Source: DESIGN "Simulated world". */
const STAKING_WORLDS = 8;

/** What people of the world do with stakes. */
export function stakeActions(dice: Dice, roster: Roster): readonly Action[] {
  if (!roster.hasChain || !dice.oneIn(STAKING_WORLDS)) return [];
  const jurors = roster.jurors.map(({ name }) => name);
  const when = () => somewhen(dice, roster, 0, roster.lasts);
  const some = () => BigInt(dice.between(1, 3)) * ARBITRATOR_STAKE_MIN;
  const comings = dice.half([...jurors, ...STRANGERS]).flatMap((name) => {
    const next = dice.pick(STRANGERS);
    return [stake(name, some(), when()), requestUnstake(name, some(), when()), withdrawUnstaked(name, when(), next)];
  });
  const slashes = roster.trades
    .filter(({ offer }) => isOnChain(offer))
    .flatMap((trade) => {
      return dice
        .half(jurors)
        .map((name) => slashDissentingArbitrator(dice.pick(STRANGERS), caseOf(trade), name, when()));
    });
  return [...comings, ...slashes];
}
