/**
 * Proof that the contract of the on-chain programs can fail: a program is compiled with one bug planted, and the
 * check that is there for it must notice.
 */
import { expect, test } from "vitest";
import { programPath, stakingProgramPath } from "../../adapters/chain/program/build.ts";
import type { OpenExecutor } from "../../sim/chain/executor.ts";
import { litesvmOf, openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { needsClang } from "../requirements.ts";
import { floatIsHeld, floatIsOutweighed } from "./program/float.contract.ts";
import { namedTokensArePaid } from "./program/kept-faults.contract.ts";
import { barsSilentSeats } from "./program/limits.contract.ts";
import { plantedProgram } from "./program/planted-program.ts";
import { absorbsWhatArrived, emptyPoolPaysNothing } from "./program/rewards.contract.ts";
import { endingIsNotChosen } from "./program/rounds.contract.ts";
import { onlyTheEscrowSlashes, slashesOnce } from "./program/slashing.contract.ts";
import { treasuriesAreNamed } from "./program/theft.contract.ts";
import type { World } from "./program/world.ts";
import { openWorld } from "./program/world.ts";

/** Trades that a check brings about. */
const TRADES = 8;

/** A bug of the escrow program unless said, and the check that must notice it. */
interface Row extends PlantedBug {
  readonly bug: string;
  readonly program?: "escrow" | "staking";
  readonly check: (world: World) => Promise<void>;
}

/** LiteSVM with a program as it is with a bug in one of its sources. */
function planted(program: "escrow" | "staking", bug: PlantedBug): OpenExecutor {
  const path = program === "escrow" ? programPath : stakingProgramPath;
  const built = plantedProgram(path, bug);
  return async (genesis) => litesvmOf({ [program]: built }, genesis);
}

needsClang("a bug planted in a program", () => {
  test.each<Row>([
    {
      bug: "one barred wallet more than the array holds",
      file: "execute_dispute.c",
      find: "parts->barred_count < BARRED_MAX",
      replace: "parts->barred_count <= BARRED_MAX",
      check: (world) => barsSilentSeats(world, 14, 1, 14),
    },
    {
      bug: "the executor chooses between another round and a split",
      file: "execute_dispute.c",
      find: '"rwwwwwwrwwwwrwwwrrrr"',
      replace: '"rwwwwwwrwwwwrwwwrrr"',
      check: endingIsNotChosen,
    },
    {
      bug: "a claim from an empty pool is one on an open case",
      file: "arbitration_rewards.c",
      find: "REQUIRE(parts.reward_pool > 0, NO_FEE_CONFIGURED);",
      replace: "REQUIRE(parts.reward_pool > 0, DISPUTE_NOT_DECIDED);",
      check: emptyPoolPaysNothing,
    },
    {
      bug: "an empty pool pays 0",
      file: "arbitration_rewards.c",
      find: "REQUIRE(parts.reward_pool > 0, NO_FEE_CONFIGURED);",
      replace: "if (parts.reward_pool == 0) return SUCCESS;",
      check: emptyPoolPaysNothing,
    },
    {
      bug: "no more is absorbed than is owed",
      file: "merchant_fees.c",
      find: "const u64 amount = recovered - credited;",
      replace: `const u64 left = owed > credited ? owed - credited : 0;
        const u64 amount = recovered - credited < left ? recovered - credited : left;`,
      check: absorbsWhatArrived,
    },
    {
      bug: "what is absorbed is backed against what is reserved and available",
      file: "merchant_fees.c",
      find: "const u64 total = load_u64(vault->data + VAULT_TOTAL);",
      replace: "const u64 total = load_u64(vault->data + VAULT_RESERVED) + load_u64(vault->data + VAULT_AVAILABLE);",
      check: absorbsWhatArrived,
    },
    {
      bug: "any tokens of the settled mint are a treasury",
      file: "fee_config.c",
      find: "REQUIRE(keys_equal(account->data + TOKEN_AUTHORITY, named), INVALID_ACCOUNT);",
      replace: "",
      check: treasuriesAreNamed,
    },
    {
      bug: "the address that is named is no treasury",
      file: "fee_config.c",
      find: "if (keys_equal(account->key, named)) return SUCCESS;",
      replace: "",
      check: namedTokensArePaid,
    },
    {
      bug: "weight is read at the reveal",
      file: "votes.c",
      find: "parts.revealed[seat] = vote[0];",
      replace: "parts.revealed[seat] = vote[0]; parts.weights[seat] = effective_stake(config, stake);",
      check: floatIsOutweighed,
    },
    {
      bug: "windows outlast unbonding",
      file: "open_dispute.c",
      find: "#define DISPUTE_WINDOWS_SECS_MAX 259199",
      replace: "#define DISPUTE_WINDOWS_SECS_MAX 1209600",
      check: floatIsHeld,
    },
    {
      bug: "a seat is slashed as often as anybody likes",
      file: "slashing.c",
      find: "*seat >= parts->claims || !parts->claimed[*seat]",
      replace: "1",
      check: slashesOnce,
    },
    {
      bug: "tokens leave a stake at once",
      program: "staking",
      file: "unstake.c",
      find: "REQUIRE(call->now >= load_i64(stake->data + STAKE_UNBONDING_RELEASE_AT), STILL_UNBONDING);",
      replace: "",
      check: floatIsHeld,
    },
    {
      bug: "anybody slashes",
      program: "staking",
      file: "slash.c",
      find: "keys_equal(call->accounts[0].key, config->data + STAKING_CONFIG_SLASHING_AUTHORITY)",
      replace: "1",
      check: onlyTheEscrowSlashes,
    },
  ])("$bug", async ({ program = "escrow", file, find, replace, check }) => {
    await check(await openWorld(openLitesvm, TRADES));
    await expect(check(await openWorld(planted(program, { file, find, replace }), TRADES))).rejects.toThrow();
  });
});
