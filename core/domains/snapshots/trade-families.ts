/**
 * Families of the trade: offers, reservations, settlements, disputes, and what their parties attach, say and send.
 * Source: protocol 05 §6.6; record layouts of protocol 02 B-J, 03 A.2.1.
 */

import { Statements } from "../../engine/statements/table.ts";
import { compareBytes, concat, u64be } from "../../kernel/bytes.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import { PeerId, Text } from "../../kernel/values.ts";
import { Attachment } from "../content/attachments/schema.ts";
import { Attachments } from "../content/attachments/tables.ts";
import { Review } from "../reviews/schema.ts";
import { reviewId, reviewsOfSettlement } from "../reviews/views.ts";
import { Advertisement } from "../trade/advertisements/schema.ts";
import { Advertisements } from "../trade/advertisements/tables.ts";
import { availableUnits, shownById, statusShown } from "../trade/advertisements/views.ts";
import { FiledDispute } from "../trade/disputes/schema.ts";
import { Disputes } from "../trade/disputes/tables.ts";
import { disputeById } from "../trade/disputes/views.ts";
import { FiledReservation } from "../trade/reservations/schema.ts";
import { Reservations } from "../trade/reservations/tables.ts";
import { reservationAt, reservationById } from "../trade/reservations/views.ts";
import type { Followed } from "../trade/settlements/queries.ts";
import { Settlement } from "../trade/settlements/schema.ts";
import { Settlements } from "../trade/settlements/tables.ts";
import { allSettlements, settlementById } from "../trade/settlements/views.ts";
import { ChannelEntry, ChannelGrant } from "../trade-channel/schema.ts";
import { entriesOf, grantsOf, settlementsNamed } from "../trade-channel/views.ts";
import { idKey, idsIn, oldestOfEach, recordFamily, severalFamily } from "./family.ts";

const advertisements = recordFamily<Advertisement>({
  name: "advertisements",
  record: Advertisement,
  keyOf: idKey,
  names: (reader) => idsIn(reader, Advertisements, ({ id }) => id),
  read(reader, id, viewer) {
    const shown = shownById(reader, id);
    if (shown === undefined) return undefined;
    const base_units = availableUnits(reader, shown, viewer);
    const { decimals } = shown.row.initial_liquidity;
    return {
      available_liquidity: { base_units, decimals },
      ...shown.row,
      status: statusShown(reader, shown, viewer),
    };
  },
});

const attachments = recordFamily({
  name: "attachments",
  record: Attachment,
  keyOf: idKey,
  names: (reader) => oldestOfEach(reader, Attachments, ({ id, created_at }) => ({ id, at: created_at })),
  read: (reader, identity) => reader.get(Attachments, identity),
});

const disputes = recordFamily({
  name: "disputes",
  // Without the member that is ours: another node reads these bytes. Source: protocol 03 A.2.1.
  record: FiledDispute,
  keyOf: idKey,
  names: (reader) => idsIn(reader, Disputes, ({ id }) => id),
  read: (reader, id) => disputeById(reader, id),
});

const reservations = recordFamily({
  name: "reservations",
  // Without the member that is ours: another node reads these bytes. Source: protocol 02 C.2.
  record: FiledReservation,
  keyOf: idKey,
  names: (reader) => idsIn(reader, Reservations, ({ request }) => idOfRequest(reader, request)),
  read(reader, id, { now }) {
    const shown = reservationById(reader, id);
    return shown && reservationAt(reader, shown, now);
  },
});

const settlements = recordFamily<Settlement>({
  name: "settlements",
  record: Settlement,
  keyOf: idKey,
  names: (reader) => idsIn(reader, Settlements, ({ id }) => id),
  read: (reader, id) => settlementById(reader, id)?.row,
});

const reviews = recordFamily<Review>({
  name: "reviews",
  record: Review,
  keyOf: idKey,
  names: (reader) => [...reviewsOf(reader, allSettlements(reader)).keys()].sort(compareText),
  read: (reader, id) => reviewsOf(reader, settlementsNamed(reader, id.slice(0, id.lastIndexOf(":")))).get(id),
});

const entries = severalFamily<ChannelEntry>({
  name: "trade_channel_entries",
  record: ChannelEntry,
  keyOf: ({ settlement_id, author, sequence }) =>
    concat(settlementKey(settlement_id), encodeCompact(PeerId, author), u64be(sequence)),
  names: settlementsByKey,
  read: (reader, id) => [...settlementOf(reader, id, entriesOf)].sort(byAuthorAndSequence),
});

const grants = severalFamily<ChannelGrant>({
  name: "trade_channel_grants",
  record: ChannelGrant,
  keyOf: ({ settlement_id, recipient, granter }) =>
    concat(settlementKey(settlement_id), encodeCompact(PeerId, recipient), encodeCompact(PeerId, granter)),
  names: settlementsByKey,
  read: (reader, id) => settlementOf(reader, id, grantsOf),
});

export const tradeFamilies = [
  advertisements,
  attachments,
  disputes,
  reservations,
  reviews,
  settlements,
  entries,
  grants,
] as const;

/** What the parties of settlements say of each other, by the id that the reference gives a review. */
function reviewsOf(reader: Reader, found: readonly Followed[]): ReadonlyMap<string, Review> {
  const reviewed = new Map<string, Review>();
  for (const { identity, row } of found) {
    for (const { statement, about } of reviewsOfSettlement(reader, identity, row)) {
      const { settlement, author, rating, comment, created_at } = statement.payload;
      const id = reviewId(statement.payload);
      if (!reviewed.has(id)) reviewed.set(id, { id, settlement, author, about, rating, comment, created_at });
    }
  }
  return reviewed;
}

function settlementOf<R>(
  reader: Reader,
  id: string,
  read: (reader: Reader, settlement: Followed) => readonly R[],
): readonly R[] {
  const shown = settlementById(reader, id);
  return shown === undefined ? [] : read(reader, shown);
}

/** Settlement ids in the order of the keys that begin with them: shorter ones first. */
function settlementsByKey(reader: Reader): readonly string[] {
  const ids = idsIn(reader, Settlements, ({ id }) => id).map((id) => ({ id, key: settlementKey(id) }));
  return ids.sort((a, b) => compareBytes(a.key, b.key)).map(({ id }) => id);
}

/** With its length, so that no key is the beginning of another's. */
function settlementKey(id: string): Uint8Array {
  return encodeCompact(Text, id);
}

function byAuthorAndSequence(a: ChannelEntry, b: ChannelEntry): number {
  const authors = compareBytes(encodeCompact(PeerId, a.author), encodeCompact(PeerId, b.author));
  return authors !== 0 ? authors : a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0;
}

function idOfRequest(reader: Reader, request: string): string | undefined {
  const statement = reader.get(Statements, request);
  return statement?.type.idOf(statement.payload as never);
}
