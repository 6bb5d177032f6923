/**
 * Who attacks a drawn world: a row for every kind of attack, which the compiler demands, aimed at what its people
 * trade. Source: DESIGN section 5 "Faults".
 */
import type { Offer, TradeTerms } from "../actions/trade-terms.ts";
import { sellerOf } from "../actions/trade-terms.ts";
import type { AttackData, AttackKind, AttackOf } from "../byzantine/attacks.ts";
import { attackKinds } from "../byzantine/attacks.ts";
import type { FaultPlan, Span } from "../fault-plans.ts";
import { attacker } from "../fault-plans.ts";
import { seconds } from "../scenario.ts";
import type { Dice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { caseOf, MERCHANTS, STRANGERS, TAKERS, WHOLE } from "./roster.ts";

/** Times that one attacker acts, at most. */
const TIMES = 12;
/**
 * The same of who takes ids: of his ninth record of one id each node refuses whichever comes last, and holds another
 * eight than its neighbour, which is stated and which no drawn world is about. Source: CONVERGENCE B3.
 */
const THEFTS = 4;
/** Acts that those say about one trade whose nodes check nothing, at most, and when the first is said. */
const ACTS = 60;
const ACTS_FROM = seconds(4);
/** How far back a statement is dated, in milliseconds, at most. */
const BACK_DATED_MS = 8 * 3_600_000;
const NAMES = ["mallory-1", "mallory-2", "mallory-3", "mallory-4"] as const;
const VOTES = ["BuyerWins", "MerchantWins", "Invalid"] as const;

/**
 * Crowds and heaps are aimed at one record each, and acts at one hour of it, by scenarios of their own: no drawn world
 * has them.
 */
const AIMED = [
  "ballot-crowd",
  "case-crowd",
  "chosen-acts",
  "claimed-holdings",
  "fresh-peers",
  "hollow-votes",
  "name-crowd",
  "number-crowd",
  "old-price",
  "request-crowd",
  "sealing-edge",
  "split-orphans",
] as const;
type DrawnKind = Exclude<AttackKind, (typeof AIMED)[number]>;
/** The kinds of attack that drawn worlds have. */
export const drawnKinds = attackKinds.filter(
  (kind): kind is DrawnKind => !(AIMED as readonly AttackKind[]).includes(kind),
);

const rows: { readonly [K in DrawnKind]: (dice: Dice, roster: Roster) => AttackOf<K> } = {
  "claimed-addresses": () => ({ kind: "claimed-addresses" }),
  "back-dating": (dice, roster) => ({
    kind: "back-dating",
    ...offerAim(dice, roster),
    byMs: dice.between(1, BACK_DATED_MS),
  }),
  "broken-frames": () => ({ kind: "broken-frames" }),
  "claimed-payment": (dice, roster) => ({ kind: "claimed-payment", ...offerAim(dice, roster) }),
  "claimed-verdict": (dice, roster) => {
    const { settlement, dispute } = aim(dice, roster);
    return { kind: "claimed-verdict", settlement, dispute, signature: "5".repeat(88) };
  },
  equivocation: () => ({ kind: "equivocation" }),
  "ever-more": () => ({ kind: "ever-more" }),
  "every-order": (dice, roster) => {
    const { settlement, dispute, taker } = aim(dice, roster);
    const arbitrators = roster.jurors.map(({ name }) => ({ name, vote: dice.pick(VOTES) }));
    return { kind: "every-order", settlement, dispute, opener: taker, arbitrators };
  },
  "false-dates": () => ({ kind: "false-dates" }),
  "forged-slots": (dice) => ({
    kind: "forged-slots",
    slot: BigInt(dice.between(0, 2_000_000_000)),
    origins: dice.between(1, 8),
  }),
  "hop-counts": () => ({ kind: "hop-counts" }),
  "id-grinding": () => ({ kind: "id-grinding" }),
  "id-theft": (dice, roster) => {
    const { offer, reservation, settlement } = aim(dice, roster);
    return { kind: "id-theft", offer, reservation, settlement };
  },
  "link-flood": () => ({ kind: "link-flood" }),
  "lying-reconciliation": () => ({ kind: "lying-reconciliation" }),
  "lying-recovery": () => ({ kind: "lying-recovery" }),
  "orphan-flood": (dice, roster) => ({ kind: "orphan-flood", settlement: aim(dice, roster).settlement }),
  "recovery-amplification": () => ({ kind: "recovery-amplification" }),
  "stranger-flood": (dice, roster) => {
    const { merchant, offer, reservation, settlement } = aim(dice, roster);
    return { kind: "stranger-flood", merchant, offer, reservation, settlement };
  },
  "unchecked-acts": (dice, { offers, trades }) => {
    const [offer] = offers as readonly [Offer];
    const nobodys: TradeTerms = { offer, buyer: TAKERS[0], reservation: 1n, settlement: "nothing", amount: WHOLE };
    return unchecked(dice.pick(trades.length === 0 ? [nobodys] : trades));
  },
  withholding: () => ({ kind: "withholding" }),
};

/** Somebody with an attack of any kind. */
export function drawAttacker(dice: Dice, roster: Roster, span: Span): FaultPlan {
  const kind = dice.pick(drawnKinds);
  const attack: AttackData = rows[kind](dice, roster);
  const times = Math.min(dice.between(1, TIMES), kind === "id-theft" ? THEFTS : TIMES);
  return attacker(dice.pick(NAMES), attack, { ...span, times });
}

/** Parties of every other trade whose nodes check nothing. */
export function uncheckedActs(dice: Dice, roster: Roster): readonly FaultPlan[] {
  return roster.trades.flatMap((trade, place) => {
    if (dice.oneIn(2)) return [];
    const from = dice.between(ACTS_FROM, roster.lasts / 2);
    const span = { from, until: dice.between(from + 1, roster.lasts) };
    return [attacker(`unchecked-${place}`, unchecked(trade), { ...span, times: dice.between(1, ACTS) })];
  });
}

/** Whatever can be said of a trade, by people whose nodes check nothing. */
export function unchecked(trade: TradeTerms): AttackOf<"unchecked-acts"> {
  const { offer, buyer, reservation, settlement, amount } = trade;
  return {
    kind: "unchecked-acts",
    ...{ offer: offer.id, merchant: offer.merchant, buyer, seller: sellerOf(trade), others: [...TAKERS, ...STRANGERS] },
    ...{ reservation: reservation.toString(), settlement, dispute: caseOf(trade).id, units: amount },
  };
}

function offerAim(dice: Dice, { offers }: Roster): { readonly merchant: string; readonly offer: string } {
  const { merchant, id } = dice.pick(offers);
  return { merchant, offer: id };
}

/** A trade of the world; one that nobody makes where nobody trades. */
function aim(dice: Dice, roster: Roster) {
  const [merchant] = MERCHANTS;
  if (roster.trades.length === 0) {
    const nothing = { offer: "nothing", reservation: "1", settlement: "nothing", dispute: "nothing" };
    return { merchant, taker: merchant, ...nothing };
  }
  const trade = dice.pick(roster.trades);
  const { offer, reservation, settlement, buyer, seller = buyer } = trade;
  return {
    ...{ merchant: offer.merchant, taker: seller, offer: offer.id },
    ...{ reservation: reservation.toString(), settlement, dispute: caseOf(trade).id },
  };
}
