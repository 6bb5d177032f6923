/**
 * Contract: what only a machine can show, since the model has no extensions of mints and no bytes of sysvars.
 */
import { describe, test } from "vitest";
import { slotHashesSysvar } from "../../../core/solana/addresses.ts";
import type { OpenExecutor } from "../../../sim/chain/executor.ts";
import { MINT_BYTES, TOKEN_ACCOUNT_BYTES } from "../../../sim/chain/token.ts";
import { newTrade, of, tradeAfter } from "./trades.ts";
import type { World } from "./world.ts";
import { mintOf, openWorld, refused, succeed, tokensOf, withAccount } from "./world.ts";

/** Trades of these tests. */
const TRADES = 8;
/** The byte behind a token account's own says what it is. Source: SPL Token-2022, its state layout. */
const [KIND_AT, KIND_MINT, KIND_ACCOUNT] = [165, 1, 2];
/** Bytes of the slot-hash sysvar of a cluster: a count, and room for 512 entries. */
const SLOT_HASHES_BYTES = 20_488;
const INVALID = "InvalidAccountData";

export function describeMachine(open: OpenExecutor): void {
  describe("token program", () => {
    test("no vault is made for a mint that takes a fee on transfers", async () => {
      const world = await openWorld(open, TRADES);
      const trade = newTrade(world, mintOf("tUSDC"));
      const [feeConfigKind, feeConfigBytes] = [1, 108];
      const extension = [KIND_MINT, feeConfigKind, 0, feeConfigBytes, 0];
      await extended(world, trade.mint.mint, KIND_AT + 1 + 4 + feeConfigBytes, extension, () =>
        refused(world, INVALID, [of.vault(trade)], trade.merchant),
      );
    });

    test.each([
      [MINT_BYTES - 1, [], INVALID],
      [MINT_BYTES + 1, [], INVALID],
      [KIND_AT, [], INVALID],
      [KIND_AT + 1, [], INVALID],
      [KIND_AT + 1, [KIND_ACCOUNT], INVALID],
      [KIND_AT + 1, [KIND_MINT], null],
    ])("a mint of %i bytes that goes on with %j", async (bytes, kind, refusal) => {
      const world = await openWorld(open, TRADES);
      const trade = newTrade(world, mintOf("tUSDC"));
      await extended(world, trade.mint.mint, bytes, kind, async () => {
        if (refusal === null) await succeed(world, [of.vault(trade)], trade.merchant);
        else await refused(world, refusal, [of.vault(trade)], trade.merchant);
      });
    });

    test.each([
      [TOKEN_ACCOUNT_BYTES - 1, [], INVALID],
      [TOKEN_ACCOUNT_BYTES + 1, [], INVALID],
      [TOKEN_ACCOUNT_BYTES + 1, [KIND_MINT], INVALID],
      [TOKEN_ACCOUNT_BYTES + 1, [KIND_ACCOUNT], null],
    ])("tokens of %i bytes that go on with %j", async (bytes, kind, refusal) => {
      const world = await openWorld(open, TRADES);
      const trade = await tradeAfter(world, "vault", mintOf("tUSDC"));
      await extended(world, tokensOf(trade.merchant, trade.mint), bytes, kind, async () => {
        if (refusal === null) await succeed(world, [of.deposit(trade)], trade.merchant);
        else await refused(world, refusal, [of.deposit(trade)], trade.merchant);
      });
    });
  });

  describe("slot hashes", () => {
    test.each([8, 47])("%i bytes hold none (6031)", (bytes) => noSlotHash(open, bytes));
    test("a whole sysvar that counts none holds none (6031)", () => noSlotHash(open, SLOT_HASHES_BYTES));
  });
}

/** An account as if it had so many bytes, and these behind a token account's own. */
function extended(
  world: World,
  address: string,
  bytes: number,
  behind: readonly number[],
  check: () => Promise<void>,
): Promise<void> {
  const longer = (data: Uint8Array) => {
    const grown = new Uint8Array(bytes);
    grown.set(data.subarray(0, bytes));
    grown.set(behind, bytes > KIND_AT ? KIND_AT : 0);
    return grown;
  };
  return withAccount(world, address, (account) => ({ ...account, data: longer(account.data) }), check);
}

async function noSlotHash(open: OpenExecutor, bytes: number): Promise<void> {
  const world = await openWorld(open, TRADES);
  const trade = await tradeAfter(world, "fund");
  await world.executor.putAccount(slotHashesSysvar, {
    lamports: 143_487_360n,
    owner: "Sysvar1111111111111111111111111111111111111",
    data: new Uint8Array(bytes),
    executable: false,
  });
  await refused(world, 6031, [of.open(trade)], trade.buyer);
}
