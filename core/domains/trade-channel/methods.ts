/**
 * Trade-channel methods: what parties leave in it, and the proven read. Source: protocol 02 J.
 */

import { withinDomainLimits } from "../../engine/admission/bounds.ts";
import type {
  Candidate,
  CheckResult,
  ValidationOrder,
  ValidationView,
} from "../../engine/admission/validation-order.ts";
import { firstOf, refuseWhen, signedChecks, signedThenNamed } from "../../engine/admission/validation-order.ts";
import { mutation, signedTypes } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { equalBytes } from "../../kernel/bytes.ts";
import { err, ok } from "../../kernel/result.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import { Text } from "../../kernel/values.ts";
import { proven } from "../wallet-proofs/proven.ts";
import {
  CHANNEL_PAYLOAD_BYTES_MAX,
  ChannelCiphertext,
  ENTRIES_PER_AUTHOR_MAX,
  ENTRY_BYTES_MAX,
  SEALED_KEY_BYTES_MAX,
  TradeChannel,
  TradeChannelEntryPost,
  TradeChannelKeyGrant,
} from "./schema.ts";
import type { Reached } from "./views.ts";
import { channelFor, entriesBySequence, roleIn, settlementsReached } from "./views.ts";

/** The checks of everything that a party leaves in a channel. Source: protocol 02 J.3. */
function channelChecks(
  own: (view: ValidationView, candidate: Candidate, mine: readonly Reached[]) => CheckResult,
): ValidationOrder {
  return (view, candidate) => {
    const { settlement_id } = candidate.payload as { readonly settlement_id: string };
    const { signer } = candidate.statement;
    const found = settlementsReached(view.reader, settlement_id, view);
    const mine = found.filter(({ row }) => row.buyer === signer || row.seller === signer);
    return firstOf(
      () => refuseWhen(found.length === 0, "SETTLEMENT_NOT_FOUND"),
      () =>
        ruleOf(view.configuration, signedThenNamed)(
          () => signedChecks(view, candidate),
          () => refuseWhen(mine.length === 0, "INVALID_IDENTITY_CLAIM", "not-a-party"),
        ),
      () => refuseWhen(mine.length > 1, "INVALID_PARAMETER", "ambiguous"),
      () => own(view, candidate, mine),
    );
  };
}

const grantChecks = channelChecks((view, candidate, mine) => {
  const { recipient, sealed_key } = candidate.payload as TradeChannelKeyGrant;
  return firstOf(
    () =>
      refuseWhen(
        mine.every((settlement) => roleIn(view.reader, settlement, recipient) === undefined),
        "INVALID_IDENTITY_CLAIM",
      ),
    () => refuseWhen(sealed_key.ciphertext.length > SEALED_KEY_BYTES_MAX, "INVALID_PARAMETER", "out-of-bounds"),
  );
});

/** The same words under the same sequence once more are no news; other words are refused. Source: protocol 02 J.3. */
const entryChecks = channelChecks((view, candidate, mine) => {
  const post = candidate.payload as TradeChannelEntryPost;
  const entries = mine.map((settlement) => entriesBySequence(view.reader, settlement, post.author));
  const held = entries.flatMap((bySequence) => bySequence.get(post.sequence) ?? [])[0]?.payload;
  return firstOf(
    () => refuseWhen(post.payload.ciphertext.length > ENTRY_BYTES_MAX, "INVALID_PARAMETER", "out-of-bounds"),
    () => refuseWhen(held !== undefined && !isSamePost(held, post), "RESOURCE_ALREADY_EXISTS"),
    () => (held === undefined ? undefined : "unchanged"),
    () =>
      refuseWhen(
        entries.some(({ size }) => size >= ENTRIES_PER_AUTHOR_MAX),
        "RATE_LIMIT_EXCEEDED",
      ),
    () =>
      refuseWhen(
        !withinDomainLimits(view.registry, view.reader, candidate.statement),
        "RATE_LIMIT_EXCEEDED",
        "no-room",
      ),
  );
});

function isSamePost(held: TradeChannelEntryPost, post: TradeChannelEntryPost): boolean {
  const bytes = ({ payload }: TradeChannelEntryPost) => encodeCompact(ChannelCiphertext, payload);
  return held.kind === post.kind && equalBytes(bytes(held), bytes(post));
}

export const tradeChannelMethods = {
  getMyTradeChannel: proven({
    domain: "openfiat-my-trade-channel",
    params: { id: Text },
    result: TradeChannel,
    errors: ["SETTLEMENT_NOT_FOUND"],
    source: "protocol 02 J.4, an extension of the reference",
    doc: "The encrypted channel of a settlement, for its proven parties and for whom they granted its key.",
    run(context, wallet, params) {
      const named = settlementsReached(context.draft, params.id, context);
      if (named.length === 0) return err({ type: "domain", code: "SETTLEMENT_NOT_FOUND" });
      const channel = named.flatMap((settlement) => channelFor(context.draft, settlement, wallet) ?? [])[0];
      return channel === undefined ? err({ type: "domain", code: "INVALID_IDENTITY_CLAIM" }) : ok(channel);
    },
  }),
  sendTradeChannelKeyGrant: mutation({
    signed: signedTypes(TradeChannelKeyGrant),
    checks: grantChecks,
    answers: "null",
    errors: ["SETTLEMENT_NOT_FOUND", "INVALID_SIGNATURE", "INVALID_PARAMETER", "INVALID_IDENTITY_CLAIM"],
    source: "protocol 02 J.3, an extension of the reference",
    doc: "Leaves a channel's key, sealed to a party or to an arbitrator who joined.",
    bytesMax: CHANNEL_PAYLOAD_BYTES_MAX,
  }),
  sendTradeChannelEntry: mutation({
    signed: signedTypes(TradeChannelEntryPost),
    checks: entryChecks,
    answers: "null",
    errors: [
      "SETTLEMENT_NOT_FOUND",
      "INVALID_SIGNATURE",
      "INVALID_PARAMETER",
      "INVALID_IDENTITY_CLAIM",
      "RESOURCE_ALREADY_EXISTS",
      "RATE_LIMIT_EXCEEDED",
    ],
    source: "protocol 02 J.3, an extension of the reference",
    doc: "Leaves one encrypted entry in a trade's channel.",
    bytesMax: CHANNEL_PAYLOAD_BYTES_MAX,
  }),
};
