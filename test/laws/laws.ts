/**
 * Laws as checks over one disputed trade through the real ingress. Each answers the law it found broken, or nothing;
 * `core` may be a copy with a planted bug.
 */

import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { commitmentOf } from "../../core/domains/trade/disputes/rules.ts";
import { ArbitratorJoin, DisputeOpen, VoteCommit, VoteReveal } from "../../core/domains/trade/disputes/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { PaymentSubmitted, SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import type * as CoreIndex from "../../core/index.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { fromBase58, toBase64 } from "../../core/kernel/text.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, person, signedData } from "../rpc/lone-node.ts";

type Core = Pick<typeof CoreIndex, "createDriver" | "devnetNetwork">;

const T = 1_786_000_000_000n as EpochMillis;
const [merchant, buyer] = [person(0x11), person(0x22)];
const arbitrators = [person(0x41), person(0x42), person(0x43)];
const usdc = (base_units: bigint) => ({ base_units, decimals: 6 });

/** L3: three reveals are evidence; without an executed transaction there is no resolution, and no such status. */
export function brokenL3(core?: Core): string | undefined {
  const node = disputedTrade(core);
  const { status, resolution, revealed_votes } = node.call("getDispute", { id: "d-1" }) as Record<string, unknown>;
  if (JSON.stringify(revealed_votes) !== '["BuyerWins","BuyerWins","BuyerWins"]')
    return "the reveals are not all there";
  if (resolution !== null) return "L3: a resolution appeared that no observed transaction executed";
  return status === "AwaitingChainExecution"
    ? undefined
    : `L3: the status ${status} appeared, and nothing was executed`;
}

/** L4: no public read names a requester, buyer, seller, opener or arbitrator in any spelling, and no refusal tells. */
export function brokenL4(core?: Core): string | undefined {
  const node = disputedTrade(core);
  const one = [
    ["getReservation", "4711001"],
    ["getSettlement", "set-1"],
    ["getTrade", "4711001"],
    ["getDispute", "d-1"],
  ] as const;
  const answers = [
    ...one.map(([method, id]) => node.call(method, { id })),
    ...["getReservations", "getSettlements", "getTrades", "getDisputes", "getPeers"].map((method) => node.call(method)),
    ...node.published,
  ];
  const text = JSON.stringify(answers);
  const named = [merchant, buyer, ...arbitrators].find((party) =>
    spellings(party).some((spelling) => text.includes(spelling)),
  );
  if (named !== undefined) return `L4: a public read names ${named.peer}`;
  const told = [buyer, merchant, person(0x66)].map((each) => forgedPayment(node, each));
  return new Set(told).size === 1 ? undefined : `L4: what others did not sign is answered by who they are: ${told}`;
}

/** What a stranger is answered who says in another's name that he paid. */
function forgedPayment(node: LoneNode, { peer }: Person): unknown {
  const payment = { settlement_id: "set-1", buyer: peer, payment_reference: null, timestamp: node.now as EpochMillis };
  return node.call("sendPaymentSubmitted", { data: signedData(PaymentSubmitted, payment, person(0x77)) });
}

/** L1: what a node answers is a function of its inputs, whatever the wall clock says. */
export function brokenL1(core: Core | undefined, atWallTime: <T>(ms: number, run: () => T) => T): string | undefined {
  const reads = ["getReservations", "getSettlements", "getTrades", "getAdvertisements", "getDisputes"];
  // Two nodes that were told the same: one alone would give the answer that it kept.
  const answeredAt = (ms: number) => {
    const node = atWallTime(0, () => disputedTrade(core));
    node.now = T + 240_000n + 3_600_000n;
    return atWallTime(ms, () => JSON.stringify([reads.map((method) => node.call(method)), node.roots()]));
  };
  const [early, late] = [0, 4_000_000_000_000].map(answeredAt);
  return early === late ? undefined : "L1: the same inputs gave different answers at another wall time";
}

/** A node that holds one paid and disputed trade `set-1`, dispute `d-1`, with three arbitrators who revealed. */
export function disputedTrade(core?: Core, bootSeed?: Uint8Array<ArrayBuffer>): LoneNode {
  const node = loneNode(T + 240_000n, core, undefined, {}, bootSeed);
  const send = (method: string, data: string) => {
    const answer = node.call(method, { data });
    if (typeof answer === "number") throw new Error(`${method} was refused with ${answer}`);
  };
  let tick = 240_000n;
  const next = () => (T + ++tick) as EpochMillis;
  send("sendAdvertisementCreate", signedData(AdvertisementCreate, advertisement, merchant));
  for (const id of ["4711001", "4711002"])
    send("sendReservationRequest", signedData(ReservationRequest, requestOf(id, next()), buyer));
  send("sendSettlementInitiate", signedData(SettlementInitiate, initiateOf(next()), buyer));
  const payment = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: "ref", timestamp: next() };
  send("sendPaymentSubmitted", signedData(PaymentSubmitted, payment, buyer));
  const open = {
    id: "d-1",
    settlement_id: "set-1",
    opener: buyer.peer,
    opener_public_key: buyer.key,
    reason: "late",
    timestamp: next(),
  };
  send("sendDisputeOpen", signedData(DisputeOpen, open, buyer));
  const secret = new Uint8Array(32).fill(7);
  const commitment = commitmentOf((bytes) => crypto.sha256(bytes), "BuyerWins", secret);
  for (const by of arbitrators) {
    const named = { dispute_id: "d-1", arbitrator: by.peer };
    send(
      "sendArbitratorJoin",
      signedData(ArbitratorJoin, { ...named, arbitrator_public_key: by.key, timestamp: next() }, by),
    );
    send("sendVoteCommit", signedData(VoteCommit, { ...named, commitment, timestamp: next() }, by));
    send("sendVoteReveal", signedData(VoteReveal, { ...named, vote: "BuyerWins", secret, timestamp: next() }, by));
  }
  return node;
}

/** Base58 and base64 of key and peer id, hexadecimal and integers of the key. */
function spellings(party: Person): readonly string[] {
  const [key, peer] = [party.key, party.peer].map((text) => fromBase58(text) ?? new Uint8Array(0)) as [
    Uint8Array,
    Uint8Array,
  ];
  return [party.key, party.peer, toBase64(key), toBase64(peer), toHex(key), key.join(",")];
}

const advertisement = {
  id: "ad-1",
  merchant: merchant.peer,
  merchant_public_key: merchant.key,
  asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
  direction: "Sell" as const,
  fiat_currency: "KES" as FiatCurrency,
  min_trade: usdc(5_000_000n),
  max_trade: usdc(100_000_000n),
  initial_liquidity: usdc(250_000_000n),
  pricing: { Fixed: { price: { base_units: 13_000n, decimals: 2 } } },
  payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
  timestamp: T,
};

function requestOf(id: string, timestamp: EpochMillis) {
  return {
    id,
    advertisement_id: "ad-1",
    requester: buyer.peer,
    requester_public_key: buyer.key,
    amount: usdc(20_000_000n),
    agreed_price: { base_units: 13_000n, decimals: 2 },
    agreed_mid: null,
    timestamp,
  };
}

function initiateOf(timestamp: EpochMillis) {
  return {
    id: "set-1",
    reservation_id: "4711001",
    buyer: buyer.peer,
    buyer_public_key: buyer.key,
    seller: merchant.peer,
    seller_public_key: merchant.key,
    amount: usdc(20_000_000n),
    timestamp,
  };
}
