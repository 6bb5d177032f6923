/**
 * What an advertisement hands out, written from the paper: which requests are granted, what each reads at an instant,
 * and what is left. Source: CONVERGENCE "Allocation", "Availability"; protocol 02 B, C.
 */
import type { Held, Signed } from "./held.ts";
import { about, inOrder } from "./held.ts";
import type { Amount } from "./settings.ts";
import { closedSince, hasPrice, hasTerms, inForce, settingsOf } from "./settings.ts";
import type { ModelSettlement, Pair } from "./trades.ts";
import { compareFollowed, endOf } from "./trades.ts";

const WINDOW_MS = 1_800_000n;
/** A status so much older than a request refuses it always: 2H. */
const FINAL_MS = 1_209_600_000n;

/** A request as the sweep sees it, and what the sweep signed. */
export interface ModelReservation {
  readonly pair: Pair;
  readonly settlements: readonly ModelSettlement[];
  readonly followed: ModelSettlement | undefined;
  readonly sold: boolean;
  readonly acknowledged: boolean;
  /** Ever paid, disputed or decided. */
  readonly touched: boolean;
  readonly settling: boolean;
  /** The merchant cancelled or rejected. */
  readonly abandoned: boolean;
  readonly cancelledAt: bigint | null;
  readonly granted: boolean;
  /** The offer was closed at the date of the request. */
  readonly closed: boolean;
  /** Refused by a status that nobody could sign any more: even what is acknowledged then holds nothing. */
  readonly barred: boolean;
}

/** Every valid request of one offer, in canonical order, with what it follows and whether it was granted. */
export function reservationsOf(
  held: Held,
  offer: Signed,
  pairs: readonly Pair[],
  settlements: readonly ModelSettlement[],
  namesakes: Namesakes,
): readonly ModelReservation[] {
  const prices = settingsOf(held, offer, "AdvertisementPriceUpdate");
  const terms = settingsOf(held, offer, "AdvertisementTermsUpdate");
  const liquidity = offer.payload.initial_liquidity as Amount;
  const begun = new Map<Signed, ModelSettlement[]>();
  for (const one of settlements) {
    if (one.pair.offer !== offer) continue;
    const beside = begun.get(one.pair.request);
    if (beside === undefined) begun.set(one.pair.request, [one]);
    else beside.push(one);
  }
  const asked = pairs
    .filter((pair) => pair.offer === offer)
    .map((pair) => reservationOf(held, pair, begun.get(pair.request) ?? [], namesakes))
    .sort((a, b) => inOrder(a.pair.request, b.pair.request));
  const unitsOf = ({ pair }: ModelReservation) => (pair.request.payload.amount as Amount).base_units;
  const fitting = ({ pair }: ModelReservation) =>
    (pair.request.payload.amount as Amount).decimals === liquidity.decimals;
  const taken = asked
    .filter((one) => one.acknowledged && !one.barred && fitting(one))
    .reduce((sum, one) => sum + unitsOf(one), 0n);
  const granted: ModelReservation[] = [];
  return asked.map((one) => {
    const { request } = one.pair;
    const rivals = granted.filter((rival) => !rival.acknowledged && holdsAt(rival, request.at));
    const left = liquidity.base_units - taken - rivals.reduce((sum, rival) => sum + unitsOf(rival), 0n);
    const offered = inForce(prices, request, hasPrice) && inForce(terms, request, hasTerms);
    const open = !one.closed && offered && unitsOf(one) <= left;
    const is = { ...one, granted: fitting(one) && !one.barred && (one.acknowledged || open) };
    if (is.granted) granted.push(is);
    return is;
  });
}

/** Whether an offer was closed at the date of a request, and for so long that this is final. */
function statusAt(held: Held, offer: Signed, { at }: Signed): { readonly closed: boolean; readonly barred: boolean } {
  const since = closedSince(held, offer, at);
  return { closed: since !== undefined, barred: since !== undefined && at - since > FINAL_MS };
}

/** An unacknowledged hold lasts for its window, or until its requester's cancel. */
function holdsAt({ pair, cancelledAt }: ModelReservation, at: bigint): boolean {
  const end = pair.request.at + WINDOW_MS;
  return cancelledAt !== null && cancelledAt < end ? at < cancelledAt : at <= end;
}

/** Of what one bare approve reaches it acknowledges the smallest, and what belongs to the same request there. */
function isMeant(one: ModelSettlement, namesakes: Namesakes): boolean {
  if (one.response?.payload.settlement_id !== one.initiate.payload.id) return true;
  const least = namesakes(one)[0] ?? one;
  return least.pair.offer === one.pair.offer && least.pair.request === one.pair.request;
}

/** The approved settlements that two people began under one id, the smallest first. */
type Namesakes = (one: ModelSettlement) => readonly ModelSettlement[];

/** Finds those of a settlement among all. */
export function namesakesIn(settlements: readonly ModelSettlement[]): Namesakes {
  const unitsOf = ({ initiate }: ModelSettlement) => (initiate.payload.amount as Amount).base_units;
  const placeOf = ({ initiate: { payload } }: ModelSettlement) => [payload.buyer, payload.seller, payload.id].join("/");
  const sorted = settlements
    .filter(({ approved }) => approved)
    .sort(
      (a, b) => Number(unitsOf(a) > unitsOf(b)) - Number(unitsOf(a) < unitsOf(b)) || inOrder(a.initiate, b.initiate),
    );
  const groups = new Map<string, ModelSettlement[]>();
  for (const one of sorted) groups.set(placeOf(one), [...(groups.get(placeOf(one)) ?? []), one]);
  return (one) => groups.get(placeOf(one)) ?? [];
}

function reservationOf(
  held: Held,
  pair: Pair,
  settlements: readonly ModelSettlement[],
  namesakes: Namesakes,
): ModelReservation {
  const inFollowOrder = [...settlements].sort(compareFollowed);
  const followed = inFollowOrder.find(({ state }) => state === "Completed") ?? inFollowOrder[0];
  const sells = pair.offer.payload.direction === "Sell";
  const isGivenUp = followed?.cancelledBySeller === true && followed.payment === undefined;
  const returned = followed?.decided !== undefined && followed.state === "Cancelled";
  const merchantStands = sells
    ? followed?.approved === true && isMeant(followed, namesakes)
    : followed !== undefined && (followed.approved || !(followed.cancelledByBuyer || followed.rejected || isGivenUp));
  const cancels = about(held, pair.request, "ReservationCancel", "id").filter(({ by }) => by === pair.request.by);
  const { barred, closed } = statusAt(held, pair.offer, pair.request);
  return {
    pair,
    settlements,
    followed,
    granted: false,
    barred,
    closed,
    sold: followed !== undefined && !returned && (followed.state === "Completed" || followed.approved),
    acknowledged: followed !== undefined && !returned && (followed.released || merchantStands),
    touched: settlements.some(
      (one) => one.everPaid || one.opens.length > 0 || one.decided !== undefined || one.released,
    ),
    settling: ["AwaitingPayment", "PaymentSubmitted", "Disputed"].includes(followed?.state ?? ""),
    abandoned: (sells ? followed?.cancelledBySeller || followed?.rejectSigned : followed?.cancelledByBuyer) ?? false,
    cancelledAt: cancels[0]?.at ?? null,
  };
}

/** What a reservation reads at an instant. */
export function stateAt(one: ModelReservation, now: bigint): string {
  const { sold, granted, barred, touched, settling, acknowledged, cancelledAt, pair } = one;
  const expired = now > pair.request.at + WINDOW_MS;
  const givenUp = cancelledAt !== null && !acknowledged;
  if (sold) return "Settled";
  if (!expired && barred) return "Cancelled";
  if (!touched && ((!expired && !granted) || givenUp)) return "Cancelled";
  if (settling) return "Settling";
  if (givenUp) return "Cancelled";
  return expired ? "Expired" : "EscrowLocked";
}

/** Whether what a reservation follows has not come to the end of its life. Source: CONVERGENCE B6. */
function isAlive({ followed }: ModelReservation, now: bigint): boolean {
  return followed !== undefined && now <= endOf(followed);
}

/** What is left of an offer at an instant. */
export function availableAt(offer: Signed, reservations: readonly ModelReservation[], now: bigint): bigint {
  const liquidity = offer.payload.initial_liquidity as Amount;
  const holding = reservations.filter((one) => {
    const state = stateAt(one, now);
    const inWindow = now <= one.pair.request.at + WINDOW_MS;
    const { decimals } = one.pair.request.payload.amount as Amount;
    if (decimals !== liquidity.decimals || (inWindow && !one.granted)) return false;
    if (state === "Settling") return inWindow || (!one.abandoned && (one.acknowledged || isAlive(one, now)));
    if (state === "Settled") return !one.barred && (one.acknowledged || inWindow);
    return state === "EscrowLocked";
  });
  const units = holding.reduce((sum, { pair }) => sum + (pair.request.payload.amount as Amount).base_units, 0n);
  return units > liquidity.base_units ? 0n : liquidity.base_units - units;
}
