/**
 * Methods that read transactions in blocks. Source: Solana's JSON-RPC.
 */
import { ok } from "../../../core/index.ts";
import { inContext } from "./account-methods.ts";
import type { Params } from "./params.ts";
import { addressParam, blockLevelOf, configParam, listParam, signatureParam } from "./params.ts";
import type { Answer } from "./rpc-errors.ts";
import { errorJson, invalidParams, minContextSlotNotReached, unsupportedVersion } from "./rpc-errors.ts";
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
