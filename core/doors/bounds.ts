/**
 * Bounds on what one record may gather: local refusals of a door, never of the fold; what is refused is not
 * in the set and may come again. Strangers share the room of a record; its parties have their own (shares.ts).
 * Source: CONVERGENCE "Bounds".
 */

import { ATTACHMENTS_PER_AUTHOR_MAX, attachmentsOfAuthor } from "../attachments/queries.ts";
import type { AttachmentPublish as Attachment } from "../attachments/schema.ts";
import { AttachmentPublish } from "../attachments/schema.ts";
import { ArbitratorJoin } from "../disputes/schema.ts";
import { hasBoundedTexts, ProposalCreate, VoteCast } from "../governance/schema.ts";
import { hasClaimRoom } from "../identity/bounds.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { hasNotificationRoom } from "../notifications/bounds.ts";
import { hasRecordRoom } from "../oracles/bounds.ts";
import { OraclePublish } from "../oracles/schema.ts";
import { PaymentMethodDefine } from "../payment-methods/schema.ts";
import { hasRoomFor } from "../payment-methods/tables.ts";
import { hasServicePlace } from "../providers/limits.ts";
import { Registration } from "../providers/schema.ts";
import { ReservationRequest } from "../reservations/schema.ts";
import { hasReviewRoom } from "../reviews/bounds.ts";
import { contenders, registered, Statements, slot } from "../statements/table.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../trade-channel/schema.ts";
import { isParty } from "./shares.ts";

/** Records of one id that one signer may create. Source: CONVERGENCE "Bounds". */
export const CONTENDERS_MAX = 8;
/** Joiners of one case. Source: CONVERGENCE "Bounds". */
export const JOINERS_MAX = 64;
/** Statements of one signer in one trade channel. Source: DESIGN L10. */
export const CHANNEL_STATEMENTS_MAX = 1_024;
/** Attachments of one author that name one settlement: those shown, and as many beside. Source: DESIGN L10. */
export const ATTACHMENTS_MAX = 2 * ATTACHMENTS_PER_AUTHOR_MAX;

/** Votes of one voter about one proposal: the smallest whose stake shows counts. Source: DESIGN L10. */
export const VOTES_PER_VOTER_MAX = 8;

/**
 * Records of one id that strangers may create together: beyond, only one that earned it. Whoever names the id makes the
 * fold look at each of them. Source: DESIGN L10.
 */
export const CONTENDERS_IN_ALL_MAX = 16;
/** Requests about one advertisement, and of one requester among them. Source: DESIGN L10. */
export const REQUESTS_MAX = 16_384;
export const REQUESTS_PER_SIGNER_MAX = 256;
/** Statements of one type about one record that strangers sign: all are inert. Source: DESIGN L10. */
export const STRANGERS_MAX = 64;
/** Statements of one party about one record, what it says in the channel and shows aside. Source: DESIGN L10. */
export const PARTY_STATEMENTS_MAX = CHANNEL_STATEMENTS_MAX + ATTACHMENTS_MAX + 256;
/**
 * A merchant's prices, terms and statuses of one advertisement. Source: DESIGN "Bounds": one every 20 s for 2H (L10).
 */
export const EDITS_MAX = 65_536;
/** Votes about one proposal, of whoever casts them. Source: DESIGN L10. */
export const VOTES_MAX = 65_536;
/** What strangers may well say, and many of them. */
const crowdMax: Readonly<Record<string, number>> = {
  [ReservationRequest.name]: REQUESTS_MAX,
  [VoteCast.name]: VOTES_MAX,
};
/** What one signer opens, over all domains, and what he says about records of others. Source: DESIGN L10. */
export const OPENED_PER_SIGNER_MAX = 65_536;
export const SAID_PER_SIGNER_MAX = 65_536;
/** Statements in all; as many again are reserved for parties. Source: DESIGN L10. */
export const STATEMENTS_MAX = 2_000_000;

/** Room by type, where a type has bounds of its own. */
const rooms: Readonly<Record<string, (reader: Reader, statement: Statement) => boolean>> = {
  [ArbitratorJoin.name]: (reader, statement) => countAbout(reader, statement) < JOINERS_MAX,
  [AttachmentPublish.name](reader, { signer, payload }) {
    const { subject } = payload as Attachment;
    return attachmentsOfAuthor(reader, signer, subject.Settlement).length < ATTACHMENTS_MAX;
  },
  [OraclePublish.name]: (reader, { payload }) => hasRecordRoom(reader, payload as OraclePublish),
  [PaymentMethodDefine.name]: (reader, { signer }) => hasRoomFor(reader, signer),
  [ProposalCreate.name]: (_, { payload }) => hasBoundedTexts(payload as ProposalCreate),
  [Registration.name]: (reader, { payload }) => hasServicePlace(reader, payload as Registration),
  [TradeChannelEntryPost.name]: (reader, statement) => ownAbout(reader, statement).length < CHANNEL_STATEMENTS_MAX,
  [TradeChannelKeyGrant.name]: (reader, statement) => ownAbout(reader, statement).length < CHANNEL_STATEMENTS_MAX,
  [VoteCast.name](reader, statement) {
    const votes = ownAbout(reader, statement).filter((key) => reader.get(Statements, key)?.type.name === VoteCast.name);
    return votes.length < VOTES_PER_VOTER_MAX;
  },
};

/** Whether the set has room for a statement that is not in it yet. */
export function hasPlace(reader: Reader, statement: Statement): boolean {
  return (
    hasShare(reader, statement) &&
    hasNotificationRoom(reader, statement) &&
    hasClaimRoom(reader, statement) &&
    hasReviewRoom(reader, statement) &&
    (rooms[statement.type.name]?.(reader, statement) ?? true)
  );
}

/** The bounds of all domains and doors: over a signer's statements, and over the statements about one record. */
export function hasShare(reader: Reader, statement: Statement): boolean {
  const { type, signer } = statement;
  // What takes the place of an older one of its register needs no room.
  if (registered(reader, statement) !== undefined) return true;
  const parent = type.about(statement.payload as never);
  const isOfParty = parent !== undefined && isParty(reader, parent, signer);
  if (reader.size(Statements) >= STATEMENTS_MAX * (isOfParty ? 2 : 1)) return false;
  if (type.creates !== undefined && !hasContendersPlace(reader, statement, isOfParty)) return false;
  if (isOfParty) {
    const most = parent.kind === "advertisement" ? EDITS_MAX : PARTY_STATEMENTS_MAX;
    return reader.count(Statements, "by", `${slot(parent)}/${signer}`) < most;
  }
  if (type.creates !== undefined && reader.count(Statements, "signer", `opens/${signer}`) >= OPENED_PER_SIGNER_MAX)
    return false;
  if (type.creates === undefined && reader.count(Statements, "signer", `says/${signer}`) >= SAID_PER_SIGNER_MAX)
    return false;
  if (parent === undefined) return true;
  if (reader.count(Statements, "by", `${slot(parent)}/${signer}`) >= REQUESTS_PER_SIGNER_MAX) return false;
  return reader.count(Statements, "about", `${slot(parent)}/${type.name}`) < (crowdMax[type.name] ?? STRANGERS_MAX);
}

/** Contenders of one id: a few of each signer, and not many in all but for who earned it or is party to its parent. */
function hasContendersPlace(
  reader: Reader,
  { type, payload, signer, standing }: Statement,
  isOfParty: boolean,
): boolean {
  const [kind, id] = [type.creates, type.idOf(payload as never)];
  if (kind === undefined || id === undefined || standing === "earned") return true;
  const held = contenders(reader, kind, id);
  const own = held.filter((each) => each.signer === signer).length;
  return own < CONTENDERS_MAX && (isOfParty || held.length < CONTENDERS_IN_ALL_MAX);
}

/** What a statement's signer has said about the record that it names. */
function ownAbout(reader: Reader, { type, signer, payload }: Statement): readonly string[] {
  const parent = type.about(payload as never);
  return parent === undefined ? [] : reader.find(Statements, "by", `${slot(parent)}/${signer}`);
}

/** How many statements of its type speak about the record that a statement names. */
function countAbout(reader: Reader, { type, payload }: Statement): number {
  const parent = type.about(payload as never);
  return parent === undefined ? 0 : reader.count(Statements, "about", `${slot(parent)}/${type.name}`);
}
