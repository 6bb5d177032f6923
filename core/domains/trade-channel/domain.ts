/**
 * The trade channel: what the parties of a settlement tell each other, sealed. Source: protocol 02 J.
 */

import { COMMON_LIMITS, countOwnAbout } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import type { Limits } from "../../engine/step-context.ts";
import { tradeChannelMethods } from "./methods.ts";
import { CHANNEL_STATEMENTS_MAX, TradeChannelEntryPost, TradeChannelKeyGrant } from "./schema.ts";

const limits: Limits = {
  ...COMMON_LIMITS,
  withinLimits: (reader, statement) => countOwnAbout(reader, statement) < CHANNEL_STATEMENTS_MAX,
};

export const tradeChannel = defineDomain({
  name: "trade-channel",
  types: [typeRow(TradeChannelKeyGrant, limits), typeRow(TradeChannelEntryPost, limits)],
  methods: tradeChannelMethods,
});
