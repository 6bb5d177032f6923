/**
 * What a merchant set for an offer and when: prices, terms, statuses, and which of them were in force.
 * Source: CONVERGENCE "Allocation", "Advertisement", B8; protocol 02 B, B.6.
 */
import type { Held, Signed } from "./held.ts";
import { about, inOrder, mapIn } from "./held.ts";

const MINUTE_MS = 60_000n;
const SKEW_MS = 5n * MINUTE_MS;
/** A price is in force until so long after the next one. */
const GRACE_MS = 30n * MINUTE_MS;

export interface Amount {
  readonly base_units: bigint;
  readonly decimals: number;
}

interface Terms {
  readonly payment_methods: readonly string[];
  readonly min_trade: Amount;
  readonly max_trade: Amount;
}

/** A way to pay that a merchant defined. Source: protocol 02 I.1. */
const OWNED = /^[1-9A-HJ-NP-Za-km-z]{16,64}:[0-9a-f]{16}$/;

/** The offer's prices, or its terms: the create's own and every edit that its merchant signed, in order. */
export function settingsOf(held: Held, offer: Signed, type: string): readonly Signed[] {
  return setOnce(held, offer, type, () => {
    const edits = about(held, offer, type, "id").filter((edit) => edit.by === offer.by && isUsable(edit));
    return [offer, ...edits].sort(inOrder);
  });
}

function setOnce(held: Held, offer: Signed, what: string, find: () => readonly Signed[]): readonly Signed[] {
  const ofOffer = mapIn(held.set, offer);
  const found = ofOffer.get(what) ?? find();
  ofOffer.set(what, found);
  return found;
}

/** What creates an offer: it names a way to pay, and limits that make sense. */
export function offersIn({ ofType }: Held): readonly Signed[] {
  return (ofType.get("AdvertisementCreate") ?? []).filter((signed) => !signed.isVoid && isUsable(signed));
}

/** Terms name ways to pay, none of them another merchant's, and limits of one kind; what has no terms passes. */
function isUsable({ by, payload }: Signed): boolean {
  const { payment_methods: methods, min_trade: least, max_trade: most } = payload as Partial<Terms>;
  if (methods === undefined || least === undefined || most === undefined) return true;
  const strange = (method: string) => OWNED.test(method) && !method.startsWith(`${by}:`);
  if (methods.length === 0 || methods.some(strange)) return false;
  return least.decimals === most.decimals && least.base_units <= most.base_units;
}

/** What a merchant asks for a unit. */
interface Pricing {
  readonly Fixed?: { readonly price: Amount };
  readonly Floating?: { readonly premium_bps: number; readonly price_decimals: number };
}

/** Whether a setting has the price that a request agrees to; a floating one at the mid that the request names. */
export function hasPrice({ payload }: Signed, request: Signed): boolean {
  const { Fixed, Floating } = payload.pricing as Pricing;
  const agreed = request.payload.agreed_price as Amount;
  const mid = request.payload.agreed_mid as number | null;
  if (Floating === undefined) {
    const price = mid === null ? Fixed?.price : undefined;
    return price?.base_units === agreed.base_units && price.decimals === agreed.decimals;
  }
  if (mid === null || Floating.price_decimals !== agreed.decimals) return false;
  const asked = mid * (1 + Floating.premium_bps / 10_000) * tenTo(Floating.price_decimals);
  if (!(asked >= 0)) return false;
  const units = asked % 1 === 0.5 ? 2 * Math.round(asked / 2) : Math.round(asked);
  return units < 2 ** 64 && BigInt(units) === agreed.base_units;
}

/** Ten to a power, squared again and again from the exponent's lowest bit: beyond 22 the order of rounding counts. */
function tenTo(exponent: number): number {
  let [power, square] = [1, 10];
  for (const bit of [...exponent.toString(2)].reverse()) {
    if (bit === "1") power *= square;
    square *= square;
  }
  return power;
}

/** Whether a setting allows what a request asks for. */
export function hasTerms({ payload }: Signed, request: Signed): boolean {
  const [least, most, asked] = [payload.min_trade, payload.max_trade, request.payload.amount] as readonly Amount[];
  if (least === undefined || most === undefined || asked === undefined) return false;
  const inside = least.base_units <= asked.base_units && asked.base_units <= most.base_units;
  return inside && asked.decimals === least.decimals;
}

/** Whether the merchant ever signed, no later than the request and the skew, the offer and what is asked of it. */
export function isOnOffer(held: Held, offer: Signed, request: Signed): boolean {
  const signed = ({ at }: Signed) => at <= request.at + SKEW_MS;
  const amount = request.payload.amount as Amount;
  if (amount.base_units === 0n || !signed(offer)) return false;
  return (
    settingsOf(held, offer, "AdvertisementPriceUpdate").some((one) => signed(one) && hasPrice(one, request)) &&
    settingsOf(held, offer, "AdvertisementTermsUpdate").some((one) => signed(one) && hasTerms(one, request))
  );
}

/** Whether one of the settings in force at a request's date fits it. */
export function inForce(
  settings: readonly Signed[],
  request: Signed,
  fits: (setting: Signed, request: Signed) => boolean,
): boolean {
  return settings.some((setting, place) => {
    const next = settings[place + 1];
    const over = next !== undefined && next.at + GRACE_MS < request.at;
    return setting.at <= request.at + SKEW_MS && !over && fits(setting, request);
  });
}

/** The statuses of an offer in order. */
function statusesOf(held: Held, offer: Signed): readonly { readonly at: bigint; readonly status: string }[] {
  const own = (type: string) => about(held, offer, type, "id").filter(({ by }) => by === offer.by);
  const set = setOnce(held, offer, "status", () =>
    [...own("AdvertisementStatusSet"), ...own("AdvertisementDisable")].sort(inOrder),
  );
  // A disable is a status of its own type.
  return set.map(({ type, at, payload }) => ({
    at,
    status: type === "AdvertisementDisable" ? "Disabled" : String(payload.status),
  }));
}

/** The status that is shown while something is left. Deleted is for ever. */
export function statusOf(held: Held, offer: Signed): string {
  const statuses = statusesOf(held, offer);
  return statuses.some(({ status }) => status === "Deleted") ? "Deleted" : (statuses.at(-1)?.status ?? "Active");
}

/** Since when an offer was closed at a date; nothing while it was open. */
export function closedSince(held: Held, offer: Signed, at: bigint): bigint | undefined {
  const until = statusesOf(held, offer).filter((one) => one.at <= at);
  const closing = until.find(({ status }) => status === "Deleted") ?? until.at(-1);
  return closing === undefined || closing.status === "Active" ? undefined : closing.at;
}
