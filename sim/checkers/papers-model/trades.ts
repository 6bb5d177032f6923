/**
 * What trades come to, written from the tables of the paper and not from the code: settlements by precedence, one fact
 * to one settlement, reservations by what they follow, disputes by their counts. Every function looks at everything;
 * nothing is remembered. Source: CONVERGENCE "Precedence tables", "Chain facts".
 */

import { sha256 } from "../../runtime.ts";
import type { Fact, Held, Signed } from "./held.ts";
import { about, inOrder } from "./held.ts";
import { isOnOffer, offersIn } from "./settings.ts";

/** A request in an advertisement in which it is valid. */
export interface Pair {
  readonly offer: Signed;
  readonly request: Signed;
}

/** A settlement as the tables have it. */
export interface ModelSettlement {
  readonly initiate: Signed;
  readonly pair: Pair;
  readonly state: string;
  /** The state that statements alone give. */
  readonly signed: string;
  readonly everPaid: boolean;
  readonly approved: boolean;
  readonly rejected: boolean;
  readonly rejectSigned: boolean;
  readonly cancelledByBuyer: boolean;
  readonly cancelledBySeller: boolean;
  readonly decided: Fact | undefined;
  readonly released: boolean;
  /** The release, where there is one. */
  readonly fact: Fact | undefined;
  readonly opens: readonly Signed[];
  /** The payment that counts, and the word of the seller that does. */
  readonly payment: Signed | undefined;
  readonly response: Signed | undefined;
}

const PANEL = 3;
/** How long a settlement lives from its initiate, and from each dispute on it. Source: CONVERGENCE B6. */
const LIFE_MS = 30n * 86_400_000n;
const VOTES: readonly unknown[] = ["BuyerWins", "MerchantWins", "Invalid"];

type Payload = Readonly<Record<string, unknown>>;
const units = (payload: Payload, member: string) =>
  payload[member] as { readonly base_units: bigint; readonly decimals: number };

/** Every request in every advertisement in which it is valid. */
export function pairsIn(held: Held): readonly Pair[] {
  return offersIn(held).flatMap((offer) =>
    about(held, offer, "ReservationRequest", "advertisement_id")
      .filter((request) => !request.isVoid && isOnOffer(held, offer, request))
      .map((request) => ({ offer, request })),
  );
}

/** Every settlement that belongs to a pair, with the fact that binds to it. */
export function settlementsIn(held: Held, pairs: readonly Pair[]): readonly ModelSettlement[] {
  const fitting = new Map<Signed, Pair[]>();
  for (const pair of pairs) {
    for (const initiate of about(held, pair.request, "SettlementInitiate", "reservation_id")) {
      if (initiate.isVoid || !fits(pair, initiate)) continue;
      const found = fitting.get(initiate);
      if (found === undefined) fitting.set(initiate, [pair]);
      else found.push(pair);
    }
  }
  const begun = [...fitting].map(([initiate, found]) => {
    const inOrderOfPairs = found.sort(comparePairs);
    return { initiate, pairs: inOrderOfPairs, signed: signedIn(held, initiate, inOrderOfPairs[0] as Pair) };
  });
  const facts = new Map<Signed, Fact[]>();
  for (const fact of held.facts) {
    const [bound] = begun
      .filter((one) => isAbout(fact, one.initiate, one.pairs))
      .sort((a, b) => {
        const [left, right] = [a.pairs[0] as Pair, b.pairs[0] as Pair];
        return inOrder(left.request, right.request) || compareFollowed(a.signed, b.signed);
      });
    if (bound !== undefined) facts.set(bound.initiate, [...(facts.get(bound.initiate) ?? []), fact]);
  }
  return begun.map(({ initiate, signed }) => withFacts(signed, facts.get(initiate) ?? []));
}

/** Approved, disputed, paid, not cancelled, not rejected, oldest: what a reservation follows first. */
export function compareFollowed(a: ModelSettlement, b: ModelSettlement): number {
  const rank = (one: ModelSettlement) =>
    [
      one.approved,
      one.signed === "Disputed",
      one.signed === "PaymentSubmitted",
      !one.cancelledByBuyer && !one.cancelledBySeller,
      !one.rejectSigned,
    ].map((holds) => (holds ? "0" : "1"));
  const [left, right] = [rank(a).join(""), rank(b).join("")];
  if (left !== right) return left < right ? -1 : 1;
  return inOrder(a.initiate, b.initiate);
}

/** What a dispute comes to: its status, and the counts that its status derives from. */
export interface ModelDispute {
  readonly open: Signed;
  readonly settlement: ModelSettlement;
  readonly status: string;
  /** Who sits, in order of their joins. */
  readonly joined: readonly string[];
  readonly committed: number;
  readonly revealed: readonly string[];
  /** Whether the buyer agrees to settle, and the seller. */
  readonly agreed: readonly boolean[];
}

/** A dispute for each open of a party in each settlement that it names. */
export function disputesIn(held: Held, settlements: readonly ModelSettlement[]): readonly ModelDispute[] {
  return settlements.flatMap((settlement) => settlement.opens.map((open) => disputeOf(held, settlement, open)));
}

function disputeOf(held: Held, settlement: ModelSettlement, open: Signed): ModelDispute {
  const { buyer, seller } = settlement.initiate.payload;
  const parties = [buyer, seller];
  const of = (type: string) => about(held, open, type, "dispute_id");
  const seats = [...new Set(of("ArbitratorJoin").map(({ by }) => by))].filter((by) => !parties.includes(by));
  const commits = of("VoteCommit").filter(({ by }) => seats.includes(by));
  const reveals = of("VoteReveal").filter(({ by }) => seats.includes(by));
  const counted = seats.flatMap((seat) => {
    const own = commits.filter(({ by }) => by === seat);
    const opening = reveals.find((reveal) => reveal.by === seat && own.some((commit) => opensCommit(reveal, commit)));
    return opening === undefined ? [] : [opening];
  });
  const committed = seats.filter((seat) => commits.some(({ by }) => by === seat)).length;
  const agreed = parties.map((party) => of("MutualSettlementAgree").some(({ by }) => by === party));
  const revealed = counted.sort(inOrder).map(({ payload }) => String(payload.vote));
  const status =
    settlement.decided !== undefined
      ? "Resolved"
      : agreed.every(Boolean) || counted.length >= PANEL
        ? "AwaitingChainExecution"
        : committed >= PANEL
          ? "RevealPhase"
          : seats.length >= PANEL
            ? "CaseLocked"
            : "Open";
  return { open, settlement, status, joined: seats, committed, revealed, agreed };
}

/** SHA-256 over the vote's place and the secret. Source: protocol 03 A.4.4. */
function opensCommit(reveal: Signed, commit: Signed): boolean {
  const vote = VOTES.indexOf(reveal.payload.vote);
  const secret = reveal.payload.secret as Uint8Array;
  const commitment = sha256(Uint8Array.of(vote, ...secret));
  return Buffer.compare(commitment, commit.payload.commitment as Uint8Array) === 0;
}

/** Whether an initiate names a pair's parties, and no more than was asked for. */
function fits({ offer, request }: Pair, initiate: Signed): boolean {
  const { buyer, seller } = initiate.payload;
  const sells = offer.payload.direction === "Sell";
  const [selling, buying] = sells ? [offer.by, request.by] : [request.by, offer.by];
  const [asked, reserved] = [units(initiate.payload, "amount"), units(request.payload, "amount")];
  if (seller !== selling || buyer !== buying || asked.decimals !== reserved.decimals) return false;
  return asked.base_units > 0n && asked.base_units <= reserved.base_units;
}

function comparePairs(a: Pair, b: Pair): number {
  return inOrder(a.offer, b.offer) || inOrder(a.request, b.request);
}

/** Lines 3 to 9 of the table. */
function signedIn(held: Held, initiate: Signed, pair: Pair): ModelSettlement {
  const { buyer, seller } = initiate.payload;
  const of = (type: string, ...by: readonly unknown[]) =>
    about(held, initiate, type, "settlement_id").filter((one) => by.includes(one.by));
  const payments = of("PaymentSubmitted", buyer);
  const moves = [...payments, ...of("PaymentReversed", buyer)].sort(inOrder);
  const opens = of("DisputeOpen", buyer, seller).filter(({ isVoid }) => !isVoid);
  const everPaid = payments.length > 0;
  const [approves, rejects] = [of("SettlementApproved", seller), of("SettlementRejected", seller)];
  const approved = everPaid && approves.length > 0;
  const rejectSigned = rejects.length > 0;
  const rejected = everPaid && rejectSigned && !approved;
  const cancelledByBuyer = of("SettlementCancelled", buyer).length > 0;
  const cancelledBySeller = of("SettlementCancelled", seller).length > 0;
  const paidNow = moves.at(-1)?.type === "PaymentSubmitted";
  const counts = paidNow || approved || rejected;
  const lines: readonly (readonly [boolean, string])[] = [
    [opens.length > 0, "Disputed"],
    [approved, "Approved"],
    [rejected, "Rejected"],
    [cancelledByBuyer, "Cancelled"],
    [paidNow, "PaymentSubmitted"],
    [cancelledBySeller, "Cancelled"],
  ];
  const signed = lines.find(([holds]) => holds)?.[1] ?? "AwaitingPayment";
  return {
    initiate,
    pair,
    signed,
    state: signed,
    everPaid,
    approved,
    rejected,
    rejectSigned,
    opens,
    cancelledByBuyer,
    cancelledBySeller,
    decided: undefined,
    released: false,
    fact: undefined,
    payment: counts ? payments.at(-1) : undefined,
    response: approved ? approves[0] : rejected ? rejects[0] : undefined,
  };
}

/** When a settlement's life is over: 30 days after it began, or after its latest dispute. */
export function endOf({ initiate, opens }: Pick<ModelSettlement, "initiate" | "opens">): bigint {
  return [initiate, ...opens].reduce((end, { at }) => (at + LIFE_MS > end ? at + LIFE_MS : end), 0n);
}

/** Lines 1 and 2 of the table. */
function withFacts(settlement: ModelSettlement, facts: readonly Fact[]): ModelSettlement {
  const decided = facts.find(({ kind }) => kind === "decided");
  const fact = facts.find(({ kind }) => kind === "released");
  const released = fact !== undefined;
  const lost = decided !== undefined && ["MerchantWins", "Invalid"].includes(decided.resolution ?? "");
  if (decided !== undefined)
    return { ...settlement, decided, fact, released: released || !lost, state: lost ? "Cancelled" : "Completed" };
  return released ? { ...settlement, fact, released, state: "Completed" } : settlement;
}

function isAbout(fact: Fact, { payload }: Signed, pairs: readonly Pair[]): boolean {
  const numbered = pairs.some(({ request }) => request.payload.id === fact.reservation.toString());
  const minted = pairs.some(({ offer }) => offer.payload.asset_mint === fact.mint);
  const keyed = fact.buyer === payload.buyer_public_key && fact.seller === payload.seller_public_key;
  return numbered && minted && keyed && fact.amount === units(payload, "amount").base_units;
}
