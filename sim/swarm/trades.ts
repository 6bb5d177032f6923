/**
 * Trades of a drawn world, with every ending: off chain by what parties say, on chain by what the escrow program did.
 * Source: protocol 02 C, D; 03 A, D.8.
 */
import type { Action } from "../action-kinds.ts";
import { commitOnChain, execute, openCase, revealOnChain } from "../actions/chain-dispute.ts";
import { fundEscrow, provideLiquidity, release } from "../actions/chain-trade.ts";
import type { Juror } from "../actions/dispute.ts";
import { commit, join, openDispute, reveal } from "../actions/dispute.ts";
import { advertise, approve, initiate, pay, reserve, seeSettlement } from "../actions/trade.ts";
import { agree, cancelReservation, cancelSettlement, contest, reject, reversePayment } from "../actions/trade-ends.ts";
import type { CaseTerms, TradeTerms, When } from "../actions/trade-terms.ts";
import { sellerOf } from "../actions/trade-terms.ts";
import { seconds } from "../scenario.ts";
import type { Dice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { caseOf, isOnChain, STRANGERS } from "./roster.ts";

/** When offers are out, and trades may begin. */
const TRADES_FROM = seconds(4);
/** Between two steps of a trade that has an aside. */
const LATER = seconds(10);

/** A trade while its ending is written: who takes part, and an instant at a node for each step. */
interface Setting {
  readonly roster: Roster;
  readonly trade: TradeTerms;
  readonly terms: CaseTerms;
  /** The next step: when the trade begins, at another node each time. */
  readonly next: () => When;
}

type Ending = (setting: Setting) => readonly Action[];

const offChain: Readonly<Record<string, Ending>> = {
  "reservation cancelled": ({ trade, next }) => [reserve(trade, next()), cancelReservation(trade, next())],
  "cancelled by the buyer": (set) => [...begun(set), cancelSettlement(set.trade, set.trade.buyer, set.next())],
  "cancelled by the seller": (set) => [...begun(set), cancelSettlement(set.trade, sellerOf(set.trade), set.next())],
  paid,
  reversed: (set) => [...paid(set), reversePayment(set.trade, set.next())],
  rejected: (set) => [...paid(set), reject(set.trade, set.next())],
  approved: (set) => [...paid(set), approve(set.trade, set.next())],
  disputed: (set) => [...opened(set), ...panel(set)],
  "settled by agreement": (set) => [
    ...opened(set),
    agree(set.terms, set.trade.buyer, set.next()),
    agree(set.terms, sellerOf(set.trade), set.next()),
  ],
  contested: (set) =>
    [set.trade.buyer, ...STRANGERS].flatMap((name) => {
      const { at, via } = set.next();
      return [contest(set.terms, name, { at, via }), contest(set.terms, name, { ...set.next(), at: at + LATER })];
    }),
};

const onChain: Readonly<Record<string, Ending>> = {
  "released on chain": (set) => [
    ...funded(set),
    approve(set.trade, set.next()),
    release(set.trade, set.next()),
    seeSettlement(set.trade, set.trade.offer.merchant, "Completed", set.next()),
  ],
  "decided on chain": (set) => [
    ...decided(set),
    execute(set.terms, set.next()),
    execute(set.terms, set.next(), { by: STRANGERS[0] }),
  ],
  "decided on chain and seated": (set) => [...decided(set), ...panel(set), execute(set.terms, set.next())],
  "left open on chain": decided,
  "executed by few": (set) => [
    ...cased(set),
    ...votes(set, set.roster.jurors.slice(0, set.roster.panel)),
    execute(set.terms, set.next()),
  ],
  "funded and rejected": (set) => [...funded(set), reject(set.trade, set.next())],
};

/** Everyone's offers, and the trades on them. */
export function tradeActions(dice: Dice, roster: Roster): readonly Action[] {
  return [
    ...roster.offers.flatMap((offer) => {
      const when = (at: number): When => ({ at, via: dice.below(roster.nodes) });
      const advertised = advertise(offer, when(seconds(2)));
      return isOnChain(offer) ? [provideLiquidity(offer, when(seconds(1))), advertised] : [advertised];
    }),
    ...tradesOnOffers(dice, roster),
  ];
}

/** The trades of a roster, on offers that are out. */
export function tradesOnOffers(dice: Dice, roster: Roster): readonly Action[] {
  return roster.trades.flatMap((trade) => {
    const at = dice.between(TRADES_FROM, Math.max(TRADES_FROM, Math.floor(roster.lasts / 3)));
    const next = (): When => ({ at, via: dice.below(roster.nodes) });
    const endings = Object.values(isOnChain(trade.offer) ? onChain : offChain);
    return dice.pick(endings)({ roster, trade, terms: caseOf(trade), next });
  });
}

function begun({ trade, next }: Setting): readonly Action[] {
  return [reserve(trade, next()), initiate(trade, next())];
}

function paid(set: Setting): readonly Action[] {
  return [...begun(set), pay(set.trade, set.next())];
}

function funded(set: Setting): readonly Action[] {
  return [...begun(set), fundEscrow(set.trade, set.next()), pay(set.trade, set.next())];
}

function opened(set: Setting): readonly Action[] {
  return [...paid(set), openDispute(set.terms, set.next())];
}

function panel({ roster, terms, next }: Setting): readonly Action[] {
  return roster.jurors.flatMap((juror) => [
    join(terms, juror, next()),
    commit(terms, juror, next()),
    reveal(terms, juror, next()),
  ]);
}

function decided(set: Setting): readonly Action[] {
  return [...cased(set), ...votes(set, set.roster.jurors)];
}

function cased(set: Setting): readonly Action[] {
  return [...funded(set), openDispute(set.terms, set.next()), openCase(set.terms, set.next())];
}

function votes({ terms, next }: Setting, jurors: readonly Juror[]): readonly Action[] {
  return jurors.flatMap((juror) => [commitOnChain(terms, juror, next()), revealOnChain(terms, juror, next())]);
}
