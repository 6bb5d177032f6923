/**
 * Accounts as a Solana node tells them: bytes in an encoding of the caller's choice, a slice of them if asked.
 * `jsonParsed` falls back to base64, as a node does for programs that it cannot parse. Source: Solana's JSON-RPC.
 */
import type { Result } from "../../../core/index.ts";
import { ok, toBase58, toBase64 } from "../../../core/index.ts";
import type { ChainAccount } from "../executor.ts";
import { readMintDecimals, readTokenAccount } from "../token.ts";
import type { JsonValue } from "./json-text.ts";
import type { Config } from "./params.ts";
import type { RpcError } from "./rpc-errors.ts";
import { invalidParams } from "./rpc-errors.ts";

/** Most bytes that base58 is answered for. Source: Solana's JSON-RPC. */
const BASE58_BYTES_MAX = 128;
/** What a rent-exempt account says. Source: Solana's JSON-RPC. */
const RENT_EPOCH_NEVER = 18_446_744_073_709_551_615n;

type Encoding = "binary" | "base58" | "base64";

/** How accounts are to be told. */
export interface AccountForm {
  readonly encoding: Encoding;
  readonly offset: number;
  readonly length: number | undefined;
}

export function formOf(config: Config): Result<AccountForm, RpcError> {
  const asked = config.encoding ?? "binary";
  const encoding = asked === "jsonParsed" ? "base64" : asked;
  if (encoding !== "binary" && encoding !== "base58" && encoding !== "base64")
    return invalidParams(`Invalid params: unknown variant \`${String(asked)}\``);
  const slice = config.dataSlice as { readonly offset?: unknown; readonly length?: unknown } | null | undefined;
  if (slice === undefined || slice === null) return ok({ encoding, offset: 0, length: undefined });
  const { offset, length } = slice;
  if (!isCount(offset) || !isCount(length)) return invalidParams("Invalid params: dataSlice");
  return ok({ encoding, offset, length });
}

/** Undefined when base58 is asked for more bytes than it is answered for. */
export function accountJson(account: ChainAccount, form: AccountForm): JsonValue | undefined {
  const { data, executable, lamports, owner } = account;
  const { encoding, offset, length } = form;
  const shown = length === undefined ? data : data.slice(offset, offset + length);
  if (encoding !== "base64" && shown.length > BASE58_BYTES_MAX) return undefined;
  const text = encoding === "base64" ? toBase64(shown) : toBase58(shown);
  return {
    data: encoding === "binary" ? text : [text, encoding],
    executable,
    lamports,
    owner,
    rentEpoch: RENT_EPOCH_NEVER,
    space: data.length,
  };
}

export const base58TooLong: RpcError = {
  code: -32600,
  message: "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.",
};

/** An amount of tokens, as nodes show them. */
export function tokenAmountJson(amount: bigint, decimals: number): JsonValue {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const rest = decimals === 0 ? "" : digits.slice(digits.length - decimals).replace(/0+$/, "");
  const text = rest === "" ? whole : `${whole}.${rest}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

/** The tokens of an account; undefined when it holds none or its mint is unknown. */
export function tokensOf(
  account: ChainAccount | undefined,
  mintAccount: (mint: string) => ChainAccount | undefined,
): { readonly mint: string; readonly authority: string; readonly amount: JsonValue } | undefined {
  const tokens = account && readTokenAccount(account.data);
  const mint = tokens && mintAccount(tokens.mint);
  const decimals = mint && readMintDecimals(mint.data);
  if (tokens === undefined || decimals === undefined) return undefined;
  return { mint: tokens.mint, authority: tokens.authority, amount: tokenAmountJson(tokens.amount, decimals) };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
