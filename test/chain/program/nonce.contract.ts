/**
 * Contract: nonce accounts do on every executor what they do on a validator: they are made, moved on once after each
 * block, given to others, and emptied by who commands them; and they hold the same bytes everywhere.
 * Source: Solana's system program, its durable nonces.
 */
import { describe, expect, test } from "vitest";
import { rentSysvar, systemProgram } from "../../../core/solana/addresses.ts";
import { pk, u32, u64 } from "../../../core/solana/layout.ts";
import {
  NONCE_BYTES,
  nonceAfter,
  nonceCalls,
  RECENT_BLOCKHASHES,
  readNonce,
} from "../../../sim/chain/nonce-accounts.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import type { AccountMeta, Instruction } from "../../../sim/chain/transaction.ts";
import type { World } from "./world.ts";
import { crypto, NONCE_NAME, refused, SLOT_HASHES, succeed, wallet } from "./world.ts";

const OWNER = "stranger";
const OTHER = "outsider";
const RENT = rentExempt(NONCE_BYTES);
const SPARE = 10_000n;

const meta = (address: string, rights = ""): AccountMeta => {
  return { address, signer: rights.includes("s"), writable: rights.includes("w") };
};

/** An instruction of the system program: its number, its arguments, its accounts. */
function system(kind: number, args: readonly Uint8Array[], ...accounts: readonly AccountMeta[]): Instruction {
  const data = [u32.write(kind), ...args].flatMap((part) => [...part]);
  return { program: systemProgram, accounts, data: Uint8Array.from(data) };
}

const account = () => wallet(NONCE_NAME);
const advance = (by: string, sysvar = RECENT_BLOCKHASHES) =>
  system(nonceCalls.advance, [], meta(account(), "w"), meta(sysvar), meta(wallet(by), "s"));
const authorize = (by: string, to: string) =>
  system(nonceCalls.authorize, [pk.write(wallet(to))], meta(account(), "w"), meta(wallet(by), "s"));
const initialize = (authority: string) =>
  system(
    nonceCalls.initialize,
    [pk.write(wallet(authority))],
    ...[meta(account(), "w"), meta(RECENT_BLOCKHASHES), meta(rentSysvar)],
  );
const withdraw = (by: string, lamports: bigint) =>
  system(
    nonceCalls.withdraw,
    [u64.write(lamports)],
    ...[meta(account(), "w"), meta(wallet(OWNER), "w"), meta(RECENT_BLOCKHASHES), meta(rentSysvar)],
    meta(wallet(by), "s"),
  );
const create = (lamports: bigint, space = BigInt(NONCE_BYTES)) =>
  system(
    0,
    [u64.write(lamports), u64.write(space), pk.write(systemProgram)],
    ...[meta(wallet(OWNER), "sw"), meta(account(), "sw")],
  );

const hashOf = (block: number) => new Uint8Array(32).fill(block);
/** The chain goes on to the slot after a block. */
function after(world: World, block: number): void {
  world.slotHashes = [{ slot: 1_000n + BigInt(block), hash: hashOf(block) }, ...SLOT_HASHES];
}

async function held(world: World) {
  const found = await world.executor.account(account());
  const nonce = found && readNonce(found.data)?.nonce;
  return found && { ...nonce, lamports: found.lamports, bytes: found.data.length };
}

const nonceOf = (block: number) => nonceAfter(crypto.sha256, hashOf(block));
const held64 = (block: number, authority: string, lamports: bigint) => ({
  ...{
    authority: wallet(authority),
    value: nonceOf(block),
    lamportsPerSignature: 5_000n,
    lamports,
    bytes: NONCE_BYTES,
  },
});

export function describeNonces(world: () => World): void {
  describe("a nonce account", () => {
    test("lives from its making to its emptying", async () => {
      try {
        await life(world());
      } finally {
        world().slotHashes = SLOT_HASHES;
      }
    });
  });
}

async function life(world: World): Promise<void> {
  after(world, 1);
  // Only the new account itself lets it be made, with rent enough to be a nonce.
  await refused(world, "InsufficientFunds", [create(rentExempt(0)), initialize(OWNER)], OWNER, NONCE_NAME);
  await refused(world, "InvalidAccountData", [create(RENT, 4n), initialize(OWNER)], OWNER, NONCE_NAME);
  await refused(world, 1, [create(2n ** 62n)], OWNER, NONCE_NAME);
  await succeed(world, [create(RENT + SPARE)], OWNER, NONCE_NAME);
  await refused(world, 0, [create(RENT)], OWNER, NONCE_NAME);
  await refused(world, "InvalidAccountData", [advance(OWNER)], OWNER);
  await succeed(world, [initialize(OWNER)], OWNER);
  expect(await held(world)).toEqual(held64(1, OWNER, RENT + SPARE));
  await refused(world, "InvalidAccountData", [initialize(OTHER)], OTHER);

  // Once after each block, by who commands it; a bank has blocks of its own.
  const isOnce = world.executor.replays;
  if (isOnce) await refused(world, 7, [advance(OWNER)], OWNER);
  after(world, 2);
  await refused(world, "MissingRequiredSignature", [advance(OTHER)], OTHER);
  await refused(world, "InvalidArgument", [advance(OWNER, rentSysvar)], OWNER);
  await succeed(world, [advance(OWNER)], OWNER);
  expect(await held(world)).toEqual(held64(2, OWNER, RENT + SPARE));
  if (isOnce) await refused(world, 7, [advance(OWNER)], OWNER);
  after(world, 3);
  // What fails moves nothing here: that a nonce moves on all the same is the chain's doing, not the program's.
  await refused(world, "InvalidInstructionData", [advance(OWNER), system(99, [])], OWNER);
  expect(await held(world)).toEqual(held64(2, OWNER, RENT + SPARE));

  await refused(world, "MissingRequiredSignature", [authorize(OTHER, OTHER)], OTHER);
  await succeed(world, [authorize(OWNER, OTHER)], OWNER);
  expect(await held(world)).toEqual(held64(2, OTHER, RENT + SPARE));
  await refused(world, "MissingRequiredSignature", [advance(OWNER)], OWNER);

  // The rent stays, or everything leaves, but not in the slot of the nonce itself.
  await refused(world, "InsufficientFunds", [withdraw(OTHER, SPARE + 1n)], OTHER);
  await refused(world, "MissingRequiredSignature", [withdraw(OWNER, SPARE)], OWNER);
  await succeed(world, [withdraw(OTHER, SPARE)], OTHER);
  expect(await held(world)).toEqual(held64(2, OTHER, RENT));
  await succeed(world, [advance(OTHER)], OTHER);
  if (isOnce) await refused(world, 7, [withdraw(OTHER, RENT)], OTHER);
  after(world, 4);
  await succeed(world, [withdraw(OTHER, RENT)], OTHER);
  expect(await held(world)).toBeUndefined();
}
