/**
 * Ways to run an instruction so that whoever reads transactions does not see it: behind memos that fill the log before
 * its event, called by another program, or with accounts that a lookup table names. Anybody may do so with any decision
 * and any release, for the price of a transaction.
 * Source: protocol 03 A.10.3 R3, R4; DESIGN section 4 "A decision cannot be hidden".
 */
import { toBase58, utf8 } from "../../core/index.ts";
import type { ChainAddresses } from "../../core/testing.ts";
import type { LookupTable } from "./lookup-tables.ts";
import type { Instruction } from "./transaction.ts";
import { memoProgram } from "./transaction-log.ts";

/** Empty memos that leave no room in a log for what comes after them. Source: Solana's log collector. */
export const MEMOS_THAT_HIDE = 45;

/** A program that passes on what it is given. Source: sim/chain/forwarder/README.md. */
export const forwarderProgram = "4sPXwQXiRGD4jKyhiXSDACZXYnnQUr2SiJv7bzwGSAuo";

/** The instruction called by the forwarder. */
export function forwarded({ program, accounts, data }: Instruction): Instruction {
  const called = { address: program, signer: false, writable: false };
  return { program: forwarderProgram, accounts: [called, ...accounts], data };
}

/** The instruction without the last of its accounts. */
export function withoutLast({ accounts, ...rest }: Instruction): Instruction {
  return { ...rest, accounts: accounts.slice(0, -1) };
}

/** The instruction with other accounts in place of some. */
export function withAccounts({ accounts, ...rest }: Instruction, instead: ReadonlyMap<string, string>): Instruction {
  return {
    ...rest,
    accounts: accounts.map((each) => ({ ...each, address: instead.get(each.address) ?? each.address })),
  };
}

/** A text on the chain, signed by nobody but who pays. */
export function memo(text: string): Instruction {
  return { program: memoProgram, accounts: [], data: utf8(text) };
}

/** The instruction behind so many empty memos. */
export function behindMemos(instruction: Instruction, memos: number = MEMOS_THAT_HIDE): readonly Instruction[] {
  return [...Array.from({ length: memos }, () => memo("")), instruction];
}

/** A table of what closing a trade names of it alone: its escrow, the tokens in it, its case. */
export function closingTableOf(at: ChainAddresses, reservation: bigint): LookupTable {
  const address = new Uint8Array(32);
  address.set(utf8(`closing of ${reservation}`));
  const named = [at.tradeEscrow(reservation), at.tradeEscrowTokens(reservation), at.disputeCase(reservation)];
  return { address: toBase58(address), addresses: named.map((each) => each.address) };
}
