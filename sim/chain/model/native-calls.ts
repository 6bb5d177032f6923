/**
 * The few instructions of the chain's own programs that wallets of the simulation send: moving lamports and tokens.
 * Everything else they answer with `InvalidInstructionData`. Source: the System and SPL Token programs.
 */
import { struct, u8, u32, u64 } from "../../../core/testing.ts";
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

function missing(call: Call, count: number, signer: number): Refusal | undefined {
  if (call.accounts.length < count) return { type: "other", name: "NotEnoughAccountKeys" };
  return call.accounts[signer]?.signer === true ? undefined : { type: "other", name: "MissingRequiredSignature" };
}
