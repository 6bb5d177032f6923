/**
 * Goal: a transaction on a durable nonce is as old as its nonce, on each branch by itself: run on a branch that dies,
 * it runs once on the one that survives, at once or long after; and a nonce that moved on where nothing is left stands
 * where it stood. Source: Solana's durable nonces; protocol 03 part E.
 * Method: forks of the simulated chain on the model and on LiteSVM, which can run a transaction again. Bankrun cannot:
 * there nonces are those of one branch, and a transaction on one runs once all the same.
 */
import { describe, expect, test } from "vitest";
import { toBase58 } from "../../../core/kernel/text.ts";
import { systemProgram } from "../../../core/solana/addresses.ts";
import { u32, u64 } from "../../../core/solana/layout.ts";
import type { Cluster } from "../../../sim/chain/cluster.ts";
import { openCluster } from "../../../sim/chain/cluster.ts";
import type { OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../sim/chain/executors/model.ts";
import {
  NONCE_BYTES,
  nonceCalls,
  RECENT_BLOCKHASHES,
  readNonce,
  withNonce,
} from "../../../sim/chain/nonce-accounts.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import type { AccountMeta, Instruction } from "../../../sim/chain/transaction.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";
import { addressOf, crypto, firstDay, keyring, START_UNIX } from "./chain-world.ts";

const owner = addressOf("merchant");
/** An account of the first day that holds a nonce. */
const account = toBase58(new Uint8Array(32).fill(77));
const receiver = addressOf("other");
const PAID = 1_000n;
/** Slots after which no blockhash of today is taken. */
const LATER = 400n;

const both: readonly (readonly [string, OpenExecutor])[] = [
  ["model", modelExecutors(crypto)],
  ["litesvm", openLitesvm],
];

const meta = (address: string, rights = ""): AccountMeta => {
  return { address, signer: rights.includes("s"), writable: rights.includes("w") };
};
const advance: Instruction = {
  program: systemProgram,
  accounts: [meta(account, "w"), meta(RECENT_BLOCKHASHES), meta(owner, "s")],
  data: u32.write(nonceCalls.advance),
};
const payment: Instruction = {
  program: systemProgram,
  accounts: [meta(owner, "sw"), meta(receiver, "w")],
  data: Uint8Array.from([...u32.write(2), ...u64.write(PAID)]),
};

function openChain(open: OpenExecutor): Promise<Cluster> {
  const fresh = { authority: owner, value: new Uint8Array(32).fill(5), lamportsPerSignature: 5_000n };
  const data = withNonce(new Uint8Array(NONCE_BYTES), fresh) as Uint8Array;
  const held = { lamports: rentExempt(NONCE_BYTES), owner: systemProgram, data, executable: false };
  return openCluster({
    ...{ crypto, signers: keyring, open, seed: new Uint8Array(32).fill(9), startMs: START_UNIX * 1000n },
    genesis: [...firstDay(), { address: account, account: held }],
  });
}

const nonceOf = (chain: Cluster, branch: number = chain.main()) => {
  const found = chain.on(branch).account(account, "processed");
  return toBase58(readNonce(found?.data ?? new Uint8Array(0))?.nonce?.value ?? new Uint8Array(0));
};
const received = (chain: Cluster, branch: number = chain.main()) =>
  chain.on(branch).account(receiver, "processed")?.lamports ?? 0n;

/** A payment that lives by the nonce as it is now. */
function paymentOn(blockhash: string): Uint8Array {
  return signTransaction({ payer: owner, instructions: [advance, payment], blockhash }, keyring, crypto);
}

async function land(chain: Cluster, wire: Uint8Array): Promise<string> {
  const sent = chain.submit(wire);
  if (!sent.ok) throw new Error(sent.error);
  await chain.advance(chain.currentSlot() + 1n);
  return sent.value;
}

describe.each(both)("on %s", (_, open) => {
  test("run on both branches, it has run once on the one that survives, whose own nonce it leaves", async () => {
    const chain = await openChain(open);
    await chain.advance(10n);
    const [before, first] = [received(chain), nonceOf(chain)];
    const rival = await chain.fork(9n);
    const dead = chain.main();
    const wire = paymentOn(first);
    const signature = await land(chain, wire);
    expect([received(chain, dead), received(chain, rival)]).toEqual([before + PAID, before + PAID]);
    expect(nonceOf(chain, dead)).not.toBe(nonceOf(chain, rival));
    const surviving = nonceOf(chain, rival);
    await chain.settle(rival);
    expect(chain.signatureStatus(signature)?.err).toBeNull();
    expect([received(chain), nonceOf(chain)]).toEqual([before + PAID, surviving]);
    chain.submit(wire);
    await chain.advance(chain.currentSlot() + LATER);
    chain.submit(wire);
    await chain.advance(chain.currentSlot() + 3n);
    expect([received(chain), nonceOf(chain)]).toEqual([before + PAID, surviving]);
  });

  test("run on the dead branch alone, it leaves no trace, and runs once when it is sent again, even late", async () => {
    const chain = await openChain(open);
    await chain.advance(10n);
    const [before, first] = [received(chain), nonceOf(chain)];
    const wire = paymentOn(first);
    const signature = await land(chain, wire);
    expect(nonceOf(chain)).not.toBe(first);
    await chain.reorganize(9n, () => "lost");
    expect(chain.signatureStatus(signature)).toBeUndefined();
    expect([received(chain), nonceOf(chain)]).toEqual([before, first]);
    await chain.advance(chain.currentSlot() + LATER);
    expect(await land(chain, wire)).toBe(signature);
    expect([received(chain), nonceOf(chain) === first]).toEqual([before + PAID, false]);
    chain.submit(wire);
    await chain.advance(chain.currentSlot() + 3n);
    expect(received(chain)).toBe(before + PAID);
  });

  test("carried over by a reorganization, it runs again, once, and the next one on the dead nonce never", async () => {
    const chain = await openChain(open);
    await chain.advance(10n);
    const before = received(chain);
    const first = await land(chain, paymentOn(nonceOf(chain)));
    const dead = nonceOf(chain);
    const wire = paymentOn(dead);
    const second = await land(chain, wire);
    expect(received(chain)).toBe(before + 2n * PAID);
    await chain.reorganize(9n);
    expect(chain.signatureStatus(first)?.err).toBeNull();
    expect(chain.signatureStatus(second)).toBeUndefined();
    expect(received(chain)).toBe(before + PAID);
    expect(nonceOf(chain)).not.toBe(dead);
    chain.submit(wire);
    await chain.advance(chain.currentSlot() + LATER);
    expect([chain.signatureStatus(second), received(chain)]).toEqual([undefined, before + PAID]);
  });

  test("that failed on the dead branch moved a nonce there only", async () => {
    const chain = await openChain(open);
    await chain.advance(10n);
    const [before, first] = [received(chain), nonceOf(chain)];
    const { program, accounts } = payment;
    const tooMuch = { program, accounts, data: Uint8Array.from([...u32.write(2), ...u64.write(2n ** 60n)]) };
    const plan = { payer: owner, instructions: [advance, tooMuch], blockhash: first };
    const signature = await land(chain, signTransaction(plan, keyring, crypto));
    expect(chain.signatureStatus(signature)?.err).not.toBeNull();
    expect(nonceOf(chain)).not.toBe(first);
    await chain.reorganize(9n, () => "lost");
    expect(nonceOf(chain)).toBe(first);
    await land(chain, paymentOn(first));
    expect(received(chain)).toBe(before + PAID);
  });
});

test.each([...both, ["bankrun", openBankrun] as const])("on %s one branch runs it once", async (_, open) => {
  const chain = await openChain(open);
  await chain.advance(10n);
  const before = received(chain);
  const wire = paymentOn(nonceOf(chain));
  await land(chain, wire);
  for (const slots of [1n, LATER]) {
    chain.submit(wire);
    await chain.advance(chain.currentSlot() + slots);
  }
  expect(received(chain)).toBe(before + PAID);
  await chain.close();
});
