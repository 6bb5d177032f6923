/**
 * Methods about the chain as a whole: slots, blockhashes, health, version. A block's height is its slot, as the chain
 * counts a blockhash's life in slots. Source: Solana's JSON-RPC; sim/chain/slots.ts.
 */
import { compactU16, concat, fromBase64, ok } from "../../../core/index.ts";
import { parseMessage } from "../../../core/testing.ts";
import { feeOf } from "../compute-budget.ts";
import { API_VERSION, inContext } from "./account-methods.ts";
import type { Params } from "./params.ts";
import { addressParam, configParam, readLevel } from "./params.ts";
import type { Answer } from "./rpc-errors.ts";
import { invalidParams } from "./rpc-errors.ts";
import type { ChainView } from "./view.ts";

/** Slots behind the cluster at which a node says so. Source: Solana's health check. */
export const UNHEALTHY_SLOTS = 128n;
/** Slots of an epoch. Source: Solana's schedule. */
export const EPOCH_SLOTS = 432_000n;
const SIGNATURE_BYTES = 64;
/** The bit of a message's first byte that says it names a version. Source: protocol 03 C.3. */
const VERSIONED = 0x80;
/** The first feature set; nothing here depends on it. */
const FEATURE_SET = 0;

export function getHealth(view: ChainView): Answer {
  const behind = view.chain.cluster.slot("processed") - view.slot("processed");
  if (behind < UNHEALTHY_SLOTS) return ok("ok");
  const data = { numSlotsBehind: behind };
  return { ok: false, error: { code: -32005, message: `Node is behind by ${behind} slots`, data } };
}

export function getVersion(): Answer {
  return ok({ "feature-set": FEATURE_SET, "solana-core": API_VERSION });
}

export function getSlot(view: ChainView, params: Params): Answer {
  const level = readLevel(view, configParam(params, 0));
  return level.ok ? ok(view.slot(level.value)) : level;
}

export function getEpochInfo(view: ChainView, params: Params): Answer {
  const level = readLevel(view, configParam(params, 0));
  if (!level.ok) return level;
  const slot = view.slot(level.value);
  return ok({
    absoluteSlot: slot,
    blockHeight: slot,
    epoch: slot / EPOCH_SLOTS,
    slotIndex: slot % EPOCH_SLOTS,
    slotsInEpoch: EPOCH_SLOTS,
    transactionCount: view.chain.recorder.since(0).count,
  });
}

export function getLatestBlockhash(view: ChainView, params: Params): Answer {
  const level = readLevel(view, configParam(params, 0));
  if (!level.ok) return level;
  const found = view.latestBlockhash(level.value);
  if (found === undefined) return { ok: false, error: { code: -32005, message: "Node is unhealthy" } };
  const { blockhash, lastValidSlot } = found;
  return inContext(view, level.value, { blockhash, lastValidBlockHeight: lastValidSlot });
}

export function isBlockhashValid(view: ChainView, params: Params): Answer {
  const blockhash = addressParam(params, 0);
  if (!blockhash.ok) return blockhash;
  const level = readLevel(view, configParam(params, 1));
  if (!level.ok) return level;
  return inContext(view, level.value, view.isBlockhashValid(blockhash.value, level.value));
}

/** Null when nobody could pay it: its blockhash is too old, and no nonce account holds it. */
export function getFeeForMessage(view: ChainView, params: Params): Answer {
  const level = readLevel(view, configParam(params, 1));
  if (!level.ok) return level;
  const [message] = params;
  if (typeof message !== "string") return invalidParams("Invalid params: invalid type: expected a string.");
  const bytes = fromBase64(message);
  const parsed = bytes && parseMessage(unsigned(bytes));
  if (parsed?.ok !== true) return invalidParams("invalid base64 encoding or message");
  const { value } = parsed;
  const isTaken = view.isBlockhashValid(value.blockhash, level.value) || view.chain.cluster.livesByNonce(value);
  return inContext(view, level.value, isTaken ? feeOf(value) : null);
}

/** A message as it would be sent, with as many empty signatures as it needs. */
function unsigned(message: Uint8Array): Uint8Array {
  const [first = 0, second = 0] = message;
  const signatures = first < VERSIONED ? first : second;
  return concat(compactU16(signatures), new Uint8Array(SIGNATURE_BYTES * signatures), message);
}

/** Every block is kept from the first one on. */
export function getFirstAvailableBlock(): Answer {
  return ok(0);
}

export function getGenesisHash(view: ChainView): Answer {
  return ok(view.chain.genesisHash);
}

export function getBlockTime(view: ChainView, params: Params): Answer {
  const [slot] = params;
  if (typeof slot !== "number" || !Number.isSafeInteger(slot) || slot < 0) return invalidParams("Invalid params");
  if (BigInt(slot) > view.slot("confirmed"))
    return { ok: false, error: { code: -32004, message: `Block not available for slot ${slot}` } };
  return ok(view.chain.cluster.unixTimestamp(BigInt(slot)));
}
