/**
 * What others, and its own signer, can add to what a statement is about: for each signed type of a trade one row, or
 * several; the others have drawn ones. Source: CONVERGENCE B5.
 */
import { ProposalCreate, VoteCast } from "../../core/domains/governance/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { actor, at, merchant, sign, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { ballot, proposal } from "../governance/fixtures.ts";
import type { CostRow } from "./cost-row.ts";
import { drawnRows } from "./drawn-cost-rows.ts";

const offer = fixtures.advertisement(merchant, at(-100), { liquidity: fixtures.units(10n ** 12n), max: 1_000_000 });
const begun = [offer, fixtures.request(taker, at(-9)), fixtures.initiate(taker, merchant, at(-8))];
const paid = [...begun, fixtures.payment(taker, at(-7))];
const disputed = [...paid, fixtures.open(taker, at(-6))];
const people = new Map<string, Actor>();

function someone(name: string): Actor {
  const known = people.get(name) ?? actor(name);
  people.set(name, known);
  return known;
}

/** Trades on the offer, one each, as far as their initiate. */
function trade(n: number): readonly Statement[] {
  const by = someone(`taker ${n}`);
  const id = `${10_000 + n}`;
  return [
    fixtures.request(by, at(-5), { id, amount: 1 }),
    fixtures.initiate(by, merchant, at(-4), { id: `t${n}`, about: id, amount: 1 }),
  ];
}

/** What two strangers have under the number 42: an offer, a request, and one settlement after another. */
function beside(n: number): readonly Statement[] {
  const [by, seller] = [someone("beginner"), someone("seller")];
  const own = [fixtures.advertisement(seller, at(-99), { id: "b" }), fixtures.request(by, at(-9), { about: "b" })];
  const initiate = fixtures.initiate(by, seller, at(-8 + n / 100_000), { id: `b${n}` });
  return n === 0 ? [...own, initiate] : [initiate];
}

function joined(n: number): readonly Statement[] {
  return [fixtures.join(someone(`joiner ${n}`), at(-1))];
}

/** A seat of one's own. */
function seat(n: number): Actor {
  return someone(`seat ${n}`);
}

const SEATS = 64;
const seats = Array.from({ length: SEATS }, (_, n) => fixtures.join(seat(n), at(-2)));
const commits = Array.from({ length: SEATS }, (_, n) => fixtures.commit(seat(n), at(-1), "Invalid", n));
const trades = Array.from({ length: SEATS }, (_, n) => trade(1_000_000 + n)).flat();
const nobodys = (n: number) => [
  fixtures.request(someone(`asker ${n}`), at(-5), { id: `${500_000 + n}`, amount: 1, price: 7 }),
];

const tradeRows: readonly CostRow[] = [
  {
    ...{ type: "AdvertisementCreate", among: "offers of others under its id" },
    ground: [],
    crowd: (n) => [fixtures.advertisement(someone(`namesake ${n >> 3}`), at(-50 - n / 1_000))],
    one: (n) => fixtures.advertisement(seat(n), at(-1)),
  },
  {
    ...{ type: "AdvertisementPriceUpdate", among: "requests that wait for another price" },
    ground: [offer],
    crowd: nobodys,
    one: (n) => fixtures.priceUpdate(merchant, "ad", fixtures.fixed(200 + n), at(n / 10)),
  },
  {
    ...{ type: "AdvertisementPriceUpdate", among: "requests that wait for it" },
    ground: [offer],
    crowd: nobodys,
    one: (n) => fixtures.priceUpdate(merchant, "ad", fixtures.fixed(7), at(-6 + n / 100)),
  },
  {
    ...{ type: "AdvertisementTermsUpdate", among: "trades on the offer" },
    ground: [offer],
    crowd: trade,
    one: (n) => fixtures.termsUpdate(merchant, "ad", 1, 1_000 + n, at(40 + n)),
  },
  {
    ...{ type: "AdvertisementDisable", among: "trades on the offer" },
    ground: [offer],
    crowd: trade,
    one: (n) => fixtures.disable(merchant, "ad", at(40 + n)),
  },
  {
    ...{ type: "AdvertisementStatusSet", among: "trades on the offer" },
    ground: [offer],
    crowd: trade,
    one: (n) => fixtures.statusSet(merchant, "ad", n % 2 === 0 ? "Vacation" : "Active", at(40 + n)),
  },
  {
    ...{ type: "ReservationRequest", among: "trades on the offer" },
    ground: [offer],
    crowd: trade,
    one: (n) => fixtures.request(seat(n), at(-3), { id: `${900_000 + n}`, amount: 1 }),
  },
  {
    ...{ type: "ReservationCancel", among: "trades on the offer" },
    ground: [offer, ...trades],
    crowd: trade,
    one: (n) => fixtures.reservationCancel(someone(`taker ${1_000_000 + n}`), `${1_010_000 + n}`, at(-3)),
  },
  {
    ...{ type: "SettlementInitiate", among: "those of two others under its number" },
    ground: begun,
    crowd: beside,
    one: (n) => fixtures.initiate(taker, merchant, at(-7 + n / 1_000), { id: `own-${n}` }),
  },
  {
    ...{ type: "SettlementInitiate", among: "its own signer's under its number" },
    ground: begun,
    crowd: (n) => [fixtures.initiate(taker, merchant, at(-7 + n / 100_000), { id: `mine-${n}` })],
    one: (n) => fixtures.initiate(taker, merchant, at(-5 + n / 1_000), { id: `own-${n}` }),
  },
  {
    ...{ type: "PaymentSubmitted", among: "settlements of two others under its number" },
    ground: begun,
    crowd: beside,
    one: (n) => fixtures.payment(taker, at(-7 + n / 1_000)),
  },
  {
    ...{ type: "PaymentReversed", among: "settlements of two others under its number" },
    ground: begun,
    crowd: beside,
    one: (n) => fixtures.reversal(taker, at(-7 + n / 1_000)),
  },
  {
    ...{ type: "SettlementCancelled", among: "settlements of two others under its number" },
    ground: begun,
    crowd: beside,
    one: (n) => fixtures.settlementCancel(taker, at(-7 + n / 1_000)),
  },
  {
    ...{ type: "SettlementRejected", among: "trades on the offer" },
    ground: [offer, ...trades],
    crowd: trade,
    one: (n) => fixtures.reject(merchant, at(-1), `t${1_000_000 + n}`),
  },
  {
    ...{ type: "SettlementApproved", among: "trades on the offer" },
    ground: [offer, ...trades],
    crowd: trade,
    one: (n) => fixtures.approve(merchant, at(-1), `t${1_000_000 + n}`),
  },
  {
    ...{ type: "DisputeOpen", among: "its parties' own on the settlement" },
    ground: paid,
    crowd: (n) => [fixtures.open(n % 2 === 0 ? taker : merchant, at(-6 + n / 100_000), { id: `c${n}` })],
    one: (n) => fixtures.open(taker, at(-3 + n / 1_000), { id: `own-${n}` }),
  },
  {
    ...{ type: "PaymentSubmitted", among: "its parties' own disputes on the settlement" },
    ground: begun,
    crowd: (n) => [fixtures.open(n % 2 === 0 ? taker : merchant, at(-6 + n / 100_000), { id: `c${n}` })],
    one: (n) => fixtures.payment(taker, at(-3 + n / 1_000)),
  },
  {
    ...{ type: "ReservationCancel", among: "its own signer's cancels" },
    ground: begun,
    crowd: (n) => [fixtures.reservationCancel(taker, "42", at(-5 + n / 100_000))],
    one: (n) => fixtures.reservationCancel(taker, "42", at(-3 + n / 1_000)),
  },
  {
    ...{ type: "ArbitratorJoin", among: "joiners of the case" },
    ground: disputed,
    crowd: joined,
    one: (n) => fixtures.join(seat(n), at(0)),
  },
  {
    ...{ type: "VoteCommit", among: "joiners of the case" },
    ground: [...disputed, ...seats],
    crowd: joined,
    one: (n) => fixtures.commit(seat(n), at(0), "Invalid", n),
  },
  {
    ...{ type: "VoteReveal", among: "joiners of the case" },
    ground: [...disputed, ...seats, ...commits],
    crowd: joined,
    one: (n) => fixtures.reveal(seat(n), at(0), "Invalid", n),
  },
  {
    ...{ type: "MutualSettlementAgree", among: "joiners of the case" },
    ground: disputed,
    crowd: joined,
    one: (n) => fixtures.agree(n % 2 === 0 ? taker : merchant, at(n / 100)),
  },
  {
    ...{ type: "ArbitratorJoin", among: "cases of its name" },
    ground: disputed,
    crowd: (n) => [fixtures.open(n % 2 === 0 ? taker : merchant, at(-6 + (n + 1) / 100_000))],
    one: (n) => fixtures.join(seat(n), at(0)),
  },
  {
    ...{ type: "VoteCast", among: "votes of others" },
    ground: [sign(ProposalCreate, proposal)],
    crowd: (n) => [sign(VoteCast, ballot(someone(`voter ${n}`)))],
    one: (n) => sign(VoteCast, ballot(seat(n))),
  },
];

/** What others, and its own signer, can add: for each signed type one row, or several. */
export const costRows: readonly CostRow[] = [
  ...tradeRows,
  ...drawnRows(new Set(tradeRows.map(({ type }) => type)), disputed, someone),
];
