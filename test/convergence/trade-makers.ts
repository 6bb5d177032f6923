/**
 * What people do in a trade: advertisements, reservations, settlements, disputes, and what the chain says of them.
 * Source: CONVERGENCE "Precedence tables".
 */
import type { AdvertisementStatus } from "../../core/domains/trade/advertisements/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { Vote } from "../../core/domains/trade/disputes/schema.ts";
import { DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import type { ChainFact, Resolution, TerminalSplit } from "../../core/domains/trade/settlements/schema.ts";
import { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { arbitrators, nameOf } from "./actors.ts";
import * as fixtures from "./fixtures.ts";
import { seen } from "./replica.ts";
import type { Intent, Maker } from "./story.ts";
import {
  add,
  creates,
  everyone,
  merchants,
  naming,
  personOf,
  pick,
  receive,
  someone,
  takers,
  withIdForm,
} from "./story.ts";

const createAdvertisement: Maker = (story, a, b, c, when) => {
  const create = fixtures.advertisement(someone(merchants, a), when, {
    id: `ad-${b % 2}`,
    direction: c % 2 === 0 ? "Sell" : "Buy",
    liquidity: fixtures.units(60 + 20 * (b % 3)),
    pricing: b % 4 === 0 ? fixtures.FLOATING : fixtures.fixed(100 + (c % 2)),
    mint: fixtures.MINTS[(a + c) % 5 === 0 ? 1 : 0],
    ...(c % 7 === 0 && { min: 20 }),
    ...(c % 17 === 0 && { methods: [] }),
  });
  add(story, withIdForm(story, AdvertisementCreate, create, a + b));
};

const editAdvertisement: Maker = (story, a, b, c, when) => {
  const create = pick(creates<AdvertisementCreate>(story, "advertisement"), a);
  const by = b % 7 === 0 ? someone(everyone, b) : personOf(create?.signer ?? "");
  const name = naming(create, b);
  if (c % 4 === 0) add(story, fixtures.statusSet(by, name, statusOf(b), when));
  else if (c % 4 === 1) add(story, fixtures.priceUpdate(by, name, fixtures.fixed(100 + (b % 3)), when));
  else if (c % 4 === 2) add(story, fixtures.termsUpdate(by, name, b % 30, 30 + (b % 40), when));
  else add(story, fixtures.disable(by, name, when));
};

function statusOf(n: number): AdvertisementStatus {
  const statuses: readonly AdvertisementStatus[] = ["Active", "Vacation", "Disabled", "Active", "Deleted"];
  return pick(statuses, n) ?? "Active";
}

const requestSome: Maker = (story, a, b, c, when) => {
  const create = pick(creates<AdvertisementCreate>(story, "advertisement"), a);
  const floating = create !== undefined && "Floating" in create.payload.pricing;
  const request = fixtures.request(someone(b % 9 === 0 ? merchants : takers, b), when, {
    id: String(42 + (c % 3)),
    about: naming(create, c),
    amount: pick([10, 25, 40, 60], a + c) ?? 10,
    price: 100 + (b % 5 === 0 ? 1 : 0),
    mid: floating ? 1 : null,
  });
  add(story, withIdForm(story, ReservationRequest, request, a + b));
};

const cancelReservation: Maker = (story, a, b, _, when) => {
  const request = pick(creates<ReservationRequest>(story, "reservation"), a);
  add(
    story,
    fixtures.reservationCancel(
      b % 7 === 0 ? someone(everyone, b) : personOf(request?.signer ?? ""),
      naming(request, b),
      when,
    ),
  );
};

const initiateSome: Maker = (story, a, b, c, when) => {
  const request = pick(creates<ReservationRequest>(story, "reservation"), a);
  if (request === undefined) return;
  const about = request.payload.advertisement_id;
  const offers = creates<AdvertisementCreate>(story, "advertisement").filter(
    (create) => create.payload.id === about || nameOf(create) === about,
  );
  const create = pick(offers, b) ?? pick(creates<AdvertisementCreate>(story, "advertisement"), b);
  const [owner, asker] = [personOf(create?.signer ?? ""), personOf(request.signer)];
  const [buyer, seller] = create?.payload.direction === "Buy" ? [owner, asker] : [asker, owner];
  const base = request.payload.amount.base_units;
  const initiate = fixtures.initiate(buyer, c % 11 === 0 ? someone(everyone, c) : seller, when, {
    id: `s-${b % 2}`,
    about: naming(request, b),
    amount: fixtures.units(c % 4 === 0 && base > 0n ? base - 1n : base),
  });
  add(story, withIdForm(story, SettlementInitiate, initiate, a + c));
};

const actOnSettlement: Maker = (story, a, b, c, when) => {
  const initiate = pick(creates<SettlementInitiate>(story, "settlement"), a);
  const [buyer, seller] = [personOf(initiate?.payload.buyer ?? ""), personOf(initiate?.payload.seller ?? "")];
  const name = naming(initiate, b);
  const off = b % 13 === 0 ? someone(everyone, b) : undefined;
  const acts = [
    () => fixtures.payment(off ?? buyer, when, name, `ref ${b % 2}`),
    () => fixtures.payment(off ?? buyer, when, name, null),
    () => fixtures.reversal(off ?? buyer, when, name),
    () => fixtures.approve(off ?? seller, when, name),
    () => fixtures.approve(off ?? seller, when, name),
    () => fixtures.reject(off ?? seller, when, name),
    () => fixtures.settlementCancel(off ?? buyer, when, name),
    () => fixtures.settlementCancel(off ?? seller, when, name),
  ];
  const act = pick<() => Statement>(acts, c)?.();
  if (act !== undefined) add(story, act);
};

const openDispute: Maker = (story, a, b, c, when) => {
  const initiate = pick(creates<SettlementInitiate>(story, "settlement"), a);
  const party = c % 2 === 0 ? initiate?.payload.buyer : initiate?.payload.seller;
  const by = b % 9 === 0 ? someone(everyone, b) : personOf(party ?? "");
  const opened = fixtures.open(by, when, { id: `d-${b % 2}`, about: naming(initiate, b) });
  add(story, withIdForm(story, DisputeOpen, opened, a + c));
};

const actOnDispute: Maker = (story, a, b, c, when) => {
  const opened = pick(creates<DisputeOpen>(story, "dispute"), a);
  const name = naming(opened, b);
  const by = b % 9 === 0 ? someone(everyone, b) : someone(arbitrators, b);
  const vote = (["BuyerWins", "MerchantWins", "Invalid"] satisfies readonly Vote[])[c % 2] ?? "Invalid";
  const acts = [
    () => fixtures.join(by, when, name),
    () => fixtures.join(by, when, name),
    () => fixtures.commit(by, when, vote, c % 2, name),
    () => fixtures.reveal(by, when, vote, c % 2, name),
    () => fixtures.agree(c % 3 === 0 ? someone(merchants, b) : someone(takers, b), when, name),
  ];
  const act = pick<() => Statement>(acts, Math.trunc(c / 2))?.();
  if (act !== undefined) add(story, act);
};

/** Three arbitrators join, and perhaps all commit. */
const seatPanel: Maker = (story, a, b, c, when) => {
  const name = naming(pick(creates<DisputeOpen>(story, "dispute"), a), b);
  for (const by of arbitrators.slice(b % 2, 3 + (b % 2))) {
    add(story, fixtures.join(by, when, name));
    if (c % 3 > 0) add(story, fixtures.commit(by, when, "BuyerWins", 0, name));
    if (c % 3 > 1) add(story, fixtures.reveal(by, when, "BuyerWins", 0, name));
  }
};

const observe: Maker = (story, a, b, c, when) => {
  const initiate = pick(creates<SettlementInitiate>(story, "settlement"), a);
  const reservation = /^[0-9]+$/.test(initiate?.payload.reservation_id ?? "") ? initiate?.payload.reservation_id : "42";
  if (initiate === undefined) return;
  const outcomes = [
    "BuyerWins",
    "MerchantWins",
    "MutualSettlement",
    "Invalid",
    null,
  ] satisfies readonly (Resolution | null)[];
  const resolution = pick(outcomes, b) ?? null;
  const split: TerminalSplit = "NoConsensus";
  const fact: ChainFact = {
    kind: c % 3 === 0 ? "released" : "decided",
    reservation: BigInt(reservation ?? "42"),
    buyer: initiate.payload.buyer_public_key,
    seller: initiate.payload.seller_public_key,
    mint: fixtures.MINTS[c % 7 === 0 ? 1 : 0],
    amount: initiate.payload.amount.base_units,
    resolution: c % 3 === 0 ? null : resolution,
    terminal_split: c % 3 !== 0 && resolution === null ? split : null,
    // What accounts tell has no transaction and no date.
    transaction: a % 4 === 3 ? null : `transaction ${a % 5} ${b % 5} ${c % 5}`,
    timestamp: a % 4 === 3 ? null : when,
  };
  receive(story, seen(fact));
};

/** As often as they stand here. */
export const tradeMakers: readonly Maker[] = [
  createAdvertisement,
  editAdvertisement,
  editAdvertisement,
  requestSome,
  requestSome,
  requestSome,
  cancelReservation,
  initiateSome,
  initiateSome,
  actOnSettlement,
  actOnSettlement,
  actOnSettlement,
  actOnSettlement,
  openDispute,
  actOnDispute,
  actOnDispute,
  seatPanel,
  observe,
];

const what = (maker: Maker) => tradeMakers.indexOf(maker);
/** Two advertisements and a trade in each, so that what follows has something to speak about. */
export const tradeOpening: readonly Intent[] = [
  [what(createAdvertisement), 0, 5, 2, 0],
  [what(createAdvertisement), 1, 6, 3, 0],
  [what(requestSome), 0, 6, 1, 3],
  [what(requestSome), 1, 7, 2, 4],
  [what(initiateSome), 0, 4, 1, 4],
  [what(initiateSome), 1, 5, 2, 5],
];
