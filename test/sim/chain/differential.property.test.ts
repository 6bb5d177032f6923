/**
 * Goal: the model and the compiled program are one program (DESIGN section 4, "Executors behind one port").
 * Method: random sequences of valid and invalid instructions from many signers; after each transaction the results
 * are equal, and at the end so is every account. Every instruction succeeds, every refusal is met, and disputes end
 * in every way there is.
 */
import { test } from "vitest";
import { outcomes, terminalReasons } from "../../../core/solana/accounts.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { instructionDiscriminators } from "../../../sim/chain/instruction-parts.ts";
import { refusals } from "../../../sim/chain/model/call.ts";
import { forAllAsync } from "../../property/for-all.ts";
import { agree } from "./agree.ts";
import type { Story } from "./arbitrary-commands.ts";
import { arbStory } from "./arbitrary-commands.ts";

/** OPEN is never a settlement mint (6037), so no instruction can bring a trade in it about; the contract writes one. */
const NEVER_MET = [refusals.DepositVaultAliasesSettlementVault];
/** Once in the sample at least. */
const MET = 0.003;

const all = (labels: readonly string[], share: number) => Object.fromEntries(labels.map((label) => [label, share]));
const succeeding = Object.keys(instructionDiscriminators).filter((name) => !/^(slash|migrate_fee_config)$/.test(name));
const numbers = Object.values(refusals).filter((number) => !NEVER_MET.some((never) => never === number));
const shares = {
  ...all(
    succeeding.map((name) => `${name}: done`),
    0.02,
  ),
  ...all(numbers.map(String), MET),
  ...all(
    terminalReasons.map((reason) => `split ${reason}`),
    MET,
  ),
  ...all(
    outcomes.flatMap((outcome) => [0, 1].map((round) => `decided ${outcome} in round ${round}`)),
    0.01,
  ),
  "decided BuyerWins in round 2": 0.02,
  "another round": 0.3,
  "7 seats": 0.05,
  shortfall: 0.2,
  "commit_dispute_vote: done": 0.4,
  "reveal_dispute_vote: done": 0.4,
  "execute_dispute_outcome: done": 0.4,
  "claim_arbitration_reward: done": 0.15,
};
const classes = ({ labels }: Story) => labels;

test("model and litesvm agree on results, logs and accounts", () =>
  forAllAsync([arbStory], ({ day, commands }) => agree(openLitesvm, day, commands), {
    runs: 10,
    nightly: 600,
    sample: 300,
    classes,
    shares,
  }));

test("model and bankrun agree too", () =>
  forAllAsync([arbStory], ({ day, commands }) => agree(openBankrun, day, commands), {
    runs: 4, // every start keeps its threads until the process ends
    nightly: 40,
    sample: 20,
    classes,
    shares: all(["open_dispute_case: done", "execute_dispute_outcome: done", "another round"], 0.2),
  }));
