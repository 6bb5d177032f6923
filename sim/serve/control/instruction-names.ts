/**
 * What the instructions of a transaction are called: ours by their discriminators, others by their program.
 * Source: protocol 03 D.4.
 */
import { toHex } from "../../../core/index.ts";
import type { ParsedMessage } from "../../../core/testing.ts";
import { instructionDiscriminators } from "../../chain/instruction-parts.ts";

const DISCRIMINATOR_BYTES = 8;
const names: ReadonlyMap<string, string> = new Map(
  Object.entries(instructionDiscriminators).map(([name, digits]) => [digits, name.replaceAll("_", " ")]),
);

/** The programs that a transaction calls, each once. */
export function programsOf({ instructions, accounts }: ParsedMessage): readonly string[] {
  return [...new Set(instructions.map(({ programIndex }) => accounts[programIndex] ?? ""))];
}

/** Its instructions in their order: `create trade escrow`, or the address of a program that is none of ours. */
export function instructionsOf({ instructions, accounts }: ParsedMessage): readonly string[] {
  return instructions.map(({ programIndex, data }) => {
    return names.get(toHex(data.subarray(0, DISCRIMINATOR_BYTES))) ?? accounts[programIndex] ?? "";
  });
}
