/**
 * Limits of the chain bridge: transactions, accounts, what is watched, asked again and believed.
 */

import { inquire } from "../../../core/domains/chain-bridge/asking.ts";
import { handleChainEvent } from "../../../core/domains/chain-bridge/gossip.ts";
import { BlockhashAnnounced, CHAIN_EVENT } from "../../../core/domains/chain-bridge/gossip-events.ts";
import { FarReports, newestSlot } from "../../../core/domains/chain-bridge/newest-slot.ts";
import { submitOnce } from "../../../core/domains/chain-bridge/submissions.ts";
import type { Inquiry } from "../../../core/domains/chain-bridge/tables.ts";
import { Inquiries, Looks, PendingFacts, Watches } from "../../../core/domains/chain-bridge/tables.ts";
import { ANNOUNCED, SlotObservations } from "../../../core/domains/chain-bridge/view.ts";
import { watchHinted, watchNewSettlements } from "../../../core/domains/chain-bridge/watches.ts";
import { SettlementInitiate } from "../../../core/domains/trade/settlements/schema.ts";
import { ChainFacts, Settlements } from "../../../core/domains/trade/settlements/tables.ts";
import { devnetNetwork } from "../../../core/index.ts";
import type { ChainObservation } from "../../../core/inputs.ts";
import { known } from "../../../core/kernel/assert.ts";
import { encodeCompact } from "../../../core/kernel/schema.ts";
import { toBase58, toBase64 } from "../../../core/kernel/text.ts";
import type { EpochMillis } from "../../../core/kernel/values.ts";
import type { GossipEvent } from "../../../core/network/gossip/envelope.ts";
import { decodeAccount, disputeCase, encodeAccount, feeConfig } from "../../../core/solana/accounts.ts";
import { parseAddress } from "../../../core/solana/address-text.ts";
import { simulatedProfile } from "../../../core/solana/addresses.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";
import { accounts, at as addresses, execution } from "../../chain-bridge/case-node.ts";
import { BLOCKHASH } from "../../oracles/market.ts";
import { crypto, person, signedData } from "../../rpc/lone-node.ts";
import { buyer, initiate, T, tradeSends } from "../../rpc/node-with-settlement.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, least, most, TAKEN_OR_LEFT } from "../limit.ts";
import { settling } from "../situations.ts";

const profile = { ...devnetNetwork, escrowProgram: simulatedProfile.escrowProgram };
const CHAIN = { chain: "RpcConnected", profile } as const;
const SLOT = 412_000_000n;
const chained = () => crowdedNode(T, CHAIN);
const payer = person(0x66);
const keypair = { publicKey: crypto.publicKey(payer.secret), secretKey: payer.secret };

/** A transaction of so many bytes, one instruction whose data fills it. */
function sent(bytes: number): string {
  const of = (length: number) => {
    const program = addresses.profile.escrowProgram;
    const instructions = [{ program, accounts: [], data: new Uint8Array(length) }];
    return signTransaction({ payer: payer.key, instructions, blockhash: BLOCKHASH }, [keypair], crypto);
  };
  const wire = of(500 + bytes - of(500).length);
  return wire.length === bytes ? crowdedNode(T).call("sendTransaction", { data: toBase64(wire) }) : "another size";
}

/** An address of so many digits, or what only looks like one. */
function addressOf(digits: number): string {
  // 32 bytes of 255 take 44 digits, the most there are; of a small first byte, 43.
  const bytes = new Uint8Array(32).fill(255);
  if (digits < 44) bytes[0] = 3;
  const text = toBase58(bytes).padStart(digits, "2");
  return text.length === digits && parseAddress(text) !== undefined ? "read" : "refused";
}

const lists = {
  arbitrators: payer.key,
  commitments: new Uint8Array(32),
  revealed_outcomes: null,
  weights: 1n,
  reward_claimed: false,
  barred: payer.key,
} as const;

/** The account of a case that lists so many of something. */
function caseWith(list: keyof typeof lists, n: number): string {
  const bytes = known(accounts()[1]?.account ?? undefined, "a case").data;
  const read = decodeAccount(disputeCase, simulatedProfile, { owner: simulatedProfile.escrowProgram, data: bytes });
  if (!read.ok) return read.error;
  const data = encodeAccount(disputeCase, { ...read.value, [list]: Array(n).fill(lists[list]) });
  const again = decodeAccount(disputeCase, simulatedProfile, { owner: simulatedProfile.escrowProgram, data });
  return again.ok ? "read" : "refused";
}

/** Mints of a fee configuration that lists so many: it has so many places, and no others are read. */
function mintsOf(n: number): number {
  const size = feeConfig.fields.bytesMin;
  const one = feeConfig.fields.write({
    ...{ admin: payer.key, ad_listing_fee: 0n, dispute_filing_fee: 0n, settlement_fee_bps: 0, timeout_secs: 0n },
    ...{ treasuries: Array(4).fill(payer.key), share_bps: [0, 0, 0, 0], bump: 0, min_arbitrator_stake_age_secs: 0n },
    ...{ arbitrator_sortition_bps: 0, settlement_mints: Array(n).fill(payer.key), settlement_mint_count: n },
  });
  return n - Math.max(0, (one.length - size) / 32);
}

const inquiry = (change: Partial<Inquiry>): Inquiry => ({
  ...{ slot: 0n, valid_until: null, attempts: 1, again_at: T },
  ...change,
});

/** Whether a transaction that was asked about often is asked about again so long afterwards. */
function askedAfter(ms: number, attempts: number): string {
  const node = chained();
  node.withContext((context) => inquire(context, "signature", inquiry({ attempts })));
  node.now = (T + BigInt(ms)) as EpochMillis;
  const effects = node.does({ type: "timer.fired", timer: "chain-retry" });
  return effects.some(({ type }) => type === "chain.check") ? "asked" : "not yet";
}

const observe = (node: CrowdedNode, observation: ChainObservation) =>
  node.does({ type: "chain.observed", observation });

/** A node that saw an escrow of nobody's trade decided, and read its accounts so many times. */
function readOften(times: number): string {
  const node = chained();
  const escrow = addresses.tradeEscrow(42n).address;
  node.put(Watches, escrow, { reservation: 42n, pairs: [], ends_at: T });
  observe(node, execution());
  const id = known([...node.store.keys(PendingFacts)][0], "a pending fact");
  const held = known(node.store.get(PendingFacts, id), "a pending fact");
  node.put(PendingFacts, id, { ...held, attempts: times });
  for (const account of accounts()) observe(node, account);
  const looked = [...node.store.keys(Looks)].length > 0;
  return [...node.store.keys(ChainFacts)].length > 0 ? "believed" : looked ? "looked at" : "doubted";
}

/** Whether an escrow that nobody explains is believed to be closed after so many readings. */
function lookedAt(times: number): string {
  const node = settling(CHAIN);
  const [escrow = ""] = node.store.keys(Watches);
  const row = known(node.store.get(Settlements, [...node.store.keys(Settlements)][0] ?? ""), "a settlement");
  const reservation = known(node.store.get(Watches, escrow), "a watch").reservation;
  const parties = { buyer: row.buyer_public_key, seller: row.seller_public_key, amount: row.amount.base_units };
  for (let slot = 0n; slot < BigInt(times); slot++)
    for (const account of accounts({ reservation, ...parties, slot: SLOT + slot })) observe(node, account);
  return [...node.store.keys(ChainFacts)].length > 0 ? "believed" : "doubted";
}

function sightedAs(n: number): string {
  const node = chained();
  node.put(Watches, addresses.tradeEscrow(42n).address, { reservation: 42n, pairs: [], ends_at: T });
  node.holdsUnder(PendingFacts, "reservation", "42", n - 1);
  observe(node, execution());
  return [...node.store.keys(PendingFacts)].length > 0 ? "taken" : "left";
}

/** An announcement of a slot by one of many origins. */
function announcement(by: number, slot: bigint, observed_at = T, sentAt = T): GossipEvent {
  const payload = encodeCompact(BlockhashAnnounced, { blockhash: BLOCKHASH, slot, observed_at });
  return {
    ...{ id: new Uint8Array(32), event_type: "BlockhashAnnounced", ofs_spec: CHAIN_EVENT.ofs_spec, version: 1 },
    ...{ origin: person(0x60 + by).peer, timestamp: sentAt, ttl: 1, priority: "BackgroundSync", payload },
    signature: "" as never,
  };
}

const announce = (node: CrowdedNode, event: GossipEvent) =>
  node.withContext((context) => handleChainEvent(context, event));
const skewed = (ms: number) => (T + BigInt(ms)) as EpochMillis;
const near = (observed: EpochMillis, sentAt: EpochMillis) =>
  announce(crowdedNode(T), announcement(1, SLOT, observed, sentAt)) === "left" ? "left" : "taken";

/** Whether so many origins are believed that the chain is far beyond the slot that is held. */
function farBeyond(origins: number): string {
  const node = crowdedNode(T);
  announce(node, announcement(0, SLOT));
  for (let by = 1; by <= origins; by++) announce(node, announcement(by, SLOT + 1_000_000n));
  return newestSlot(node.store)?.slot === SLOT ? "not believed" : "believed";
}

/** Whether so many origins are believed that the chain is far behind it. */
function farBehind(origins: number): string {
  const node = crowdedNode(T);
  announce(node, announcement(0, SLOT));
  for (let by = 1; by <= origins; by++) announce(node, announcement(by, SLOT - 1_000_000n));
  return newestSlot(node.store)?.slot === SLOT ? "not believed" : "believed";
}

/** Who attests the slot that is held after so many origins spoke twice. */
function attestedBy(origins: number): string {
  const node = crowdedNode(T);
  for (let count = 0; count < 2 * origins; count++) announce(node, announcement(count % origins, SLOT + BigInt(count)));
  return newestSlot(node.store)?.by ?? "nobody";
}

/** Whether a slot of one more origin is heard; one far beyond what is held waits among others first. */
function announcedAs(n: number, where: "near" | "far"): string {
  const node = crowdedNode(T);
  announce(node, announcement(0, SLOT));
  if (where === "near") node.holds(SlotObservations, n - 1);
  else node.holds(FarReports, n - 1);
  const outcome = announce(node, announcement(1, where === "near" ? SLOT : SLOT + 1_000_000n));
  return outcome === "left" ? "left" : "taken";
}

/** How many of so many origins of one blockhash are passed on. */
function passedOn(origins: number): number {
  const node = crowdedNode(T);
  const outcomes = Array.from({ length: origins }, (_, by) => announce(node, { ...announcement(by, SLOT), ttl: 8 }));
  return outcomes.filter((outcome) => outcome === "passed on").length;
}

/** Whether a slot so much further is announced. */
function announcedAfter(slots: number): string {
  const node = chained();
  observe(node, { type: "slot", slot: SLOT, blockhash: BLOCKHASH });
  node.now = skewed(20_000);
  observe(node, { type: "slot", slot: SLOT + BigInt(slots), blockhash: BLOCKHASH });
  return node.store.get(SlotObservations, ANNOUNCED)?.slot === SLOT ? "not announced" : "announced";
}

function submittedAs(n: number): string {
  const node = chained();
  node.holds(Inquiries, n - 1);
  node.withContext((context) => submitOnce(context, "signature", new Uint8Array(1), null));
  return [...node.store.keys(Inquiries)].length > 0 ? "taken" : "left";
}

/** Whether the escrow of a settlement that comes is watched, as the nth. */
function watchedAs(n: number): string {
  const node = crowdedNode(T + 400_000n, CHAIN);
  for (const { method, data } of tradeSends.slice(0, 2)) node.call(method, { data });
  node.holds(Watches, n - 1);
  node.call("sendSettlementInitiate", { data: signedData(SettlementInitiate, initiate, buyer) });
  return [...node.store.keys(Watches)].length > 0 ? "taken" : "left";
}

/** The same of one that a tag names. */
function hintedAs(n: number): string {
  const node = settling(CHAIN);
  for (const key of [...node.store.keys(Watches)]) node.put(Watches, key, undefined);
  node.holds(Watches, n - 1);
  node.withContext((context) => watchHinted(context, "settlement:set-1"));
  return [...node.store.keys(Watches)].length > 0 ? "taken" : "left";
}

/** Pairs that are noted of one escrow whose number so many pairs bear. */
function pairsOf(n: number): number {
  const node = settling(CHAIN);
  const row = known(node.store.get(Settlements, [...node.store.keys(Settlements)][0] ?? ""), "a settlement");
  node.withContext((context) => {
    for (let pair = 1; pair < n; pair++)
      context.draft.put(Settlements, `${pair}`, { ...row, request: `${pair}` as never });
    watchNewSettlements(context);
  });
  return node.store.get(Watches, [...node.store.keys(Watches)][0] ?? "")?.pairs.length ?? 0;
}

const DOUBTED_OR_LOOKED_AT = { within: "doubted", beyond: "looked at" };
const READ_OR_REFUSED = { within: "read", beyond: "refused" };
const BELIEVED_OR_NOT = { within: "believed", beyond: "not believed" };
const ASKED_OR_NOT = { within: "asked", beyond: "not yet" };

export const limits: readonly Limit[] = [
  most("core/solana/transaction.ts TRANSACTION_BYTES_MAX", 1_232, sent, {
    within: "ok",
    beyond: "MALFORMED_TRANSACTION",
  }),
  most("core/solana/address-text.ts DIGITS_MAX", 44, addressOf, READ_OR_REFUSED),
  ...(["arbitrators", "commitments", "revealed_outcomes", "weights", "reward_claimed"] as const).map((where) =>
    most("core/solana/accounts.ts SEATS_MAX", 7, (n) => caseWith(where, n), { where, ...READ_OR_REFUSED }),
  ),
  most("core/solana/accounts.ts BARRED_MAX", 14, (n) => caseWith("barred", n), READ_OR_REFUSED),
  cutAt("core/solana/accounts.ts SETTLEMENT_MINTS_MAX", 16, mintsOf),
  least("core/domains/chain-bridge/asking.ts ASK_AGAIN_MS_MAX", 60_000, (ms) => askedAfter(ms, 9), {
    where: "after nine times",
    ...ASKED_OR_NOT,
  }),
  least("core/domains/chain-bridge/asking.ts ASK_AGAIN_MS_MAX", 60_000, (ms) => askedAfter(ms, 4), {
    where: "after four times",
    ...ASKED_OR_NOT,
  }),
  most("core/domains/chain-bridge/chain-facts.ts RECHECKS_MAX", 3, readOften, DOUBTED_OR_LOOKED_AT),
  least("core/domains/chain-bridge/looks.ts READINGS_MIN", 2, lookedAt, { within: "believed", beyond: "doubted" }),
  most("core/domains/chain-bridge/chain-facts.ts PENDING_FACTS_PER_ESCROW_MAX", 8, sightedAs, TAKEN_OR_LEFT),
  least("core/domains/chain-bridge/newest-slot.ts AGREEING_MIN", 2, farBeyond, {
    where: "beyond what is held",
    ...BELIEVED_OR_NOT,
  }),
  least("core/domains/chain-bridge/newest-slot.ts AGREEING_MIN", 2, farBehind, {
    where: "behind what is held",
    ...BELIEVED_OR_NOT,
  }),
  least("core/domains/chain-bridge/newest-slot.ts AGREEING_MIN", 2, attestedBy, {
    where: "who attests",
    within: "several",
    beyond: "one",
  }),
  least("core/domains/chain-bridge/observe.ts ANNOUNCE_SLOTS_MIN", 20, announcedAfter, {
    within: "announced",
    beyond: "not announced",
  }),
  most("core/domains/chain-bridge/submissions.ts SUBMISSIONS_MAX", 10_000, submittedAs, TAKEN_OR_LEFT),
  most("core/domains/chain-bridge/view.ts ANNOUNCEMENT_SKEW_MS_MAX", 60_000, (ms) => near(skewed(-ms), T), {
    where: "observed earlier",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/chain-bridge/view.ts ANNOUNCEMENT_SKEW_MS_MAX", 60_000, (ms) => near(skewed(ms), T), {
    where: "observed later",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/chain-bridge/view.ts ANNOUNCEMENT_SKEW_MS_MAX", 60_000, (ms) => near(T, skewed(-ms)), {
    where: "sent earlier",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/chain-bridge/view.ts ORIGINS_MAX", 1_024, (n) => announcedAs(n, "near"), TAKEN_OR_LEFT),
  most("core/domains/chain-bridge/view.ts ORIGINS_MAX", 1_024, (n) => announcedAs(n, "far"), {
    where: "of far slots",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/chain-bridge/watches.ts WATCHES_MAX", 90_000, watchedAs, {
    where: "but for those reserved",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/chain-bridge/watches.ts WATCHES_MAX", 100_000, hintedAs, { where: "hinted at", ...TAKEN_OR_LEFT }),
  cutAt("core/domains/chain-bridge/watches.ts PAIRS_MAX", 8, pairsOf),
  cutAt("core/domains/chain-bridge/gossip.ts PASSED_ON_ORIGINS_MAX", 3, passedOn),
];
