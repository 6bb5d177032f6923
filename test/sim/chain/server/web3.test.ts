/**
 * Goal: a wallet that was written for Solana works against the simulated chain without knowing.
 * Method: the real @solana/web3.js over HTTP and WebSocket on loopback, the escrow program on LiteSVM; the chain moves
 * as long as the wallet waits for something, so no test waits for a clock.
 */
import type { AccountInfo, Connection, Context, Logs, SlotInfo } from "@solana/web3.js";
import {
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionInstruction,
} from "@solana/web3.js";
import { expect, test } from "vitest";
import { decodeAccount, liquidityVault, tradeEscrow } from "../../../../core/solana/accounts.ts";
import { programEvents } from "../../../../core/solana/events.ts";
import { modelExecutors } from "../../../../sim/chain/executors/model.ts";
import { treasuriesFor, WALLET_TOKENS } from "../../../../sim/chain/genesis.ts";
import * as build from "../../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../../sim/chain/transaction.ts";
import { signTransaction } from "../../../../sim/chain/transaction.ts";
import { until } from "../../../until.ts";
import type { Name } from "../chain-world.ts";
import { addressOf, at, crypto, keyring, tokensOf, usdc, wallets } from "../chain-world.ts";
import type { ServedTestChain } from "./served-test-chain.ts";
import { openServedTestChain, whileMoving } from "./served-test-chain.ts";

const { escrowProgram } = at.profile;
const merchant = addressOf("merchant");
const vault = at.liquidityVault(merchant, usdc.mint).address;

/** The simulation's instruction as a wallet of web3.js builds it. */
function instruction({ program, accounts, data }: Instruction): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(({ address, signer, writable }) => {
      return { pubkey: new PublicKey(address), isSigner: signer, isWritable: writable };
    }),
    data: Buffer.from(data),
  });
}

function keypairOf(name: Name): Keypair {
  return Keypair.fromSeed(wallets[name].secretKey);
}

/** Sends as wallets do, and waits until it is confirmed. */
function confirmed(
  { chain, connection }: ServedTestChain,
  name: Name,
  ...instructions: readonly Instruction[]
): Promise<string> {
  const transaction = new Transaction().add(...instructions.map(instruction));
  return whileMoving(chain, sendAndConfirmTransaction(connection, transaction, [keypairOf(name)]));
}

test("an airdrop arrives, and is bounded", async () => {
  const served = await openServedTestChain();
  const { chain, connection } = served;
  const newcomer = Keypair.generate();
  const first = await connection.requestAirdrop(newcomer.publicKey, LAMPORTS_PER_SOL);
  const second = await connection.requestAirdrop(newcomer.publicKey, LAMPORTS_PER_SOL);
  expect(second).not.toBe(first);
  await whileMoving(chain, connection.confirmTransaction(first));
  await whileMoving(chain, connection.confirmTransaction(second));
  expect(await connection.getBalance(newcomer.publicKey)).toBe(2 * LAMPORTS_PER_SOL);
  await expect(connection.requestAirdrop(newcomer.publicKey, 11 * LAMPORTS_PER_SOL)).rejects.toThrow(/airdrop/);
  const to = addressOf("stranger");
  const paid = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: newcomer.publicKey, toPubkey: new PublicKey(to), lamports: 1_000 }),
  );
  const signature = await whileMoving(chain, sendAndConfirmTransaction(connection, paid, [newcomer]));
  const seen = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(seen?.meta?.fee).toBe(5_000);
  expect((seen?.meta?.preBalances[0] ?? 0) - (seen?.meta?.postBalances[0] ?? 0)).toBe(6_000);
});

test("a trade runs on the escrow program and is read back", async () => {
  const served = await openServedTestChain();
  const { connection } = served;
  const trade = { reservation: 77n, mint: usdc.mint, tokenProgram: usdc.tokenProgram, merchant };
  await confirmed(
    served,
    "merchant",
    build.createLiquidityVault(at, merchant, usdc),
    build.depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), 5_000_000n),
    build.reserveLiquidity(at, merchant, usdc.mint, 5_000_000n),
  );
  const escrow = await confirmed(
    served,
    "merchant",
    build.createTradeEscrow(at, trade, addressOf("buyer"), 2_000_000n, 1_800n),
    build.fundTradeEscrow(at, trade),
  );
  const released = await confirmed(
    served,
    "merchant",
    build.approveSettlement(at, merchant, 77n),
    build.releaseEscrow(at, trade, tokensOf("buyer", usdc), treasuriesFor(at, usdc)),
  );
  const held = await connection.getAccountInfo(new PublicKey(vault));
  const read = decodeAccount(liquidityVault, at.profile, { owner: held!.owner.toBase58(), data: held!.data });
  expect(read.ok && read.value.settled).toBe(2_000_000n);
  const seen = await connection.getTransaction(released, { maxSupportedTransactionVersion: 0 });
  const [event] = programEvents(seen?.meta?.logMessages ?? [], escrowProgram);
  expect(event).toMatchObject({ type: "EscrowReleased", fields: { reservation_id: 77n, amount: 2_000_000n } });
  const got = await connection.getTokenAccountBalance(new PublicKey(tokensOf("buyer", usdc)));
  expect(BigInt(got.value.amount) - WALLET_TOKENS).toBe(1_983_000n);
  const line = await connection.getSignaturesForAddress(new PublicKey(at.tradeEscrow(77n).address));
  expect(line.map((each) => each.signature)).toEqual([released, escrow]);
  const [account] = (await connection.getMultipleAccountsInfo([new PublicKey(at.tradeEscrow(77n).address)])) as [
    AccountInfo<Buffer>,
  ];
  expect(decodeAccount(tradeEscrow, at.profile, { owner: account.owner.toBase58(), data: account.data }).ok).toBe(true);
  const all = await connection.getProgramAccounts(new PublicKey(escrowProgram), { filters: [{ dataSize: 140 }] });
  expect(all.map((each) => each.pubkey.toBase58())).toEqual([at.tradeEscrow(77n).address]);
});

test("a program's refusal comes back with its own number", async () => {
  const served = await openServedTestChain();
  await confirmed(served, "merchant", build.createLiquidityVault(at, merchant, usdc));
  const overdrawn = build.reserveLiquidity(at, merchant, usdc.mint, 1n);
  await expect(confirmed(served, "merchant", overdrawn)).rejects.toThrow("custom program error: 0x1775");
  const { blockhash } = served.chain.cluster.latestBlockhash("processed");
  served.chain.submit(signTransaction({ payer: merchant, instructions: [overdrawn], blockhash }, keyring, crypto));
  await served.chain.advance(3);
  const line = await served.connection.getSignaturesForAddress(new PublicKey(vault));
  expect(line[0]?.err).toMatchObject({ InstructionError: [0, { Custom: expect.any(Number) }] });
});

test("slots, logs, an account and a signature are told as they come", async () => {
  const served = await openServedTestChain();
  const { chain, connection, server } = served;
  const told = { slots: [] as SlotInfo[], logs: [] as Logs[], lamports: [] as number[], finalized: [] as Context[] };
  const subscriptions = [
    connection.onSlotChange((slot) => void told.slots.push(slot)),
    connection.onLogs(new PublicKey(vault), (logs) => void told.logs.push(logs), "confirmed"),
    connection.onAccountChange(new PublicKey(vault), (account) => void told.lamports.push(account.lamports)),
  ];
  await until(() => server.listeners() === 1);
  await whileMoving(chain, connection.confirmTransaction(await connection.requestAirdrop(new PublicKey(merchant), 1)));
  const signature = await confirmed(served, "merchant", build.createLiquidityVault(at, merchant, usdc));
  connection.onSignature(signature, (_, context) => void told.finalized.push(context), "finalized");
  const { logs, lamports, finalized } = told;
  const everything = until(() => [logs, lamports, finalized, told.slots.slice(1)].every((each) => each.length > 0));
  await whileMoving(chain, everything);
  expect(logs.map((each) => each.signature)).toEqual([signature]);
  expect(logs[0]?.logs[0]).toContain("invoke [1]");
  expect([lamports.length, finalized.length]).toEqual([1, 1]);
  expect(told.slots.every((each) => each.root <= each.parent && each.parent < each.slot)).toBe(true);
  await stopListening(connection, subscriptions);
});

test("levels differ, and a read may ask for a slot", async () => {
  const { chain, connection } = await openServedTestChain(modelExecutors(crypto));
  const slots = await Promise.all((["processed", "confirmed", "finalized"] as const).map((c) => connection.getSlot(c)));
  expect([slots[0]! - slots[1]!, slots[0]! - slots[2]!]).toEqual([2, 32]);
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash("finalized");
  expect(lastValidBlockHeight).toBe(slots[2]! + 150);
  expect((await connection.isBlockhashValid(blockhash, { commitment: "processed" })).value).toBe(true);
  const late = { commitment: "finalized", minContextSlot: slots[0]! } as const;
  const asked = connection.getAccountInfoAndContext(new PublicKey(merchant), late);
  await expect(asked).rejects.toMatchObject({ code: -32016, data: { contextSlot: slots[2] } });
  await chain.advance(32);
  const read = await connection.getAccountInfoAndContext(new PublicKey(merchant), late);
  expect(read.context.slot).toBe(slots[0]);
  await chain.advance(151);
  expect((await connection.isBlockhashValid(blockhash, { commitment: "processed" })).value).toBe(false);
});

/** Ends what a connection listens to. web3.js closes its socket half a second after the last one. */
async function stopListening(connection: Connection, [slots, logs, account]: readonly number[]): Promise<void> {
  await connection.removeSlotChangeListener(slots!);
  await connection.removeOnLogsListener(logs!);
  await connection.removeAccountChangeListener(account!);
}
