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
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { recordsOf } from "../kernel/table.ts";
import { hasNotificationRoom } from "../notifications/bounds.ts";
import { hasServicePlace } from "../providers/limits.ts";
import { Registration } from "../providers/schema.ts";
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

/** Whether a record still has room for a statement that is not in the set yet. */
export function hasPlace(reader: Reader, statement: Statement): boolean {
  if (!hasNotificationRoom(reader, statement)) return false;
  const { type } = statement;
  const id = type.idOf(statement.payload as never);
  if (type.creates !== undefined && id !== undefined) {
    const own = contenders(reader, type.creates, id).filter((held) => held.signer === statement.signer);
    if (own.length >= CONTENDERS_MAX) return false;
  }
  if (type.name === ProposalCreate.name && !hasBoundedTexts(statement.payload as ProposalCreate)) return false;
  if (type.name === Registration.name && !hasServicePlace(reader, statement.payload as Registration)) return false;
  if (type.name === AttachmentPublish.name) {
    const { subject } = statement.payload as Attachment;
    return attachmentsOfAuthor(reader, statement.signer, subject.Settlement).length < ATTACHMENTS_MAX;
  }
  const parent = type.about(statement.payload as never);
  if (parent === undefined) return true;
  const bySigner = `${slot(parent)}/${statement.signer}`;
  if (type.name === VoteCast.name) {
    const own = recordsOf(reader, Statements, "by", bySigner);
    return own.filter((held) => held.type.name === VoteCast.name).length < VOTES_PER_VOTER_MAX;
  }
  if (type.name === TradeChannelEntryPost.name || type.name === TradeChannelKeyGrant.name) {
    return reader.find(Statements, "by", bySigner).length < CHANNEL_STATEMENTS_MAX;
  }
  if (type.name !== ArbitratorJoin.name) return true;
  return reader.find(Statements, "about", `${slot(parent)}/${type.name}`).length < JOINERS_MAX;
}
