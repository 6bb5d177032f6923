/**
 * Goal: the simulated chain behaves as a chain (protocol 03 part E, "Chain features the simulator needs").
 * Method: one statement per test on the model executor; a whole dispute read back as a node would read it.
 */
import { describe, expect, test } from "vitest";
import { toBase58 } from "../../../core/kernel/text.ts";
import { readCase } from "../../../core/solana/accounts.ts";
import { programEvents } from "../../../core/solana/events.ts";
import { executeDisputeOutcome, findInstruction } from "../../../core/solana/transaction.ts";
import type { Cluster } from "../../../sim/chain/cluster.ts";
import { openCluster } from "../../../sim/chain/cluster.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import { treasuriesFor, WALLET_LAMPORTS } from "../../../sim/chain/genesis.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, commitmentOf, crypto, firstDay, keyring, START_UNIX, tokensOf, usdc } from "./chain-world.ts";

const escrow = at.profile.escrowProgram;
const merchant = addressOf("merchant");
const create = build.createLiquidityVault(at, merchant, usdc);
const vault = at.liquidityVault(merchant, usdc.mint).address;

describe("a transaction's way", () => {
  test("processed at once, confirmed after 2 slots, finalized after 32", async () => {
    const chain = await open();
    const signature = send(chain, "merchant", [create]);
    expect(chain.signatureStatus(signature)).toBeUndefined();
    await chain.advance(1n);
    const levels = [
      [1n, "processed"],
      [2n, "processed"],
      [3n, "confirmed"],
      [32n, "confirmed"],
      [33n, "finalized"],
    ] as const;
    for (const [slot, commitment] of levels) {
      await chain.advance(slot);
      expect(chain.signatureStatus(signature)).toEqual({ slot: 1n, err: null, commitment });
      expect(chain.account(vault, commitment)).toBeDefined();
      expect(chain.transaction(signature, commitment)?.signature).toBe(signature);
    }
  });

  test("is not seen at a level before it reaches it", async () => {
    const chain = await open();
    const signature = send(chain, "merchant", [create]);
    await chain.advance(2n);
    expect(chain.account(vault, "confirmed")).toBeUndefined();
    expect(chain.transaction(signature, "confirmed")).toBeUndefined();
    expect(chain.signaturesForAddress(vault, { commitment: "confirmed" })).toEqual([]);
    await chain.advance(32n);
    expect(chain.account(vault)).toBeUndefined();
    expect(chain.account(addressOf("merchant"))?.lamports).toBe(WALLET_LAMPORTS);
  });

  test("sent twice it runs once and answers the same signature", async () => {
    const chain = await open();
    const wire = wireFor(chain, "merchant", [create]);
    const first = chain.submit(wire);
    expect(chain.submit(wire)).toEqual(first);
    await chain.advance(1n);
    expect(chain.submit(wire)).toEqual(first);
    await chain.advance(2n);
    expect(chain.signaturesForAddress(vault, { commitment: "processed" })).toHaveLength(1);
  });

  test("that fails stands in its block with its number, its fee, and no event", async () => {
    const chain = await open();
    const signature = send(chain, "stranger", [build.reserveLiquidity(at, addressOf("stranger"), usdc.mint, 1n)]);
    await chain.advance(1n);
    const found = chain.transaction(signature, "processed");
    expect(found?.err).toEqual({ type: "other", instruction: 0, name: "InvalidAccountData" });
    expect(programEvents(found?.logs ?? [], escrow)).toEqual([]);
    expect(chain.account(addressOf("stranger"), "processed")?.lamports).toBe(WALLET_LAMPORTS - 5_000n);
  });

  test("by someone who cannot pay never lands", async () => {
    const chain = await open();
    const seed = new Uint8Array(32).fill(77);
    const poor = { secretKey: seed, publicKey: crypto.publicKey(seed) };
    const plan = {
      payer: toBase58(poor.publicKey),
      instructions: [],
      blockhash: chain.latestBlockhash("processed").blockhash,
    };
    const submitted = chain.submit(signTransaction(plan, [poor], crypto));
    await chain.advance(40n);
    expect(submitted.ok && chain.signatureStatus(submitted.value)).toBeUndefined();
  });

  test("with a broken signature is refused at once", async () => {
    const chain = await open();
    const wire = wireFor(chain, "merchant", [create]);
    wire[5] = (wire[5] ?? 0) ^ 1;
    expect(chain.submit(wire)).toEqual({ ok: false, error: "SIGNATURE_INVALID" });
    expect(chain.submit(Uint8Array.of(1, 2, 3))).toEqual({ ok: false, error: "TRUNCATED" });
  });
});

describe("blockhashes", () => {
  test("are taken for 150 slots", async () => {
    for (const [slot, lands] of [
      [150n, true],
      [151n, false],
    ] as const) {
      const chain = await open();
      const wire = wireFor(chain, "merchant", [create]);
      expect(chain.latestBlockhash("processed").lastValidSlot).toBe(150n);
      await chain.advance(slot - 1n);
      const submitted = chain.submit(wire);
      expect(submitted.ok).toBe(lands);
      if (!lands) expect(submitted).toEqual({ ok: false, error: "BLOCKHASH_NOT_FOUND" });
    }
  });

  test("expire while a transaction waits through skipped slots", async () => {
    const chain = await open((slot) => slot > 0n && slot <= 151n);
    const signature = send(chain, "merchant", [create]);
    await chain.advance(160n);
    expect(chain.signatureStatus(signature)).toBeUndefined();
    expect(chain.slot("processed")).toBe(160n);
  });

  test("a skipped slot has no block; the next one takes what waits", async () => {
    const chain = await open((slot) => slot === 1n || slot === 2n);
    const signature = send(chain, "merchant", [create]);
    await chain.advance(2n);
    expect([chain.currentSlot(), chain.slot("processed")]).toEqual([2n, 0n]);
    await chain.advance(3n);
    expect(chain.signatureStatus(signature)?.slot).toBe(3n);
  });

  test("are a function of seed and slot", async () => {
    const [one, other] = [await open(), await open()];
    await one.advance(77n);
    await other.advance(70n);
    await other.advance(77n);
    expect(one.latestBlockhash("processed")).toEqual(other.latestBlockhash("processed"));
    expect(one.latestBlockhash("confirmed").slot).toBe(75n);
    expect(one.latestBlockhash("finalized").slot).toBe(45n);
  });

  test("the clock is the slot's", async () => {
    const chain = await open();
    expect(chain.unixTimestamp(5n)).toBe(START_UNIX + 2n);
  });
});

test("signatures of an address come newest first, between two of them, up to a limit", async () => {
  const chain = await open();
  const sent: string[] = [];
  for (let slot = 1n; slot <= 5n; slot += 1n) {
    sent.unshift(send(chain, "merchant", [build.reserveLiquidity(at, merchant, usdc.mint, slot)]));
    await chain.advance(slot);
  }
  await chain.advance(100n);
  const list = (query: object) => chain.signaturesForAddress(merchant, query).map((found) => found.signature);
  expect(list({})).toEqual(sent);
  expect(list({ limit: 2 })).toEqual(sent.slice(0, 2));
  expect(list({ before: sent[1] })).toEqual(sent.slice(2));
  expect(list({ until: sent[3] })).toEqual(sent.slice(0, 3));
  expect(list({ before: sent[0], until: sent[4] })).toEqual(sent.slice(1, 4));
});

describe("another fork wins", () => {
  test("a processed transaction is gone, its effects with it, and never comes back if the fork lost it", async () => {
    const chain = await open();
    const before = chain.accounts("processed");
    const signature = send(chain, "merchant", [create]);
    await chain.advance(1n);
    const hash = chain.latestBlockhash("processed").blockhash;
    await chain.reorganize(0n, (lost) => (lost === signature ? "lost" : "late"));
    await chain.advance(40n);
    expect(chain.signatureStatus(signature)).toBeUndefined();
    expect(chain.accounts("processed")).toEqual(before);
    await chain.reorganize(39n);
    expect(chain.latestBlockhash("processed").blockhash).not.toBe(hash);
  });

  test("a transaction that the other fork also takes lands there", async () => {
    const chain = await open();
    const signature = send(chain, "merchant", [create]);
    await chain.advance(1n);
    await chain.reorganize(0n, () => "late");
    expect(chain.signatureStatus(signature)).toBeUndefined();
    await chain.advance(2n);
    expect(chain.signatureStatus(signature)?.slot).toBe(2n);
  });

  test("one that names an abandoned block's hash cannot", async () => {
    const chain = await open();
    await chain.advance(1n);
    const signature = send(chain, "merchant", [create]);
    await chain.advance(2n);
    await chain.reorganize(0n);
    await chain.advance(40n);
    expect(chain.signatureStatus(signature)).toBeUndefined();
  });

  test("what is final stays", async () => {
    const chain = await open();
    await chain.advance(40n);
    await expect(chain.reorganize(7n)).rejects.toThrow("unfinalized");
  });
});

test("a decided dispute can be read as a node must read it (A.10.3 R3, R4)", async () => {
  const chain = await open();
  const ref = { ...usdc, reservation: 42n, merchant };
  const buyer = addressOf("buyer");
  const judges: readonly Name[] = ["judge1", "judge2", "judge3"];
  const steps: readonly (readonly [Name, Instruction])[] = [
    ["merchant", create],
    ["merchant", build.depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), 900n)],
    ["merchant", build.reserveLiquidity(at, merchant, usdc.mint, 900n)],
    ["merchant", build.createTradeEscrow(at, ref, buyer, 900n, 1_800n)],
    ["merchant", build.fundTradeEscrow(at, ref)],
    ["buyer", build.openDisputeCase(at, ref, buyer, buyer, { commitSecs: 60n, revealSecs: 60n })],
    ...judges.map(
      (judge) => [judge, build.commitDisputeVote(at, 42n, addressOf(judge), commitmentOf(42n, judge, 1, 7))] as const,
    ),
  ];
  for (const [payer, instruction] of steps) await land(chain, payer, instruction);
  await chain.advance(chain.currentSlot() + 150n);
  for (const judge of judges) {
    await land(chain, judge, build.revealDisputeVote(at, 42n, addressOf(judge), 1, new Uint8Array(32).fill(7)));
  }
  await chain.advance(chain.currentSlot() + 150n);
  const execute = build.executeDisputeOutcome(at, ref, tokensOf("buyer", usdc), treasuriesFor(at, usdc));
  const signature = await land(chain, "stranger", execute);
  await chain.advance(chain.currentSlot() + 32n);
  const found = chain.transaction(signature);
  const accounts = { 1: at.disputeCase(42n).address, 2: at.tradeEscrow(42n).address };
  expect(found !== undefined && findInstruction(found.message, escrow, executeDisputeOutcome, accounts)).toBeDefined();
  expect(programEvents(found?.logs ?? [], escrow)).toMatchObject([
    {
      type: "DisputeResolved",
      fields: { reservation_id: 42n, buyer, seller: merchant, outcome: 1 },
    },
  ]);
  const account = chain.account(at.disputeCase(42n).address);
  expect(account !== undefined && readCase(at.profile, account)).toMatchObject({
    ok: true,
    value: { resolved: true, outcome: "MerchantWins", tradeEscrow: at.tradeEscrow(42n).address },
  });
});

function open(isSkipped: (slot: bigint) => boolean = () => false): Promise<Cluster> {
  return openCluster({
    crypto,
    genesis: firstDay(),
    signers: keyring,
    isSkipped,
    open: (genesis) => Promise.resolve(openModel(at, crypto, genesis)),
    seed: new Uint8Array(32).fill(9),
    startMs: START_UNIX * 1000n,
  });
}

function wireFor(chain: Cluster, payer: Name, instructions: readonly Instruction[]): Uint8Array {
  const { blockhash } = chain.latestBlockhash("processed");
  return signTransaction({ payer: addressOf(payer), instructions, blockhash }, keyring, crypto);
}

function send(chain: Cluster, payer: Name, instructions: readonly Instruction[]): string {
  const submitted = chain.submit(wireFor(chain, payer, instructions));
  if (!submitted.ok) throw new Error(submitted.error);
  return submitted.value;
}

async function land(chain: Cluster, payer: Name, instruction: Instruction): Promise<string> {
  const signature = send(chain, payer, [instruction]);
  await chain.advance(chain.currentSlot() + 1n);
  expect(chain.signatureStatus(signature)?.err).toBeNull();
  return signature;
}
