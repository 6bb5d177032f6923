/**
 * People whose own nodes check nothing: whatever can be signed about a trade is said by its parties, its merchant and
 * strangers, in any order and at any date that a peer takes, each thing to one node, which hears it before the others.
 * No act is forged; most are not what their signer should say. What comes of them is for the fold alone.
 * Source: CONVERGENCE "Precedence tables".
 */
import type { EpochMillis } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import type { GossipEvent, PaymentMethodId } from "../../core/testing.ts";
import {
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
  ArbitratorJoin,
  commitmentOf,
  DisputeOpen,
  GossipEvent as GossipEventSchema,
  MutualSettlementAgree,
  OFS_GOSSIP,
  PaymentReversed,
  PaymentSubmitted,
  ReservationCancel,
  ReservationRequest,
  ReviewPublish,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
  VoteCommit,
  VoteReveal,
} from "../../core/testing.ts";
import type { Stream } from "../random.ts";
import { below, between, openStream, pick } from "../random.ts";
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";
import type { ChosenAct, TradeActName } from "./attacks.ts";

/** A trade, everybody who may speak about it, and the prices and sizes that its offer has. */
export interface ActedOn {
  readonly offer: string;
  readonly reservation: string;
  readonly settlement: string;
  readonly dispute: string;
  readonly merchant: Wallet;
  readonly buyer: Wallet;
  readonly seller: Wallet;
  readonly others: readonly Wallet[];
  /** What the trade is about, in base units. */
  readonly units: bigint;
}

/** Draws of one act; each act has its own. */
const DRAWS = 16;
/** Dates of acts lie so far before and after the moment at which they are said, in milliseconds. */
const EARLIER_MS = 420_000;
const LATER_MS = 60_000;
/** Of so many acts one is signed by somebody whose act it is not. */
const STRANGE = 4;
const PRICES = [92n, 92n, 93n, 90n] as const;
const STATUSES = ["Active", "Active", "Vacation", "Disabled", "Deleted"] as const;
const DISCREPANCIES = ["IncorrectAmount", "WrongReference", "DuplicatePayment", "IncorrectAccount", "Other"] as const;
const VOTES = ["BuyerWins", "MerchantWins", "Invalid"] as const;

interface Occasion {
  readonly attacker: Attacker;
  readonly about: ActedOn;
  readonly by: Wallet;
  readonly timestamp: EpochMillis;
  /** A decision of this act: two decisions have two numbers. */
  readonly draws: { readonly stream: Stream; readonly from: number };
}

type MakeEvent = (occasion: Occasion) => GossipEvent;
/** Everybody who may speak about a trade, by wallet or by name. */
type Parties<P> = { readonly [K in "merchant" | "buyer" | "seller"]: P } & { readonly others: readonly P[] };
type Whose = <P>(people: Parties<P>) => readonly P[];
/** An act, whose it is by right, and what is said. */
interface ActRow {
  readonly name: TradeActName;
  readonly of: Whose;
  readonly make: MakeEvent;
}

const buyer: Whose = ({ buyer: one }) => [one];
const seller: Whose = ({ seller: one }) => [one];
const merchant: Whose = ({ merchant: one }) => [one];
const parties: Whose = (all) => [all.buyer, all.seller];
const others: Whose = ({ others: some }) => some;
const taker: Whose = ({ merchant: one, buyer: first, seller: second }) => [first === one ? second : first];

const acts: readonly ActRow[] = [
  { name: "pay", of: buyer, make: pays },
  { name: "pay", of: buyer, make: pays },
  { name: "reverse", of: buyer, make: naming(PaymentReversed, "settlement_id", "settlement", "buyer") },
  { name: "approve", of: seller, make: naming(SettlementApproved, "settlement_id", "settlement", "seller") },
  { name: "reject", of: seller, make: rejects },
  { name: "cancel", of: parties, make: naming(SettlementCancelled, "settlement_id", "settlement", "canceller") },
  { name: "open", of: parties, make: opens },
  { name: "agree", of: parties, make: naming(MutualSettlementAgree, "dispute_id", "dispute", "party") },
  { name: "cancel-reservation", of: taker, make: naming(ReservationCancel, "id", "reservation", "requester") },
  { name: "join", of: others, make: joins },
  { name: "commit", of: others, make: commits },
  { name: "reveal", of: others, make: reveals },
  { name: "request", of: others, make: requests },
  { name: "initiate", of: taker, make: initiates },
  { name: "reprice", of: merchant, make: reprices },
  { name: "close", of: merchant, make: closes },
  { name: "change-terms", of: merchant, make: changesTerms },
  { name: "review", of: parties, make: reviews },
];

/** Everybody who may do an act by right, for every act. */
export function tradeActsOf<P>(people: Parties<P>): readonly { readonly act: TradeActName; readonly by: P }[] {
  const named = new Map(acts.map((row) => [row.name, row]));
  return [...named.values()].flatMap(({ name, of }) => of(people).map((by) => ({ act: name, by })));
}

/** Says one thing about a trade, the `time`th, to one honest node. */
export function publishAnything(attacker: Attacker, about: ActedOn, time: number): void {
  const stream = openStream(attacker.world.seed, `unchecked-acts/${attacker.wallet.peer}`);
  const from = time * DRAWS;
  const { of, make } = pick(stream, from, acts);
  const everybody = [about.buyer, about.seller, about.merchant, ...about.others];
  const suited = below(stream, from + 2, STRANGE) === 0 ? [] : of(about);
  // Where nobody is left whom it suits, such as others of a run that is made smaller, anybody does it.
  const by = pick(stream, from + 1, suited.length === 0 ? everybody : suited);
  const date = BigInt(between(stream, from + 3, -EARLIER_MS, LATER_MS));
  const timestamp = (attacker.now() + date) as EpochMillis;
  tellOne(make, { attacker, about, by, timestamp, draws: { stream, from } });
}

/** Says one act as it was chosen, to one honest node. */
export function publishChosen(attacker: Attacker, about: ActedOn, { act, by, draw, earlierMs }: ChosenAct): void {
  const row = acts.find(({ name }) => name === act);
  if (row === undefined) throw new Error(`bug: nobody can ${act}`);
  const draws = { stream: openStream(attacker.world.seed, "chosen-acts"), from: draw * DRAWS };
  const timestamp = (attacker.now() - BigInt(earlierMs)) as EpochMillis;
  tellOne(row.make, { attacker, about, by: attacker.world.person(by), timestamp, draws });
}

function tellOne(make: MakeEvent, occasion: Occasion): void {
  const { attacker, draws } = occasion;
  const event = make(occasion);
  const victims = [...attacker.victims].sort((a, b) => (a < b ? -1 : 1));
  if (victims.length === 0) return;
  const victim = pick(draws.stream, draws.from + 4, victims);
  attacker.send(victim, OFS_GOSSIP, "GossipPush", encodeCompact(GossipEventSchema, event));
}

type Signable = Parameters<typeof eventAround>[1];

/** The event of a payload, which is dated here. */
function wrap(occasion: Occasion, type: unknown, payload: Readonly<Record<string, unknown>>): GossipEvent {
  const { attacker, by, timestamp } = occasion;
  const dated = { ...payload, timestamp };
  const options = { origin: attacker.wallet, at: attacker.now() };
  return eventAround(attacker.world.crypto, type as Signable, dated as never, by, options);
}

function decided<T>({ draws: { stream, from } }: Occasion, n: number, choices: readonly T[]): T {
  return pick(stream, from + n, choices);
}

function amountOf(occasion: Occasion, n: number) {
  const { units } = occasion.about;
  return { base_units: decided(occasion, n, [units, units, units / 2n, units * 2n, 1n]), decimals: 6 };
}

/** An act that says no more than whose it is and what it is about. */
function naming(
  type: unknown,
  member: string,
  record: "settlement" | "dispute" | "reservation",
  by: string,
): MakeEvent {
  return (occasion) => wrap(occasion, type, { [member]: occasion.about[record], [by]: occasion.by.peer });
}

function pays(occasion: Occasion): GossipEvent {
  const payment_reference = decided(occasion, 8, [null, "first", "second"]);
  return wrap(occasion, PaymentSubmitted, {
    settlement_id: occasion.about.settlement,
    buyer: occasion.by.peer,
    payment_reference,
  });
}

function rejects(occasion: Occasion): GossipEvent {
  const discrepancy = decided(occasion, 8, DISCREPANCIES);
  const base = { settlement_id: occasion.about.settlement, seller: occasion.by.peer, reason: "not what we agreed on" };
  return wrap(occasion, SettlementRejected, { ...base, discrepancy });
}

function opens(occasion: Occasion): GossipEvent {
  const id = decided(occasion, 8, [occasion.about.dispute, `another ${occasion.about.dispute}`]);
  const opener = { opener: occasion.by.peer, opener_public_key: occasion.by.publicKey };
  return wrap(occasion, DisputeOpen, {
    id,
    settlement_id: occasion.about.settlement,
    ...opener,
    reason: "nothing came",
  });
}

function seat({ about, by }: Occasion) {
  return { dispute_id: about.dispute, arbitrator: by.peer };
}

/** The vote and the secret of a seat: the same whenever it is drawn, one time of four another. */
function ballot(occasion: Occasion) {
  const { crypto } = occasion.attacker.world;
  const spelled = new TextEncoder().encode(
    `${occasion.about.dispute}/${occasion.by.peer}/${decided(occasion, 8, [0, 0, 0, 1])}`,
  );
  const secret = crypto.sha256(spelled);
  return { secret, vote: VOTES[(secret[0] as number) % VOTES.length] as (typeof VOTES)[number] };
}

function joins(occasion: Occasion): GossipEvent {
  return wrap(occasion, ArbitratorJoin, { ...seat(occasion), arbitrator_public_key: occasion.by.publicKey });
}

function commits(occasion: Occasion): GossipEvent {
  const { vote, secret } = ballot(occasion);
  const commitment = commitmentOf(occasion.attacker.world.crypto.sha256, vote, secret);
  return wrap(occasion, VoteCommit, { ...seat(occasion), commitment });
}

function reveals(occasion: Occasion): GossipEvent {
  return wrap(occasion, VoteReveal, { ...seat(occasion), ...ballot(occasion) });
}

/** A rival for the same offer, or for the same number. */
function requests(occasion: Occasion): GossipEvent {
  const { about, by } = occasion;
  const id = decided(occasion, 8, [about.reservation, ...["1", "2", "3"].map((end) => `${about.reservation}${end}`)]);
  return wrap(occasion, ReservationRequest, {
    ...{ id, advertisement_id: about.offer, requester: by.peer, requester_public_key: by.publicKey },
    ...{ amount: amountOf(occasion, 9), agreed_price: { base_units: decided(occasion, 10, PRICES), decimals: 2 } },
    agreed_mid: null,
  });
}

/** A second settlement of one reservation. */
function initiates(occasion: Occasion): GossipEvent {
  const { about } = occasion;
  const [first, second] =
    decided(occasion, 8, [0, 0, 0, 1]) === 0 ? [about.buyer, about.seller] : [occasion.by, about.merchant];
  return wrap(occasion, SettlementInitiate, {
    ...{
      id: decided(occasion, 9, [about.settlement, `another ${about.settlement}`]),
      reservation_id: about.reservation,
    },
    ...{
      buyer: first.peer,
      buyer_public_key: first.publicKey,
      seller: second.peer,
      seller_public_key: second.publicKey,
    },
    amount: amountOf(occasion, 10),
  });
}

function reprices(occasion: Occasion): GossipEvent {
  const pricing = { Fixed: { price: { base_units: decided(occasion, 8, PRICES), decimals: 2 } } };
  return wrap(occasion, AdvertisementPriceUpdate, { id: occasion.about.offer, merchant: occasion.by.peer, pricing });
}

/** The merchant opens or closes the offer. */
function closes(occasion: Occasion): GossipEvent {
  const status = decided(occasion, 8, STATUSES);
  return wrap(occasion, AdvertisementStatusSet, { id: occasion.about.offer, merchant: occasion.by.peer, status });
}

function changesTerms(occasion: Occasion): GossipEvent {
  const limit = (n: number, choices: readonly bigint[]) => ({ base_units: decided(occasion, n, choices), decimals: 6 });
  const { units, offer } = occasion.about;
  return wrap(occasion, AdvertisementTermsUpdate, {
    ...{ id: offer, merchant: occasion.by.peer },
    ...{ min_trade: limit(8, [1n, units / 2n]), max_trade: limit(9, [units, units * 4n, 1_000_000_000n]) },
    payment_methods: ["builtin:bank-transfer" as PaymentMethodId],
  });
}

function reviews(occasion: Occasion): GossipEvent {
  const { attacker, about, by, timestamp } = occasion;
  const payload = {
    ...{ settlement: about.settlement, author: by.peer, author_public_key: by.publicKey },
    ...{
      rating: decided(occasion, 8, [1, 3, 5]),
      comment: decided(occasion, 9, ["well", "not well"]),
      created_at: timestamp,
    },
  };
  const options = { origin: attacker.wallet, at: attacker.now() };
  return eventAround(attacker.world.crypto, ReviewPublish as unknown as Signable, payload as never, by, options);
}
