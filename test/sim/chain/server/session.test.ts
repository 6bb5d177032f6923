/**
 * Goal: an ordinary session of a wallet: it looks at fees, tries before it sends, pays for priority, follows accounts
 * and programs, reads blocks, and gives up what expired. Method: the real @solana/web3.js, unchanged, on each executor.
 */
import type { KeyedAccountInfo } from "@solana/web3.js";
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionExpiredBlockheightExceededError,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { tokenProgram } from "../../../../core/solana/addresses.ts";
import { forwarded, memo } from "../../../../sim/chain/disguises.ts";
import type { OpenExecutor } from "../../../../sim/chain/executor.ts";
import { openBankrun } from "../../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../../sim/chain/executors/model.ts";
import * as build from "../../../../sim/chain/instructions.ts";
import { lookupTableAccount } from "../../../../sim/chain/lookup-tables.ts";
import type { Instruction } from "../../../../sim/chain/transaction.ts";
import { until } from "../../../until.ts";
import type { Name } from "../chain-world.ts";
import { addressOf, at, crypto, tokensOf, usdc, wallets } from "../chain-world.ts";
import { approve, closingTable, release } from "../trade-story.ts";
import type { ServedTestChain } from "./served-test-chain.ts";
import { openServedTestChain, whileMoving } from "./served-test-chain.ts";

const merchant = addressOf("merchant");
const keypairOf = (name: Name) => Keypair.fromSeed(wallets[name].secretKey);
const keyOf = (name: Name) => keypairOf(name).publicKey;

/** The simulation's instruction as a wallet of web3.js builds it. */
function instruction({ program, accounts, data }: Instruction): TransactionInstruction {
  const keys = accounts.map(({ address, signer, writable }) => {
    return { pubkey: new PublicKey(address), isSigner: signer, isWritable: writable };
  });
  return new TransactionInstruction({ programId: new PublicKey(program), keys, data: Buffer.from(data) });
}

const executors: readonly (readonly [name: string, open: OpenExecutor])[] = [
  ["bankrun", openBankrun],
  ["litesvm", openLitesvm],
  ["model", modelExecutors(crypto)],
];

function send({ chain, connection }: ServedTestChain, name: Name, ...sent: readonly Instruction[]): Promise<string> {
  const transaction = new Transaction().add(...sent.map(instruction));
  return whileMoving(chain, sendAndConfirmTransaction(connection, transaction, [keypairOf(name)]));
}

describe.each(executors)("on %s", (_, open) => {
  test("a transaction is tried, its fee told, and both come true; trying changes nothing", async () => {
    const { chain, connection } = await openServedTestChain(open);
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: keyOf("stranger"), blockhash, lastValidBlockHeight }).add(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 50_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 40_000 }),
      SystemProgram.transfer({ fromPubkey: keyOf("stranger"), toPubkey: keyOf("other"), lamports: 1_000 }),
    );
    const fee = await connection.getFeeForMessage(transaction.compileMessage());
    expect(fee.value).toBe(7_000);
    const before = await connection.getBalance(keyOf("stranger"));
    const tried = await connection.simulateTransaction(transaction, [keypairOf("stranger")], [keyOf("stranger")]);
    expect(tried.value.err).toBeNull();
    expect(tried.value.accounts?.[0]?.lamports).toBe(before - 8_000);
    expect(tried.value.unitsConsumed).toBe(450);
    expect(await connection.getBalance(keyOf("stranger"), "processed")).toBe(before);
    const signature = await whileMoving(
      chain,
      sendAndConfirmTransaction(connection, transaction, [keypairOf("stranger")]),
    );
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found?.meta?.fee).toBe(7_000);
    expect(found?.meta?.computeUnitsConsumed).toBe(450);
    expect(await connection.getBalance(keyOf("stranger"))).toBe(before - 8_000);
    const prices = await connection.getRecentPrioritizationFees({ lockedWritableAccounts: [keyOf("other")] });
    expect(prices.filter(({ prioritizationFee }) => prioritizationFee > 0)).toEqual([
      { slot: found?.slot, prioritizationFee: 40_000 },
    ]);
  });

  test("what would fail is not sent, and says why; sent all the same, it fails on the chain", async () => {
    const served = await openServedTestChain(open);
    const { chain, connection } = served;
    const withdrawal = build.withdrawLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), 1n);
    await send(served, "merchant", build.createLiquidityVault(at, merchant, usdc));
    const refused = await send(served, "merchant", withdrawal).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SendTransactionError);
    expect((refused as SendTransactionError).message).toContain("custom program error: 0x1775");
    expect((refused as SendTransactionError).logs?.at(-1)).toContain("failed: custom program error: 0x1775");
    // web3.js would take the blockhash that it keeps for half a minute, and slots pass fast here.
    const latest = await connection.getLatestBlockhash();
    const transaction = new Transaction({ ...latest, feePayer: keyOf("merchant") }).add(instruction(withdrawal));
    transaction.sign(keypairOf("merchant"));
    const forced = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    await chain.advance(4);
    const status = await connection.getSignatureStatus(forced);
    expect(status.value?.err).toEqual({ InstructionError: [0, { Custom: 6005 }] });
  });

  test("a case is closed through a lookup table, as web3.js compiles it", async () => {
    const served = await openServedTestChain(open);
    const { chain, connection } = served;
    await approve({ land: (payer, step) => send(served, payer, step), pass: () => chain.advance(1) });
    const table = await connection.getAddressLookupTable(new PublicKey(closingTable.address));
    expect(table.value?.state.addresses.map((key) => key.toBase58())).toEqual(closingTable.addresses);
    const { data } = lookupTableAccount(closingTable.addresses);
    const known = new AddressLookupTableAccount({
      key: new PublicKey(closingTable.address),
      state: AddressLookupTableAccount.deserialize(data),
    });
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: keyOf("stranger"),
      recentBlockhash: blockhash,
      instructions: [instruction(release)],
    }).compileToV0Message([known]);
    const transaction = new VersionedTransaction(message);
    transaction.sign([keypairOf("stranger")]);
    expect((await connection.simulateTransaction(transaction)).value.err).toBeNull();
    const signature = await connection.sendTransaction(transaction);
    await chain.advance(4);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    const loaded = found?.meta?.loadedAddresses;
    const keys = [...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])].map((key) => key.toBase58());
    expect(new Set(keys)).toEqual(new Set(release.accounts.map(({ address }) => address)));
    expect(found?.meta?.preBalances).toHaveLength(2 + release.accounts.length);
    await expect(connection.getTransaction(signature)).rejects.toThrow(/maxSupportedTransactionVersion/);
  });
});

/** The token program's instruction that answers the bytes of an account of a mint. Source: SPL Token. */
const accountSize: Instruction = {
  program: tokenProgram,
  accounts: [{ address: usdc.mint, signer: false, writable: false }],
  data: Uint8Array.of(21),
};

test.each(executors.slice(0, 2))("on %s what the last call returns is told, tried and done", async (_, open) => {
  const served = await openServedTestChain(open);
  const { connection } = served;
  const tried = async (...sent: readonly Instruction[]) => {
    const transaction = new Transaction({ feePayer: keyOf("stranger") }).add(...sent.map(instruction));
    return (await connection.simulateTransaction(transaction, [keypairOf("stranger")])).value;
  };
  const returned = { programId: tokenProgram, data: ["pQAAAAAAAAA=", "base64"] };
  expect((await tried(accountSize)).returnData).toEqual(returned);
  expect(await tried(accountSize, memo("after"))).toMatchObject({ err: null, returnData: null });
  expect((await tried(forwarded(accountSize))).returnData).toEqual(returned);
  const asked = new Transaction({ feePayer: keyOf("stranger"), ...(await connection.getLatestBlockhash()) });
  asked.add(instruction(forwarded(accountSize))).sign(keypairOf("stranger"));
  const called = await connection.simulateTransaction(VersionedTransaction.deserialize(asked.serialize()), {
    innerInstructions: true,
  });
  expect(called.value.innerInstructions?.[0]?.instructions).toHaveLength(1);
  const params = [await send(served, "stranger", accountSize), { commitment: "confirmed" }];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getTransaction", params });
  const answer = await fetch(served.server.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  expect(await answer.json()).toMatchObject({ result: { meta: { err: null, returnData: returned } } });
});

test("a program's accounts, a block and its neighbours are read as they come", async () => {
  const served = await openServedTestChain();
  const { chain, connection } = served;
  const told: KeyedAccountInfo[] = [];
  const program = new PublicKey(at.profile.escrowProgram);
  const id = connection.onProgramAccountChange(program, (change) => void told.push(change), {
    commitment: "confirmed",
    filters: [{ dataSize: 114 }],
  });
  await until(() => served.server.listeners() > 0);
  const signature = await send(served, "merchant", build.createLiquidityVault(at, merchant, usdc));
  await until(() => told.length > 0);
  expect(told.map(({ accountId }) => accountId.toBase58())).toEqual([at.liquidityVault(merchant, usdc.mint).address]);
  await connection.removeProgramAccountChangeListener(id);
  const slot = (await connection.getSignatureStatus(signature)).value?.slot ?? -1;
  const block = await connection.getBlock(slot, { maxSupportedTransactionVersion: 0, commitment: "confirmed" });
  expect(block?.transactions.map(({ transaction }) => transaction.signatures[0])).toEqual([signature]);
  const before = await connection.getBlock(block?.parentSlot ?? -1, { maxSupportedTransactionVersion: 0 });
  expect(before?.blockhash).toBe(block?.previousBlockhash);
  expect((await connection.getBlockSignatures(slot, "confirmed")).signatures).toEqual([signature]);
  expect(await connection.getBlocks(slot - 3, slot, "confirmed")).toContain(slot);
  expect((await connection.getVoteAccounts()).current).toHaveLength(1);
  expect((await connection.getEpochInfo()).epoch).toBe(0);
  expect((await connection.getEpochSchedule()).slotsPerEpoch).toBe(432_000);
  await expect(connection.getBlock(9_000_000)).rejects.toThrow(/not available/);
  await chain.advance(1);
});

test("what nobody took before its blockhash died is given up", async () => {
  const { chain, connection } = await openServedTestChain(modelExecutors(crypto));
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: keyOf("stranger"), blockhash, lastValidBlockHeight }).add(
    SystemProgram.transfer({ fromPubkey: keyOf("stranger"), toPubkey: keyOf("other"), lamports: 1 }),
  );
  transaction.sign(keypairOf("stranger"));
  await chain.advance(200);
  await expect(connection.sendRawTransaction(transaction.serialize())).rejects.toThrow("Blockhash not found");
  const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  const waiting = connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
  await expect(waiting).rejects.toBeInstanceOf(TransactionExpiredBlockheightExceededError);
  expect((await connection.isBlockhashValid(blockhash)).value).toBe(false);
  expect(
    (await connection.simulateTransaction(VersionedTransaction.deserialize(transaction.serialize()))).value.err,
  ).toBe("BlockhashNotFound");
});
