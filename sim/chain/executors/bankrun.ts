/**
 * Executes transactions with bankrun, a bank of the Solana validator inside this process.
 * It takes only its own blockhashes, so the same message is signed again with the simulated wallets' keys; nothing it
 * invents (blockhash, payer, signature, slot hashes) leaves this file. It cannot be stopped: every start keeps about
 * 12 MB and six threads until the process ends. Source: DESIGN section 4.
 */
import { PublicKey, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import type { ProgramTestContext } from "solana-bankrun";
import { Clock, start } from "solana-bankrun";
import { openNativeCrypto } from "../../../adapters/crypto/native.ts";
import { equalBytes } from "../../../core/index.ts";
import type { ParsedMessage } from "../../../core/testing.ts";
import { parseMessage } from "../../../core/testing.ts";
import { forwarderProgram } from "../disguises.ts";
import type {
  ChainAccount,
  ChainExecutor,
  ExecutionContext,
  ExecutionResult,
  Keypair,
  LoadedAddresses,
} from "../executor.ts";
import { keysOf, loadAddressesFrom, nothingLoaded } from "../lookup-tables.ts";
import { advanced, nextNonce, nonceValue, RECENT_BLOCKHASHES } from "../nonce-accounts.ts";
import { forwardedCalls } from "./invoked.ts";
import { escrowProgramBytes, forwarderProgramBytes, stakingProgramBytes } from "./program-file.ts";
import { toldLines } from "./program-logs.ts";
import { errorOfSentence } from "./runtime-errors.ts";
import {
  ESCROW_PROGRAM,
  PROGRAM_LAMPORTS,
  PROGRAM_LOADER,
  SLOT_HASHES_ADDRESS,
  STAKING_PROGRAM,
  SYSVAR_LAMPORTS,
  SYSVAR_OWNER,
  slotHashesBytes,
} from "./sysvars.ts";
import { joinWire, splitWire } from "./wire.ts";

const { sha256 } = openNativeCrypto();

/** Starts a bank with these accounts; `signers` are the keys of every wallet that will sign. */
export async function openBankrun(
  genesis: readonly { readonly address: string; readonly account: ChainAccount }[],
  signers: readonly Keypair[],
): Promise<ChainExecutor> {
  process.env.RUST_LOG ??= "off"; // the validator would write thousands of lines to stderr
  const program = (address: string, data: Uint8Array) => {
    return { address, account: { lamports: PROGRAM_LAMPORTS, owner: PROGRAM_LOADER, data, executable: true } };
  };
  const programs = [
    program(ESCROW_PROGRAM, escrowProgramBytes()),
    program(STAKING_PROGRAM, stakingProgramBytes()),
    program(forwarderProgram, forwarderProgramBytes()),
  ];
  const bank = await start([], []);
  // One by one and not with the start: it reads what it is given in a thread of its own, and holds none of it, so that
  // the collector may free it under its hands.
  for (const { address, account } of [...programs, ...genesis])
    bank.setAccount(new PublicKey(address), bankAccount(account));
  const sign = signerOf(signers);
  const blockhashFor = openBlockhashes(bank);
  let shownSlotHashes: ExecutionContext["slotHashes"] | undefined;
  return {
    name: "bankrun",
    replays: false,
    execute: async (wire, context) => {
      const blockhash = await blockhashFor(wire);
      if (blockhash.isNewSlot) shownSlotHashes = undefined; // the bank put its own in their place
      bank.setClock(new Clock(context.slot, 0n, 0n, 0n, context.unixTimestamp));
      if (context.slotHashes !== shownSlotHashes) {
        shownSlotHashes = context.slotHashes;
        bank.setAccount(
          new PublicKey(SLOT_HASHES_ADDRESS),
          bankAccount({
            lamports: SYSVAR_LAMPORTS,
            owner: SYSVAR_OWNER,
            data: slotHashesBytes(context.slotHashes),
            executable: false,
          }),
        );
      }
      const message = parseMessage(wire);
      if (!message.ok) throw new Error(`not a transaction: ${message.error}`);
      const looked = await loadAddressesFrom(message.value, (address) => readAccount(bank, address), context);
      const loaded = looked.ok ? looked.value : nothingLoaded;
      const nonces = await noncesOf(bank, keysOf(message.value, loaded));
      const result = await runOnBank(bank, sign(wire, blockhash.bytes), message.value, loaded);
      if (result.ok) await takeOver(bank, nonces, nextNonce(context, sha256));
      return result;
    },
    account: (address) => readAccount(bank, address),
    putAccount: async (address, account) => bank.setAccount(new PublicKey(address), bankAccount(account)),
    close: async () => {},
  };
}

/**
 * The bank's newest blockhash. It refuses an equal message under one blockhash as a repeat, although the wallets'
 * own blockhashes differed: before that can happen it is moved to its next slot, which brings a blockhash.
 */
function openBlockhashes(
  bank: ProgramTestContext,
): (wire: Uint8Array) => Promise<{ readonly bytes: Uint8Array; readonly isNewSlot: boolean }> {
  let used = { blockhash: "", messages: new Set<string>() };
  return async (wire) => {
    const { message, blockhashAt } = splitWire(wire);
    message.fill(0, blockhashAt, blockhashAt + 32);
    const name = Buffer.from(message).toString("latin1");
    let latest = await latestBlockhash(bank);
    const isNewSlot = latest === used.blockhash && used.messages.has(name);
    if (isNewSlot) {
      bank.warpToSlot((await bank.banksClient.getSlot()) + 1n);
      latest = await latestBlockhash(bank);
    }
    if (latest !== used.blockhash) used = { blockhash: latest, messages: new Set() };
    used.messages.add(name);
    return { bytes: bs58.decode(latest), isNewSlot };
  };
}

async function latestBlockhash(bank: ProgramTestContext): Promise<string> {
  const latest = await bank.banksClient.getLatestBlockhash();
  if (latest === null) throw new Error("bankrun has no blockhash");
  return latest[0];
}

/** Puts a blockhash into a transaction's message and signs it again for everybody who had to sign. */
function signerOf(signers: readonly Keypair[]): (wire: Uint8Array, blockhash: Uint8Array) => Uint8Array {
  const crypto = openNativeCrypto();
  const secrets = new Map(signers.map((signer) => [bs58.encode(signer.publicKey), signer.secretKey]));
  return (wire, blockhash) => {
    const parts = splitWire(wire);
    parts.message.set(blockhash, parts.blockhashAt);
    const signatures = parts.signers.map((publicKey) => {
      const secret = secrets.get(bs58.encode(publicKey));
      if (secret === undefined) throw new Error(`bankrun needs the key of signer ${bs58.encode(publicKey)}`);
      return crypto.sign(secret, parts.message);
    });
    return joinWire(signatures, parts.message);
  };
}

async function runOnBank(
  bank: ProgramTestContext,
  wire: Uint8Array,
  message: ParsedMessage,
  loaded: LoadedAddresses,
): Promise<ExecutionResult> {
  const outcome = await bank.banksClient.tryProcessTransaction(VersionedTransaction.deserialize(wire));
  if (outcome.result !== null) {
    return { ok: false, error: errorOfSentence(outcome.result), logs: [], invoked: [], loaded };
  }
  const invoked = forwardedCalls(message, loaded);
  return { ok: true, error: null, logs: toldLines(outcome.meta?.logMessages ?? []), invoked, loaded };
}

/** What the named nonce accounts hold, where the message may move one on. */
async function noncesOf(
  bank: ProgramTestContext,
  named: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array | undefined>> {
  const found = new Map<string, Uint8Array | undefined>();
  if (!named.includes(RECENT_BLOCKHASHES)) return found;
  for (const address of named) {
    const account = await readAccount(bank, address);
    found.set(address, account && nonceValue(account));
  }
  return found;
}

/** The bank's blockhashes come by a clock of its own, and its nonces from them: what moved on becomes ours. */
async function takeOver(
  bank: ProgramTestContext,
  nonces: ReadonlyMap<string, Uint8Array | undefined>,
  ours: Uint8Array,
): Promise<void> {
  for (const [address, before] of nonces) {
    const account = await readAccount(bank, address);
    const value = account && nonceValue(account);
    if (account === undefined || value === undefined || (before && equalBytes(before, value))) continue;
    const changed = advanced(account, ours);
    if (changed !== undefined) bank.setAccount(new PublicKey(address), bankAccount(changed));
  }
}

async function readAccount(bank: ProgramTestContext, address: string): Promise<ChainAccount | undefined> {
  const found = await bank.banksClient.getAccount(new PublicKey(address));
  if (found === null || found.lamports === 0) return undefined;
  return {
    lamports: BigInt(found.lamports),
    owner: found.owner.toBase58(),
    data: new Uint8Array(found.data),
    executable: found.executable,
  };
}

/** bankrun counts lamports in numbers; every amount of the simulation is far below 2^53. */
function bankAccount(account: ChainAccount): Parameters<ProgramTestContext["setAccount"]>[1] {
  return {
    lamports: Number(account.lamports),
    owner: new PublicKey(account.owner),
    data: account.data,
    executable: account.executable,
  };
}
