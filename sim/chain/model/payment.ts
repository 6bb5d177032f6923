/**
 * Tokens that the program moves: of one mint, between two accounts of the instruction, by order of a third.
 * Source: protocol 03 D.7; the token programs' own refusals come through as their numbers.
 */
import { tokenProgram } from "../../../core/testing.ts";
import type { Call, Refusal } from "./call.ts";
import { accountAt, invalidAccount, stored } from "./call.ts";
import { holds } from "./identity.ts";
import { transferTokens } from "./programs.ts";

/** Places of the accounts, and what moves. */
export interface Payment {
  readonly mint: string;
  readonly from: number;
  readonly to: number;
  readonly authority: number;
  readonly amount: bigint;
}

/** Pays; nothing moves and nothing is looked at when the amount is 0. */
export function pay(call: Call, { mint, from, to, authority, amount }: Payment): Refusal | undefined {
  if (amount === 0n) return undefined;
  if (!holds(call, from, mint) || !holds(call, to, mint)) return invalidAccount;
  const program = stored(call, from)?.owner ?? tokenProgram;
  const signed = { ...accountAt(call, authority), signer: true }; // a wallet that signed, or an address of the program
  const [source, target] = [accountAt(call, from), accountAt(call, to)];
  return transferTokens(call.ledger, { program, from: source, to: target, authority: signed, amount });
}
