/**
 * What makes drawn words mean something: members that a fold or a read looks at, filled with what it knows.
 * Only a help: without it everything still holds, of fewer effective statements. Source: ours.
 */

import { AttachmentPublish } from "../../core/attachments/schema.ts";
import { ClaimPublish } from "../../core/identity/schema.ts";
import { OraclePublish } from "../../core/oracles/schema.ts";
import { Registration } from "../../core/providers/schema.ts";
import type { SettlementInitiate } from "../../core/settlements/schema.ts";
import { SnapshotAnnounce } from "../../core/snapshots/schema.ts";
import type { Draws } from "./story.ts";
import { creates, naming, pick } from "./story.ts";

type Hint = (drawn: Readonly<Record<string, unknown>>, draws: Draws) => Readonly<Record<string, unknown>>;

const SERVICES = [
  { MarketData: "PriceOracle" },
  { Security: "RiskIntelligenceProvider" },
  { Infrastructure: "SnapshotProvider" },
  { Notifications: "Email" },
];
const CLAIM_TYPES = ["Email", "MerchantName", { Custom: "label" }];

export const hints: Readonly<Record<string, Hint>> = {
  [Registration.name]: ({ pricing }, { below }) => ({
    service_type: pick(SERVICES, below(SERVICES.length)),
    endpoints: below(6) === 0 ? ["https://node.example"] : ["https://node.net"],
    branding: null,
    pricing: below(4) === 0 ? pricing : null,
  }),
  [OraclePublish.name]: ({ data }, { below }) =>
    below(4) === 0
      ? { data }
      : { data: { ExchangeRate: { base: "USDC", quote: pick(["KES", "NGN"], below(2)), rate: 128 + below(4) } } },
  [ClaimPublish.name]: ({ claim_type }, { below, story }) => ({
    claim_type: below(3) === 0 ? claim_type : pick(CLAIM_TYPES, below(CLAIM_TYPES.length)),
    supersedes: below(3) === 0 ? naming(pick(creates(story, "claim"), below(9)), below(30)) : null,
  }),
  [SnapshotAnnounce.name]: (_, { below }) => ({ slot: BigInt(below(8)) }),
  [AttachmentPublish.name](_, { below, story }) {
    const about = pick(creates<SettlementInitiate>(story, "settlement"), below(99));
    const parties = about && [about.payload.buyer, about.payload.seller];
    return {
      subject: { Settlement: naming(about, below(30)) },
      size_bytes: BigInt(1 + below(3)),
      ...(parties && below(4) > 0 && { author: pick(parties, below(2)) }),
    };
  },
};
