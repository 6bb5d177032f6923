/**
 * One trade on reservation 42 of the wallets of chain-world.ts, step by step, up to where its merchant has approved
 * it and the escrow may be released.
 */
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, tokensOf, usdc } from "./chain-world.ts";

const RESERVATION = 42n;
/** What the trade moves, in base units. */
const TRADED = 900n;

const merchant = addressOf("merchant");
const buyer = addressOf("buyer");
const trade = { ...usdc, reservation: RESERVATION, merchant };

/** How a step is done: an instruction of somebody. */
interface Stage {
  land(payer: Name, instruction: Instruction): Promise<unknown>;
}

export const release = build.releaseEscrow(at, trade, tokensOf("buyer", usdc), treasuriesFor(at, usdc));

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
