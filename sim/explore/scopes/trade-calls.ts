/** What people say of a trade, as calls of a scope. Amounts and ids are the same in all scopes. */
import type { Fields, RecordOf, SignedType } from "../../../core/index.ts";
import {
  AdvertisementCreate,
  ArbitratorJoin,
  commitmentOf,
  DisputeOpen,
  PaymentSubmitted,
  ReservationRequest,
  SettlementApproved,
  SettlementInitiate,
  VoteCommit,
  VoteReveal,
} from "../../../core/testing.ts";
import type { Wallet } from "../../wallet.ts";
import type { EscrowTrade } from "../chain-tale.ts";
import type { CallSetting, ScopeCall } from "../scope.ts";

const USDC = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";
const PRICE = { base_units: 92n, decimals: 2 };
const WHOLE = 1_000_000n;
const usdc = (whole: bigint) => ({ base_units: whole * WHOLE, decimals: 6 });
export const MERCHANT = "mara";
export const BUYER = "tobi";
const OFFER = "usdc-for-eur";
export const SETTLEMENT = "settlement-3001";
export const CASE = "dispute-3001";

/** Who sends it, and at which node. */
export interface Actor {
  readonly by: string;
  readonly via: number;
}

/** A signed statement that somebody sends; its payload is written when it is sent. */
export function sends<F extends Fields>(
  { by, via }: Actor,
  method: string,
  type: SignedType<F>,
  payload: (wallet: Wallet, setting: CallSetting) => object,
): ScopeCall {
  return {
    via,
    method,
    params(setting) {
      const wallet = setting.walletOf(by);
      return {
        data: wallet.data(type, { ...payload(wallet, setting), timestamp: setting.at } as unknown as RecordOf<F>),
      };
    },
  };
}

/** An offer of 100 USDC. */
export function advertises(via: number): ScopeCall {
  return sends({ by: MERCHANT, via }, "sendAdvertisementCreate", AdvertisementCreate, ({ peer, publicKey }) => ({
    ...{ id: OFFER, merchant: peer, merchant_public_key: publicKey, direction: "Sell", asset_mint: USDC },
    ...{ fiat_currency: "EUR", payment_methods: ["builtin:bank-transfer"], pricing: { Fixed: { price: PRICE } } },
    ...{ min_trade: usdc(10n), max_trade: usdc(100n), initial_liquidity: usdc(100n) },
  }));
}

/** A request for 80 of them: there is enough for one. */
export function reserves(actor: Actor, id = "3001"): ScopeCall {
  return sends(actor, "sendReservationRequest", ReservationRequest, ({ peer, publicKey }) => ({
    ...{ id, advertisement_id: OFFER, requester: peer, requester_public_key: publicKey, amount: usdc(80n) },
    ...{ agreed_price: PRICE, agreed_mid: null },
  }));
}

export function initiates(actor: Actor, reservation = "3001"): ScopeCall {
  return sends(actor, "sendSettlementInitiate", SettlementInitiate, ({ peer, publicKey }, { walletOf }) => ({
    ...{ id: `settlement-${reservation}`, reservation_id: reservation, buyer: peer, buyer_public_key: publicKey },
    ...{ seller: walletOf(MERCHANT).peer, seller_public_key: walletOf(MERCHANT).publicKey, amount: usdc(80n) },
  }));
}

/** The trade of these calls as an escrow on chain. */
export function escrowTrade(walletOf: (name: string) => Wallet): EscrowTrade {
  const [merchant, buyer] = [walletOf(MERCHANT), walletOf(BUYER)];
  return { merchant, buyer, reservation: 3001n, mint: USDC, amount: usdc(80n).base_units };
}

export function pays(actor: Actor): ScopeCall {
  return sends(actor, "sendPaymentSubmitted", PaymentSubmitted, ({ peer }) => {
    return { settlement_id: SETTLEMENT, buyer: peer, payment_reference: null };
  });
}

export function approves(via: number): ScopeCall {
  return sends({ by: MERCHANT, via }, "sendSettlementApproved", SettlementApproved, ({ peer }) => {
    return { settlement_id: SETTLEMENT, seller: peer };
  });
}

export function opensCase(actor: Actor): ScopeCall {
  return sends(actor, "sendDisputeOpen", DisputeOpen, ({ peer, publicKey }) => ({
    ...{ id: CASE, settlement_id: SETTLEMENT, opener: peer, opener_public_key: publicKey },
    reason: "I paid, and nothing came",
  }));
}

export function joins(actor: Actor): ScopeCall {
  return sends(actor, "sendArbitratorJoin", ArbitratorJoin, ({ peer, publicKey }) => {
    return { dispute_id: CASE, arbitrator: peer, arbitrator_public_key: publicKey };
  });
}

const secretOf = ({ name }: Wallet, { sha256 }: CallSetting) => sha256(new TextEncoder().encode(`secret of ${name}`));

export function commits(actor: Actor): ScopeCall {
  return sends(actor, "sendVoteCommit", VoteCommit, (wallet, setting) => ({
    ...{ dispute_id: CASE, arbitrator: wallet.peer },
    commitment: commitmentOf(setting.sha256, "BuyerWins", secretOf(wallet, setting)),
  }));
}

export function reveals(actor: Actor): ScopeCall {
  return sends(actor, "sendVoteReveal", VoteReveal, (wallet, setting) => ({
    ...{ dispute_id: CASE, arbitrator: wallet.peer, vote: "BuyerWins" },
    secret: secretOf(wallet, setting),
  }));
}

/** A read of anybody. */
export function reads(via: number, method: string, id: string): ScopeCall {
  return { via, method, params: () => ({ id }) };
}
