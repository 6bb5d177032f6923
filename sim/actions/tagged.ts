/**
 * What a transaction claims to be about, and transactions about one thing under a tag that names another.
 * Source: protocol 03 C.3, A.10.3 R2.
 */
import type { Infer, Schema } from "../../core/index.ts";
import { enumeration, list, u64 } from "../../core/index.ts";
import type { ChainAddresses } from "../../core/testing.ts";
import { kinds, toldApartBy } from "../../core/testing.ts";
import { createLiquidityVault, depositLiquidity, reserveLiquidity } from "../chain/instructions.ts";
import type { Instruction } from "../chain/transaction.ts";
import { may, plain } from "../data/optional.ts";
import { Name } from "../data/values.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { chainOf, transact } from "./chain.ts";
import type { When } from "./trade-terms.ts";
import { Asset, mintOf, told } from "./trade-terms.ts";

/** What a transaction claims to be about, true or not. */
export type Tag =
  /** A dispute, and if said the case on chain of a reservation. */
  | { readonly of: "dispute"; readonly id: string; readonly caseOf?: bigint }
  | { readonly of: "settlement"; readonly id: string };

const tagForms = {
  dispute: plain("dispute", { of: enumeration("dispute"), id: Name, caseOf: may(u64) }),
  settlement: plain("settlement", { of: enumeration("settlement"), id: Name }),
};
export const TagData: Schema<Tag> = toldApartBy<"of", Tag>("of", tagForms);

/** A step with the actor's own liquidity. */
export type LiquidityStep =
  | { readonly kind: "create-vault"; readonly asset: Asset }
  | { readonly kind: "deposit"; readonly asset: Asset; readonly amount: bigint }
  | { readonly kind: "set-aside"; readonly asset: Asset; readonly amount: bigint };

const stepForms = {
  "create-vault": plain("create-vault", { kind: enumeration("create-vault"), asset: Asset }),
  deposit: plain("deposit", { kind: enumeration("deposit"), asset: Asset, amount: u64 }),
  "set-aside": plain("set-aside", { kind: enumeration("set-aside"), asset: Asset, amount: u64 }),
};
const StepData: Schema<LiquidityStep> = kinds<LiquidityStep>(stepForms);

export const taggedForms = { "send-tagged": actionForm("send-tagged", { tag: TagData, steps: list(StepData) }) };

type SendTagged = Infer<(typeof taggedForms)["send-tagged"]>;

/** Sends a transaction about the actor's own liquidity with a tag. */
export function sendTagged(actor: string, when: When, tag: Tag, steps: readonly LiquidityStep[]): SendTagged {
  return { ...begins("send-tagged", actor, when), tag, steps };
}

export const taggedRows: ActionRows<typeof taggedForms> = {
  "send-tagged": {
    title: () => "send under a tag",
    check: ({ steps }) => (steps.length === 0 ? "a transaction needs a step" : undefined),
    *run(person, scene, { tag, steps }) {
      const at = chainOf(scene);
      const { address } = person.wallet;
      const instructions = steps.map((step) => instructionOf(at, address, step));
      yield* transact(person, instructions, tagText(at, tag));
      told(scene, person, `sends a transaction of his own, tagged ${tagText(at, tag)}`);
    },
  },
};

/** A tag as it stands beside a transaction. Source: protocol 03 C.3. */
export function tagText(at: ChainAddresses, tag: Tag): string {
  if (tag.of === "settlement" || tag.caseOf === undefined) return `${tag.of}:${tag.id}`;
  return `dispute:${tag.id}:${at.disputeCase(tag.caseOf).address}`;
}

function instructionOf(at: ChainAddresses, own: string, step: LiquidityStep): Instruction {
  const mint = mintOf(step.asset);
  switch (step.kind) {
    case "create-vault":
      return createLiquidityVault(at, own, mint);
    case "deposit": {
      const from = at.tokenAccount(own, mint.mint, mint.tokenProgram).address;
      return depositLiquidity(at, own, mint, from, step.amount);
    }
    case "set-aside":
      return reserveLiquidity(at, own, mint.mint, step.amount);
  }
}
