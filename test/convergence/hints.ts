/**
 * What makes drawn words mean something: members that a fold or a read looks at, filled with what it knows.
 * Only a help: without it everything still holds, of fewer effective statements. Source: DESIGN "Simulated world".
 */

import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { ProposalCreate } from "../../core/domains/governance/schema.ts";
import { ClaimPublish } from "../../core/domains/identity/schema.ts";
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import type { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { toBase58 } from "../../core/kernel/text.ts";
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
const CONTENT = `bafkrei${"a".repeat(51)}q`;
const KEY = toBase58(new Uint8Array(32).fill(9));
/** Names of payment methods: some that a merchant may use, one that is taken, one that shows nothing. */
const METHOD_NAMES = ["Corner shop", "Kiosk", "Lipa hapa", "M-Pesa", ""];

export const hints: Readonly<Record<string, Hint>> = {
  [Registration.name]: ({ service_type, pricing, payout_wallet }, { below }) => ({
    service_type: below(4) > 0 ? service_type : pick(SERVICES, below(SERVICES.length)),
    endpoints: pick([[], ["https://node.example"], ["https://node.net"], ["https://node.net"]], below(4)),
    branding: below(3) === 0 ? brandingOf(below) : null,
    payout_wallet: below(4) === 0 ? payout_wallet : KEY,
    pricing: below(3) === 0 && pricing !== null ? { ...(pricing as object), token_mint: KEY } : null,
  }),
  [OraclePublish.name]: ({ data }, { below }) =>
    below(3) === 0
      ? { data }
      : { data: { ExchangeRate: { base: "USDC", quote: pick(["KES", "NGN"], below(2)), rate: 128 + below(4) } } },
  [ClaimPublish.name]({ claim_type, value }, { below, story }) {
    const type = below(4) > 0 ? claim_type : pick(CLAIM_TYPES, below(CLAIM_TYPES.length));
    const sane: unknown = type === "Avatar" ? CONTENT : type === "EncryptionKey" ? KEY : value;
    return {
      claim_type: type,
      value: below(4) === 0 ? value : sane,
      supersedes: below(3) === 0 ? naming(pick(creates(story, "claim"), below(9)), below(30)) : null,
    };
  },
  [ProposalCreate.name]: (_, { below }) => ({ onchain_proposal_id: below(4) === 0 ? null : BigInt(below(4)) }),
  [PaymentMethodDefine.name]: (_, { below }) => ({ name: pick(METHOD_NAMES, below(METHOD_NAMES.length)) }),
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

/** Each member given or not. */
function brandingOf(below: Draws["below"]): Readonly<Record<string, string | null>> {
  const given = { name: "one", description: "two", logo: CONTENT, website: "https://node.net" };
  return Object.fromEntries(Object.entries(given).map(([member, text]) => [member, below(2) === 0 ? null : text]));
}
