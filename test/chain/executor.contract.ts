/**
 * What every executor must do: run the two programs' instructions with equal account bytes, events and refusals.
 * Each test file opens one executor and runs the whole contract on it. Source: DESIGN section 4, protocol 03 D, E.
 */
import { afterAll, beforeAll, describe } from "vitest";
import type { OpenExecutor } from "../../sim/chain/executor.ts";
import { describeAttacks } from "./program/attack.contract.ts";
import { describeOpening, describeVoting } from "./program/dispute.contract.ts";
import { describeDecisions } from "./program/execute.contract.ts";
import { describeFeeConfig, describeFeeUpdates } from "./program/fee-config.contract.ts";
import { describeFloat } from "./program/float.contract.ts";
import { describeKeptFaults } from "./program/kept-faults.contract.ts";
import { describeLimits } from "./program/limits.contract.ts";
import { describeSettlement, describeVaults } from "./program/liquidity.contract.ts";
import { describeNonces } from "./program/nonce.contract.ts";
import { describePresence } from "./program/presence.contract.ts";
import { describePublished } from "./program/published.contract.ts";
import { describeMerchantFees, describeRewards } from "./program/rewards.contract.ts";
import { describePoolFloor, describeRounds } from "./program/rounds.contract.ts";
import { describeSlashing } from "./program/slashing.contract.ts";
import { describeStaking } from "./program/staking.contract.ts";
import { describeBans, describeMismatches, describeMisplacedTokens } from "./program/theft.contract.ts";
import { describeUnwinding } from "./program/unwind.contract.ts";
import type { World } from "./program/world.ts";
import { openWorld } from "./program/world.ts";

/** Runs the contract against an executor that `open` makes. */
export function describeExecutor(name: string, open: OpenExecutor): void {
  describe(`executor ${name}`, () => {
    let opened: World | undefined;
    const world = (): World => {
      if (opened === undefined) throw new Error("the world opens before the first test");
      return opened;
    };
    beforeAll(async () => {
      opened = await openWorld(open);
    });
    afterAll(() => opened?.executor.close());
    describeFeeConfig(world);
    describeVaults(world);
    describeSettlement(world);
    describeUnwinding(world);
    describePublished(world);
    describeOpening(world);
    describeVoting(world);
    describeDecisions(world);
    describeRounds(world);
    describePoolFloor(world);
    describeRewards(world);
    describeMerchantFees(world);
    describeFeeUpdates(world);
    describeStaking(world);
    describeSlashing(world);
    describeFloat(world);
    describeBans(world);
    describeMisplacedTokens(world);
    describeMismatches(world);
    describeKeptFaults(world);
    describeLimits(world);
    describeNonces(world);
    describePresence(world);
    describeAttacks(world);
  });
}
