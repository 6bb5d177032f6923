/**
 * Limits on offers and requests, on what is attached to trades and said in their channels, and on cases about them;
 * with the bounds that records themselves bring.
 */

import { AttachmentPublish } from "../../../core/domains/content/attachments/schema.ts";
import { withChanges } from "../../../core/domains/trade/advertisements/blocks.ts";
import { AdvertisementCreate } from "../../../core/domains/trade/advertisements/schema.ts";
import {
  ArbitratorJoin,
  DisputeOpen,
  MutualSettlementAgree,
  VoteCommit,
  VoteReveal,
} from "../../../core/domains/trade/disputes/schema.ts";
import { ReservationRequest } from "../../../core/domains/trade/reservations/schema.ts";
import { spellingsOf } from "../../../core/domains/trade/settlements/reservation-numbers.ts";
import { SettlementInitiate } from "../../../core/domains/trade/settlements/schema.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../../../core/domains/trade-channel/schema.ts";
import { entriesOf, grantsOf, settlementsNamed } from "../../../core/domains/trade-channel/views.ts";
import { Statements } from "../../../core/engine/statements/table.ts";
import { sign } from "../../convergence/actors.ts";
import { signedData } from "../../rpc/lone-node.ts";
import {
  advertisement,
  at,
  attachment,
  buyer,
  initiate,
  merchant,
  request,
  T,
} from "../../rpc/node-with-settlement.ts";
import { entry, grant, sealedBytes } from "../../trade-channel/channel.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, least, most, OK_OR_PARAMETER, OK_OR_RATE } from "../limit.ts";
import { ofSize, settling } from "../situations.ts";

const usdc = (units: number) => ({ base_units: BigInt(units), decimals: 6 });

/** Advertisements on the page of so many that a caller asks for. */
function paged(limit: number): number {
  const page = crowd().read("getAdvertisements", { page: { limit } }) as { advertisements: readonly unknown[] };
  return page.advertisements.length;
}

let crowded: CrowdedNode | undefined;

/** A node that knows 102 advertisements; reads change nothing, so one serves them all. */
function crowd(): CrowdedNode {
  if (crowded !== undefined) return crowded;
  crowded = crowdedNode(T);
  for (let id = 0; id < 102; id++) crowded.gossip(AdvertisementCreate, { ...advertisement, id: `ad-${id}` }, merchant);
  return crowded;
}

/** How so many claims are kept that came at once: all of them in one block, or the last ones in another. */
function blocksOf(n: number): string {
  const claims = Array.from({ length: n }, (_, number) => ({
    ...{ identity: number.toString(16).padStart(8, "0"), timestamp: T, units: 1n, decimals: 6, acknowledged: false },
    ...{ endsAt: T, endsEarly: false, holds: "no more" as const, settlesUntil: T },
    ...{ price: { base_units: 1n, decimals: 2 }, mid: null },
  }));
  return withChanges([], claims)
    .map((block) => block.allocations.length)
    .join(" and ");
}

const attached = (change: Partial<AttachmentPublish>, node = settling()) =>
  node.send(AttachmentPublish, attachment(buyer, change), buyer);

function attaching(n: number): CrowdedNode {
  const node = settling();
  for (let id = 0; id < n; id++) node.gossip(AttachmentPublish, attachment(buyer, { id: `${id}` }), buyer);
  return node;
}

const shownOf = (node: CrowdedNode) =>
  (node.read("getSettlementAttachments", { id: "set-1" }) as readonly unknown[]).length;

function granted(bytes: number, node: CrowdedNode): string {
  const { sealed_key } = grant(merchant);
  const payload = grant(merchant, { sealed_key: { ...sealed_key, ciphertext: new Uint8Array(bytes) } });
  return node.call("sendTradeChannelKeyGrant", { data: signedData(TradeChannelKeyGrant, payload, merchant) });
}

function posted(change: Parameters<typeof entry>[1], node = settling()): string {
  return node.call("sendTradeChannelEntry", {
    data: signedData(TradeChannelEntryPost, entry(merchant, change), merchant),
  });
}

/** A node that holds so many entries of one author, put past admission: one by one they take seconds. */
function channelOf(n: number): CrowdedNode {
  const node = settling();
  for (let sequence = 0; sequence < n; sequence++) {
    const statement = sign(TradeChannelEntryPost, entry(merchant, { sequence: BigInt(sequence) }));
    node.put(Statements, statement.identity, statement);
  }
  return node;
}

/** What a channel shows of what was put there past admission. */
function shownIn<T>(statement: { readonly identity: string }, read: (node: CrowdedNode) => readonly T[]): string {
  const node = settling();
  node.put(Statements, statement.identity, statement as never);
  return read(node).length > 0 ? "shown" : "not shown";
}

const followed = ({ store }: CrowdedNode) => settlementsNamed(store, "set-1")[0] as never;
const entriesIn = (node: CrowdedNode) => entriesOf(node.store, followed(node));
const grantsIn = (node: CrowdedNode) => grantsOf(node.store, followed(node));
const sealedTo = (bytes: number) => ({ ...grant(merchant).sealed_key, ciphertext: new Uint8Array(bytes) });

/** What a method answers to so many bytes that its next check would refuse. */
function channelSize(method: "sendTradeChannelEntry" | "sendTradeChannelKeyGrant"): (bytes: number) => string {
  const nowhere = (settlement_id: string) => ({ settlement_id });
  return (bytes) => {
    const data =
      method === "sendTradeChannelEntry"
        ? signedData(
            TradeChannelEntryPost,
            ofSize(TradeChannelEntryPost, bytes, (id) => entry(buyer, nowhere(id))),
            buyer,
          )
        : signedData(
            TradeChannelKeyGrant,
            ofSize(TradeChannelKeyGrant, bytes, (id) => grant(buyer, nowhere(id))),
            buyer,
          );
    return crowdedNode(T).call(method, { data });
  };
}

const judge = { arbitrator: buyer.peer, timestamp: T };
const [commitment, secret] = [new Uint8Array(32), new Uint8Array(32)];
/** What is said of a case that is called by a text of any length. */
const ofCase = {
  sendArbitratorJoin: [
    ArbitratorJoin,
    (dispute_id: string) => ({ dispute_id, ...judge, arbitrator_public_key: buyer.key }),
  ],
  sendVoteCommit: [VoteCommit, (dispute_id: string) => ({ dispute_id, ...judge, commitment })],
  sendVoteReveal: [VoteReveal, (dispute_id: string) => ({ dispute_id, ...judge, vote: "BuyerWins", secret })],
  sendMutualSettlementAgree: [
    MutualSettlementAgree,
    (dispute_id: string) => ({ dispute_id, party: buyer.peer, timestamp: T }),
  ],
} as const;

const caseSizes: readonly Limit[] = Object.entries(ofCase).map(([method, [type, of]]) => {
  // A join is asked for its key and for ids before its case: by another key its size is all that tells.
  const [by, within] = method === "sendArbitratorJoin" ? [merchant, "INVALID_SIGNATURE"] : [buyer, "DISPUTE_NOT_FOUND"];
  const sized = (bytes: number) =>
    signedData(type as never, ofSize(type as never, bytes, of as never), by as typeof buyer);
  return most(
    "core/domains/trade/disputes/methods.ts DISPUTE_PAYLOAD_BYTES_MAX",
    16_384,
    (bytes) => crowdedNode(T).call(method, { data: sized(bytes) }),
    { where: method, within: within as string, beyond: "INVALID_PARAMETER" },
  );
});

/** An open by somebody else's key, so that its size is all that tells. */
function openOfSize(bytes: number): string {
  const named = { id: "d", settlement_id: "s", opener: buyer.peer, opener_public_key: buyer.key, timestamp: T };
  return crowdedNode(T).send(
    DisputeOpen,
    ofSize(DisputeOpen, bytes, (reason) => ({ ...named, reason })),
    merchant,
  );
}

/** A request for so much of an offer of 30 units, of which some may be taken already. */
function requested(units: number, taken = 0): string {
  const node = crowdedNode(T + 300_000n);
  node.send(AdvertisementCreate, { ...advertisement, initial_liquidity: usdc(30_000_000) }, merchant);
  if (taken > 0) node.send(ReservationRequest, { ...request, id: "1", amount: usdc(taken) }, buyer);
  return node.send(ReservationRequest, { ...request, amount: usdc(units) }, buyer);
}

/** A request within terms of 5 to 100 units. */
function requestedWithin(units: number): string {
  const node = crowdedNode(T + 300_000n);
  node.send(AdvertisementCreate, advertisement, merchant);
  return node.send(ReservationRequest, { ...request, amount: usdc(units) }, buyer);
}

/** Whether a filter by amount finds an offer of 30 units within 5 to 100. */
function found(units: number, liquidity = 30_000_000): string {
  const node = crowdedNode(T);
  node.send(AdvertisementCreate, { ...advertisement, initial_liquidity: usdc(liquidity) }, merchant);
  const page = node.read("getAdvertisements", { filter: { amount: { base_units: units, decimals: 6 } } });
  return (page as { advertisements: readonly unknown[] }).advertisements.length > 0 ? "found" : "not found";
}

/** An initiate of so much of a reservation of 20 units. */
function initiated(units: number): string {
  const node = crowdedNode(T + 400_000n);
  node.send(AdvertisementCreate, advertisement, merchant);
  node.send(ReservationRequest, request, buyer);
  return node.send(SettlementInitiate, { ...initiate, amount: usdc(units) }, buyer);
}

/** What a reservation reads so long after its request. */
function heldFor(ms: number): string {
  const node = crowdedNode(at(240_000));
  node.send(AdvertisementCreate, advertisement, merchant);
  node.send(ReservationRequest, request, buyer);
  node.now = at(240_000 + ms);
  return (node.read("getReservation", { id: request.id }) as { readonly state: string }).state;
}

const OK_OR_LIQUIDITY = { within: "ok", beyond: "INSUFFICIENT_AVAILABLE_LIQUIDITY" };
const FOUND_OR_NOT = { within: "found", beyond: "not found" };
const SHOWN_OR_NOT = { within: "shown", beyond: "not shown" };

const rules: readonly Limit[] = [
  most("rule: a request for all that is available", 30_000_000, requested, OK_OR_LIQUIDITY),
  most("rule: a request for all that is left", 10_000_000, (n) => requested(n, 20_000_000), OK_OR_LIQUIDITY),
  most("rule: a request for the most that terms allow", 100_000_000, requestedWithin, {
    within: "ok",
    beyond: "INVALID_REQUEST",
  }),
  least("rule: a request for the least that terms allow", 5_000_000, requestedWithin, {
    within: "ok",
    beyond: "INVALID_REQUEST",
  }),
  most("rule: an initiate of all that is reserved", 20_000_000, initiated, { within: "ok", beyond: "INVALID_REQUEST" }),
  most("rule: a filter by what is available", 30_000_000, found, FOUND_OR_NOT),
  most("rule: a filter by the most that terms allow", 100_000_000, (n) => found(n, 200_000_000), FOUND_OR_NOT),
  least("rule: a filter by the least that terms allow", 5_000_000, found, FOUND_OR_NOT),
  most("rule: the window of a reservation", 1_800_000, heldFor, { within: "EscrowLocked", beyond: "Expired" }),
];

export const limits: readonly Limit[] = [
  ...rules,
  ...caseSizes,
  most("core/domains/trade/disputes/methods.ts DISPUTE_PAYLOAD_BYTES_MAX", 16_384, openOfSize, {
    where: "sendDisputeOpen",
    within: "INVALID_SIGNATURE",
    beyond: "INVALID_PARAMETER",
  }),
  cutAt("core/engine/pages.ts PAGE_ROWS_MAX", 100, paged),
  most("core/domains/trade/advertisements/blocks.ts BLOCK_ALLOCATIONS_MAX", 128, blocksOf, {
    within: (n) => `${n}`,
    beyond: "128 and 1",
  }),
  most(
    "core/domains/content/attachments/schema.ts ATTACHMENT_BYTES_MAX",
    10_485_760,
    (n) => attached({ size_bytes: BigInt(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/content/attachments/schema.ts CAPTION_LENGTH_MAX",
    200,
    (n) => attached({ caption: "😀".repeat(n) }),
    {
      within: "ok",
      beyond: "DESERIALIZATION_ERROR",
    },
  ),
  most(
    "core/domains/content/attachments/queries.ts ATTACHMENTS_PER_AUTHOR_MAX",
    32,
    (n) => attached({ id: "new" }, attaching(n - 1)),
    {
      where: "over RPC",
      ...OK_OR_RATE,
    },
  ),
  cutAt("core/domains/content/attachments/queries.ts ATTACHMENTS_PER_AUTHOR_MAX", 32, (n) => shownOf(attaching(n))),
  most("core/domains/trade-channel/schema.ts ENTRY_BYTES_MAX", 4_368, (n) => posted({ payload: sealedBytes(1, n) }), {
    where: "over RPC",
    ...OK_OR_PARAMETER,
  }),
  most(
    "core/domains/trade-channel/schema.ts ENTRY_BYTES_MAX",
    4_368,
    (n) => shownIn(sign(TradeChannelEntryPost, entry(merchant, { payload: sealedBytes(1, n) })), entriesIn),
    { where: "as it is read", ...SHOWN_OR_NOT },
  ),
  most("core/domains/trade-channel/schema.ts SEALED_KEY_BYTES_MAX", 1_024, (n) => granted(n, settling()), {
    where: "over RPC",
    ...OK_OR_PARAMETER,
  }),
  most(
    "core/domains/trade-channel/schema.ts SEALED_KEY_BYTES_MAX",
    1_024,
    (n) => shownIn(sign(TradeChannelKeyGrant, grant(merchant, { sealed_key: sealedTo(n) })), grantsIn),
    { where: "as it is read", ...SHOWN_OR_NOT },
  ),
  most(
    "core/domains/trade-channel/schema.ts ENTRIES_PER_AUTHOR_MAX",
    512,
    (n) => posted({ sequence: 9_999n }, channelOf(n - 1)),
    {
      where: "over RPC",
      ...OK_OR_RATE,
    },
  ),
  cutAt("core/domains/trade-channel/schema.ts ENTRIES_PER_AUTHOR_MAX", 512, (n) => entriesIn(channelOf(n)).length),
  ...(["sendTradeChannelEntry", "sendTradeChannelKeyGrant"] as const).map((where) =>
    most("core/domains/trade-channel/schema.ts CHANNEL_PAYLOAD_BYTES_MAX", 16_384, channelSize(where), {
      where,
      within: "SETTLEMENT_NOT_FOUND",
      beyond: "INVALID_PARAMETER",
    }),
  ),
  most(
    "core/domains/trade/settlements/reservation-numbers.ts DIGITS_MAX",
    20,
    (n) => String(spellingsOf("1").includes("1".padStart(n, "0"))),
    {
      within: "true",
      beyond: "false",
    },
  ),
];
