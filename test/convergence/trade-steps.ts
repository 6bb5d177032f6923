/**
 * How a trade goes on: of an advertisement a request, of a request a settlement, of a settlement what its party whose
 * turn it is would say, of a dispute what its panel does, and in the end what the chain decides. Each step is one that
 * fold and admission take, about the record itself and by the right signer; what else people say is in
 * trade-makers.ts. Source: CONVERGENCE "Precedence tables"; protocol 02 D.4, 03 A.5.
 */
import type { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { AdvertisementPriceUpdate, AdvertisementStatus } from "../../core/domains/trade/advertisements/schema.ts";
import {
  ArbitratorJoin,
  DisputeOpen,
  MutualSettlementAgree,
  REQUIRED_ARBITRATORS,
  Vote,
  VoteCommit,
  VoteReveal,
} from "../../core/domains/trade/disputes/schema.ts";
import {
  RESERVATION_WINDOW_MS,
  ReservationCancel,
  ReservationRequest,
} from "../../core/domains/trade/reservations/schema.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  Resolution,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
  TerminalSplit,
} from "../../core/domains/trade/settlements/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { later } from "../../core/kernel/values.ts";
import type { Actor } from "./actors.ts";
import { arbitrators } from "./actors.ts";
import * as fixtures from "./fixtures.ts";
import { seen } from "./replica.ts";
import type { NextStep, Step } from "./steps.ts";
import { anyOf, goOn, statementsIn } from "./steps.ts";
import type { Draws, Story } from "./story.ts";
import { about, add, creates, named, nameFor, personOf, pick, receive, someone, takers, withIdForm } from "./story.ts";

const VOTES = namesOf<Vote>(Vote);
const STATUSES = namesOf<AdvertisementStatus>(AdvertisementStatus);
/** What the chain can decide: an outcome, or that there is none and why. */
const DECISIONS: readonly Pick<ChainFact, "resolution" | "terminal_split">[] = [
  ...namesOf<Resolution>(Resolution).map((resolution) => ({ resolution, terminal_split: null })),
  ...namesOf<TerminalSplit>(TerminalSplit).map((terminal_split) => ({ resolution: null, terminal_split })),
];

/** A trade goes on by one step, wherever it can. */
export const stepTrade: Step = anyOf(decide, decide, decide, settle, settle, settle, settle, begin, ask, edit);

/** A merchant edits an advertisement of his. */
function edit(draws: Draws): boolean {
  const { story, when, below } = draws;
  return goOn<AdvertisementCreate>(draws, creates(story, "advertisement"), (create) => {
    const [by, name] = [personOf(create.signer), nameFor(create, below(9))];
    const edits = [
      () => fixtures.priceUpdate(by, name, fixtures.fixed(100 + below(3)), when),
      () => fixtures.priceUpdate(by, name, fixtures.FLOATING, when),
      () => fixtures.termsUpdate(by, name, 1 + below(9), 30 + below(30), when),
      () => fixtures.statusSet(by, name, pick(STATUSES, below(STATUSES.length)) ?? "Active", when),
      () => fixtures.statusSet(by, name, "Active", when),
      () => fixtures.disable(by, name, when),
    ];
    return () => add(story, (edits[below(edits.length)] as (typeof edits)[0])());
  });
}

/** Somebody asks for part of an advertisement, for its price and within its terms. */
function ask(draws: Draws): boolean {
  const { story, when, below } = draws;
  return goOn<AdvertisementCreate>(draws, creates(story, "advertisement"), (create) => () => {
    const { pricing } =
      about<AdvertisementPriceUpdate>(story, create, AdvertisementPriceUpdate).at(-1)?.payload ?? create.payload;
    const request = fixtures.request(someone(takers, below(2)), when, {
      id: String(42 + below(4)),
      about: nameFor(create, below(9)),
      amount: pick([10, 20, 40, restOf(story, create)], below(4)) ?? 10,
      price: "Fixed" in pricing ? pricing.Fixed.price : 100,
      mid: "Fixed" in pricing ? null : 1,
    });
    add(story, withIdForm(story, ReservationRequest, request, below(99)));
  });
}

/** What nobody has asked for yet of an advertisement; when all is asked for, a little more. */
function restOf(story: Story, create: Statement<AdvertisementCreate>): number {
  const asked = about<ReservationRequest>(story, create, ReservationRequest).map(({ payload }) => payload.amount);
  const left = asked.reduce((rest, { base_units }) => rest - base_units, create.payload.initial_liquidity.base_units);
  return left > 0n ? Number(left) : 10;
}

/** A request becomes a settlement, or its requester gives it up. */
function begin(draws: Draws): boolean {
  const { story, when, below } = draws;
  return goOn<ReservationRequest>(draws, creates(story, "reservation"), (request) => {
    const [create] = named<AdvertisementCreate>(story, "advertisement", request.payload.advertisement_id);
    if (create === undefined || about(story, request, SettlementInitiate).length > below(6) / 5) return undefined;
    if (about(story, request, ReservationCancel).length > 0) return undefined;
    // Past its window nothing begins any more, though now and then somebody tries.
    if (when > later(request.timestamp, RESERVATION_WINDOW_MS) && below(6) > 0) return undefined;
    const [merchant, taker] = [personOf(create.signer), personOf(request.signer)];
    if (below(8) === 0)
      return () => void add(story, fixtures.reservationCancel(taker, nameFor(request, below(9)), when));
    const [buyer, seller] = create.payload.direction === "Buy" ? [merchant, taker] : [taker, merchant];
    const { amount } = request.payload;
    return () => {
      const about = nameFor(request, below(9));
      const initiate = fixtures.initiate(buyer, seller, when, { id: `s-${below(4)}`, about, amount });
      add(story, withIdForm(story, SettlementInitiate, initiate, below(99)));
    };
  });
}

/** A settlement's party whose turn it is acts. */
function settle(draws: Draws): boolean {
  const { story, when, below } = draws;
  return goOn<SettlementInitiate>(draws, creates(story, "settlement"), (initiate) => {
    const [buyer, seller] = [personOf(initiate.payload.buyer), personOf(initiate.payload.seller)];
    const name = nameFor(initiate, below(9));
    const acts: Readonly<Record<string, () => void>> = {
      pay: () => add(story, fixtures.payment(buyer, when, name, below(2) === 0 ? null : `ref ${below(3)}`)),
      reverse: () => add(story, fixtures.reversal(buyer, when, name)),
      approve: () => add(story, fixtures.approve(seller, when, name)),
      reject: () => add(story, fixtures.reject(seller, when, name, below(9))),
      cancel: () => add(story, fixtures.settlementCancel(below(2) === 0 ? buyer : seller, when, name)),
      open: () => openCase(draws, initiate, below(2) === 0 ? buyer : seller),
      release: () => receive(story, seen(factAbout(draws, initiate, "released"))),
      decide: () => receive(story, seen(factAbout(draws, initiate, "decided"))),
    };
    const turns = turnsOf(story, initiate);
    return acts[pick(turns, below(Math.max(1, turns.length))) ?? ""];
  });
}

/** What may follow, as often as it stands here; nothing once the chain spoke, or while a case is open. */
function turnsOf(story: Story, initiate: Statement<SettlementInitiate>): readonly string[] {
  const has = (type: { readonly name: string }) => about(story, initiate, type).length > 0;
  if (isFactual(story, initiate) || has(DisputeOpen)) return [];
  if (has(SettlementApproved)) return ["release", "release", "open", "decide"];
  if (has(SettlementRejected)) return ["open", "open", "approve", "pay"];
  if (has(SettlementCancelled)) return ["pay"];
  const moves = [PaymentSubmitted, PaymentReversed].flatMap((type) => about(story, initiate, type));
  const last = moves.sort((a, b) => Number(a.timestamp - b.timestamp)).at(-1);
  if (last === undefined) return ["pay", "pay", "pay", "pay", "pay", "pay", "cancel", "open"];
  if (last.type.name === PaymentReversed.name) return ["pay", "pay", "cancel", "open"];
  return ["approve", "approve", "approve", "reject", "reject", "open", "open", "reverse"];
}

function openCase({ story, when, below }: Draws, initiate: Statement, by: Actor): void {
  const opened = fixtures.open(by, when, { id: `d-${below(4)}`, about: nameFor(initiate, below(9)) });
  add(story, withIdForm(story, DisputeOpen, opened, below(99)));
}

/** A panel forms, commits and reveals, the parties agree now and then, and the chain decides. */
function decide(draws: Draws): boolean {
  const { story, when, below } = draws;
  return goOn<DisputeOpen>(draws, creates(story, "dispute"), (opened) => {
    const [initiate] = named<SettlementInitiate>(story, "settlement", opened.payload.settlement_id);
    if (initiate === undefined || isFactual(story, initiate)) return undefined;
    const name = nameFor(opened, below(9));
    const { buyer, seller } = initiate.payload;
    const silent = [buyer, seller].filter((party) => !statementsIn(story, opened, MutualSettlementAgree).has(party));
    if (silent.length > 0 && (below(9) === 0 || silent.length === 1))
      return () => void add(story, fixtures.agree(personOf(silent[0] ?? ""), when, name));
    if (below(24) === 0) return () => openCase(draws, initiate, personOf(opened.signer === buyer ? seller : buyer));
    const decided = () => receive(story, seen(factAbout(draws, initiate, "decided")));
    return below(12) === 0 ? decided : (rounds(draws, opened, name) ?? decided);
  });
}

/** The round that is not full yet, of all who are missing or of one of them. */
function rounds({ story, when, below }: Draws, opened: Statement, name: string): NextStep {
  const size = REQUIRED_ARBITRATORS + (opened.identity < "4" ? 1 : 0);
  const voteOf = (place: number) => VOTES[(Number.parseInt(opened.identity[1] ?? "", 16) + (place === 2 ? 1 : 0)) % 3];
  const acts = [
    [ArbitratorJoin, (by: Actor) => fixtures.join(by, when, name)],
    [VoteCommit, (by: Actor, place: number) => fixtures.commit(by, when, voteOf(place) ?? "Invalid", 0, name)],
    [VoteReveal, (by: Actor, place: number) => fixtures.reveal(by, when, voteOf(place) ?? "Invalid", 0, name)],
  ] as const;
  for (const [type, act] of acts) {
    const done = statementsIn(story, opened, type);
    const missing = [...arbitrators.slice(0, size).entries()].filter(([, { peer }]) => !done.has(peer));
    if (missing.length === 0) continue;
    const some = below(3) === 0 ? missing.slice(0, 1) : missing;
    return () => some.forEach(([place, by]) => void add(story, act(by, place)));
  }
  return undefined;
}

/** What the chain says of a settlement, by the keys, the mint and the amount of its trade. */
function factAbout({ story, when, below }: Draws, initiate: Statement<SettlementInitiate>, kind: ChainFact["kind"]) {
  const { payload } = initiate;
  const [request] = named<ReservationRequest>(story, "reservation", payload.reservation_id);
  const [create] = named<AdvertisementCreate>(story, "advertisement", request?.payload.advertisement_id ?? "");
  const decision = kind === "decided" ? pick(DECISIONS, below(DECISIONS.length)) : undefined;
  return {
    kind,
    reservation: numberOf(story, initiate),
    buyer: payload.buyer_public_key,
    seller: payload.seller_public_key,
    mint: create?.payload.asset_mint ?? fixtures.MINTS[0],
    amount: payload.amount.base_units,
    resolution: decision?.resolution ?? null,
    terminal_split: decision?.terminal_split ?? null,
    ...(isReadFromAccounts(initiate)
      ? { transaction: null, timestamp: null }
      : { transaction: `transaction ${initiate.identity.slice(0, 8)} ${kind}`, timestamp: when }),
  };
}

/** What accounts tell has no transaction and no date: a quarter of all facts. */
function isReadFromAccounts({ identity }: Statement): boolean {
  return identity.at(-1)! < "4";
}

/** Whether the chain said something of a settlement's parties and number. */
function isFactual(story: Story, initiate: Statement<SettlementInitiate>): boolean {
  const { buyer_public_key: buyer, seller_public_key: seller } = initiate.payload;
  const number = numberOf(story, initiate);
  return story.observations.some(
    (each) =>
      each.type === "seen" &&
      each.fact.reservation === number &&
      each.fact.buyer === buyer &&
      each.fact.seller === seller,
  );
}

/** The number of its escrow. */
function numberOf(story: Story, { payload }: Statement<SettlementInitiate>): bigint {
  const [request] = named<ReservationRequest>(story, "reservation", payload.reservation_id);
  const id = request?.payload.id ?? payload.reservation_id;
  return /^[0-9]{1,19}$/.test(id) ? BigInt(id) : 42n;
}

function namesOf<T>({ shape }: { readonly shape: unknown }): readonly T[] {
  return (shape as { readonly names: readonly T[] }).names;
}
