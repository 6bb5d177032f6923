/**
 * A stretch of the marketplace's life on chain as signed transactions: most trades are paid out, one in ten goes
 * through a dispute with three arbitrators. Every transaction succeeds on a chain that begins with
 * `marketGenesis`.
 */
import { concat, toBase58 } from "../../core/index.ts";
import { u64 } from "../../core/testing.ts";
import type { ExecutionContext } from "../../sim/chain/executor.ts";
import { openMint, treasuriesFor } from "../../sim/chain/genesis.ts";
import type { TradeRef } from "../../sim/chain/instruction-parts.ts";
import * as build from "../../sim/chain/instructions.ts";
import { SLOT_HASHES_MAX } from "../../sim/chain/slots.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import type { Name } from "../sim/chain/chain-world.ts";
import {
  addressOf,
  at,
  commitmentOf,
  contextAt,
  crypto,
  firstDay,
  keyring,
  START_UNIX,
  tokensOf,
  usdc,
} from "../sim/chain/chain-world.ts";

const JUDGES = ["judge1", "judge2", "judge3"] as const;
const AMOUNT = 1_000_003n;
const DISPUTED_EVERY = 10;
/** Trades that live at the same time. */
const ROUND_TRADES = 50;
const WINDOW_SECS = 60n;
const SALT = 11;

/**
 * What a dispute costs here, in OPEN base units: the merchant's vault pays for every one of two thousand trades, since
 * winners claim nothing where it had nothing left to forfeit.
 */
const FILING_FEE = 1_000_000n;

/** The chain that a market begins with. */
export function marketGenesis(): ReturnType<typeof firstDay> {
  return firstDay({ dispute_filing_fee: FILING_FEE });
}

/** Who sends what, when none of the accounts it needs are known yet. */
export interface Order {
  readonly payer: Name;
  readonly instruction: Instruction;
}

/** Transactions of one stretch of time; all of them belong into one slot. */
export interface Phase {
  readonly unixTimestamp: bigint;
  readonly orders: readonly Order[];
}

/** The phases of so many trades, after one that opens the merchant's vault. */
export function marketPhases(trades: number): readonly Phase[] {
  const merchant = addressOf("merchant");
  const opening: Phase = {
    unixTimestamp: START_UNIX + 1n,
    orders: [
      orderOf("merchant", build.createLiquidityVault(at, merchant, usdc)),
      orderOf(
        "merchant",
        build.depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), AMOUNT * BigInt(trades)),
      ),
    ],
  };
  const rounds = Array.from({ length: Math.ceil(trades / ROUND_TRADES) }, (_, round) => {
    const first = round * ROUND_TRADES + 1;
    const count = Math.min(ROUND_TRADES, trades - first + 1);
    const numbers = Array.from({ length: count }, (_none, n) => BigInt(first + n));
    return phasesOf(numbers, START_UNIX + 10n + BigInt(round) * 3n * (WINDOW_SECS + 2n));
  });
  return [opening, ...rounds.flat()];
}

/** Trades that begin together: reserved, created and funded, then paid out or disputed, judged, executed, claimed. */
function phasesOf(numbers: readonly bigint[], since: bigint): readonly Phase[] {
  const all = numbers.map((reservation) => refOf(reservation));
  const disputed = all.filter(({ reservation }) => reservation % BigInt(DISPUTED_EVERY) === 0n);
  const paid = all.filter((ref) => !disputed.includes(ref));
  const phase = (secs: bigint, orders: readonly Order[]): Phase => ({ unixTimestamp: since + secs, orders });
  return [
    phase(0n, all.flatMap(beginning)),
    phase(1n, paid.flatMap(release)),
    phase(1n, disputed.flatMap(opening)),
    phase(WINDOW_SECS + 2n, disputed.flatMap(reveals)),
    phase(2n * (WINDOW_SECS + 1n), disputed.flatMap(ending)),
  ];
}

function refOf(reservation: bigint): TradeRef {
  return { reservation, merchant: addressOf("merchant"), mint: usdc.mint, tokenProgram: usdc.tokenProgram };
}

function beginning(ref: TradeRef): readonly Order[] {
  return [
    orderOf("merchant", build.reserveLiquidity(at, ref.merchant, ref.mint, AMOUNT)),
    orderOf("merchant", build.createTradeEscrow(at, ref, addressOf("buyer"), AMOUNT, 1_800n)),
    orderOf("merchant", build.fundTradeEscrow(at, ref)),
  ];
}

function release(ref: TradeRef): readonly Order[] {
  const payout = build.releaseEscrow(at, ref, tokensOf("buyer", usdc), treasuriesFor(at, usdc));
  return [orderOf("merchant", build.approveSettlement(at, ref.merchant, ref.reservation)), orderOf("stranger", payout)];
}

function opening(ref: TradeRef): readonly Order[] {
  const buyer = addressOf("buyer");
  const windows = { commitSecs: WINDOW_SECS, revealSecs: WINDOW_SECS };
  return [
    orderOf("buyer", build.openDisputeCase(at, ref, buyer, buyer, windows)),
    ...JUDGES.map((judge, place) => {
      const commitment = commitmentOf(ref.reservation, judge, voteOf(place), SALT);
      return orderOf(judge, build.commitDisputeVote(at, ref.reservation, addressOf(judge), commitment));
    }),
  ];
}

function reveals(ref: TradeRef): readonly Order[] {
  const salt = new Uint8Array(32).fill(SALT);
  return JUDGES.map((judge, place) =>
    orderOf(judge, build.revealDisputeVote(at, ref.reservation, addressOf(judge), voteOf(place), salt)),
  );
}

function ending(ref: TradeRef): readonly Order[] {
  const execute = build.executeDisputeOutcome(at, ref, tokensOf("buyer", usdc), treasuriesFor(at, usdc));
  return [
    orderOf("stranger", execute),
    ...JUDGES.slice(1).map((judge) => {
      const to = tokensOf(judge, openMint(at));
      return orderOf(judge, build.claimArbitrationReward(at, ref.reservation, addressOf(judge), to));
    }),
  ];
}

/** The first judge votes for the merchant, the others outweigh it for the buyer. */
function voteOf(place: number): number {
  return place === 0 ? 1 : 0;
}

function orderOf(payer: Name, instruction: Instruction): Order {
  return { payer, instruction };
}

/** Signed bytes under a blockhash. */
export function signed({ payer, instruction }: Order, blockhash: string): Uint8Array {
  return signTransaction({ payer: addressOf(payer), instructions: [instruction], blockhash }, keyring, crypto);
}

/** One transaction as an executor gets it. */
export interface Executed {
  readonly wire: Uint8Array;
  readonly context: ExecutionContext;
}

/** The phases, signed, with what the chain shows in each of them: slot hashes as many as the sysvar holds. */
export function executions(phases: readonly Phase[]): readonly Executed[] {
  return phases.flatMap(({ unixTimestamp, orders }) => {
    const shown = contextAt(unixTimestamp);
    const slotHashes = Array.from({ length: SLOT_HASHES_MAX }, (_, n) => hashOf(shown.slot - 1n - BigInt(n)));
    const context = { ...shown, slotHashes };
    const blockhash = toBase58(hashOf(shown.slot - 1n).hash);
    return orders.map((order) => ({ wire: signed(order, blockhash), context }));
  });
}

function hashOf(slot: bigint) {
  return { slot, hash: crypto.sha256(concat(u64.write(slot), u64.write(7n))) };
}
