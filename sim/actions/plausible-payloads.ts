/**
 * What people must mind for what they say to be taken, by type of statement: members that stand in place of random
 * ones. A type that is not here is said as its schema has it. Source: protocol 02 B–J, 03 A, 04, 05 (their checks).
 */
import type { EpochMillis } from "../../core/index.ts";
import { Dispatches } from "../../core/testing.ts";
import { settlementMints } from "../chain/genesis.ts";
import { below, pick } from "../random.ts";
import type { Actor } from "./actor.ts";
import { pictureOf } from "./content.ts";
import type { ObservedStatement } from "./observed-statements.ts";

type Payload = Readonly<Record<string, unknown>>;
type PlausiblePayload = (payload: Payload, actor: Actor) => Payload;

const USDC = settlementMints.find(({ symbol }) => symbol === "USDC")?.mint;
const DECIMALS = 6;
const PRICE = { base_units: 92n, decimals: 2 };
const MINUTE_MS = 60_000n;
/** Services that others need somebody to offer, in turn. */
const SERVICES = [
  { Notifications: "Email" },
  { MarketData: "FxOracle" },
  { Security: "RiskIntelligenceProvider" },
  { Infrastructure: "SnapshotProvider" },
];

const DELIVERIES = ["Delivered", "Queued", "Sent", "Read", "Failed", "Retried", "Expired"] as const;

/** One of a few: mostly what is taken, now and then what is not. */
const oneOf = <T>({ stream, fresh }: Actor, n: number, choices: readonly T[]): T => pick(stream, fresh + n, choices);
const amount = (units: bigint) => ({ base_units: units, decimals: DECIMALS });

export const plausiblePayloads: Readonly<Record<string, PlausiblePayload>> = {
  AdvertisementCreate: (_, actor) => ({
    asset_mint: USDC,
    direction: "Sell",
    fiat_currency: "EUR",
    min_trade: amount(oneOf(actor, 4, [1n, 1n, 1n, 2_000_000n])),
    max_trade: amount(1_000_000n),
    initial_liquidity: amount(50_000_000n),
    pricing: { Fixed: { price: PRICE } },
    payment_methods: ["builtin:bank-transfer"],
  }),
  AdvertisementPriceUpdate: () => ({ pricing: { Fixed: { price: PRICE } } }),
  AdvertisementTermsUpdate: () => ({
    min_trade: amount(1n),
    max_trade: amount(2_000_000n),
    payment_methods: ["builtin:bank-transfer"],
  }),
  AdvertisementStatusSet: (_, { stream, fresh }) => ({ status: pick(stream, fresh, ["Active", "Vacation"]) }),
  ReservationRequest: (_, actor) => ({
    id: String(1_000_000 + below(actor.stream, actor.fresh, 1_000_000)),
    advertisement_id: anAdvertisementOfOthers(actor),
    amount: amount(oneOf(actor, 5, [1_000n, 1_000n, 1_000n, 60_000_000n])),
    agreed_price: oneOf(actor, 6, [PRICE, PRICE, PRICE, { ...PRICE, base_units: 91n }]),
    agreed_mid: null,
  }),
  SettlementInitiate: settleOwnReservation,
  PaymentSubmitted: () => ({ payment_reference: "see the note" }),
  RiskPublish: (_, { now }) => ({ evidence: [], expires_at: now + MINUTE_MS }),
  Registration: (payload, { wallet, stream, fresh }) => ({
    service_type: pick(stream, fresh, SERVICES),
    endpoints: ["https://gateway.somewhere.org/in"],
    capabilities: [],
    region: null,
    branding: null,
    pricing: null,
    payout_wallet: wallet.address,
    supported_ofs: payload.supported_ofs,
  }),
  HealthUpdate: (_, actor) => ({ state: oneOf(actor, 4, ["Online", "Online", "Maintenance", "Degraded", "Offline"]) }),
  OraclePublish: (_, { now }) => ({
    data: { ExchangeRate: { base: "USDC", quote: "EUR", rate: 0.92 } },
    expires_at: now + MINUTE_MS,
  }),
  SnapshotAnnounce: (_, actor) => ({
    id: `snapshot-${actor.wallet.peer}-${actor.fresh}`,
    slot: oneOf(actor, 4, [1n, 1n, 1n << 62n]),
    locations: [],
  }),
  SubscriptionUpdate: (payload, { observed }) => ({
    enabled_categories: ["Trading", "Marketplace", "Disputes", "Governance", "Infrastructure"],
    destinations: observed
      .filter(isMailer)
      .slice(0, 4)
      .map((service) => ({
        service_id: service.id,
        channel: "Email",
        sealed: {
          ephemeral_public: new Uint8Array(32).fill(9),
          nonce: new Uint8Array(12),
          ciphertext: new Uint8Array(40),
        },
      })),
    wallet_public_key: payload.wallet_public_key,
  }),
  DeliveryReport: reportOwnDispatch,
  ClaimPublish: (_, { now, stream, fresh }) => ({
    claim_type: pick(stream, fresh, ["MerchantName", "Telegram", "Discord"]),
    value: "somebody with a name",
    supersedes: null,
    expires_at: now + MINUTE_MS,
  }),
  AttachmentPublish: (_, actor) => {
    const { cid, bytes } = pictureOf(actor.crypto, actor.fresh);
    const media_type = oneOf(actor, 4, ["Png", "Png", "Jpeg", "Webp", "Pdf"]);
    return { cid, size_bytes: BigInt(bytes.length), media_type };
  },
  TradeChannelKeyGrant: (payload, actor) => ({ recipient: otherSideOf(payload.settlement_id, actor) }),
  SessionCreate: (_, { now }) => ({
    client: "web",
    permissions: ["trade"],
    expires_at: (now + MINUTE_MS) as EpochMillis,
  }),
  VoteCast: (_, { wallet }) => ({ stake_account: wallet.address }),
};

function isMailer({ type, payload }: ObservedStatement): boolean {
  return type.name === "Registration" && (payload.service_type as Payload).Notifications === "Email";
}

function anAdvertisementOfOthers({ observed, wallet, stream, fresh }: Actor): string {
  const others = observed.filter(
    ({ type, payload }) =>
      type.name === "AdvertisementCreate" && payload.merchant !== wallet.peer && payload.direction === "Sell",
  );
  return others.length === 0 ? "none yet" : (pick(stream, fresh + 1, others).id ?? "");
}

/** Settles a reservation of one's own with the merchant who offered. */
function settleOwnReservation(_: Payload, { observed, wallet, stream, fresh }: Actor): Payload {
  const own = observed.filter(
    ({ type, payload }) => type.name === "ReservationRequest" && payload.requester === wallet.peer,
  );
  if (own.length === 0) return {};
  const { payload, id } = pick(stream, fresh + 2, own);
  const offer = observed.find(
    ({ type, id: at }) => type.name === "AdvertisementCreate" && at === payload.advertisement_id,
  );
  if (offer === undefined) return {};
  const { merchant, merchant_public_key } = offer.payload;
  return { reservation_id: id, seller: merchant, seller_public_key: merchant_public_key, amount: payload.amount };
}

function otherSideOf(settlement: unknown, { observed, wallet }: Actor): unknown {
  const found = observed.find(({ type, id }) => type.creates === "settlement" && id === settlement)?.payload;
  return found?.buyer === wallet.peer ? found?.seller : (found?.buyer ?? wallet.peer);
}

/** Reports on what a node handed to a gateway of one's own. */
function reportOwnDispatch(_: Payload, { view, wallet, stream, fresh }: Actor): Payload {
  const keys = view === undefined ? [] : [...view.keys(Dispatches)].sort((a, b) => (a < b ? -1 : 1));
  const own = keys
    .flatMap((key) => view?.get(Dispatches, key) ?? [])
    .filter(({ provider }) => provider === wallet.peer);
  if (own.length === 0) return {};
  const { notification_id, service_id, recipient_wallet, trigger } = pick(stream, fresh + 3, own);
  const status = pick(stream, fresh + 4, DELIVERIES);
  return { notification_id, service_id, recipient_wallet, trigger, status };
}
