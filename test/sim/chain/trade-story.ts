/**
 * One trade on reservation 42 of the wallets of chain-world.ts, step by step, up to where its escrow may be closed:
 * approved by its merchant, or disputed and voted on.
 */
import { toBase58, utf8 } from "../../../core/kernel/text.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { LookupTable } from "../../../sim/chain/lookup-tables.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, commitmentOf, crypto, tokensOf, usdc } from "./chain-world.ts";

const RESERVATION = 42n;
/** What the trade moves, in base units. */
export const TRADED = 900n;
/** Seconds of either window of the case. */
const WINDOW_SECS = 60n;

const merchant = addressOf("merchant");
const buyer = addressOf("buyer");
const trade = { ...usdc, reservation: RESERVATION, merchant };
const judges: readonly Name[] = ["judge1", "judge2", "judge3"];
const SALT = 7;
/** The byte of an outcome for the buyer. Source: protocol 03 D.3. */
const BUYER_WINS = 0;

/** How a step is done: an instruction of somebody, or time that passes. */
export interface Stage {
  land(payer: Name, instruction: Instruction): Promise<unknown>;
  pass(seconds: bigint): Promise<unknown>;
}

export const execution = build.executeDisputeOutcome(at, trade, tokensOf("buyer", usdc), treasuriesFor(at, usdc));
export const release = build.releaseEscrow(at, trade, tokensOf("buyer", usdc), treasuriesFor(at, usdc));

/** A lookup table of all that closing the escrow names. */
export const closingTable: LookupTable = {
  address: toBase58(crypto.sha256(utf8("table of a closing"))),
  addresses: [...new Set([...execution.accounts, ...release.accounts].map(({ address }) => address))],
};

/** The escrow is funded. */
async function fund({ land }: Stage): Promise<void> {
  await land("merchant", build.createLiquidityVault(at, merchant, usdc));
  await land("merchant", build.depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), TRADED));
  await land("merchant", build.reserveLiquidity(at, merchant, usdc.mint, TRADED));
  await land("merchant", build.createTradeEscrow(at, trade, buyer, TRADED, 1_800n));
  await land("merchant", build.fundTradeEscrow(at, trade));
}

/** The merchant has approved: whoever likes may release. */
export async function approve(stage: Stage): Promise<void> {
  await fund(stage);
  await stage.land("merchant", build.approveSettlement(at, merchant, RESERVATION));
}

/** Three have voted for the buyer: whoever likes may execute. */
export async function vote(stage: Stage): Promise<void> {
  const windows = { commitSecs: WINDOW_SECS, revealSecs: WINDOW_SECS };
  await fund(stage);
  await stage.land("buyer", build.openDisputeCase(at, trade, buyer, buyer, windows));
  for (const judge of judges) {
    const commitment = commitmentOf(RESERVATION, judge, BUYER_WINS, SALT);
    await stage.land(judge, build.commitDisputeVote(at, RESERVATION, addressOf(judge), commitment));
  }
  await stage.pass(WINDOW_SECS);
  const salt = new Uint8Array(32).fill(SALT);
  for (const judge of judges) {
    await stage.land(judge, build.revealDisputeVote(at, RESERVATION, addressOf(judge), BUYER_WINS, salt));
  }
  await stage.pass(WINDOW_SECS);
}
