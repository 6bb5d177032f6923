/**
 * A story in which every list has several entries: two of everything, by two people where that matters, so that the
 * order in which a node heard of them can be told from the order in which it answers.
 */
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { ProposalCreate, VoteCast } from "../../core/domains/governance/schema.ts";
import { ClaimPublish } from "../../core/domains/identity/schema.ts";
import { SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import type { ServiceType } from "../../core/domains/providers/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import { RiskPublish } from "../../core/domains/risk/schema.ts";
import { SessionCreate } from "../../core/domains/sessions/schema.ts";
import type { Location } from "../../core/domains/snapshots/schema.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../../core/domains/trade-channel/schema.ts";
import { devnetNetwork } from "../../core/index.ts";
import type { Cid } from "../../core/kernel/cid.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { MintAddress } from "../../core/kernel/values.ts";
import type { Actor } from "../convergence/actors.ts";
import { arbitrators, at, sign } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Observation } from "../convergence/replica.ts";
import { received, seen } from "../convergence/replica.ts";
import { merchants, takers } from "../convergence/story.ts";
import { ofMirrors } from "../mirrors.ts";
import type { MirrorReads } from "./orders.ts";

const [mia, max] = merchants;
const [tia, tom] = takers;
const mints = devnetNetwork.mints.slice(0, 2) as unknown as readonly { mint: MintAddress; decimals: number }[];
const METHODS = ["builtin:mpesa-kenya", "builtin:bank-transfer"] as PaymentMethodId[];
const CID = `bafkrei${"a".repeat(51)}q` as Cid;
const box = (fill: number) => ({
  ...{ ephemeral_public: new Uint8Array(32).fill(fill), nonce: new Uint8Array(12).fill(fill) },
  ciphertext: new Uint8Array(20).fill(fill),
});
const twice = <T>(make: (nth: number) => readonly T[]): readonly T[] => [1, 2].flatMap(make);

/** An offer of each of two assets by each merchant. */
const offers = merchants.flatMap((merchant) =>
  mints.map(({ mint, decimals }, asset) =>
    fixtures.advertisement(merchant, at(0), {
      ...{ id: `ad-${merchant.name}-${asset}`, mint, methods: METHODS, liquidity: fixtures.units(100, decimals) },
    }),
  ),
);

interface Trade {
  readonly seller: Actor;
  readonly buyer: Actor;
  readonly asset: number;
  readonly ends: "released" | "disputed";
}

/** The later a trade, the smaller its id. */
const trades: readonly Trade[] = [
  { seller: mia, buyer: tia, asset: 0, ends: "released" },
  { seller: mia, buyer: tia, asset: 1, ends: "released" },
  { seller: mia, buyer: tom, asset: 1, ends: "disputed" },
  { seller: mia, buyer: tia, asset: 1, ends: "disputed" },
  { seller: max, buyer: tia, asset: 1, ends: "disputed" },
];

function tradeOf({ seller, buyer, asset, ends }: Trade, nth: number): readonly Observation[] {
  const [id, reservation] = [`s-${9 - nth}`, `${49 - nth}`];
  const { mint, decimals } = mints[asset] ?? { mint: "" as MintAddress, decimals: 0 };
  const amount = fixtures.units(10 + nth, decimals);
  const about = `ad-${seller.name}-${asset}`;
  const trade = received(
    fixtures.request(buyer, at(10 + nth), { id: reservation, about, amount }),
    fixtures.initiate(buyer, seller, at(15 + nth), { id, about: reservation, amount }),
    fixtures.payment(buyer, at(20 + nth), id),
  );
  if (ends === "disputed") return [...trade, ...received(...disputeOf(buyer, id, 9 - nth))];
  const fact = seen({
    ...{ kind: "released", reservation: BigInt(reservation), buyer: buyer.key, seller: seller.key, mint },
    ...{ amount: amount.base_units, resolution: null, terminal_split: null },
    ...{ transaction: `transaction ${nth}`, timestamp: at(30 + nth) },
  });
  return [...trade, ...received(fixtures.approve(seller, at(25 + nth), id)), fact];
}

const VOTES = ["BuyerWins", "MerchantWins"] as const;

/** Everybody sits, commits and reveals; each votes for something else. */
function disputeOf(by: Actor, settlement: string, nth: number): readonly Statement[] {
  const id = `d-${nth}`;
  return [
    fixtures.open(by, at(30), { id, about: settlement }),
    ...arbitrators
      .slice(0, 3)
      .flatMap((arbitrator, seat) => [
        fixtures.join(arbitrator, at(33 - seat), id),
        fixtures.commit(arbitrator, at(38 - seat), VOTES[seat] ?? "Invalid", 0, id),
        fixtures.reveal(arbitrator, at(43 - seat), VOTES[seat] ?? "Invalid", 0, id),
      ]),
  ];
}

/** What the parties of the trades leave beside them. */
const besideTrades = twice((nth) => [
  sign(ReviewPublish, {
    ...{ settlement: `s-${10 - nth}`, author: tia.peer, author_public_key: tia.key, rating: nth, comment: "good" },
    created_at: at(50 + (3 - nth) * 1_440),
  }),
  ...[mia, tia].flatMap((author) => [
    sign(AttachmentPublish, {
      ...{ id: `att-${author.name}-${9 - nth}`, subject: { Settlement: "s-9" }, author: author.peer },
      ...{ author_public_key: author.key, cid: CID, media_type: "Png", size_bytes: 10n, caption: "receipt" },
      created_at: at(40 + nth),
    } as const),
    sign(TradeChannelEntryPost, {
      ...{ settlement_id: "s-9", author: author.peer, sequence: BigInt(nth), kind: "Message" },
      payload: { key_id: new Uint8Array(8), nonce: new Uint8Array(12), ciphertext: new Uint8Array(20) },
      timestamp: at((author === mia ? 40 : 41) + 10 * nth),
    } as const),
  ]),
  ...[mia, tia].map((recipient) =>
    sign(TradeChannelKeyGrant, {
      ...{ settlement_id: "s-9", granter: (nth === 1 ? mia : tia).peer, recipient: recipient.peer },
      ...{ key_id: new Uint8Array(8), sealed_key: box(nth), timestamp: at(40) },
    }),
  ),
]);

const services = ["MarketData/PriceOracle", "Security/RiskIntelligenceProvider", "Infrastructure/SnapshotProvider"];

/** Providers, and what they publish. */
const published = [mia, max].flatMap((by, who) => [
  ...services.map((service) => {
    const [kind = "", name] = service.split("/");
    return sign(Registration, {
      ...{ service_id: `${name}-${9 - who}`, service_type: { [kind]: name } as ServiceType, provider: by.peer },
      ...{ provider_public_key: by.key, endpoints: ["https://b.example.org", "https://a.example.org"] },
      ...{ supported_ofs: [7000, 1300], region: null, capabilities: ["second", "first"], branding: null },
      ...{ pricing: null, payout_wallet: null, timestamp: at(135) },
    });
  }),
  sign(OraclePublish, {
    ...{ id: `region-${9 - who}`, provider: by.peer, provider_public_key: by.key, version: 1n },
    data: { RegionalMetadata: { country: "KE", supported_fiat: ["KES", "EUR"], payment_methods: ["two", "one"] } },
    ...{ timestamp: at(1), expires_at: at(300) },
  }),
  sign(SnapshotAnnounce, {
    ...{ id: `snap-${9 - who}`, snapshot_version: 1, protocol_version: 2, slot: BigInt(9 - who), created_at: at(2) },
    ...{ state_root: new Uint8Array(32), size_bytes: 57n, compression: "Gzip" },
    locations: ["https://b.example.org/f", "https://a.example.org/f"] as Location[],
    ...{ producer: by.peer, producer_public_key: by.key },
  }),
  ...[1, 2].map((nth) =>
    sign(RiskPublish, {
      ...{ id: `risk-${by.name}-${9 - nth}`, provider: by.peer, provider_public_key: by.key, wallet: tia.peer },
      ...{ category: "Compliance", outcome: "Flagged", severity: "High", confidence: "High", reason: "seen" },
      ...{ evidence: ["second", "first"], timestamp: at(3 + nth + who), expires_at: null },
    } as const),
  ),
]);

/** What wallets say of themselves, and what they decide. */
const ownStatements = twice((nth) => [
  sign(SessionCreate, {
    ...{ id: `session-${9 - nth}`, wallet: tia.peer, wallet_public_key: tia.key, client: "client" },
    ...{ host_node: mia.peer, permissions: ["write", "read"], timestamp: at(nth), expires_at: at(1_000) },
  }),
  sign(ClaimPublish, {
    ...{ id: `claim-${9 - nth}`, wallet: tia.peer, wallet_public_key: tia.key, verified: false, supersedes: null },
    ...{ claim_type: { Custom: `label ${nth}` }, value: "value", expires_at: null, timestamp: at(nth) },
  }),
  sign(PaymentMethodDefine, {
    ...{ merchant: mia.peer, merchant_public_key: mia.key, name: `Method ${9 - nth}`, category: "Cash" },
  } as const),
]);
const subscription = sign(SubscriptionUpdate, {
  ...{ wallet: tia.peer, wallet_public_key: tia.key, enabled_categories: ["Trading", "Disputes"] },
  destinations: [2, 1].map((nth) => ({ service_id: `gateway-${nth}`, channel: "Email", sealed: box(nth) })),
  timestamp: at(1),
} as const);

/** Proposals with votes whose stake was read. */
const proposals = twice((nth): readonly Observation[] => {
  const proposal_id = `proposal-${9 - nth}`;
  const proposal = sign(ProposalCreate, {
    ...{ id: proposal_id, title: "title", summary: "summary", category: "Protocol", author: mia.peer },
    ...{ author_public_key: mia.key, onchain_proposal_id: null, timestamp: at(nth) },
  } as const);
  const votes = [tom, tia].map((voter, later) =>
    sign(VoteCast, {
      ...{ proposal_id, voter: voter.peer, voter_public_key: voter.key, choice: "Approve", weight: 1n },
      ...{ stake_account: "account", timestamp: at(20 - later) },
    } as const),
  );
  const stake = { stake_account: "account", role: 2, amount: 1n, minimum: 1n };
  return [
    ...received(proposal, ...votes),
    ...votes.map(({ identity }): Observation => ({ type: "stake", id: identity, fact: stake })),
  ];
});

const ofOtherDomains = (await ofMirrors<MirrorReads>("reads.ts")).flatMap((mirror) => mirror.story);

export const story: readonly Observation[] = [
  ...received(...offers),
  ...trades.flatMap(tradeOf),
  ...received(...besideTrades, ...published, ...ownStatements, subscription),
  ...proposals,
  ...ofOtherDomains,
];
