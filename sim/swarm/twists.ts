/**
 * What makes a drawn market less orderly than its trades: offers that are soon sold out, parties who change their
 * minds while the other acts, escrows under a number that is another's, ballots, endpoints that lie, floods. Each is
 * drawn from a stream of its own, so that one more changes no world that has none.
 * Source: CONVERGENCE "Precedence tables"; protocol 03 A.10.3.
 */
import type { Action } from "../action-kinds.ts";
import { openCase } from "../actions/chain-dispute.ts";
import { fundEscrow, release } from "../actions/chain-trade.ts";
import { openDispute } from "../actions/dispute.ts";
import { propose, voteOn, withdrawProposal } from "../actions/governance.ts";
import { approve, pay } from "../actions/trade.ts";
import { cancelSettlement, reject, reversePayment } from "../actions/trade-ends.ts";
import type { Offer, TradeTerms, When } from "../actions/trade-terms.ts";
import { sellerOf } from "../actions/trade-terms.ts";
import type { FaultPlan } from "../fault-plans.ts";
import { attacker, badEndpoint } from "../fault-plans.ts";
import { MILLION } from "../random.ts";
import { seconds } from "../scenario.ts";
import { openDice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { caseOf, isOnChain, MERCHANTS, STRANGERS, somewhen, TAKERS, WHOLE } from "./roster.ts";

/** One world in so many has a twist of a kind. */
export const TWISTED_EVERY = 4;
/** What is left of an offer that is soon sold out: as much as one large trade takes. */
const SCARCE = 40n * WHOLE;
/** When trades may begin. */
export const TRADES_FROM = seconds(4);
/** A flood: more at once than the credit of a link pays for. Source: protocol 01 §13.1. */
const FLOODED_EVERY = 8;
const FLOOD = { least: 210, most: 400 } as const;
const FLOOD_MS = seconds(5);
/** What people vote on first, where they vote on anything. */
export const firstProposal = "proposal-0";
const CHOICES = ["Approve", "Reject", "Abstain"] as const;

/** In some worlds offers off chain hold little, and every other trade takes all that one holds. */
export function scarce(seed: bigint, roster: Roster): Roster {
  const dice = openDice(seed, "scarce offers");
  if (!dice.oneIn(TWISTED_EVERY)) return roster;
  const offers = roster.offers.map((offer) => (isOnChain(offer) ? offer : { ...offer, liquidity: SCARCE }));
  const trades = roster.trades.map((trade): TradeTerms => {
    const offer = offers.find(({ id }) => id === trade.offer.id) ?? trade.offer;
    if (isOnChain(offer)) return trade;
    return { ...trade, offer, amount: dice.oneIn(2) ? SCARCE : trade.amount };
  });
  return { ...roster, offers, trades };
}

/** In some worlds parties act while the other does: one pays and one cancels, one approves and one reverses. */
export function secondThoughts(seed: bigint, roster: Roster): readonly Action[] {
  const dice = openDice(seed, "second thoughts");
  if (!dice.oneIn(TWISTED_EVERY)) return [];
  return roster.trades.flatMap((trade) => {
    if (isOnChain(trade.offer)) return [];
    const { at } = somewhen(dice, roster, TRADES_FROM, roster.lasts / 2);
    const here = (): When => ({ at, via: dice.below(roster.nodes) });
    const meetings: readonly (readonly Action[])[] = [
      [pay(trade, here()), cancelSettlement(trade, sellerOf(trade), here())],
      [pay(trade, here()), cancelSettlement(trade, trade.buyer, here())],
      [reversePayment(trade, here()), approve(trade, here())],
      [reject(trade, here()), approve(trade, here())],
      [openDispute(caseOf(trade), here()), approve(trade, here()), reversePayment(trade, here())],
    ];
    return dice.pick(meetings);
  });
}

/** In some worlds another merchant's escrow bears the number of a trade: with other parties, another amount. */
export function decoys(seed: bigint, roster: Roster): readonly Action[] {
  const dice = openDice(seed, "decoys");
  if (!dice.oneIn(TWISTED_EVERY)) return [];
  return roster.trades.flatMap((trade): readonly Action[] => {
    const offer = roster.offers.find((one: Offer) => isOnChain(one) && one.merchant !== trade.offer.merchant);
    if (!isOnChain(trade.offer) || offer === undefined) return [];
    const when = () => somewhen(dice, roster, TRADES_FROM, roster.lasts / 2);
    const decoy: TradeTerms = {
      ...trade,
      offer,
      ...(dice.oneIn(2) && { buyer: dice.pick(TAKERS) }),
      ...(dice.oneIn(2) && { amount: trade.amount + WHOLE }),
    };
    const funded = fundEscrow(decoy, when());
    return dice.oneIn(2)
      ? [funded, release(decoy, when(), { unasked: true })]
      : [funded, openCase(caseOf(decoy), when())];
  });
}

/** In some worlds on a chain people vote on how the market is run: jurors have a stake there, others none. */
export function ballots(seed: bigint, roster: Roster): readonly Action[] {
  const dice = openDice(seed, "ballots");
  if (!roster.hasChain || !dice.oneIn(TWISTED_EVERY)) return [];
  const when = (): When => somewhen(dice, roster, TRADES_FROM, roster.lasts);
  return MERCHANTS.flatMap((author, place): readonly Action[] => {
    const proposal = place === 0 ? firstProposal : `proposal-${place}`;
    const proposed = propose(
      author,
      proposal,
      "fees are halved",
      somewhen(dice, roster, TRADES_FROM, roster.lasts / 2),
    );
    const voters = [...roster.jurors.map(({ name }) => name), ...STRANGERS];
    const votes = dice.half(voters).map((voter) => voteOn(voter, proposal, dice.pick(CHOICES), when()));
    return [proposed, ...votes, ...(dice.oneIn(3) ? [withdrawProposal(author, proposal, when())] : [])];
  });
}

/**
 * In some worlds on a chain the endpoints of some nodes lie in many of their answers, from early on until the faults
 * are over: one that lies for a short while seldom meets one of the few things that are told of a trade.
 */
export function liars(seed: bigint, { hasChain, nodes, lasts }: Roster, faults: readonly FaultPlan[]): FaultPlan[] {
  const dice = openDice(seed, "liars");
  if (!hasChain || nodes < 2 || !dice.oneIn(TWISTED_EVERY)) return [];
  const everywhere = dice.shuffled(Array.from({ length: nodes }, (_, node) => node));
  const chosen = everywhere.slice(0, dice.between(1, nodes - 1));
  return chosen.flatMap((node) => {
    const conditions = {
      lie: dice.between(1, MILLION / 2),
      ...(dice.oneIn(2) && { withhold: dice.between(1, MILLION / 2) }),
      ...(dice.oneIn(2) && { forge: MILLION }),
    };
    const from = dice.between(TRADES_FROM, lasts / 2);
    const isTaken = faults.some((fault) => fault.kind === "bad-endpoint" && fault.node === node);
    return isTaken ? [] : [badEndpoint(node, conditions, { from, until: lasts })];
  });
}

/** In some worlds somebody pushes true statements faster than anybody has to take them. */
export function floods(seed: bigint, { lasts }: Roster): readonly FaultPlan[] {
  const dice = openDice(seed, "floods");
  if (!dice.oneIn(FLOODED_EVERY)) return [];
  const from = dice.between(TRADES_FROM, lasts - FLOOD_MS);
  const times = dice.between(FLOOD.least, FLOOD.most);
  return [attacker("flooder", { kind: "link-flood" }, { from, until: from + dice.between(1, FLOOD_MS), times })];
}
