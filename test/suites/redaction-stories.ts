/**
 * Random stories of people who trade, publish and pry: trades with every ending on many nodes, a few of them on chain;
 * everybody says everything that the method table takes; strangers ask for everything at random instants; and the
 * scenario that plays one. Source: DESIGN §5 "Named suites".
 */
import fc from "fast-check";
import type { Action } from "../../sim/action-kinds.ts";
import { commitOnChain, execute, openCase, revealOnChain } from "../../sim/actions/chain-dispute.ts";
import { fundEscrow, provideLiquidity, release } from "../../sim/actions/chain-trade.ts";
import { upload } from "../../sim/actions/content.ts";
import type { Juror } from "../../sim/actions/dispute.ts";
import { commit, join, openDispute, reveal } from "../../sim/actions/dispute.ts";
import { impersonate, waitWithChallenges } from "../../sim/actions/impersonate.ts";
import { probePublicReads, readOwn } from "../../sim/actions/public-read-probe.ts";
import type { Publication } from "../../sim/actions/publish.ts";
import { publications, publish } from "../../sim/actions/publish.ts";
import { advertise, approve, initiate, pay, reserve, seeSettlement } from "../../sim/actions/trade.ts";
import {
  agree,
  cancelReservation,
  cancelSettlement,
  contest,
  reject,
  reversePayment,
} from "../../sim/actions/trade-ends.ts";
import type { CaseTerms, Offer, TradeTerms, When } from "../../sim/actions/trade-terms.ts";
import { sellerOf } from "../../sim/actions/trade-terms.ts";
import { ARBITRATOR_STAKE_MIN } from "../../sim/chain/genesis.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { noPartyLeaks } from "../../sim/checkers/no-party-leaks.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, minutes, seconds } from "../../sim/scenario.ts";

export const NODES = 6;
const GOSSIP_ONLY = [4];
const WHOLE = 1_000_000n;
/** When trades off chain begin, and by when they have ended. */
const TRADES = { from: seconds(5), until: seconds(60) };
/** When the case on chain can be executed, and then some. */
const DECIDED_BY = seconds(260);

/** How a trade off chain can end. */
export const endings = [
  "reservation cancelled",
  "cancelled by the buyer",
  "cancelled by the seller",
  "paid",
  "reversed",
  "rejected",
  "approved",
  "seated",
  "voted",
  "disputed",
  "settled by agreement",
  "contested",
] as const;
export type EndingName = (typeof endings)[number];

const MERCHANTS = ["mia", "max"];
const TAKERS = ["tom", "tea", "ted", "tim"];
const JURORS: readonly Juror[] = [
  { name: "joy", vote: "BuyerWins", stake: 3n * ARBITRATOR_STAKE_MIN },
  { name: "jan", vote: "MerchantWins", stake: ARBITRATOR_STAKE_MIN },
  { name: "jul", vote: "BuyerWins", stake: ARBITRATOR_STAKE_MIN },
];
const PROVIDERS = ["pia", "pol"];
/** People with no part in the trades above; they trade among themselves, wildly. */
const STRANGERS = ["sam", "sue", "sol"];
/** One with no part in anything, and one with a service. */
const IMPOSTORS = ["mallory", "pia"];
const EVERYBODY = [...MERCHANTS, ...TAKERS, ...JURORS.map(({ name }) => name), ...PROVIDERS, ...STRANGERS];
/** What a party can say of its trade without changing how the trade ends. */
const ASIDES = ["AttachmentPublish", "ReviewPublish", "TradeChannelKeyGrant", "TradeChannelEntryPost"];
const TRADE_KINDS: readonly unknown[] = ["advertisement", "reservation", "settlement", "dispute"];

interface Dealt {
  readonly ending: EndingName;
  readonly buys: boolean;
  readonly merchant: number;
  readonly taker: number;
  readonly at: number;
  readonly via: number;
}
interface Talk {
  readonly publicationIndex: number;
  readonly who: number;
  readonly at: number;
  readonly via: number;
}

export interface RedactionStory {
  readonly trades: readonly Dealt[];
  readonly talks: readonly Talk[];
  /** From whom on people talk: who begins a thing is likely to be asked to go on with it. */
  readonly lead: number;
  readonly probes: readonly { readonly at: number; readonly via: number }[];
  /** Whether two more trades are played on chain: one released, one decided. */
  readonly onChain: boolean;
}

export function arbRedactionStory(onChain: boolean): fc.Arbitrary<RedactionStory> {
  const lasts = onChain ? DECIDED_BY : TRADES.until + seconds(20);
  const via = fc.nat(NODES - 1);
  const at = fc.integer({ min: TRADES.from, max: lasts });
  const trade = (ending: EndingName) =>
    fc.record({
      ending: fc.constant(ending),
      buys: fc.boolean(),
      merchant: fc.nat(MERCHANTS.length - 1),
      taker: fc.nat(TAKERS.length - 1),
      at: fc.integer({ min: TRADES.from, max: TRADES.until - seconds(30) }),
      via,
    });
  const early = fc.integer({ min: TRADES.from, max: TRADES.until / 2 });
  const talk = ({ type }: Publication, publicationIndex: number) =>
    fc.record({
      publicationIndex: fc.constant(publicationIndex),
      who: fc.nat(1),
      at: type.creates === undefined ? at : early,
      via,
    });
  const talks = publications().map((publication, place) =>
    fc.array(talk(publication, place), { minLength: 2, maxLength: 3 }),
  );
  return fc.record({
    trades: fc.tuple(...endings.map(trade)),
    talks: fc.tuple(...talks).map((parts) => parts.flat()),
    lead: fc.nat(EVERYBODY.length),
    probes: fc.array(fc.record({ at, via }), { minLength: 6, maxLength: 10 }),
    onChain: fc.constant(onChain),
  });
}

/** A story on a stage. */
export function redactionScenario({ trades, talks, lead, probes, onChain }: RedactionStory): Scenario {
  const lasts = onChain ? DECIDED_BY : TRADES.until + seconds(20);
  const everywhere = Array.from({ length: NODES }, (_, via) => via);
  return defineScenario({
    name: "redaction",
    description: "People trade, publish everything about themselves, and are pried on.",
    source: "OFS-8200; protocol 02 K, 03 A.2.2, 04 §6.7",
    nodes: NODES,
    chain: "bankrun",
    gossipOnly: GOSSIP_ONLY,
    participants: [
      ...MERCHANTS.map((name) => ({ name, merchant: true })),
      ...JURORS.map(({ name, stake }) => ({ name, arbitratorStake: stake ?? 0n })),
    ],
    actions: [
      ...MERCHANTS.flatMap((name, place) =>
        offersOf(name).map((offer) => advertise(offer, { at: seconds(1), via: place })),
      ),
      ...PROVIDERS.flatMap((name, via) => registrations(name, via)),
      ...[...MERCHANTS, ...TAKERS].map((name, via) => subscribe(name, via)),
      ...STRANGERS.map((name, n) => upload(name, n, { at: seconds(4), via: n })),
      ...trades.flatMap((dealt, place) => played(dealt, place)),
      ...(onChain ? playedOnChain() : []),
      ...[...MERCHANTS, ...TAKERS].flatMap((name, via) => asides(name, via)),
      ...talks.flatMap((talk) => talkOf(talk, lead)),
      ...probes.map(({ at, via }) => probePublicReads("spy", { at, via, calls: 200 })),
      ...IMPOSTORS.map((name, n) => impersonate(name, { at: TRADES.until + seconds(5), via: 4 * n })),
      ...(onChain ? waitWithChallenges("mallory", { at: TRADES.until / 2, via: 1 }) : []),
      ...EVERYBODY.map((name, place) => readOwn(name, { at: lasts - seconds(3), via: place % NODES })),
      ...everywhere.map((via) =>
        probePublicReads(`last spy ${via}`, { at: lasts, via, ...(via > 1 && { calls: 500 }) }),
      ),
    ],
    lasts: lasts + seconds(5),
    safety: [readsChangeNothing, noPartyLeaks, equalSetsEqualStates],
    liveness: { within: minutes(8), checks: [replicasConverge] },
  });
}

/** A provider has a service of every kind before anything needs one. */
function registrations(name: string, via: number): readonly Action[] {
  const publication = publicationOf("Registration");
  return Array.from({ length: 6 }, (_, n) => publish(name, publication, { at: seconds(2) + 150 * n, via }));
}

/** Who trades is told of his trades, so that there are notifications which nobody else may see. */
function subscribe(name: string, via: number): Action {
  return publish(name, publicationOf("SubscriptionUpdate"), { at: seconds(4), via: via % NODES });
}

/** Who trades says what only a party can say beside the trade itself. */
function asides(name: string, via: number): readonly Action[] {
  const at = TRADES.until - seconds(10);
  return ASIDES.map((type, n) => publish(name, publicationOf(type), { at: at + 100 * n, via: via % NODES }));
}

function publicationOf(name: string): Publication {
  const publication = publications().find(({ type }) => type.name === name);
  if (publication === undefined) throw new Error(`bug: nobody can say ${name}`);
  return publication;
}

function talkOf({ publicationIndex, who, at, via }: Talk, lead: number): readonly Action[] {
  const publication = publications()[publicationIndex];
  if (publication === undefined) return [];
  const actors = actorsOf(publication);
  return [publish(actors[(lead + who) % actors.length] ?? "sam", publication, { at, via })];
}

/** Whom a statement suits: services are providers'; what changes a trade is left to strangers. */
function actorsOf({ type }: Publication): readonly string[] {
  const members = Object.keys(type.payload.fields);
  if (members.includes("provider") || members.includes("producer")) return PROVIDERS;
  if (ASIDES.includes(type.name)) return [...MERCHANTS, ...TAKERS, ...STRANGERS];
  const kinds: readonly unknown[] = [type.creates, type.about({} as never)?.kind];
  return kinds.some((kind) => TRADE_KINDS.includes(kind)) ? STRANGERS : EVERYBODY;
}

function offersOf(merchant: string): readonly Offer[] {
  const terms = {
    merchant,
    asset: "USDC",
    fiatCurrency: "EUR",
    priceCents: 92n,
    minTrade: WHOLE,
    maxTrade: 500n * WHOLE,
  } as const;
  return (["Sell", "Buy"] as const).map((direction) => ({
    ...terms,
    id: `${merchant}-${direction}`,
    direction,
    liquidity: 2_000n * WHOLE,
  }));
}

function offerOf(merchant: string, direction: "Sell" | "Buy"): Offer {
  const offer = offersOf(merchant).find((one) => one.direction === direction);
  if (offer === undefined) throw new Error("bug: a merchant offers both");
  return offer;
}

/** A trade off chain, and how it ends. */
function played({ ending, buys, merchant, taker, at, via }: Dealt, place: number): readonly Action[] {
  const [dealer = "", other = ""] = [MERCHANTS[merchant], TAKERS[taker]];
  const sold = !buys || ending === "contested";
  const offer = offerOf(dealer, sold ? "Sell" : "Buy");
  const people = sold ? { buyer: other } : { buyer: dealer, seller: other };
  const reservation = 7_000n + BigInt(place);
  const trade: TradeTerms = {
    ...people,
    offer,
    reservation,
    settlement: `settlement ${place}`,
    amount: 10n * WHOLE,
    offChain: true,
  };
  const when = (n: number): When => ({ at, via: (via + n) % NODES });
  const begun = [reserve(trade, when(0)), initiate(trade, when(1))];
  const paid = [...begun, pay(trade, when(1))];
  const terms = { id: `case ${place}`, trade, reason: "nothing arrived", commitSecs: 60n, revealSecs: 60n };
  const opened = [...paid, openDispute(terms, when(2))];
  const ends: Readonly<Record<EndingName, readonly Action[]>> = {
    "reservation cancelled": [reserve(trade, when(0)), cancelReservation(trade, when(1))],
    "cancelled by the buyer": [...begun, cancelSettlement(trade, trade.buyer, when(2))],
    "cancelled by the seller": [...begun, cancelSettlement(trade, sellerOf(trade), when(2))],
    paid,
    reversed: [...paid, reversePayment(trade, when(2))],
    rejected: [...paid, reject(trade, when(2))],
    approved: [...paid, approve(trade, when(2))],
    seated: [...opened, ...JURORS.map((juror, n) => join(terms, juror, when(n)))],
    voted: [...opened, ...JURORS.flatMap((juror, n) => sits(terms, juror, when(n)).slice(0, 2))],
    disputed: [...opened, ...JURORS.flatMap((juror, n) => sits(terms, juror, when(n)))],
    "settled by agreement": [...opened, agree(terms, trade.buyer, when(1)), agree(terms, sellerOf(trade), when(3))],
    contested: contested(terms, when),
  };
  return ends[ending];
}

function sits(terms: CaseTerms, juror: Juror, when: When): readonly Action[] {
  return [join(terms, juror, when), commit(terms, juror, when), reveal(terms, juror, when)];
}

/** Several take the same ids at the same time on nodes where they are still free, and later, where they are not. */
function contested(terms: CaseTerms, when: (n: number) => When): readonly Action[] {
  const rivals = [terms.trade.buyer, ...STRANGERS];
  return rivals.flatMap((name, n) => [
    contest(terms, name, when(n)),
    contest(terms, name, { ...when(n + 1), at: when(0).at + seconds(10) }),
  ]);
}

/** One trade that is released on chain, and one that a case on chain decides. */
function playedOnChain(): readonly Action[] {
  const offer: Offer = { ...offerOf("mia", "Sell"), id: "mia-on-chain" };
  const at = (secs: number, via = 0): When => ({ at: seconds(secs), via });
  const terms = { offer, amount: 20n * WHOLE };
  const released: TradeTerms = { ...terms, reservation: 8_001n, settlement: "released", buyer: "tom" };
  const decided: TradeTerms = { ...terms, reservation: 8_002n, settlement: "decided", buyer: "tea" };
  const dispute: CaseTerms = { id: "decided case", trade: decided, reason: "late", commitSecs: 60n, revealSecs: 60n };
  const begins = (trade: TradeTerms, via: number) => [
    ...[reserve(trade, at(6, via)), initiate(trade, at(6, via))],
    ...[fundEscrow(trade, at(6)), pay(trade, at(6, via))],
  ];
  return [
    ...[provideLiquidity(offer, at(2)), advertise(offer, at(3))],
    ...[...begins(released, 1), approve(released, at(6)), release(released, at(6))],
    seeSettlement(released, "mia", "Completed", at(6)),
    ...[...begins(decided, 2), openDispute(dispute, at(6, 2)), openCase(dispute, at(6, 2))],
    ...JURORS.flatMap((juror, n) => sits(dispute, juror, at(6, n + 1))),
    ...JURORS.flatMap((juror) => [commitOnChain(dispute, juror, at(6, 1)), revealOnChain(dispute, juror, at(6, 1))]),
    execute(dispute, at(6, 2)),
  ];
}
