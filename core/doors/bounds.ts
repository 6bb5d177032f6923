/**
 * Bounds on what one record may gather: local refusals of a door, never of the fold; what is refused is not
 * in the set and may come again. Contenders count per signer, so that no stranger uses up another's room.
 * Source: CONVERGENCE "Bounds" (ours).
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
import { hasReviewRoom } from "../reviews/bounds.ts";

import { contenders, Statements, slot } from "../statements/table.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../trade-channel/schema.ts";

/** Records of one id that one signer may create. Source: CONVERGENCE "Bounds" (ours). */
export const CONTENDERS_MAX = 8;
/** Joiners of one case. Source: CONVERGENCE "Bounds" (ours). */
export const JOINERS_MAX = 64;
/** Statements of one signer in one trade channel. Source: ours (L10). */
export const CHANNEL_STATEMENTS_MAX = 1_024;
/** Attachments of one author that name one settlement: those shown, and as many beside. Source: ours (L10). */
export const ATTACHMENTS_MAX = 2 * ATTACHMENTS_PER_AUTHOR_MAX;

/** Votes of one voter about one proposal: the smallest whose stake shows counts. Source: ours (L10). */
export const VOTES_PER_VOTER_MAX = 8;

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

/** Whether a record still has room for a statement that is not in the set yet. */
export function hasPlace(reader: Reader, statement: Statement): boolean {
  return (
    hasContenderRoom(reader, statement) &&
    hasNotificationRoom(reader, statement) &&
    hasClaimRoom(reader, statement) &&
    hasReviewRoom(reader, statement) &&
    (rooms[statement.type.name]?.(reader, statement) ?? true)
  );
}

function hasContenderRoom(reader: Reader, { type, signer, payload }: Statement): boolean {
  const id = type.idOf(payload as never);
  if (type.creates === undefined || id === undefined) return true;
  return contenders(reader, type.creates, id).filter((held) => held.signer === signer).length < CONTENDERS_MAX;
}

/** What a statement's signer has said about the record that it names. */
function ownAbout(reader: Reader, { type, signer, payload }: Statement): readonly string[] {
  const parent = type.about(payload as never);
  return parent === undefined ? [] : reader.find(Statements, "by", `${slot(parent)}/${signer}`);
}

/** How many statements of its type speak about the record that a statement names. */
function countAbout(reader: Reader, { type, payload }: Statement): number {
  const parent = type.about(payload as never);
  return parent === undefined ? 0 : reader.find(Statements, "about", `${slot(parent)}/${type.name}`).length;
}
