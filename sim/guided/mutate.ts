/**
 * A scenario with other actions and faults after an instant, for a world that stands there: somebody acts again, or on
 * a trade as nobody had in mind; what comes later comes at once; something breaks now. What has begun stays as it is,
 * what is new comes last, and nobody new takes part. Source: DESIGN section 5 "Everything is data".
 */
import type { Action } from "../action-kinds.ts";
import { openDispute } from "../actions/dispute.ts";
import { approve, pay, reserve } from "../actions/trade.ts";
import { agree, cancelReservation, cancelSettlement, contest, reject, reversePayment } from "../actions/trade-ends.ts";
import type { TradeTerms, When } from "../actions/trade-terms.ts";
import { sellerOf } from "../actions/trade-terms.ts";
import type { HeldLoop } from "../clock.ts";
import { spanOf } from "../fault-kinds.ts";
import type { FaultPlan } from "../fault-plans.ts";
import * as plans from "../fault-plans.ts";
import { MILLION } from "../random.ts";
import type { Run } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import { seconds, senseless } from "../scenario.ts";
import type { Dice } from "../swarm/dice.ts";
import { caseOf } from "../swarm/roster.ts";
import type { Stand } from "./acts.ts";
import { actInSeries, COURIER, publishAbout, recordsIn, undoableIn } from "./acts.ts";
import { begunIn } from "./replan.ts";

/** How soon something changed comes, and how long what breaks lasts, at most. */
const SOON_MS = seconds(4);
const LASTS_MS = seconds(20);
/** Changes at once, at most; of so many one is no act about a record. */
const CHANGES = 2;
const TROUBLE_EVERY = 8;
/** Things of one scenario at most, drawn ones included. */
const ITEMS_MOST = 400;
/** Slots that a fork may leave the chain back: finality comes later. */
const FORK_DEPTH = 30;
/** How soon a fork comes that undoes what is not final yet. */
const UNDONE_MS = seconds(1);
const ATTACKS = 12;
/** How long a series of acts of an attacker takes. */
const ACTS_MS = seconds(4);

/** A scenario, where its world stands, and what has begun. */
export interface Middle extends Stand {
  readonly begun: { readonly faults: ReadonlySet<number>; readonly actions: readonly number[] };
}

/** A run that is held, as what can be changed. */
export function middleOf({ scenario, world }: Run, held: HeldLoop, search: Pick<Stand, "tried" | "about">): Middle {
  return {
    scenario,
    now: held.now,
    begun: begunIn(held),
    records: recordsIn(world),
    ...search,
    undoable: undoableIn(world),
  };
}

type Change = (dice: Dice, middle: Middle) => Scenario | undefined;

const troubles: readonly Change[] = [actAgain, actOnTrade, comeSooner, breakSomething, attackAgain];
const ofChains: readonly Change[] = [fork, fork, fork, actOnTrade, comeSooner, breakSomething];

/** Another scenario with the same past; nothing where none of what was drawn makes sense. */
export function mutated(dice: Dice, middle: Middle): Scenario | undefined {
  let [scenario, changed] = [middle.scenario, false];
  const hasChain = scenario.chain !== "none";
  for (let left = dice.between(1, CHANGES); left > 0; left -= 1) {
    const isTrouble = dice.oneIn(hasChain ? 2 : TROUBLE_EVERY);
    const changes = isTrouble ? (hasChain ? ofChains : troubles) : [actOnRecord];
    const other = dice.pick(changes)(dice, { ...middle, scenario });
    if (other === undefined || other.actions.length + other.faults.length > ITEMS_MOST) continue;
    const lasts = Math.max(
      other.lasts,
      ...other.faults.map((fault) => spanOf(fault).until),
      ...other.actions.map(atOf),
    );
    const whole = { ...other, lasts };
    if (senseless(whole) !== undefined) continue;
    [scenario, changed] = [whole, true];
  }
  return changed ? scenario : undefined;
}

function atOf({ at }: Action): number {
  return at;
}

function soon(dice: Dice, { scenario, now }: Middle): { readonly at: number; readonly via: number } {
  return { at: now + dice.between(1, SOON_MS), via: dice.below(scenario.nodes) };
}

function withAction({ scenario }: Middle, action: Action): Scenario {
  return { ...scenario, actions: [...scenario.actions, action] };
}

/** A few acts about one trade, told by somebody who checks nothing; about other records, by those who made them. */
function actOnRecord(dice: Dice, middle: Middle): Scenario | undefined {
  const trades = tradesOf(middle.scenario);
  return trades.length === 0 ? publishAbout(dice, middle) : actInSeries(dice, dice.pick(trades), middle);
}

function actAgain(dice: Dice, middle: Middle): Scenario | undefined {
  if (middle.scenario.actions.length === 0) return undefined;
  return withAction(middle, { ...dice.pick(middle.scenario.actions), ...soon(dice, middle) });
}

/** What either party, or a stranger, can do about a trade, whether its time has come or not. */
function actOnTrade(dice: Dice, middle: Middle): Scenario | undefined {
  const trades = tradesOf(middle.scenario);
  if (trades.length === 0) return undefined;
  const trade = dice.pick(trades);
  const terms = caseOf(trade);
  const acts: readonly ((when: When) => Action)[] = [
    (when) => reserve(trade, when),
    (when) => pay(trade, when),
    (when) => reversePayment(trade, when),
    (when) => approve(trade, when),
    (when) => reject(trade, when),
    (when) => cancelReservation(trade, when),
    (when) => cancelSettlement(trade, trade.buyer, when),
    (when) => cancelSettlement(trade, sellerOf(trade), when),
    (when) => openDispute(terms, when),
    (when) => agree(terms, trade.buyer, when),
    (when) => agree(terms, sellerOf(trade), when),
    (when) => contest(terms, trade.buyer, when),
  ];
  return withAction(middle, dice.pick(acts)(soon(dice, middle)));
}

/** The next thing of some kind that has not begun begins now. */
function comeSooner(dice: Dice, middle: Middle): Scenario | undefined {
  const { scenario, begun } = middle;
  const begunActions = new Set(begun.actions);
  const left = scenario.actions.flatMap((_, place) => (begunActions.has(place) ? [] : [place]));
  if (left.length === 0) return undefined;
  const place = dice.pick(left);
  const action = { ...(scenario.actions[place] as Action), at: soon(dice, middle).at };
  return { ...scenario, actions: scenario.actions.with(place, action) };
}

/** A fault that begins now, unless one of its kind is going on in the same place. */
function breakSomething(dice: Dice, middle: Middle): Scenario | undefined {
  const { scenario } = middle;
  const { at: from } = soon(dice, middle);
  const span = { from, until: from + dice.between(1, LASTS_MS) };
  const node = dice.below(scenario.nodes);
  const other = (node + 1 + dice.below(Math.max(1, scenario.nodes - 1))) % scenario.nodes;
  const faults: FaultPlan[] = [
    plans.crash(node, dice.oneIn(2) ? span : { from, until: from }),
    plans.pause(node, span),
    plans.badDisk(node, { [dice.pick(["lie", "full", "torn", "unreadable"] as const)]: MILLION / 4 }, span),
    plans.networkConditions({ loss: dice.between(1, MILLION / 2) }, span),
  ];
  if (other !== node) faults.push(plans.partition([[node], [other]], span), plans.halfOpen(node, other, { at: from }));
  if (scenario.chain !== "none") faults.push(plans.stalledFinality(span));
  return withFault(middle, dice.pick(faults));
}

/** The chain goes back some slots, and what it did there comes again, late, or not at all. */
function fork(dice: Dice, middle: Middle): Scenario | undefined {
  if (middle.scenario.chain === "none") return undefined;
  const fates = { late: dice.pick([0, MILLION / 2]), lost: dice.pick([0, MILLION]) };
  const { now, undoable } = middle;
  if (undoable === undefined || undoable >= FORK_DEPTH)
    return withFault(middle, plans.reorganization(soon(dice, middle).at, dice.between(1, FORK_DEPTH), fates));
  const at = now + dice.between(1, UNDONE_MS);
  return withFault(middle, plans.reorganization(at, dice.between(undoable, FORK_DEPTH), fates));
}

function withFault({ scenario }: Middle, fault: FaultPlan): Scenario | undefined {
  if (scenario.faults.some((each) => collides(each, fault))) return undefined;
  return { ...scenario, faults: [...scenario.faults, fault] };
}

/** One of the attackers comes again, under another name: one name has one series of acts at a time. */
function attackAgain(dice: Dice, middle: Middle): Scenario | undefined {
  const { scenario } = middle;
  const known = scenario.faults.filter((fault) => fault.kind === "attacker" && fault.name !== COURIER);
  if (known.length === 0) return undefined;
  const { at: from } = soon(dice, middle);
  const span = { from, until: from + dice.between(1, ACTS_MS), times: dice.between(1, ATTACKS) };
  const again = { ...dice.pick(known), ...span, name: `again-${scenario.faults.length}` } as FaultPlan;
  return { ...scenario, faults: [...scenario.faults, again] };
}

/** The chain has one fork at a time, a node one bad time of a kind: what two would undo of each other. */
function collides(one: FaultPlan, other: FaultPlan): boolean {
  const [a, b] = [spanOf(one), spanOf(other)];
  if (a.from > b.until || b.from > a.until + LASTS_MS) return false;
  const isFork = ({ kind }: FaultPlan) => ["reorganization", "forked-chain", "stalled-finality"].includes(kind);
  if (isFork(one) && isFork(other)) return true;
  return one.kind === other.kind && nodeOf(one) === nodeOf(other);
}

function nodeOf(fault: FaultPlan): number | undefined {
  return "node" in fault ? fault.node : undefined;
}

/** Every trade that an action is about, once. */
function tradesOf({ actions }: Scenario): readonly TradeTerms[] {
  const trades = new Map<string, TradeTerms>();
  for (const action of actions) {
    if ("trade" in action) trades.set(action.trade.settlement, action.trade);
  }
  return [...trades.values()];
}
