/**
 * Contract: the published examples. Source: protocol 03 H.1 (commitments), H.10 (case seed, tickets).
 */
import { describe, expect, test } from "vitest";
import { disputeCase } from "../../../core/solana/accounts.ts";
import { commitDisputeVote, revealDisputeVote } from "../../../sim/chain/instructions.ts";
import { of, tradeAfter, WINDOW } from "./trades.ts";
import type { World } from "./world.ts";
import { at, patched, read, refused, staked, succeed, wallet } from "./world.ts";

const RESERVATION = 42n;
const CASE = "DajV6mo1VFy3MEmfM1vg9qieEV4Kmb2CDiYxMN9dAzGN";
const CASE_SEED = "5420c40860b35d95203474b1e28958db71c72eb5c3b91c1d06faf6c20958ac4f";
const SALT = new Uint8Array(32).fill(11);
/** Outcome 0 by arbitrator 2 with that salt, on that case. */
const COMMITMENT = "4a46e903b80cb478b6399e64ddbdb7766389241af1f195032b3ec090135126b6";
const SORTITION_AT = 211;

export function describePublished(world: () => World): void {
  describe("the published case of reservation 42", () => {
    test("has the published seed", async () => {
      const trade = await tradeAfter(world(), "reserve");
      const published = { ...trade, ref: { ...trade.ref, reservation: RESERVATION } };
      for (const instruction of [of.create(published), of.fund(published), of.open(published, trade.merchant)]) {
        await succeed(world(), [instruction], trade.merchant);
      }
      const { case_seed } = await read(world(), disputeCase, CASE);
      expect(Buffer.from(case_seed).toString("hex")).toBe(CASE_SEED);
    });

    test.each([
      ["seed 2", 5653],
      ["seed 3", 6000],
      ["seed 4", 3576],
    ])("%s draws ticket %i", async (name, ticket) => {
      const commit = commitDisputeVote(at, RESERVATION, wallet(name), Buffer.from(COMMITMENT, "hex"));
      const sortition = (bps: number, check: () => Promise<unknown>) => {
        const bytes = [bps % 256, Math.floor(bps / 256)];
        return patched(world(), at.feeConfig().address, SORTITION_AT, bytes, async () => {
          await check();
        });
      };
      await staked(world(), name, async () => {
        await sortition(ticket, () => refused(world(), 6030, [commit], name));
        await sortition(ticket + 1, () => succeed(world(), [commit], name));
      });
    });

    test("the published commitment opens for its own arbitrator only", async () => {
      world().now += WINDOW;
      const reveal = (name: string, outcome: number) => {
        return revealDisputeVote(at, RESERVATION, wallet(name), outcome, SALT);
      };
      await refused(world(), 6016, [reveal("seed 3", 0)], "seed 3");
      await refused(world(), 6016, [reveal("seed 2", 1)], "seed 2");
      await succeed(world(), [reveal("seed 2", 0)], "seed 2");
    });
  });
}
