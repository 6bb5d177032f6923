/**
 * Goal: forks behave as on a chain: branches with blocks of their own, nothing final while they compete, the loser's
 * effects gone, the winner's transactions run again (protocol 03 part E). Method: one statement per test, on the model
 * and on LiteSVM; bankrun refuses.
 */
import { describe, expect, test } from "vitest";
import type { Cluster } from "../../../sim/chain/cluster.ts";
import { openCluster } from "../../../sim/chain/cluster.ts";
import type { OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, crypto, firstDay, keyring, START_UNIX, tokensOf, usdc } from "./chain-world.ts";

const merchant = addressOf("merchant");
const vault = at.liquidityVault(merchant, usdc.mint).address;
const create = build.createLiquidityVault(at, merchant, usdc);
const deposit = (amount: bigint) => build.depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), amount);
const reserve = (amount: bigint) => build.reserveLiquidity(at, merchant, usdc.mint, amount);

const executors: readonly (readonly [string, OpenExecutor])[] = [
  ["model", (genesis) => Promise.resolve(openModel(at, crypto, genesis))],
  ["litesvm", openLitesvm],
];

describe.each(executors)("on %s", (_, open) => {
  test("two branches hold different things at the same time, and each runs on its own accounts", async () => {
    const chain = await openChain(open);
    await land(chain, create);
    await land(chain, deposit(100n));
    const rival = await chain.fork(chain.currentSlot());
    const main = chain.main();
    await chain.advance(chain.currentSlot() + 1n);
    const onBoth = sendTo(chain, [reserve(10n)]);
    const onMain = sendTo(chain, [reserve(1n)], main);
    const onRival = sendTo(chain, [reserve(2n)], rival);
    await chain.advance(chain.currentSlot() + 2n);
    expect(landedOn(chain, main, [onBoth, onMain, onRival])).toEqual([true, true, false]);
    expect(landedOn(chain, rival, [onBoth, onMain, onRival])).toEqual([true, false, true]);
    const reserved = (branch: number) => vaultBytes(chain, branch);
    expect(reserved(main)).not.toEqual(reserved(rival));
    expect(chain.account(vault, "processed")?.data).toEqual(reserved(main));
    await chain.settle(rival);
    expect(landedOn(chain, rival, [onBoth, onMain, onRival])).toEqual([true, false, true]);
    expect(chain.main()).toBe(rival);
    await chain.advance(chain.currentSlot() + 40n);
    expect(chain.transaction(onMain)).toBeUndefined();
    expect(chain.transaction(onRival)).toBeDefined();
  });

  test("what the winner takes over runs again in the same slots, to the same accounts", async () => {
    const chain = await openChain(open);
    const sent = [await land(chain, create), await land(chain, deposit(100n)), await land(chain, reserve(7n))];
    const before = chain.accounts("processed");
    const { blockhash } = chain.latestBlockhash("processed");
    const slots = sent.map((signature) => chain.signatureStatus(signature)?.slot);
    await chain.reorganize(0n);
    expect(sent.map((signature) => chain.signatureStatus(signature)?.slot)).toEqual(slots);
    expect(chain.accounts("processed")).toEqual(before);
    expect(chain.latestBlockhash("processed").blockhash).not.toBe(blockhash);
  });

  test("losing one transaction makes those that lean on it fail on the winner", async () => {
    const chain = await openChain(open);
    const created = await land(chain, create);
    const filled = await land(chain, deposit(100n));
    const held = await land(chain, reserve(7n));
    await chain.reorganize(0n, (signature) => (signature === filled ? "lost" : "again"));
    const error = (signature: string) => chain.signatureStatus(signature)?.err;
    expect([error(created), error(filled)]).toEqual([null, undefined]);
    expect(error(held)).toEqual({ type: "custom", instruction: 0, code: 6005 });
  });
});

describe("finality", () => {
  test("nothing becomes final while branches compete; what won does 32 slots later", async () => {
    const chain = await openChain();
    await chain.advance(100n);
    expect(chain.slot("finalized")).toBe(68n);
    const rival = await chain.fork(90n);
    await chain.advance(200n);
    expect([chain.slot("finalized"), chain.slot("confirmed")]).toEqual([90n, 198n]);
    await chain.settle(rival);
    await chain.advance(231n);
    expect(chain.slot("finalized")).toBe(90n);
    await chain.advance(232n);
    expect(chain.slot("finalized")).toBe(200n);
  });

  test("stalls, and goes on", async () => {
    const chain = await openChain();
    await chain.advance(100n);
    const first = chain.stallFinality();
    await chain.advance(500n);
    const other = chain.stallFinality();
    expect([chain.slot("finalized"), chain.slot("confirmed")]).toEqual([68n, 498n]);
    chain.releaseFinality(first);
    chain.releaseFinality(first);
    await chain.advance(600n);
    expect(chain.slot("finalized")).toBe(68n);
    chain.releaseFinality(other);
    await chain.advance(632n);
    expect(chain.slot("finalized")).toBe(600n);
  });

  test("a confirmed block can be reorganized away, far back while finality stalls; a final one cannot", async () => {
    const chain = await openChain();
    const signature = await land(chain, create);
    chain.stallFinality();
    await chain.advance(140n);
    expect(chain.signatureStatus(signature)?.commitment).toBe("confirmed");
    await chain.reorganize(0n, () => "lost");
    expect(chain.signatureStatus(signature)).toBeUndefined();
    expect(chain.account(vault, "processed")).toBeUndefined();
    const other = await openChain();
    await other.advance(100n);
    await expect(other.fork(67n)).rejects.toThrow("only unfinalized blocks");
    await expect(other.fork(101n)).rejects.toThrow("only unfinalized blocks");
  });
});

describe("bankrun", () => {
  test("refuses to fork, in one sentence, and goes on", async () => {
    const chain = await openChain(openBankrun);
    await chain.advance(3n);
    await expect(chain.fork(2n)).rejects.toThrow(
      "bankrun cannot run a transaction again on another fork: use litesvm or model",
    );
    await expect(chain.reorganize(2n)).rejects.toThrow("bankrun cannot");
    const signature = await land(chain, create);
    expect(chain.signatureStatus(signature)?.err).toBeNull();
    await chain.close();
  });
});

describe("a submitted transaction", () => {
  test("that is dropped never lands, whatever its sender was told", async () => {
    const chain = await openChain();
    const sent = chain.submit(wireFor(chain, [create]), { dropped: true });
    await chain.advance(40n);
    expect(sent.ok && chain.signatureStatus(sent.value)).toBeUndefined();
    expect(chain.waits()).toBe(false);
  });

  test("that is late lands so many slots later, or expires on the way", async () => {
    const chain = await openChain();
    const late = chain.submit(wireFor(chain, [create]), { late: 20n });
    const never = chain.submit(wireFor(chain, [deposit(1n)]), { late: 151n });
    await chain.advance(20n);
    expect(late.ok && chain.signatureStatus(late.value)).toBeUndefined();
    await chain.advance(200n);
    expect(late.ok && chain.signatureStatus(late.value)?.slot).toBe(21n);
    expect(never.ok && chain.signatureStatus(never.value)).toBeUndefined();
  });

  test("that the chain fails pays its fee and does nothing, on every executor", async () => {
    for (const open of [...executors.map(([, one]) => one), openBankrun]) {
      const chain = await openChain(open);
      const lamports = chain.account(merchant, "processed")?.lamports ?? 0n;
      const sent = chain.submit(wireFor(chain, [create]), { fails: "ComputationalBudgetExceeded" });
      await chain.advance(1n);
      const name = "ComputationalBudgetExceeded";
      expect(sent.ok && chain.signatureStatus(sent.value)?.err).toEqual({ type: "other", instruction: 0, name });
      expect(chain.account(vault, "processed")).toBeUndefined();
      expect(chain.account(merchant, "processed")?.lamports).toBe(lamports - 5_000n);
      const again = sendTo(chain, [create], chain.main());
      await chain.advance(3n);
      expect(chain.signatureStatus(again)?.err).toBeNull();
      await chain.close();
    }
  });
});

function openChain(open: OpenExecutor = executors[0]?.[1] as OpenExecutor): Promise<Cluster> {
  return openCluster({
    crypto,
    genesis: firstDay(),
    signers: keyring,
    open,
    seed: new Uint8Array(32).fill(9),
    startMs: START_UNIX * 1000n,
  });
}

/** Signs on a blockhash of the newest final block, which every branch knows, or of one branch. */
function wireFor(chain: Cluster, instructions: readonly Instruction[], branch?: number, payer: Name = "merchant") {
  const view = branch === undefined ? chain : chain.on(branch);
  const { blockhash } = view.latestBlockhash(branch === undefined ? "finalized" : "processed");
  return signTransaction({ payer: addressOf(payer), instructions, blockhash }, keyring, crypto);
}

function sendTo(chain: Cluster, instructions: readonly Instruction[], branch?: number): string {
  const sent = chain.submit(wireFor(chain, instructions, branch));
  if (!sent.ok) throw new Error(sent.error);
  return sent.value;
}

async function land(chain: Cluster, instruction: Instruction): Promise<string> {
  const signature = sendTo(chain, [instruction]);
  await chain.advance(chain.currentSlot() + 1n);
  return signature;
}

function landedOn(chain: Cluster, branch: number, signatures: readonly string[]): readonly boolean[] {
  return signatures.map((signature) => chain.on(branch).signatureStatus(signature) !== undefined);
}

function vaultBytes(chain: Cluster, branch: number): Uint8Array | undefined {
  return chain.on(branch).account(vault, "processed")?.data;
}
