/**
 * Which attachments a settlement shows: those of its parties, one for each author and id, as many of one author as
 * are shown. Asked when read, so that nothing stored depends on which arrived first.
 * Source: protocol 02 G.6, O.20, O.21; CONVERGENCE "Joins", "Bounds".
 */

import { contenders, contendersOf, nameOfIdentity } from "../../../engine/statements/table.ts";
import type { Reader } from "../../../kernel/table.ts";
import { compareText } from "../../../kernel/text.ts";
import type { Identity, PeerId } from "../../../kernel/values.ts";
import type { Followed } from "../../trade/settlements/queries.ts";
import type { SettlementInitiate } from "../../trade/settlements/schema.ts";
import { Settlements } from "../../trade/settlements/tables.ts";
import type { AttachmentPublish } from "./schema.ts";
import { Attachments } from "./tables.ts";

/** Attachments of one author that a settlement shows, the oldest. Source: DESIGN L10. */
export const ATTACHMENTS_PER_AUTHOR_MAX = 32;
/** Attachments of one author that name one settlement: those shown, and as many beside. Source: DESIGN L10. */
export const ATTACHMENTS_MAX = 2 * ATTACHMENTS_PER_AUTHOR_MAX;

export interface FoundAttachment {
  readonly identity: string;
  readonly attachment: AttachmentPublish;
}

/** The settlements that a name reaches: by their id, or by their initiate's identity. */
export function settlementsNamed(reader: Reader, name: string): readonly Identity[] {
  return contenders<SettlementInitiate>(reader, "settlement", name)
    .map((initiate) => initiate.identity)
    .filter((identity) => reader.get(Settlements, identity) !== undefined);
}

/** Those of them that may show what an author attached: he is a party. */
export function settlementsOf(reader: Reader, { author, subject }: AttachmentPublish): readonly Identity[] {
  return contendersOf<SettlementInitiate>(reader, { kind: "settlement", name: subject.Settlement }, [author])
    .map((initiate) => initiate.identity)
    .filter((identity) => reader.get(Settlements, identity) !== undefined);
}

/** The newest of the attachments that name a file, so many at most. */
export function attachmentsNaming(reader: Reader, root: string, most: number): readonly AttachmentPublish[] {
  return reader
    .ordered(Attachments, "naming", root)
    .slice(-most)
    .flatMap((key) => reader.get(Attachments, key) ?? []);
}

/** What a settlement shows, in order of (created_at, id). */
export function attachmentsOfSettlement(reader: Reader, settlement: Identity): readonly FoundAttachment[] {
  const row = reader.get(Settlements, settlement);
  return row === undefined ? [] : attachmentsShown(reader, { identity: settlement, row });
}

/** What a settlement shows that need not be folded, in the same order. */
export function attachmentsShown(reader: Reader, { identity, row }: Followed): readonly FoundAttachment[] {
  const parties = new Set([row.buyer, row.seller]);
  const names = [row.id, nameOfIdentity(identity)];
  return [...parties].flatMap((party) => shownOf(attachmentsOfAuthor(reader, party, ...names))).sort(compareShown);
}

/** What one author published under any of a settlement's names. */
export function attachmentsOfAuthor(
  reader: Reader,
  author: PeerId,
  ...names: readonly string[]
): readonly FoundAttachment[] {
  return names.flatMap((name) =>
    reader.find(Attachments, "shown", `${author}/${name}`).flatMap((identity) => {
      const attachment = reader.get(Attachments, identity);
      return attachment === undefined ? [] : [{ identity, attachment }];
    }),
  );
}

/** The oldest of one author, the oldest of each id. */
function shownOf(found: readonly FoundAttachment[]): readonly FoundAttachment[] {
  const byId = new Map<string, FoundAttachment>();
  for (const each of [...found].sort(compareAge)) {
    if (!byId.has(each.attachment.id)) byId.set(each.attachment.id, each);
  }
  return [...byId.values()].slice(0, ATTACHMENTS_PER_AUTHOR_MAX);
}

function compareAge(a: FoundAttachment, b: FoundAttachment): number {
  const [earlier, later] = [a.attachment.created_at, b.attachment.created_at];
  if (earlier !== later) return earlier < later ? -1 : 1;
  return a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0;
}

function compareShown(a: FoundAttachment, b: FoundAttachment): number {
  const [earlier, later] = [a.attachment.created_at, b.attachment.created_at];
  if (earlier !== later) return earlier < later ? -1 : 1;
  return compareText(a.attachment.id, b.attachment.id) || compareAge(a, b);
}
