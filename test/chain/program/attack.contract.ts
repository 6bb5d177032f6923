/**
 * Contract: nobody takes from the program what its rules do not grant. Every instruction is brought to the point
 * where it would succeed; then its accounts are replaced, mixed with those of another trade, forged, or stripped of
 * their rights, and must be refused; at the end the honest instruction succeeds.
 * Source: protocol 03 D.2, D.4, part E.
 */
import { describe, expect, test } from "vitest";
import { simulatedProfile } from "../../../core/solana/addresses.ts";
import type { Mint } from "../../../sim/chain/genesis.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Attempt } from "./attempts.ts";
import { nameOf } from "./attempts.ts";
import { attempts } from "./staking-attempts.ts";
import type { Trade } from "./trades.ts";
import { escrowTokensOf, openTokensOf, vaultTokensOf } from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  mintOf,
  nothing,
  OPEN,
  refused,
  run,
  succeed,
  swapped,
  tokensOf,
  usdc,
  wallet,
  withAccount,
  withAccounts,
  withRights,
} from "./world.ts";

/** Other trades whose accounts are mixed in: of other people, of the same people, and of those in another mint. */
const twins: readonly { readonly samePeople: boolean; readonly mint: Mint }[] = [
  { samePeople: false, mint: usdc },
  { samePeople: true, mint: usdc },
  { samePeople: true, mint: mintOf("tUSDC") },
];
/** Mixtures of up to this many places from the one trade, the rest from the other. */
const MIXED_PLACES_MAX = 2;

/** Refused, and not with the number that ends an instruction which can only refuse. */
async function expectRefusal(
  world: World,
  attempt: Attempt,
  what: string,
  instruction: Instruction,
  signers: readonly string[],
): Promise<void> {
  const { ok, error } = await run(world, [instruction], ...new Set(signers));
  const ended = error?.type === "custom" && error.code === attempt.ends;
  const found = { what, ok, instruction: error?.instruction, ended };
  expect(found).toEqual({ what, ok: false, instruction: 0, ended: false });
}

/** Puts every other account of the instruction, and strangers', at each place where the rules do not allow anybody. */
async function swapEach(world: World, attempt: Attempt, trade: Trade): Promise<void> {
  const instruction = attempt.build(trade);
  const signer = attempt.signer(trade);
  const strangers = [wallet("nobody"), tokensOf("nobody", OPEN), tokensOf("stranger", trade.mint)];
  for (const [place, meta] of instruction.accounts.entries()) {
    if (attempt.free?.includes(place) === true) continue;
    const others = [...instruction.accounts.map((other) => other.address), ...strangers];
    const candidates = meta.signer ? [wallet("stranger")] : [...new Set(others)];
    for (const address of candidates.filter((candidate) => candidate !== meta.address)) {
      const what = `${address} at place ${place}`;
      const signers = meta.signer ? [signer, "stranger"] : [signer];
      await expectRefusal(world, attempt, what, swapped(instruction, place, address), signers);
    }
  }
}

/** Mixes in another trade's accounts. Only all of them together, which is that trade's own instruction, may pass. */
async function mixWith(world: World, attempt: Attempt, trade: Trade, twin: Trade): Promise<void> {
  const instruction = attempt.build(trade);
  const other = attempt.build(twin);
  const differing = [...instruction.accounts.keys()].filter((place) => {
    const free = attempt.free?.includes(place) === true;
    return !free && instruction.accounts[place]?.address !== other.accounts[place]?.address;
  });
  const legal = new Set(attempt.legal?.map(String));
  for (const mixture of mixtures(differing).filter((places) => !legal.has(String(places)))) {
    const mixed = mixture.reduce((built, place) => {
      return swapped(built, place, other.accounts[place]?.address ?? "");
    }, instruction);
    const what = `places ${mixture} of ${twin.ref.reservation} in ${trade.ref.reservation}`;
    await expectRefusal(world, attempt, what, mixed, [attempt.signer(trade), attempt.signer(twin)]);
  }
}

/** Subsets with a few places, and subsets that leave out a few; never none, never all. */
function mixtures(places: readonly number[]): readonly (readonly number[])[] {
  let subsets: readonly (readonly number[])[] = [[]];
  for (const place of places) subsets = [...subsets, ...subsets.map((subset) => [...subset, place])];
  return subsets.filter(({ length }) => {
    const few = length <= MIXED_PLACES_MAX || length >= places.length - MIXED_PLACES_MAX;
    return few && length > 0 && length < places.length;
  });
}

/** Takes each right away in turn. Somebody else pays for the transaction, since its payer keeps all rights. */
async function stripEach(world: World, attempt: Attempt, trade: Trade): Promise<void> {
  const instruction = attempt.build(trade);
  const signs = instruction.accounts.some((meta) => meta.signer);
  for (const [place, meta] of instruction.accounts.entries()) {
    const twice = instruction.accounts.some((other, index) => index !== place && other.address === meta.address);
    if (twice) continue; // its other mention keeps the right
    if (meta.signer) {
      const stripped = withRights(instruction, place, { signer: false });
      await refused(world, "MissingRequiredSignature", [stripped], "outsider");
    }
    if (meta.writable) {
      const stripped = withRights(instruction, place, { writable: false });
      await refused(world, "InvalidAccountData", [stripped], "outsider", ...(signs ? [attempt.signer(trade)] : []));
    }
  }
}

/** Forges each account of the three programs: another owner, another kind, cut short, or an exact copy elsewhere. */
async function forgeEach(world: World, attempt: Attempt, trade: Trade): Promise<void> {
  const instruction = attempt.build(trade);
  const signer = attempt.signer(trade);
  const { escrowProgram, stakingProgram, governanceProgram } = simulatedProfile;
  const somewhere = wallet("nobody");
  for (const [place, { address }] of instruction.accounts.entries()) {
    const account = await world.executor.account(address);
    if (account === undefined || ![escrowProgram, stakingProgram].includes(account.owner)) continue;
    const forgeries = [
      { ...account, owner: account.owner === escrowProgram ? stakingProgram : governanceProgram },
      { ...account, data: account.data.map((byte, index) => (index === 0 ? byte ^ 1 : byte)) },
      { ...account, data: account.data.slice(0, -1) },
    ];
    for (const [index, forged] of forgeries.entries()) {
      const what = `forgery ${index} at place ${place}`;
      await withAccount(
        world,
        address,
        () => forged,
        () => expectRefusal(world, attempt, what, instruction, [signer]),
      );
    }
    const copied = swapped(instruction, place, somewhere);
    await withAccount(
      world,
      somewhere,
      () => account,
      () => expectRefusal(world, attempt, `copy at place ${place}`, copied, [signer]),
    );
  }
}

/** Puts an exact copy in the place of each token account that a program keeps: same mint, amount and authority. */
async function copyEachCustody(world: World, attempt: Attempt, trade: Trade): Promise<void> {
  const instruction = attempt.build(trade);
  const somewhere = wallet("nobody");
  const pooled = [at.arbitrationPool().address, at.stakeVault().address];
  const kept = [vaultTokensOf(trade), escrowTokensOf(trade), openTokensOf(trade), ...pooled];
  for (const [place, { address }] of instruction.accounts.entries()) {
    const account = await world.executor.account(address);
    if (account === undefined || !kept.includes(address)) continue;
    const what = `copy of the tokens at place ${place}`;
    await withAccount(
      world,
      somewhere,
      () => account,
      () => expectRefusal(world, attempt, what, swapped(instruction, place, somewhere), [attempt.signer(trade)]),
    );
  }
}

/** Too few accounts, too few or too many bytes. */
async function cutShort(world: World, attempt: Attempt, trade: Trade): Promise<void> {
  const instruction = attempt.build(trade);
  const signer = attempt.signer(trade);
  const fewer = { ...instruction, accounts: instruction.accounts.slice(0, -1) };
  await refused(world, "NotEnoughAccountKeys", [fewer], signer);
  for (const data of [instruction.data.slice(0, -1), Uint8Array.of(...instruction.data, 0)]) {
    await refused(world, "InvalidInstructionData", [{ ...instruction, data }], signer);
  }
}

/** Every attack on one attempt; then the honest instruction. */
async function attack(world: World, attempt: Attempt, trade: Trade): Promise<void> {
  await swapEach(world, attempt, trade);
  await stripEach(world, attempt, trade);
  await forgeEach(world, attempt, trade);
  await copyEachCustody(world, attempt, trade);
  await cutShort(world, attempt, trade);
  const honest = attempt.build(trade);
  if (attempt.ends === undefined) await succeed(world, [honest], attempt.signer(trade));
  else await refused(world, attempt.ends, [honest], attempt.signer(trade));
}

export function describeAttacks(world: () => World): void {
  describe("no account can be replaced, mixed, forged or stripped", () => {
    test.each(attempts.map((attempt) => [nameOf(attempt), attempt] as const))("%s", async (_, attempt) => {
      const trade = await attempt.prepare(world());
      for (const { samePeople, mint } of twins) {
        const twin = await attempt.prepare(world(), mint, samePeople ? trade : undefined);
        await mixWith(world(), attempt, twin, trade);
      }
      const subject = await attempt.prepare(world());
      await withAccounts(world(), attempt.without ?? [], nothing, () => attack(world(), attempt, subject));
    });
  });
}
