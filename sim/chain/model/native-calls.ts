/**
 * The few instructions of the chain's own programs that wallets of the simulation send: making accounts, moving
 * lamports and tokens, nonces, memos.
 * Everything else they answer with `InvalidInstructionData`. Source: the System, SPL Token and SPL Memo programs.
 */
import { equalBytes, utf8 } from "../../../core/index.ts";
import { struct, token2022Program, u8, u32, u64 } from "../../../core/testing.ts";
import { nonceCalls } from "../nonce-accounts.ts";
import { memoLine } from "../transaction-log.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { invalidData } from "./call.ts";
import { advanceCall, authorizeCall, createCall, initializeCall, withdrawCall } from "./nonce-calls.ts";
import { transferLamports, transferTokens } from "./programs.ts";

const SYSTEM_CREATE = 0;
const SYSTEM_TRANSFER = 2;
const TOKEN_TRANSFER = 3;

const lamportsArgs = struct({ kind: u32, lamports: u64 });
const tokensArgs = struct({ kind: u8, amount: u64 });

const systemHandlers: ReadonlyMap<number | undefined, Handler> = new Map([
  [SYSTEM_CREATE, createCall],
  [SYSTEM_TRANSFER, transferCall],
  [nonceCalls.advance, advanceCall],
  [nonceCalls.withdraw, withdrawCall],
  [nonceCalls.initialize, initializeCall],
  [nonceCalls.authorize, authorizeCall],
]);

/** Accounts, lamports, nonces. */
export const systemCall: Handler = (call) => {
  const handler = systemHandlers.get(u32.read(call.data, call.argsAt)?.value);
  return handler === undefined ? invalidData : handler(call);
};

/** from (signer), to. */
function transferCall(call: Call): Refusal | undefined {
  const read = lamportsArgs.read(call.data, call.argsAt);
  if (read === undefined) return invalidData;
  const [from, to] = call.accounts;
  if (from === undefined || to === undefined) return { type: "other", name: "MissingAccount" };
  return from.signer ? transferLamports(call.ledger, from, to, read.value.lamports) : unsigned;
}

/** from, to, authority (signer). Token-2022 takes no byte more, the older program looks at none behind. */
export const tokenCall: Handler = (call) => {
  const read = tokensArgs.read(call.data, call.argsAt);
  const isExact = call.program !== token2022Program || read?.next === call.data.length;
  if (call.data[0] === TOKEN_TRANSFER && !isExact) return invalidData;
  if (read === undefined || read.value.kind !== TOKEN_TRANSFER) return notAnInstruction;
  const [from, to, authority] = call.accounts;
  if (from === undefined || to === undefined || authority === undefined) {
    return { type: "other", name: "NotEnoughAccountKeys" };
  }
  return transferTokens(call.ledger, { program: call.program, from, to, authority, amount: read.value.amount });
};

/** A text, and whoever signs for it. Of texts beyond ASCII the two virtual machines write some differently. */
export const memoCall: Handler = (call) => {
  if (call.accounts.some(({ signer }) => !signer)) return unsigned;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(call.data);
  if (!equalBytes(utf8(text), call.data)) return invalidData;
  call.logs.push(memoLine(text));
  return undefined;
};

const unsigned: Refusal = { type: "other", name: "MissingRequiredSignature" };
/** The token programs' number for bytes that are no instruction of theirs. */
const notAnInstruction: Refusal = { type: "custom", code: 12 };
