/**
 * A night of a drawn world: every node is down at once, for half an hour or for a month, and a short morning follows.
 * What holds for so long and no longer, such as requests, prices, rates, votes and trades, is over or nearly so when
 * people come back to it; a night costs no events, since nobody is awake. Source: DESIGN section 5 "Faults" (swarm);
 * CONVERGENCE B6, B7.
 */
import type { Action } from "../action-kinds.ts";
import { openDispute } from "../actions/dispute.ts";
import { voteOn } from "../actions/governance.ts";
import { probePublicReads, readOwn } from "../actions/public-read-probe.ts";
import { publications, publish } from "../actions/publish.ts";
import { approve, initiate, pay } from "../actions/trade.ts";
import { agree, cancelReservation, cancelSettlement, reject, reversePayment } from "../actions/trade-ends.ts";
import type { TradeTerms, When } from "../actions/trade-terms.ts";
import { sellerOf } from "../actions/trade-terms.ts";
import type { FaultPlan } from "../fault-plans.ts";
import { badDisk, crash, restart } from "../fault-plans.ts";
import { MILLION } from "../random.ts";
import { minutes, seconds } from "../scenario.ts";
import { uncheckedActs } from "./attackers.ts";
import type { Dice } from "./dice.ts";
import { openDice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { caseOf, isOnChain, MERCHANTS, STRANGERS, somewhen, TAKERS, tradeOn } from "./roster.ts";
import { tradesOnOffers } from "./trades.ts";
import { firstProposal } from "./twists.ts";

/** One world in so many has a night. */
const NIGHT_EVERY = 3;
const HOUR_MS = minutes(60);
const DAY_MS = 24 * HOUR_MS;
/** How long everybody talks after the faults and before a night longer than statements are passed on. */
const EVENING_MS = minutes(2);
/** Nodes do not go down, or come back, all in the same millisecond. */
const APART_MS = seconds(3);
/** One night in so many follows on the lies of a disk, and how long these begin before the day is over. */
const LIES_EVERY = 3;
const LIES_MS = seconds(20);
/** After longer nights nobody passes on what such a disk lost: a day less than 2H. Source: CONVERGENCE B4. */
const PASSED_ON_MS = 13 * DAY_MS;
const MORNINGS = [60, 90, 120] as const;
/** Trades that begin in the morning, at most, and the first of their numbers. */
const NEW_TRADES = 3;
const NEW_TRADES_FROM = 500;
const MORNING_CALLS = 40;

/** The shortest night, in milliseconds. */
export const NIGHT_LEAST_MS = minutes(28);
/** How long nights last, in milliseconds: around the windows of the protocol. Source: CONVERGENCE B6. */
const nights: readonly ((dice: Dice) => number)[] = [
  (dice) => dice.between(NIGHT_LEAST_MS, minutes(32)),
  (dice) => dice.between(NIGHT_LEAST_MS, minutes(32)),
  (dice) => dice.between(HOUR_MS, 30 * HOUR_MS),
  (dice) => 7 * DAY_MS + dice.between(-HOUR_MS, HOUR_MS),
  (dice) => 14 * DAY_MS + dice.between(-HOUR_MS, 3 * HOUR_MS),
  (dice) => 30 * DAY_MS + dice.between(-HOUR_MS, 3 * HOUR_MS),
];

/** What a night adds to a world. */
export interface Night {
  readonly lasts: number;
  readonly actions: readonly Action[];
  readonly faults: readonly FaultPlan[];
}

/** The night that a seed draws, and the morning after it; in most worlds there is none. */
export function nightOf(seed: bigint, roster: Roster, faults: readonly FaultPlan[]): Night {
  const dice = openDice(seed, "night");
  if (!dice.oneIn(NIGHT_EVERY)) return { lasts: roster.lasts, actions: [], faults: [] };
  const drawn = dice.pick(nights)(dice);
  // What went astray on a disk is found out at the next start: then peers must still pass on what it was.
  const isAstray = faults.some(({ kind }) => kind === "misdirected-write");
  const length = isAstray ? Math.min(drawn, DAY_MS) : drawn;
  const hasEvening = length > 2 * DAY_MS;
  const dusk = roster.lasts + (hasEvening ? EVENING_MS : 0);
  const dawn = dusk + length;
  const morning: Roster = { ...roster, lasts: seconds(dice.pick(MORNINGS)), trades: newTrades(dice, roster) };
  const everywhere = Array.from({ length: roster.nodes }, (_, node) => node);
  const later = <T extends Action>(action: T): T => ({ ...action, at: dawn + action.at });
  return {
    lasts: dawn + morning.lasts,
    actions: [
      ...lateActs(openDice(seed, "late acts"), morning, roster.trades),
      ...tradesOnOffers(openDice(seed, "morning trades"), morning),
      ...morningTalk(openDice(seed, "morning talk"), morning),
    ].map(later),
    faults: [
      ...lateLies(openDice(seed, "late lies"), roster, faults, length > PASSED_ON_MS),
      // For the same reason everybody starts once more before it.
      ...everywhere.flatMap((node) => (hasEvening ? [restart(node, { at: roster.lasts + dice.below(APART_MS) })] : [])),
      ...everywhere.map((node) =>
        crash(node, { from: dusk + dice.below(APART_MS), until: dawn + dice.below(APART_MS) }),
      ),
      ...uncheckedActs(openDice(seed, "morning acts"), { ...morning, trades: roster.trades }).map((fault) =>
        delayed(fault, dawn),
      ),
    ],
  };
}

/**
 * Now and then a disk says that it keeps what it does not, until its node goes down: that is lost. Before a night after
 * which nobody passes it on, the disk is honest again when its node starts for the evening.
 */
function lateLies(dice: Dice, roster: Roster, faults: readonly FaultPlan[], isLongest: boolean): readonly FaultPlan[] {
  const node = dice.below(roster.nodes);
  const isTaken = faults.some((fault) => fault.kind === "bad-disk" && fault.node === node);
  if (!dice.oneIn(LIES_EVERY) || isTaken) return [];
  const dusk = roster.lasts + EVENING_MS + APART_MS;
  const span = { from: roster.lasts - LIES_MS, until: isLongest ? roster.lasts : dusk };
  return [badDisk(node, { lie: dice.between(MILLION / 4, MILLION) }, span)];
}

function delayed(fault: FaultPlan, by: number): FaultPlan {
  return "from" in fault ? { ...fault, from: fault.from + by, until: fault.until + by } : fault;
}

function newTrades(dice: Dice, { offers }: Roster): readonly TradeTerms[] {
  const count = dice.between(0, NEW_TRADES);
  return Array.from({ length: count }, (_, place) => tradeOn(dice, dice.pick(offers), NEW_TRADES_FROM + place));
}

/** What parties of the day before come back to do: each of it once in a while, in no particular order. */
function lateActs(dice: Dice, roster: Roster, trades: readonly TradeTerms[]): readonly Action[] {
  const when = (): When => somewhen(dice, roster, APART_MS, roster.lasts / 2);
  return trades.flatMap((trade) => {
    const terms = caseOf(trade);
    const possible = isOnChain(trade.offer)
      ? [approve(trade, when()), reject(trade, when()), openDispute(terms, when())]
      : [
          ...[initiate(trade, when()), cancelReservation(trade, when()), pay(trade, when())],
          ...[cancelSettlement(trade, trade.buyer, when()), cancelSettlement(trade, sellerOf(trade), when())],
          ...[reversePayment(trade, when()), approve(trade, when()), reject(trade, when()), openDispute(terms, when())],
          ...[agree(terms, trade.buyer, when()), agree(terms, sellerOf(trade), when())],
        ];
    return dice.oneIn(2) ? dice.half(possible) : [];
  });
}

/** Who looks at what the night left, and what is said about it. */
function morningTalk(dice: Dice, roster: Roster): readonly Action[] {
  const everybody = [...MERCHANTS, ...TAKERS, ...STRANGERS];
  const when = (): When => somewhen(dice, roster, APART_MS, roster.lasts);
  return [
    probePublicReads("early bird", { ...when(), calls: dice.between(1, MORNING_CALLS) }),
    ...everybody.flatMap((name) => (dice.oneIn(4) ? [readOwn(name, when())] : [])),
    ...dice
      .half(publications())
      .flatMap((publication) => (dice.oneIn(2) ? [publish(dice.pick(everybody), publication, when())] : [])),
    ...roster.jurors.flatMap(({ name }) =>
      roster.hasChain && dice.oneIn(3) ? [voteOn(name, firstProposal, "Approve", when())] : [],
    ),
  ];
}
