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

/** A trade, everybody who may speak about it, and the prices and sizes that its offer has. */
export interface SpokenOf {
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

interface Turn {
  readonly attacker: Attacker;
  readonly about: SpokenOf;
  readonly by: Wallet;
  readonly timestamp: EpochMillis;
  /** A decision of this act: two decisions have two numbers. */
  readonly draws: { readonly stream: Stream; readonly from: number };
}

type Say = (turn: Turn) => GossipEvent;
/** Whose act it is, by right, and what is said. */
interface ActRow {
  readonly of: (about: SpokenOf) => readonly Wallet[];
  readonly say: Say;
}

const buyer = ({ buyer: one }: SpokenOf) => [one];
const seller = ({ seller: one }: SpokenOf) => [one];
const merchant = ({ merchant: one }: SpokenOf) => [one];
const parties = (about: SpokenOf) => [about.buyer, about.seller];
const others = ({ others: some }: SpokenOf) => some;
const taker = ({ merchant: one, buyer: first, seller: second }: SpokenOf) => [first.peer === one.peer ? second : first];

const acts: readonly ActRow[] = [
  { of: buyer, say: pays },
  { of: buyer, say: pays },
  {
    of: buyer,
    say: (turn) => wrap(turn, PaymentReversed, { settlement_id: turn.about.settlement, buyer: turn.by.peer }),
  },
  {
    of: seller,
    say: (turn) => wrap(turn, SettlementApproved, { settlement_id: turn.about.settlement, seller: turn.by.peer }),
  },
  { of: seller, say: rejects },
  {
    of: parties,
    say: (turn) => wrap(turn, SettlementCancelled, { settlement_id: turn.about.settlement, canceller: turn.by.peer }),
  },
  { of: parties, say: opens },
  {
    of: parties,
    say: (turn) => wrap(turn, MutualSettlementAgree, { dispute_id: turn.about.dispute, party: turn.by.peer }),
  },
  { of: taker, say: (turn) => wrap(turn, ReservationCancel, { id: turn.about.reservation, requester: turn.by.peer }) },
  { of: others, say: joins },
  { of: others, say: commits },
  { of: others, say: reveals },
  { of: others, say: requests },
  { of: taker, say: initiates },
  { of: merchant, say: reprices },
  {
    of: merchant,
    say: (turn) => {
      const status = decided(turn, 8, STATUSES);
      return wrap(turn, AdvertisementStatusSet, { id: turn.about.offer, merchant: turn.by.peer, status });
    },
  },
  { of: merchant, say: changesTerms },
  { of: parties, say: reviews },
];

/** Says one thing about a trade, the `time`th, to one honest node. */
export function sayAnything(attacker: Attacker, about: SpokenOf, time: number): void {
  const stream = openStream(attacker.world.seed, `unchecked-acts/${attacker.wallet.peer}`);
  const from = time * DRAWS;
  const { of, say } = pick(stream, from, acts);
  const everybody = [about.buyer, about.seller, about.merchant, ...about.others];
  const by = pick(stream, from + 1, below(stream, from + 2, STRANGE) === 0 ? everybody : of(about));
  const date = BigInt(between(stream, from + 3, -EARLIER_MS, LATER_MS));
  const timestamp = (attacker.now() + date) as EpochMillis;
  const event = say({ attacker, about, by, timestamp, draws: { stream, from } });
  const heard = [...attacker.victims].sort((a, b) => (a < b ? -1 : 1));
  if (heard.length === 0) return;
  attacker.send(pick(stream, from + 4, heard), OFS_GOSSIP, "GossipPush", encodeCompact(GossipEventSchema, event));
}

type Signable = Parameters<typeof eventAround>[1];

/** The event of a payload, which is dated here. */
function wrap(turn: Turn, type: unknown, payload: Readonly<Record<string, unknown>>): GossipEvent {
  const { attacker, by, timestamp } = turn;
  const dated = { ...payload, timestamp };
  const options = { origin: attacker.wallet, at: attacker.now() };
  return eventAround(attacker.world.crypto, type as Signable, dated as never, by, options);
}

function decided<T>({ draws: { stream, from } }: Turn, n: number, choices: readonly T[]): T {
  return pick(stream, from + n, choices);
}

function amountOf(turn: Turn, n: number) {
  const { units } = turn.about;
  return { base_units: decided(turn, n, [units, units, units / 2n, units * 2n, 1n]), decimals: 6 };
}

function pays(turn: Turn): GossipEvent {
  const payment_reference = decided(turn, 8, [null, "first", "second"]);
  return wrap(turn, PaymentSubmitted, { settlement_id: turn.about.settlement, buyer: turn.by.peer, payment_reference });
}

function rejects(turn: Turn): GossipEvent {
  const discrepancy = decided(turn, 8, DISCREPANCIES);
  const said = { settlement_id: turn.about.settlement, seller: turn.by.peer, reason: "not what we agreed on" };
  return wrap(turn, SettlementRejected, { ...said, discrepancy });
}

function opens(turn: Turn): GossipEvent {
  const id = decided(turn, 8, [turn.about.dispute, `another ${turn.about.dispute}`]);
  const opener = { opener: turn.by.peer, opener_public_key: turn.by.publicKey };
  return wrap(turn, DisputeOpen, { id, settlement_id: turn.about.settlement, ...opener, reason: "nothing came" });
}

function seat({ about, by }: Turn) {
  return { dispute_id: about.dispute, arbitrator: by.peer };
}

/** The vote and the secret of a seat: the same whenever it is drawn, one time of four another. */
function ballot(turn: Turn) {
  const { crypto } = turn.attacker.world;
  const spelled = new TextEncoder().encode(`${turn.about.dispute}/${turn.by.peer}/${decided(turn, 8, [0, 0, 0, 1])}`);
  const secret = crypto.sha256(spelled);
  return { secret, vote: VOTES[(secret[0] as number) % VOTES.length] as (typeof VOTES)[number] };
}

function joins(turn: Turn): GossipEvent {
  return wrap(turn, ArbitratorJoin, { ...seat(turn), arbitrator_public_key: turn.by.publicKey });
}

function commits(turn: Turn): GossipEvent {
  const { vote, secret } = ballot(turn);
  const commitment = commitmentOf(turn.attacker.world.crypto.sha256, vote, secret);
  return wrap(turn, VoteCommit, { ...seat(turn), commitment });
}

function reveals(turn: Turn): GossipEvent {
  return wrap(turn, VoteReveal, { ...seat(turn), ...ballot(turn) });
}

/** A rival for the same offer, or for the same number. */
function requests(turn: Turn): GossipEvent {
  const { about, by } = turn;
  const id = decided(turn, 8, [about.reservation, ...["1", "2", "3"].map((end) => `${about.reservation}${end}`)]);
  return wrap(turn, ReservationRequest, {
    ...{ id, advertisement_id: about.offer, requester: by.peer, requester_public_key: by.publicKey },
    ...{ amount: amountOf(turn, 9), agreed_price: { base_units: decided(turn, 10, PRICES), decimals: 2 } },
    agreed_mid: null,
  });
}

/** A second settlement of one reservation. */
function initiates(turn: Turn): GossipEvent {
  const { about } = turn;
  const [first, second] =
    decided(turn, 8, [0, 0, 0, 1]) === 0 ? [about.buyer, about.seller] : [turn.by, about.merchant];
  return wrap(turn, SettlementInitiate, {
    ...{ id: decided(turn, 9, [about.settlement, `another ${about.settlement}`]), reservation_id: about.reservation },
    ...{
      buyer: first.peer,
      buyer_public_key: first.publicKey,
      seller: second.peer,
      seller_public_key: second.publicKey,
    },
    amount: amountOf(turn, 10),
  });
}

function reprices(turn: Turn): GossipEvent {
  const pricing = { Fixed: { price: { base_units: decided(turn, 8, PRICES), decimals: 2 } } };
  return wrap(turn, AdvertisementPriceUpdate, { id: turn.about.offer, merchant: turn.by.peer, pricing });
}

function changesTerms(turn: Turn): GossipEvent {
  const limit = (n: number, choices: readonly bigint[]) => ({ base_units: decided(turn, n, choices), decimals: 6 });
  const { units, offer } = turn.about;
  return wrap(turn, AdvertisementTermsUpdate, {
    ...{ id: offer, merchant: turn.by.peer },
    ...{ min_trade: limit(8, [1n, units / 2n]), max_trade: limit(9, [units, units * 4n, 1_000_000_000n]) },
    payment_methods: ["builtin:bank-transfer" as PaymentMethodId],
  });
}

function reviews(turn: Turn): GossipEvent {
  const { attacker, about, by, timestamp } = turn;
  const payload = {
    ...{ settlement: about.settlement, author: by.peer, author_public_key: by.publicKey },
    ...{ rating: decided(turn, 8, [1, 3, 5]), comment: decided(turn, 9, ["well", "not well"]), created_at: timestamp },
  };
  const options = { origin: attacker.wallet, at: attacker.now() };
  return eventAround(attacker.world.crypto, ReviewPublish as unknown as Signable, payload as never, by, options);
}
