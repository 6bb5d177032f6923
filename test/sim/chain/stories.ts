/**
 * Whole trades as sequences of commands, up to any point of any ending, so that rare states are met often.
 */
import fc from "fast-check";
import type { Mint } from "../../../sim/chain/genesis.ts";
import { openMint, treasuriesFor } from "../../../sim/chain/genesis.ts";
import type { TradeRef } from "../../../sim/chain/instruction-parts.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";

import { arbOutcome, arbReservation, tradeOf } from "./arbitrary-instructions.ts";
import type { Command, Name } from "./chain-world.ts";
import { addressOf, at, commitmentOf, mints, openTokensOf, receiptOf, tokensOf, usdc } from "./chain-world.ts";

interface Story {
  readonly reservation: bigint;
  readonly mint: Mint;
  readonly amount: bigint;
  readonly seller: Name;
  readonly ending: "none" | "release" | "cancel" | "expire" | "dispute";
  readonly rounds: readonly Round[];
  readonly withPolicy: boolean;
}

/** Per arbitrator: null stays away, otherwise the outcome and whether the vote is opened. */
type Round = readonly (readonly [number, boolean] | null)[];

export const panel: readonly Name[] = ["judge1", "judge2", "judge3"];
const arbVote = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(arbOutcome, fc.constantFrom(true, true, true, true, true, false)) },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** A whole trade up to a chosen point, so that rare states are met often. */
export const arbStory: fc.Arbitrary<readonly Command[]> = fc
  .record({
    reservation: arbReservation,
    mint: fc.constantFrom(usdc, usdc, mints[0] as Mint, mints[3] as Mint),
    amount: fc.constantFrom(1n, 3n, 1_001n, 999_999n, 1_000_003n),
    seller: fc.constantFrom<Name>("merchant", "merchant", "merchant", "rival"),
    ending: fc.constantFrom<Story["ending"]>(
      "none",
      "release",
      "cancel",
      "expire",
      "dispute",
      "dispute",
      "dispute",
      "dispute",
    ),
    rounds: fc.array(fc.tuple(arbVote, arbVote, arbVote), { minLength: 1, maxLength: 3 }),
    withPolicy: fc.boolean(),
    depth: fc.oneof({ weight: 3, arbitrary: fc.constant(99) }, { weight: 1, arbitrary: fc.nat(14) }),
  })
  .map((story) => commandsOf(story).slice(0, story.depth));

function commandsOf(story: Story): readonly Command[] {
  const { reservation, mint, amount, seller, ending } = story;
  const ref = tradeOf(reservation, seller, mint);
  const merchant = addressOf(seller);
  return [
    one(seller, build.createLiquidityVault(at, merchant, mint)),
    one(seller, build.depositLiquidity(at, merchant, mint, tokensOf(seller, mint), 5n * amount)),
    one(seller, build.reserveLiquidity(at, merchant, mint.mint, 2n * amount)),
    one(seller, build.createTradeEscrow(at, ref, addressOf("buyer"), amount, 1_800n)),
    ...(ending === "none" ? [] : [one(seller, build.fundTradeEscrow(at, ref))]),
    ...endingOf(story, ref),
  ];
}

function endingOf(story: Story, ref: TradeRef): readonly Command[] {
  const { reservation, mint, seller } = story;
  const release = build.releaseEscrow(at, ref, tokensOf("buyer", mint), treasuriesFor(at, mint));
  switch (story.ending) {
    case "release":
      return [one(seller, build.approveSettlement(at, addressOf(seller), reservation)), one("stranger", release)];
    case "cancel":
      return [one("buyer", build.cancelReservation(at, ref, addressOf("buyer")))];
    case "expire":
      return [one("stranger", build.expireReservation(at, ref), 1_801n)];
    case "dispute":
      return [
        one(
          "buyer",
          build.openDisputeCase(at, ref, addressOf("buyer"), addressOf("buyer"), { commitSecs: 60n, revealSecs: 60n }),
        ),
        ...(story.seller === "rival" ? shortfallCommands(story) : []),
        ...story.rounds.flatMap((round) => roundCommands(story, ref, round)),
        ...panel.map((judge) =>
          one(judge, build.claimArbitrationReward(at, reservation, addressOf(judge), tokensOf(judge, openMint(at)))),
        ),
      ];
    default:
      return [];
  }
}

/** A merchant who had no OPEN vault makes one, pays what it can, and is credited what its stake yielded. */
function shortfallCommands({ reservation, seller, amount }: Story): readonly Command[] {
  const open = openMint(at);
  const merchant = addressOf(seller);
  const paid = amount * 10n;
  return [
    one(seller, build.createLiquidityVault(at, merchant, open)),
    one(seller, build.depositLiquidity(at, merchant, open, tokensOf(seller, open), paid)),
    one("stranger", build.topUpArbitrationDeposit(at, reservation, merchant)),
    { ...one("stranger", build.absorbStakeRecovery(at, merchant)), put: receiptOf(seller, 4_000_000n) },
    { ...one("stranger", build.absorbStakeRecovery(at, merchant)), put: openTokensOf(seller, 4_000_000n + paid) },
  ];
}

/** One round as its arbitrators play it, and the execution at its end. */
function roundCommands({ reservation, mint, withPolicy }: Story, ref: TradeRef, round: Round): readonly Command[] {
  const seats = panel.flatMap((judge, place) => {
    const vote = round[place] ?? null;
    return vote === null ? [] : [{ judge, outcome: vote[0], opens: vote[1] }];
  });
  const execute = build.executeDisputeOutcome(at, ref, tokensOf("buyer", mint), treasuriesFor(at, mint), withPolicy);
  return [
    ...seats.map(({ judge, outcome }) =>
      one(
        judge,
        build.commitDisputeVote(at, reservation, addressOf(judge), commitmentOf(reservation, judge, outcome, 11)),
      ),
    ),
    one("stranger", build.approveSettlement(at, addressOf("stranger"), reservation), 60n), // refused; time passes
    ...seats
      .filter(({ opens }) => opens)
      .map(({ judge, outcome }) =>
        one(judge, build.revealDisputeVote(at, reservation, addressOf(judge), outcome, new Uint8Array(32).fill(11))),
      ),
    one("stranger", execute, 60n),
  ];
}

function one(payer: Name, instruction: Instruction, wait = 0n): Command {
  return { payer, instructions: [instruction], wait };
}
