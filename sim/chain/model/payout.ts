/**
 * The buyer's payout, whether the seller approved it or a dispute decided it: amount less the fee, and the fee's
 * four shares. Source: protocol 03 D.7 (fee), D.5 (EscrowReleased).
 */

import type { FeeConfig, LiquidityVault, TradeEscrow } from "../../../core/testing.ts";
import { encodeEventLine, liquidityVault, tradeEscrow, vaultStates } from "../../../core/testing.ts";
import { booked } from "./book.ts";
import type { Call, Refusal } from "./call.ts";
import { save } from "./call.ts";
import { pay } from "./payment.ts";

/** What a trade's fee is divided into. */
export interface FeeShares {
  readonly fee: bigint;
  readonly dev: bigint;
  readonly ecosystem: bigint;
  readonly infra: bigint;
  readonly emergency: bigint;
}

export interface Payout {
  readonly escrow: TradeEscrow;
  readonly vault: LiquidityVault;
  readonly config: FeeConfig;
  readonly viaDispute: boolean;
  readonly vaultIndex: number;
  readonly escrowIndex: number;
  readonly tokensIndex: number;
  readonly buyerIndex: number;
  /** The first of four. */
  readonly treasuryIndex: number;
}

const BPS = 10_000n;

/** The fee of a trade, and its shares. Source: protocol 03 D.7. */
export function feeShares(amount: bigint, config: FeeConfig): FeeShares {
  return sharesOf((amount * BigInt(config.settlement_fee_bps)) / BPS, config);
}

/** Every share rounded down, the remainder to the ecosystem. Source: protocol 03 D.7. */
export function sharesOf(fee: bigint, config: FeeConfig): FeeShares {
  const share = (place: number) => (fee * BigInt(config.share_bps[place] ?? 0)) / BPS;
  const [dev, infra, emergency] = [share(0), share(2), share(3)];
  return { fee, dev, ecosystem: fee - dev - infra - emergency, infra, emergency };
}

/** Pays buyer and treasuries, settles the vault's books, ends the escrow as Released, says so. */
export function payOut(call: Call, payout: Payout): Refusal | undefined {
  const { escrow, vault, config } = payout;
  const shares = feeShares(escrow.amount, config);
  const buyerAmount = escrow.amount - shares.fee;
  const book = booked(vault, { pending_settlement: -escrow.amount, settled: escrow.amount });
  if (!book.ok) return book.error;
  const payments: readonly (readonly [number, bigint])[] = [
    [payout.buyerIndex, buyerAmount],
    [payout.treasuryIndex, shares.dev],
    [payout.treasuryIndex + 1, shares.ecosystem],
    [payout.treasuryIndex + 2, shares.infra],
    [payout.treasuryIndex + 3, shares.emergency],
  ];
  for (const [index, amount] of payments) {
    const [from, authority] = [payout.tokensIndex, payout.escrowIndex];
    const refusal = pay(call, { mint: escrow.mint, from, to: index, authority, amount });
    if (refusal !== undefined) return refusal;
  }
  save(call, payout.vaultIndex, liquidityVault, book.value);
  save(call, payout.escrowIndex, tradeEscrow, { ...escrow, state: vaultStates.indexOf("Released") });
  call.logs.push(
    encodeEventLine("EscrowReleased", {
      reservation_id: escrow.reservation_id,
      buyer: escrow.buyer,
      seller: escrow.seller,
      mint: escrow.mint,
      amount: escrow.amount,
      buyer_amount: buyerAmount,
      ...shares,
      via_dispute: payout.viaDispute,
      timestamp: call.now,
    }),
  );
  return undefined;
}
