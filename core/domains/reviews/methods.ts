/**
 * Review methods: what is said of a wallet, one's own in full, and the validation order of a publication. A settlement
 * that is not known yet lets a review wait for it; whether it is shown is asked when it is read.
 * Source: protocol 02 H; 04 §2.12.
 */

import { withinPendingLimits } from "../../engine/admission/bounds.ts";
import { isIdForm } from "../../engine/admission/ingress.ts";
import type { ValidationOrder, ValidationView } from "../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  refuseWhen,
  signedThenNamed,
} from "../../engine/admission/validation-order.ts";
import { call, mutation, signedTypes } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { allBy } from "../../engine/statements/own-statements.ts";
import { contenders, nameOfIdentity, Pending, placeBy } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { err, ok } from "../../kernel/result.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import { recordsOf } from "../../kernel/table.ts";
import { Text, walletNamed } from "../../kernel/values.ts";
import type { SettlementInitiate } from "../trade/settlements/schema.ts";
import { Settlements } from "../trade/settlements/tables.ts";
import type { Unfolded } from "../trade/settlements/views.ts";
import { unfoldedSettlements } from "../trade/settlements/views.ts";
import { proven } from "../wallet-proofs/proven.ts";
import { isComment } from "./bounds.ts";
import { PublicReview, Review, ReviewPublish } from "./schema.ts";
import { isSettled, reviewsAbout, reviewsOfParty } from "./views.ts";

/** Source: protocol 02 H. */
const publishChecks: ValidationOrder = (view, candidate) => {
  const review = candidate.payload as ReviewPublish;
  const { statement } = candidate;
  const trades = settlementsNamed(view, review);
  const own = trades.filter((row) => isSettled(row) && (row.buyer === review.author || row.seller === review.author));
  return firstOf(
    () =>
      ruleOf(view.configuration, signedThenNamed)(
        () => keyChecks(candidate, "INVALID_SIGNATURE") ?? commonChecks(view, candidate),
        () => refuseWhen(trades.length > 0 && own.length === 0, "INVALID_IDENTITY_CLAIM", "not-a-party"),
      ),
    () => refuseWhen(!ruleOf(view.configuration, isName)(review.settlement), "INVALID_PARAMETER", "id-form"),
    () => refuseWhen(!isComment(review.comment), "INVALID_PARAMETER", "out-of-bounds"),
    () => refuseWhen(own.length > 1, "INVALID_PARAMETER", "ambiguous"),
    () => refuseWhen(isNoNews(view, statement), "RESOURCE_ALREADY_EXISTS"),
    () => refuseWhen(!withinPendingLimits(view, statement), "RATE_LIMIT_EXCEEDED", "no-room"),
  );
};

export const reviewMethods = {
  getReviews: call({
    kind: "query",
    params: struct("WalletParams", { wallet: Text }),
    result: list(PublicReview),
    source: "protocol 02 H; 04 §2.12",
    doc: "What parties of settled trades say of a wallet, newest first, without themselves and the trades.",
    run(context, params) {
      const wallet = ruleOf(context.configuration, walletNamed)(params.wallet);
      if (wallet === undefined) return err({ type: "params", reason: "wallet must be a peer id in base64 or base58" });
      return ok(reviewsAbout(context.draft, wallet, unfoldedIn(context)));
    },
  }),
  getMyReviews: proven({
    domain: "openfiat-my-reviews",
    result: list(Review),
    source: "protocol 02 H; 04 §2.12",
    doc: "The reviews that the proven wallet wrote or was given, in full.",
    run: (context, wallet) => ok(reviewsOfParty(context.draft, wallet, unfoldedIn(context))),
  }),
  sendReviewPublish: mutation({
    signed: signedTypes(ReviewPublish),
    checks: publishChecks,
    answers: (statement, configuration) => ruleOf(configuration, nameOfReview)(statement),
    errors: [
      "INVALID_SIGNATURE",
      "INVALID_PARAMETER",
      "INVALID_IDENTITY_CLAIM",
      "RESOURCE_ALREADY_EXISTS",
      "RATE_LIMIT_EXCEEDED",
    ],
    source: "protocol 02 H; 04 §2.12",
    doc: "Says of the other party how a settled trade went; answers the statement's identity, which names nobody.",
  }),
};

/** By what a review is called: its statement's identity, which names nobody. */
export function nameOfReview({ identity }: Statement): string {
  return nameOfIdentity(identity);
}

function settlementsNamed({ reader, configuration }: ValidationView, { settlement }: ReviewPublish) {
  const folded = contenders<SettlementInitiate>(reader, "settlement", settlement).flatMap(
    ({ identity }) => reader.get(Settlements, identity) ?? [],
  );
  const beside = ruleOf(configuration, unfoldedSettlements)(reader).filter(({ row }) => row.id === settlement);
  return [...folded, ...beside.map(({ row }) => row)];
}

function unfoldedIn({ configuration, draft }: StepContext): readonly Unfolded[] {
  return ruleOf(configuration, unfoldedSettlements)(draft);
}

/** The settlement's name is no member that ends in `id`, so its form is looked at here. */
export function isName(settlement: string): boolean {
  return isIdForm(settlement);
}

/** Whether the author said as much already, of a settlement that is known or of one that is awaited. */
function isNoNews({ reader }: ValidationView, statement: Statement): boolean {
  const { settlement } = statement.payload as ReviewPublish;
  const about = { kind: "settlement", name: settlement };
  const waiting = recordsOf(reader, Pending, "by", placeBy(about, statement.signer));
  return [...waiting, ...allBy(reader, about, statement.signer)].some(
    (older) => older.type.name === ReviewPublish.name && compareStatements(older, statement) >= 0,
  );
}
