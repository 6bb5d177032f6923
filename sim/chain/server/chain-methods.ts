/**
 * Methods about the chain as a whole: slots, blockhashes, health, version. A block's height is its slot, as the chain
 * counts a blockhash's life in slots. Source: Solana's JSON-RPC; sim/chain/slots.ts.
 */
import { ok } from "../../../core/index.ts";
import { API_VERSION, inContext } from "./account-methods.ts";
import type { Params } from "./params.ts";
import { addressParam, configParam, readLevel } from "./params.ts";
import type { Answer } from "./rpc-errors.ts";
import { invalidParams } from "./rpc-errors.ts";
import { SIGNATURE_LAMPORTS } from "./transaction-json.ts";
import type { ChainView } from "./view.ts";

/** Slots behind the cluster at which a node says so. Source: Solana's health check. */
export const UNHEALTHY_SLOTS = 128n;
/** Slots of an epoch. Source: Solana's schedule. */
const EPOCH_SLOTS = 432_000n;
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

/** The fee of a message is what its signatures cost; the message itself is not read beyond its first byte. */
export function getFeeForMessage(view: ChainView, params: Params): Answer {
  const level = readLevel(view, configParam(params, 1));
  if (!level.ok) return level;
  const [message] = params;
  if (typeof message !== "string") return invalidParams("Invalid params: invalid type: expected a string.");
  const signatures = Buffer.from(message, "base64")[0] ?? 0;
  return inContext(view, level.value, SIGNATURE_LAMPORTS * BigInt(signatures));
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
