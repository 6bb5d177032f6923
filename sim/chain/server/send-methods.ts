/**
 * Methods that take a transaction: trying it, and trying it before it is passed on. Both try it on the newest block,
 * whatever level was asked for. Source: Solana's JSON-RPC.
 */
import type { Result } from "../../../core/index.ts";
import { fromBase58, fromBase64, ok, toBase58 } from "../../../core/index.ts";
import { parseTransaction } from "../../../core/testing.ts";
import type { SubmitDefect } from "../cluster.ts";
import type { Simulation } from "../simulation.ts";
import { unitsIn } from "../transaction-log.ts";
import { accountJson, formOf } from "./account-json.ts";
import { inContext } from "./account-methods.ts";
import type { JsonValue } from "./json-text.ts";
import type { Config, Params } from "./params.ts";
import { addressParam, configParam, listParam, readLevel } from "./params.ts";
import type { Answer, RpcError } from "./rpc-errors.ts";
import { errorJson, errorSentence, invalidParams, preflightFailure, signatureFailure } from "./rpc-errors.ts";
import { AIRDROP_LAMPORTS_MAX } from "./served-chain.ts";
import { namedInnerJson, returnDataJson } from "./transaction-json.ts";
import type { ChainView } from "./view.ts";

/** Accounts that a simulation may be asked to show. Source: Solana's JSON-RPC. */
const SHOWN_MAX = 64;
const cannotTry: Answer = { ok: false, error: { code: -32603, message: "this executor cannot try the transaction" } };

export async function sendTransaction(view: ChainView, params: Params): Promise<Answer> {
  const config = configParam(params, 1);
  const level = readLevel(view, config, "preflightCommitment");
  if (!level.ok) return level;
  const wire = wireParam(params[0], config);
  if (!wire.ok) return wire;
  const parsed = parseTransaction(wire.value);
  const first = parsed.ok ? parsed.value.signatures[0] : undefined;
  const signature = first && toBase58(first);
  const preflight = config.skipPreflight !== true;
  const refused = view.chain.cluster.refuses(wire.value);
  // Nobody looked before it was passed on: it is taken, and never lands.
  if (!preflight && signature !== undefined && refused === "BLOCKHASH_NOT_FOUND") return ok(signature);
  if (preflight && signature !== undefined && view.status(signature) !== undefined)
    return preflightFailure("This transaction has already been processed", { err: "AlreadyProcessed" });
  if (refused !== undefined) return refusal(refused);
  if (preflight) {
    const tried = await view.chain.simulate(wire.value);
    if (tried === undefined) return cannotTry;
    const { error } = tried.result;
    if (error !== null) {
      const told = { err: errorJson(error), logs: tried.logs, unitsConsumed: unitsIn(tried.logs) };
      return preflightFailure(errorSentence(error), told);
    }
  }
  const taken = view.chain.submit(wire.value);
  return taken.ok ? ok(taken.value) : refusal(taken.error);
}

export async function simulateTransaction(view: ChainView, params: Params): Promise<Answer> {
  const config = configParam(params, 1);
  const level = readLevel(view, config);
  if (!level.ok) return level;
  const wire = wireParam(params[0], config);
  if (!wire.ok) return wire;
  const parsed = parseTransaction(wire.value);
  if (!parsed.ok) return refusal(parsed.error);
  const replaces = config.replaceRecentBlockhash === true;
  const checks = config.sigVerify === true;
  if (replaces && checks) return invalidParams("sigVerify may not be used with replaceRecentBlockhash");
  const refused = view.chain.cluster.refuses(wire.value);
  if (checks && refused === "SIGNATURE_INVALID") return { ok: false, error: signatureFailure };
  const newest = view.latestBlockhash("processed");
  const { message } = parsed.value;
  const isTaken = view.isBlockhashValid(message.blockhash, "processed") || view.chain.cluster.livesByNonce(message);
  if (!replaces && !isTaken) return inContext(view, level.value, { ...untried, err: "BlockhashNotFound" });
  const tried = await view.chain.simulate(wire.value);
  if (tried === undefined) return cannotTry;
  const accounts = accountsAsked(config, tried);
  if (!accounts.ok) return accounts;
  return inContext(view, level.value, {
    ...shownOf(tried, config.innerInstructions === true),
    accounts: accounts.value,
    replacementBlockhash:
      replaces && newest ? { blockhash: newest.blockhash, lastValidBlockHeight: newest.lastValidSlot } : null,
  });
}

const untried = { accounts: null, innerInstructions: null, logs: [], returnData: null, unitsConsumed: 0 };

function shownOf({ result, logs }: Simulation, inner: boolean): Readonly<Record<string, JsonValue>> {
  return {
    err: errorJson(result.error),
    innerInstructions: inner ? namedInnerJson(result.invoked) : null,
    logs,
    returnData: returnDataJson(logs) ?? null,
    unitsConsumed: unitsIn(logs),
  };
}

/** The accounts that the caller wants to see as the transaction would leave them; null when it asked for none. */
function accountsAsked({ accounts }: Config, { accounts: left }: Simulation): Result<JsonValue, RpcError> {
  if (accounts === undefined || accounts === null) return ok(null);
  const { addresses, encoding = "base64" } = accounts as Config;
  const asked = listParam([addresses], 0, 32, SHOWN_MAX);
  if (!asked.ok) return asked;
  const form = formOf({ encoding });
  if (!form.ok) return form;
  return ok(
    asked.value.map((address) => {
      const account = left.get(address);
      return account === undefined ? null : (accountJson(account, form.value) ?? null);
    }),
  );
}

export function requestAirdrop(view: ChainView, params: Params): Answer {
  const to = addressParam(params, 0);
  if (!to.ok) return to;
  const [, lamports] = params;
  if (typeof lamports !== "number" || !Number.isSafeInteger(lamports) || lamports < 1)
    return invalidParams("Invalid params: lamports");
  const dropped = BigInt(lamports) > AIRDROP_LAMPORTS_MAX ? undefined : view.chain.airdrop(to.value, BigInt(lamports));
  if (dropped?.ok === true) return ok(dropped.value);
  const message = "airdrop request failed. This can happen when the rate limit is reached.";
  return { ok: false, error: { code: -32603, message } };
}

function wireParam(data: unknown, { encoding = "base58" }: Config): Result<Uint8Array, RpcError> {
  if (typeof data !== "string" || (encoding !== "base58" && encoding !== "base64"))
    return invalidParams("Invalid params: unsupported encoding");
  const wire = encoding === "base64" ? fromBase64(data) : fromBase58(data);
  return wire === undefined ? invalidParams(`invalid ${encoding} encoding`) : ok(wire);
}

function refusal(submitError: SubmitDefect): { readonly ok: false; readonly error: RpcError } {
  switch (submitError) {
    case "BLOCKHASH_NOT_FOUND":
      return preflightFailure("Blockhash not found", { err: "BlockhashNotFound" });
    case "SIGNATURE_INVALID":
      return { ok: false, error: signatureFailure };
    case "TOO_LARGE":
      return invalidParams("decoded solana_transaction::versioned::VersionedTransaction too large");
    default:
      return invalidParams(
        `invalid transaction: Transaction failed to sanitize accounts offsets correctly (${submitError})`,
      );
  }
}
