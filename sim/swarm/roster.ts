/**
 * Who takes part in a drawn world, on which nodes, and what they agree on before they act: offers, trades, cases.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Juror } from "../actions/dispute.ts";
import type { CaseTerms, Offer, TradeTerms, When } from "../actions/trade-terms.ts";
import { ARBITRATOR_STAKE_MIN } from "../chain/genesis.ts";
import type { Participant } from "../scenario.ts";
import type { Dice } from "./dice.ts";

/** People who sell and buy at prices of their own. */
export const MERCHANTS = ["mia", "max"] as const;
/** People who take offers. */
export const TAKERS = ["tom", "tea", "ted", "tim"] as const;
/** People who offer services. */
export const PROVIDERS = ["pia", "pol"] as const;
/** People who say whatever can be said. */
export const STRANGERS = ["sam", "sue", "sol"] as const;
const JURORS = ["joy", "jan", "jul"] as const;
const VOTES = ["BuyerWins", "MerchantWins", "Invalid"] as const;
const CHAIN_VOTES = ["BuyerWins", "MerchantWins", "MutualSettlement", "Invalid"] as const;
const STAKES = [1n, 1n, 2n, 3n] as const;
/** A whole unit of the assets that are traded. */
export const WHOLE = 1_000_000n;

/** How large a drawn world is, and how long it goes on. */
export interface Size {
  readonly nodes: number;
  /** Virtual milliseconds of the phase under faults. */
  readonly lasts: number;
  readonly hasChain: boolean;
}

/** Everything that actions, faults and attackers of a drawn world can be about. */
export interface Roster extends Size {
  readonly offers: readonly Offer[];
  readonly jurors: readonly Juror[];
  /** How many of them vote where few do. */
  readonly panel: number;
  readonly participants: readonly Participant[];
  readonly trades: readonly TradeTerms[];
}

/** The people of a world, their offers, and so many trades on them. */
export function rosterOf(dice: Dice, size: Size, trades: number): Roster {
  const offers = MERCHANTS.flatMap((merchant) => offersOf(merchant, size.hasChain));
  const jurors = JURORS.map((name): Juror => {
    const differs = dice.oneIn(3);
    const vote = dice.pick(VOTES);
    return { name, vote, stake: dice.pick(STAKES) * ARBITRATOR_STAKE_MIN, ...(differs && otherVote(dice)) };
  });
  return {
    ...size,
    ...{ offers, jurors, panel: dice.below(jurors.length) },
    participants: [
      ...MERCHANTS.map((name) => ({ name, merchant: true })),
      ...jurors.map(({ name, stake = 0n }) => ({ name, arbitratorStake: stake })),
    ],
    trades: Array.from({ length: trades }, (_, place) => tradeOn(dice, dice.pick(tradedOf(dice, offers)), place)),
  };
}

/** A case about a trade. */
export function caseOf(trade: TradeTerms): CaseTerms {
  return { id: `case of ${trade.settlement}`, trade, reason: "nothing arrived", commitSecs: 60n, revealSecs: 60n };
}

/** An instant between two, at any of the nodes. */
export function somewhen(dice: Dice, { nodes }: Size, from: number, until: number): When {
  return { at: dice.between(from, Math.max(from, until)), via: dice.below(nodes) };
}

/** Every merchant sells and buys off chain, and sells on chain where there is one. */
function offersOf(merchant: string, hasChain: boolean): readonly Offer[] {
  const terms = {
    merchant,
    asset: "USDC",
    fiatCurrency: "EUR",
    priceCents: 92n,
    ...{ minTrade: WHOLE, maxTrade: 500n * WHOLE, liquidity: 2_000n * WHOLE },
  } as const;
  const offChain = (["Sell", "Buy"] as const).map((direction) => ({
    ...terms,
    ...{ id: `${merchant}-${direction}`, direction },
  }));
  return hasChain ? [...offChain, { ...terms, id: onChainOffer(merchant), direction: "Sell" as const }] : offChain;
}

function onChainOffer(merchant: string): string {
  return `${merchant}-on-chain`;
}

/** Whether trades on an offer move tokens. */
export function isOnChain({ id, merchant }: Offer): boolean {
  return id === onChainOffer(merchant);
}

/** Every other trade is on chain, where there is one: what goes wrong there takes many steps in order. */
function tradedOf(dice: Dice, offers: readonly Offer[]): readonly Offer[] {
  const onChain = offers.filter(isOnChain);
  return onChain.length > 0 && dice.oneIn(2) ? onChain : offers;
}

/** A trade on an offer by whoever takes it; its `place` is its number. */
export function tradeOn(dice: Dice, offer: Offer, place: number): TradeTerms {
  const taker = dice.pick(TAKERS);
  const sides = offer.direction === "Buy" ? { buyer: offer.merchant, seller: taker } : { buyer: taker };
  return {
    ...sides,
    offer,
    reservation: 7_000n + BigInt(place),
    settlement: `settlement-${place}`,
    amount: BigInt(dice.between(1, 40)) * WHOLE,
    ...(!isOnChain(offer) && { offChain: true }),
  };
}

function otherVote(dice: Dice): Pick<Juror, "chainVote"> {
  return { chainVote: dice.pick(CHAIN_VOTES) };
}
