/**
 * A wallet's counters, written from the table of the paper: one look at every trade, and at every request of his.
 * Source: protocol 04 §2.4, §2.5, §2.11.
 */
import type { TradeModel } from "./model.ts";
import { stateAt } from "./offers.ts";
import type { Amount } from "./settings.ts";
import type { ModelSettlement } from "./trades.ts";

/** Of these the payer made a mistake. Source: protocol 04 §2.4 row 4. */
const MISTAKES: readonly unknown[] = ["IncorrectAmount", "WrongReference", "DuplicatePayment", "IncorrectAccount"];
/** In these a request came to something or still may. */
const NOT_MISSED: readonly string[] = ["EscrowLocked", "Settling", "Settled"];

/** The counters by their names, and what was completed by decimals and by mint, as texts in order. */
export function reputationIn(
  model: TradeModel,
  wallet: string,
  now: bigint,
): Readonly<Record<string, bigint | string | null>> {
  const own = model.settlements.filter(({ initiate: { payload } }) => {
    const { buyer, seller } = payload;
    return buyer !== seller && (buyer === wallet || seller === wallet);
  });
  const many = (is: (one: ModelSettlement) => boolean) => BigInt(own.filter(is).length);
  const sells = ({ initiate }: ModelSettlement) => initiate.payload.seller === wallet;
  const completed = own.filter(({ state }) => state === "Approved" || state === "Completed");
  const durations = completed.map(durationOf);
  const answered = own.filter((one) => sells(one) && one.payment !== undefined && one.response !== undefined);
  return {
    wallet,
    trades_started: BigInt(own.length),
    trades_completed: BigInt(completed.length),
    trades_cancelled: many(({ state }) => state === "Cancelled" || state === "Rejected"),
    disputes_involved: many(({ opens, decided }) => opens.length > 0 || decided !== undefined),
    disputes_lost: many((one) => one.decided?.resolution === (sells(one) ? "BuyerWins" : "MerchantWins")),
    reservations_missed: missedBy(model, wallet, now),
    payment_responses_due: many((one) => sells(one) && one.payment !== undefined),
    payment_responses_made: BigInt(answered.length),
    payments_submitted: many((one) => !sells(one) && one.payment !== undefined),
    payment_discrepancies: many((one) => !sells(one) && MISTAKES.includes(one.response?.payload.discrepancy)),
    response_latency_sum_ms: sum(answered.map((one) => between(one.payment?.at, one.response?.at))),
    ...(durations.every((each) => each !== undefined) && { completed_duration_sum_ms: sum(durations) }),
    first_active_at: own.reduce<bigint | null>((least, { initiate, pair: { request } }) => {
      const since = initiate.at > request.at ? initiate.at : request.at;
      return least === null || since < least ? since : least;
    }, null),
    total_volume: volume(completed, ({ initiate }) => String((initiate.payload.amount as Amount).decimals)),
    volume_by_mint: volume(completed, mintOf),
  };
}

/** Of what the chain settled, the asset that it moved. */
function mintOf({ released, decided, fact, pair }: ModelSettlement): string {
  const moved = released ? (decided ?? fact)?.mint : undefined;
  return moved ?? String(pair.offer.payload.asset_mint);
}

/** The same of an answer. */
export function reputationShown(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const amounts = (member: string, by: string) =>
    (answer[member] as readonly Readonly<Record<string, unknown>>[])
      .map((one) => `${one[by]} ${one.base_units}`)
      .sort(inOrder)
      .join();
  const counted = Object.entries(answer).map(([name, value]) => [
    name,
    typeof value === "number" ? BigInt(value) : value,
  ]);
  return {
    ...Object.fromEntries(counted),
    total_volume: amounts("total_volume", "decimals"),
    volume_by_mint: amounts("volume_by_mint", "asset_mint"),
  };
}

/** Requests that ran out unused, whatever offers they were valid in. */
function missedBy({ offers }: TradeModel, wallet: string, now: bigint): bigint {
  const states = new Map<string, string[]>();
  for (const one of [...offers.values()].flat()) {
    const { by, identity } = one.pair.request;
    if (by === wallet) states.set(identity, [...(states.get(identity) ?? []), stateAt(one, now)]);
  }
  const isMissed = (all: readonly string[]) =>
    all.includes("Expired") && !all.some((each) => NOT_MISSED.includes(each));
  return BigInt([...states.values()].filter(isMissed).length);
}

/**
 * By what the merchant answered, or by the chain's date where it decided or nobody answered. Of an end that a node read
 * in accounts, which have no date, the last statement in effect says it; which that is this model does not follow.
 */
function durationOf({ initiate, decided, fact, response }: ModelSettlement): bigint | undefined {
  const ended = decided === undefined ? (response?.at ?? fact?.timestamp) : decided.timestamp;
  return ended === null || ended === undefined ? undefined : between(initiate.at, ended);
}

function volume(trades: readonly ModelSettlement[], by: (one: ModelSettlement) => string): string {
  const sums = new Map<string, bigint>();
  for (const one of trades) {
    const { base_units } = one.initiate.payload.amount as Amount;
    sums.set(by(one), (sums.get(by(one)) ?? 0n) + base_units);
  }
  return [...sums]
    .map(([name, units]) => `${name} ${units}`)
    .sort(inOrder)
    .join();
}

function between(from: bigint | undefined, until: bigint | undefined): bigint {
  return from === undefined || until === undefined || until < from ? 0n : until - from;
}

function sum(numbers: readonly bigint[]): bigint {
  return numbers.reduce((total, each) => total + each, 0n);
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : 1;
}
