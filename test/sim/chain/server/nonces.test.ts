/**
 * Goal: who signs today and sends next week finds durable nonces as a validator keeps them.
 * Method: the real @solana/web3.js on loopback, on the model: a nonce account is made, read and moved on; a transaction
 * on it is sent long after every blockhash of its day is forgotten, runs once, and leaves its nonce when it fails too.
 */
import type { TransactionInstruction } from "@solana/web3.js";
import {
  Keypair,
  NONCE_ACCOUNT_LENGTH,
  NonceAccount,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from "@solana/web3.js";
import { expect, test } from "vitest";
import { modelExecutors } from "../../../../sim/chain/executors/model.ts";
import { addressOf, crypto, wallets } from "../chain-world.ts";
import type { ServedTestChain } from "./served-test-chain.ts";
import { openServedTestChain, whileMoving } from "./served-test-chain.ts";

const owner = Keypair.fromSeed(wallets.merchant.secretKey);
const other = Keypair.fromSeed(wallets.buyer.secretKey);
const to = new PublicKey(addressOf("stranger"));
/** Slots after which no blockhash of today is taken. */
const LATER = 200;

/** A nonce account of the owner's. */
async function opened(): Promise<ServedTestChain & { readonly account: Keypair }> {
  const served = await openServedTestChain(modelExecutors(crypto));
  const account = Keypair.generate();
  const lamports = await served.connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH);
  const made = SystemProgram.createNonceAccount({
    ...{ fromPubkey: owner.publicKey, noncePubkey: account.publicKey, authorizedPubkey: owner.publicKey, lamports },
  });
  await whileMoving(served.chain, sendAndConfirmTransaction(served.connection, made, [owner, account]));
  return { ...served, account };
}

async function nonceOf({ connection }: ServedTestChain, { publicKey }: Keypair): Promise<NonceAccount> {
  const found = await connection.getAccountInfo(publicKey, "processed");
  return NonceAccount.fromAccountData(found!.data);
}

/** Signed on the nonce as it is now. */
async function onNonce(
  served: ServedTestChain & { readonly account: Keypair },
  instruction: TransactionInstruction,
  by: Keypair = owner,
): Promise<Transaction> {
  const { account } = served;
  const { nonce } = await nonceOf(served, account);
  const advance = { noncePubkey: account.publicKey, authorizedPubkey: by.publicKey };
  const nonceInfo = { nonce, nonceInstruction: SystemProgram.nonceAdvance(advance) };
  const transaction = new Transaction({ nonceInfo, feePayer: by.publicKey }).add(instruction);
  transaction.sign(by);
  return transaction;
}

const pay = (lamports: number, from: Keypair = owner) =>
  SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });

test("a transaction on a nonce is sent long after it was signed, and runs once", async () => {
  const served = await opened();
  const { chain, connection, account } = served;
  const begun = await nonceOf(served, account);
  expect(begun.authorizedPubkey).toEqual(owner.publicKey);
  expect(begun.feeCalculator.lamportsPerSignature).toBe(5_000);
  const signed = await onNonce(served, pay(1_000));
  const rival = await onNonce(served, pay(2_000));
  await chain.advance(LATER);
  const before = await connection.getBalance(to, "processed");
  expect((await connection.simulateTransaction(signed)).value.err).toBeNull();
  expect((await connection.getFeeForMessage(signed.compileMessage())).value).toBe(5_000);
  const signature = await connection.sendRawTransaction(signed.serialize());
  const strategy = { signature, nonceAccountPubkey: account.publicKey, nonceValue: begun.nonce, minContextSlot: 1 };
  expect((await whileMoving(chain, connection.confirmTransaction(strategy))).value.err).toBeNull();
  expect(await connection.getBalance(to, "processed")).toBe(before + 1_000);
  expect((await nonceOf(served, account)).nonce).not.toBe(begun.nonce);
  // The other one that was signed on the same nonce has come too late for ever.
  await expect(connection.sendRawTransaction(rival.serialize())).rejects.toThrow(/Blockhash not found/);
  await chain.advance(3);
  expect(await connection.getBalance(to, "processed")).toBe(before + 1_000);
});

test("a transaction that fails moves its nonce on, and pays", async () => {
  const served = await opened();
  const { chain, connection, account } = served;
  const { nonce } = await nonceOf(served, account);
  const everything = (await connection.getBalance(owner.publicKey)) + 1;
  const failing = await onNonce(served, pay(everything));
  await chain.advance(LATER);
  const before = await connection.getBalance(owner.publicKey, "processed");
  const signature = await connection.sendRawTransaction(failing.serialize(), { skipPreflight: true });
  await chain.advance(2);
  const { value } = await connection.getSignatureStatus(signature);
  expect(value?.err).toEqual({ InstructionError: [1, { Custom: 1 }] });
  expect(await connection.getBalance(owner.publicKey, "processed")).toBe(before - 5_000);
  expect((await nonceOf(served, account)).nonce).not.toBe(nonce);
  const again = await onNonce(served, pay(7));
  await chain.advance(LATER);
  const paid = await connection.sendRawTransaction(again.serialize());
  await chain.advance(2);
  expect((await connection.getSignatureStatus(paid)).value?.err).toBeNull();
});

test("who may not advance a nonce has no transaction on it, until it is his", async () => {
  const served = await opened();
  const { chain, connection, account } = served;
  const foreign = await onNonce(served, pay(1, other), other);
  await expect(connection.sendRawTransaction(foreign.serialize())).rejects.toThrow(/Blockhash not found/);
  const given = SystemProgram.nonceAuthorize({
    ...{ noncePubkey: account.publicKey, authorizedPubkey: owner.publicKey, newAuthorizedPubkey: other.publicKey },
  });
  await whileMoving(chain, sendAndConfirmTransaction(connection, new Transaction().add(given), [owner]));
  const signature = await connection.sendRawTransaction(foreign.serialize());
  await chain.advance(2);
  expect((await connection.getSignatureStatus(signature)).value?.err).toBeNull();
});

test("what is left in a nonce account leaves it whole", async () => {
  const served = await opened();
  const { chain, connection, account } = served;
  const lamports = await connection.getBalance(account.publicKey, "processed");
  await chain.advance(2);
  const emptied = SystemProgram.nonceWithdraw({
    ...{ noncePubkey: account.publicKey, authorizedPubkey: owner.publicKey, toPubkey: to, lamports },
  });
  await whileMoving(chain, sendAndConfirmTransaction(connection, new Transaction().add(emptied), [owner]));
  expect(await connection.getAccountInfo(account.publicKey)).toBeNull();
});
