/**
 * What reviews read: those whose author is a party of a settled trade, which is looked up each time and never stored.
 * Source: protocol 02 H; 04 §2.12; CONVERGENCE "Joins".
 */

import { childrenOfType, Statements } from "../../engine/statements/table.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis, Identity, PeerId } from "../../kernel/values.ts";
import type { SettlementRow } from "../trade/settlements/schema.ts";
import type { Unfolded } from "../trade/settlements/views.ts";
import { settlementsOfParty } from "../trade/settlements/views.ts";
import { isComment } from "./bounds.ts";
import type { PublicReview, Review } from "./schema.ts";
import { ReviewPublish } from "./schema.ts";

const DAY_MS = 86_400_000n;

export interface ShownReview {
  readonly statement: Statement<ReviewPublish>;
  readonly about: PeerId;
}

/** Reviews about a wallet, newest first, without their authors; `beside` are settlements shown without a fold. */
export function reviewsAbout(
  reader: Reader,
  wallet: PeerId,
  beside: readonly Unfolded[] = [],
): readonly PublicReview[] {
  return reviewsOf(reader, wallet, beside)
    .filter(({ about }) => about === wallet)
    .map(({ statement: { payload }, about }) => ({
      about,
      rating: payload.rating,
      comment: payload.comment,
      created_on: (payload.created_at - (payload.created_at % DAY_MS)) as EpochMillis,
    }));
}

/** Reviews by or about a wallet in full, newest first. */
export function reviewsOfParty(reader: Reader, wallet: PeerId, beside: readonly Unfolded[] = []): readonly Review[] {
  return reviewsOf(reader, wallet, beside).map(({ statement: { payload }, about }) => ({
    id: reviewId(payload),
    settlement: payload.settlement,
    author: payload.author,
    about,
    rating: payload.rating,
    comment: payload.comment,
    created_at: payload.created_at,
  }));
}

/** The id under which the reference keeps a review: it names a party. Source: protocol 02 H. */
export function reviewId({ settlement, author }: ReviewPublish): string {
  return `${settlement}:${author}`;
}

/** Whether a trade is one that its parties may speak of. Source: protocol 02 H row 2. */
export function isSettled({ state }: SettlementRow): boolean {
  return state === "Approved" || state === "Completed";
}

/** Once each, though a contested id may let one review reach two settlements of the same people. */
function reviewsOf(reader: Reader, wallet: PeerId, beside: readonly Unfolded[]): readonly ShownReview[] {
  const shown = new Map<string, ShownReview>();
  for (const { identity, row } of settlementsOfParty(reader, wallet)) {
    for (const review of reviewsOfSettlement(reader, identity, row)) {
      shown.set(`${review.statement.identity}:${review.about}`, review);
    }
  }
  for (const { row, about } of beside) {
    if (row.buyer !== wallet && row.seller !== wallet) continue;
    for (const review of reviewsBetween(row, about)) shown.set(`${review.statement.identity}:${review.about}`, review);
  }
  return [...shown.values()].sort(compareShown);
}

/** What each party of a settled trade says of the other; nobody reviews himself. */
export function reviewsOfSettlement(reader: Reader, identity: Identity, row: SettlementRow): readonly ShownReview[] {
  const initiate = isSettled(row) ? reader.get(Statements, identity) : undefined;
  return initiate === undefined ? [] : reviewsBetween(row, childrenOfType(reader, initiate, ReviewPublish));
}

/** The reviews among what was signed about a settlement. */
function reviewsBetween(row: SettlementRow, about: readonly Statement[]): readonly ShownReview[] {
  const published = about.filter((each): each is Statement<ReviewPublish> => each.type.name === ReviewPublish.name);
  if (published.length === 0 || row.buyer === row.seller || !isSettled(row)) return [];
  return [
    { author: row.buyer, about: row.seller },
    { author: row.seller, about: row.buyer },
  ].flatMap(({ author, about }) => {
    const statement = newestReview(published, author);
    return statement === undefined ? [] : [{ statement, about }];
  });
}

/** The newest of an author's reviews of one settlement, which he may name by its id and by its identity. */
function newestReview(
  published: readonly Statement<ReviewPublish>[],
  author: PeerId,
): Statement<ReviewPublish> | undefined {
  return published
    .filter(({ signer, payload }) => signer === author && isComment(payload.comment))
    .sort(compareStatements)
    .at(-1);
}

function compareShown(a: ShownReview, b: ShownReview): number {
  const [left, right] = [a.statement, b.statement];
  if (left.timestamp !== right.timestamp) return left.timestamp > right.timestamp ? -1 : 1;
  return compareText(reviewId(left.payload), reviewId(right.payload)) || (left.identity < right.identity ? -1 : 1);
}
