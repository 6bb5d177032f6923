/**
 * Methods that read accounts. Source: Solana's JSON-RPC.
 */
import type { Result } from "../../../core/index.ts";
import { equalBytes, fromBase58, fromBase64, ok } from "../../../core/index.ts";
import { known } from "../../../core/testing.ts";
import type { ChainAccount } from "../executor.ts";
import { rentExempt } from "../rent.ts";
import type { Commitment } from "../slots.ts";
import { readMintDecimals, readTokenAccount } from "../token.ts";
import type { AccountForm } from "./account-json.ts";
import { accountJson, base58TooLong, formOf, tokenAmountJson, tokensOf } from "./account-json.ts";
import type { JsonValue } from "./json-text.ts";
import type { Config, Params } from "./params.ts";
import { addressParam, configParam, listParam, readLevel } from "./params.ts";
import type { Answer, RpcError } from "./rpc-errors.ts";
import { invalidParams } from "./rpc-errors.ts";
import type { ChainView } from "./view.ts";

/** Accounts of one `getMultipleAccounts`. Source: Solana's JSON-RPC. */
const MULTIPLE_MAX = 100;
/** Filters of one `getProgramAccounts`. Source: Solana's JSON-RPC. */
const FILTERS_MAX = 4;
/** Largest account. Source: Solana's limit. */
const ACCOUNT_BYTES_MAX = 10_485_760;

/** A value with the slot it was read at. */
export function inContext(view: ChainView, level: Commitment, value: JsonValue): Answer {
  return ok({ context: { apiVersion: API_VERSION, slot: view.slot(level) }, value });
}

/** What this server says it is: the version whose answers it gives. */
export const API_VERSION = "2.2.0";

export function getAccountInfo(view: ChainView, params: Params): Answer {
  const address = addressParam(params, 0);
  if (!address.ok) return address;
  return readAccounts(view, [address.value], configParam(params, 1), ([only = null]) => only);
}

export function getMultipleAccounts(view: ChainView, params: Params): Answer {
  const addresses = listParam(params, 0, 32, MULTIPLE_MAX);
  if (!addresses.ok) return addresses;
  const config = configParam(params, 1);
  return readAccounts(view, addresses.value, { encoding: "base64", ...config }, (all) => all);
}

export function getBalance(view: ChainView, params: Params): Answer {
  const address = addressParam(params, 0);
  if (!address.ok) return address;
  const level = readLevel(view, configParam(params, 1));
  if (!level.ok) return level;
  return inContext(view, level.value, view.account(address.value, level.value)?.lamports ?? 0n);
}

export function getTokenAccountBalance(view: ChainView, params: Params): Answer {
  const address = addressParam(params, 0);
  if (!address.ok) return address;
  const level = readLevel(view, configParam(params, 1));
  if (!level.ok) return level;
  const account = view.account(address.value, level.value);
  if (account === undefined) return invalidParams("Invalid param: could not find account");
  const tokens = tokensOf(account, (mint) => view.account(mint, level.value));
  if (tokens === undefined) return invalidParams("Invalid param: not a Token account");
  return inContext(view, level.value, tokens.amount);
}

export function getTokenSupply(view: ChainView, params: Params): Answer {
  const mint = addressParam(params, 0);
  if (!mint.ok) return mint;
  const level = readLevel(view, configParam(params, 1));
  if (!level.ok) return level;
  const decimals = readMintDecimals(view.account(mint.value, level.value)?.data ?? new Uint8Array(0));
  if (decimals === undefined) return invalidParams("Invalid param: not a Token mint");
  let supply = 0n;
  for (const { data } of view.accounts(level.value).values()) {
    const tokens = readTokenAccount(data);
    if (tokens?.mint === mint.value) supply += tokens.amount;
  }
  return inContext(view, level.value, tokenAmountJson(supply, decimals));
}

export function getTokenAccountsByOwner(view: ChainView, params: Params): Answer {
  const owner = addressParam(params, 0);
  if (!owner.ok) return owner;
  const filter = configParam(params, 1);
  const wanted = typeof filter.mint === "string" ? "mint" : "programId";
  const named = addressParam([filter[wanted]], 0);
  if (!named.ok) return named;
  return readProgram(view, configParam(params, 2), true, (account) => {
    const tokens = readTokenAccount(account.data);
    if (tokens?.authority !== owner.value) return false;
    return wanted === "mint" ? tokens.mint === named.value : account.owner === named.value;
  });
}

export function getProgramAccounts(view: ChainView, params: Params): Answer {
  const program = addressParam(params, 0);
  if (!program.ok) return program;
  const config = configParam(params, 1);
  const filters = filtersOf(config);
  if (!filters.ok) return filters;
  return readProgram(view, config, config.withContext === true, (account) => {
    return account.owner === program.value && filters.value(account);
  });
}

/** Whether an account passes the filters of a configuration. */
export function filtersOf(config: Config): Result<(account: ChainAccount) => boolean, RpcError> {
  const filters = (config.filters ?? []) as readonly AccountFilter[];
  if (!Array.isArray(filters) || filters.length > FILTERS_MAX)
    return invalidParams(`Too many filters provided; max ${FILTERS_MAX}`);
  return ok((account) => filters.every((filter) => passes(account, filter)));
}

export function getMinimumBalanceForRentExemption(_: ChainView, params: Params): Answer {
  const [bytes] = params;
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0 || bytes > ACCOUNT_BYTES_MAX)
    return invalidParams("Invalid params: invalid size");
  return ok(rentExempt(bytes));
}

interface AccountFilter {
  readonly dataSize?: unknown;
  readonly memcmp?: { readonly offset?: unknown; readonly bytes?: unknown; readonly encoding?: unknown };
}

function passes({ data }: ChainAccount, { dataSize, memcmp }: AccountFilter): boolean {
  if (dataSize !== undefined) return data.length === dataSize;
  if (memcmp === undefined || typeof memcmp.bytes !== "string") return true;
  const wanted = memcmp.encoding === "base64" ? fromBase64(memcmp.bytes) : fromBase58(memcmp.bytes);
  const offset = Number(memcmp.offset ?? 0);
  return wanted !== undefined && equalBytes(data.slice(offset, offset + wanted.length), wanted);
}

function readAccounts(
  view: ChainView,
  addresses: readonly string[],
  config: Config,
  shape: (all: readonly JsonValue[]) => JsonValue,
): Answer {
  const level = readLevel(view, config);
  if (!level.ok) return level;
  const form = formOf(config);
  if (!form.ok) return form;
  const told = addresses.map((address) => shown(view.account(address, level.value), form.value));
  if (told.includes(undefined)) return { ok: false, error: base58TooLong };
  return inContext(view, level.value, shape(told.map((each) => known(each, "every account was told"))));
}

function readProgram(
  view: ChainView,
  config: Config,
  withContext: boolean,
  wanted: (account: ChainAccount) => boolean,
): Answer {
  const level = readLevel(view, config);
  if (!level.ok) return level;
  const form = formOf(config);
  if (!form.ok) return form;
  const told: JsonValue[] = [];
  for (const [pubkey, account] of view.accounts(level.value)) {
    if (!wanted(account)) continue;
    const json = shown(account, form.value);
    if (json === undefined) return { ok: false, error: base58TooLong };
    told.push({ account: json, pubkey });
  }
  return withContext ? inContext(view, level.value, told) : ok(told);
}

function shown(account: ChainAccount | undefined, form: AccountForm): JsonValue | undefined {
  return account === undefined ? null : accountJson(account, form);
}
