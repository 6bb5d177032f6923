/**
 * The few instructions of the chain's own programs that wallets of the simulation send: moving lamports and tokens,
 * memos.
 * Everything else they answer with `InvalidInstructionData`. Source: the System, SPL Token and SPL Memo programs.
 */
import { equalBytes, utf8 } from "../../../core/index.ts";
import { struct, u8, u32, u64 } from "../../../core/testing.ts";
import { memoLine } from "../transaction-log.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { addressAt, invalidData } from "./call.ts";
import { transferLamports, transferTokens } from "./programs.ts";

const SYSTEM_TRANSFER = 2;
const TOKEN_TRANSFER = 3;

const lamportsArgs = struct({ kind: u32, lamports: u64 });
const tokensArgs = struct({ kind: u8, amount: u64 });

/** from (signer), to. */
export const systemCall: Handler = (call) => {
  const read = lamportsArgs.read(call.data, call.argsAt);
  if (read === undefined || read.value.kind !== SYSTEM_TRANSFER) return invalidData;
  const short = missing(call, 2, 0);
  return short ?? transferLamports(call.ledger, addressAt(call, 0), addressAt(call, 1), read.value.lamports);
};

/** from, to, authority (signer). */
export const tokenCall: Handler = (call) => {
  const read = tokensArgs.read(call.data, call.argsAt);
  if (read === undefined || read.value.kind !== TOKEN_TRANSFER) return invalidData;
  const short = missing(call, 3, 2);
  return (
    short ?? transferTokens(call.ledger, addressAt(call, 0), addressAt(call, 1), addressAt(call, 2), read.value.amount)
  );
};

/** A text, and whoever signs for it. Of texts beyond ASCII the two virtual machines write some differently. */
export const memoCall: Handler = (call) => {
  if (call.accounts.some(({ signer }) => !signer)) return { type: "other", name: "MissingRequiredSignature" };
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(call.data);
  if (!equalBytes(utf8(text), call.data)) return invalidData;
  call.logs.push(memoLine(text));
  return undefined;
};

function missing(call: Call, count: number, signer: number): Refusal | undefined {
  if (call.accounts.length < count) return { type: "other", name: "NotEnoughAccountKeys" };
  return call.accounts[signer]?.signer === true ? undefined : { type: "other", name: "MissingRequiredSignature" };
}
