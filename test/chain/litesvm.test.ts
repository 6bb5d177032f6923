/** The executor contract on LiteSVM, and what only a real token program can show. */
import { describe, test } from "vitest";
import { openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import { describeExecutor } from "./executor.contract.ts";
import { newTrade, of } from "./program/trades.ts";
import { mintOf, openWorld, refused, withAccount } from "./program/world.ts";

describeExecutor("litesvm", openLitesvm);

describe("token program", () => {
  test("no vault is made for a mint that takes a fee on transfers", async () => {
    const world = await openWorld(openLitesvm);
    const trade = newTrade(world, mintOf("tUSDC"));
    const [accountKindAt, feeConfigKind, feeConfigBytes] = [165, 1, 108];
    await withAccount(
      world,
      trade.mint.mint,
      (mint) => {
        const data = new Uint8Array(accountKindAt + 1 + 4 + feeConfigBytes);
        data.set(mint.data);
        data.set([1, feeConfigKind, 0, feeConfigBytes, 0], accountKindAt); // a mint, with one extension
        return { ...mint, data };
      },
      () => refused(world, "InvalidAccountData", [of.vault(trade)], trade.merchant),
    );
  });
});
