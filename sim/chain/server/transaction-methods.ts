/**
 * Methods about transactions: reading what stands in blocks, and taking what shall. Before it takes one, a node runs
 * it; this one judges its form, its signatures, its blockhash and that it is new. Source: Solana's JSON-RPC.
 */
import { fromBase58, fromBase64, ok, toBase58 } from "../../../core/index.ts";
import { parseTransaction } from "../../../core/testing.ts";
import type { SubmitDefect } from "../cluster.ts";
import { inContext } from "./account-methods.ts";
import type { Params } from "./params.ts";
import { addressParam, blockLevelOf, configParam, listParam, readLevel, signatureParam } from "./params.ts";
import type { Answer } from "./rpc-errors.ts";
import {
  errorJson,
  invalidParams,
  minContextSlotNotReached,
  preflightFailure,
  signatureFailure,
  unsupportedVersion,
} from "./rpc-errors.ts";
import { AIRDROP_LAMPORTS_MAX } from "./served-chain.ts";
import type { TransactionEncoding } from "./transaction-json.ts";
import { transactionEncodings, transactionJson } from "./transaction-json.ts";
import type { ChainView } from "./view.ts";

/** Signatures of one page, and of one status query. Source: Solana's JSON-RPC. */
export const SIGNATURES_PAGE_MAX = 1_000;
const STATUSES_MAX = 256;
/** Confirmations are counted up to the finalized block. Source: Solana's JSON-RPC. */
const CONFIRMATIONS_MAX = 31n;

export function getSignaturesForAddress(view: ChainView, params: Params): Answer {
  const address = addressParam(params, 0);
  if (!address.ok) return address;
  const config = configParam(params, 1);
  const level = blockLevelOf(config);
  if (!level.ok) return level;
  const least = config.minContextSlot;
  if (typeof least === "number" && view.slot(level.value) < BigInt(least))
    return minContextSlotNotReached(view.slot(level.value));
  const limit = config.limit ?? SIGNATURES_PAGE_MAX;
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > SIGNATURES_PAGE_MAX)
    return invalidParams(`Invalid limit; max ${SIGNATURES_PAGE_MAX}`);
  const named: Record<"before" | "until", string | undefined> = { before: undefined, until: undefined };
  for (const name of ["before", "until"] as const) {
    if (config[name] === undefined || config[name] === null) continue;
    const signature = signatureParam([config[name]], 0);
    if (!signature.ok) return signature;
    named[name] = signature.value;
  }
  const found = view.signatures(address.value, { level: level.value, limit, ...named });
  return ok(
    found.map(({ signature, slot, err, blockTime }) => {
      return { blockTime, confirmationStatus: level.value, err: errorJson(err), memo: null, signature, slot };
    }),
  );
}

export function getTransaction(view: ChainView, params: Params): Answer {
  const signature = signatureParam(params, 0);
  if (!signature.ok) return signature;
  const config = typeof params[1] === "string" ? { encoding: params[1] } : configParam(params, 1);
  const level = blockLevelOf(config);
  if (!level.ok) return level;
  const encoding = (config.encoding ?? "json") as TransactionEncoding;
  if (!transactionEncodings.includes(encoding))
    return invalidParams(`Invalid params: unknown variant \`${String(encoding)}\``);
  const found = view.transaction(signature.value, level.value);
  if (found === undefined) return ok(null);
  const versioned = typeof config.maxSupportedTransactionVersion === "number";
  if (found.message.version !== "legacy" && !versioned) return { ok: false, error: unsupportedVersion };
  const mintAccount = (mint: string) => view.account(mint, level.value);
  return ok(transactionJson(found, { encoding, versioned, recorder: view.chain.recorder, mintAccount }));
}

export function getSignatureStatuses(view: ChainView, params: Params): Answer {
  const signatures = listParam(params, 0, 64, STATUSES_MAX);
  if (!signatures.ok) return signatures;
  const newest = view.slot("processed");
  const told = signatures.value.map((signature) => {
    const found = view.status(signature);
    if (found === undefined) return null;
    const above = newest - found.slot;
    const err = errorJson(found.err);
    return {
      confirmationStatus: found.commitment,
      confirmations: found.commitment === "finalized" ? null : above < CONFIRMATIONS_MAX ? above : CONFIRMATIONS_MAX,
      err,
      slot: found.slot,
      status: err === null ? { Ok: null } : { Err: err },
    };
  });
  return inContext(view, "processed", told);
}

export function sendTransaction(view: ChainView, params: Params): Answer {
  const [data] = params;
  const config = configParam(params, 1);
  const level = readLevel(view, config, "preflightCommitment");
  if (!level.ok) return level;
  const encoding = config.encoding ?? "base58";
  if (typeof data !== "string" || (encoding !== "base58" && encoding !== "base64"))
    return invalidParams("Invalid params: unsupported encoding");
  const wire = encoding === "base64" ? fromBase64(data) : fromBase58(data);
  if (wire === undefined) return invalidParams(`invalid ${encoding} encoding`);
  const parsed = parseTransaction(wire);
  const first = parsed.ok ? parsed.value.signatures[0] : undefined;
  const signature = first && toBase58(first);
  const preflight = config.skipPreflight !== true;
  if (preflight && signature !== undefined && view.status(signature) !== undefined)
    return preflightFailure("This transaction has already been processed", "AlreadyProcessed");
  const taken = view.chain.submit(wire);
  if (taken.ok) return ok(taken.value);
  // Nobody looked before it was passed on: it is taken, and never lands.
  if (!preflight && signature !== undefined && taken.error === "BLOCKHASH_NOT_FOUND") return ok(signature);
  return refusal(taken.error);
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

function refusal(submitError: SubmitDefect): Answer {
  switch (submitError) {
    case "BLOCKHASH_NOT_FOUND":
      return preflightFailure("Blockhash not found", "BlockhashNotFound");
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
