/**
 * Methods about blocks and about who makes them: one validator, which everybody votes for. Source: Solana's JSON-RPC.
 */
import { ok } from "../../../core/index.ts";
import type { Block } from "../chain-view.ts";
import { budgetOf } from "../compute-budget.ts";
import type { ConfirmedTransaction } from "../confirmed-transaction.ts";
import { keysOf, mayWrite } from "../lookup-tables.ts";
import { API_VERSION } from "./account-methods.ts";
import { EPOCH_SLOTS } from "./chain-methods.ts";
import type { JsonValue } from "./json-text.ts";
import type { Config, Params } from "./params.ts";
import { blockLevelOf, configParam, listParam, readLevel } from "./params.ts";
import type { Answer } from "./rpc-errors.ts";
import { invalidParams, unsupportedVersion } from "./rpc-errors.ts";
import type { TransactionEncoding } from "./transaction-json.ts";
import { transactionEncodings, transactionJson } from "./transaction-json.ts";
import type { ChainView } from "./view.ts";

/** Slots of one list of blocks. Source: Solana's JSON-RPC. */
const BLOCKS_ASKED_MAX = 500_000;
/** Blocks whose fees are told, and accounts that one may ask about. Source: Solana's JSON-RPC. */
const FEE_BLOCKS = 150n;
const FEE_ACCOUNTS_MAX = 128;
/** Lamports at stake; nothing depends on it. */
const STAKE_LAMPORTS = 1_000_000_000_000n;
/** The one validator, and the account it votes with: addresses that spell their names; nobody holds keys for them. */
const VALIDATOR = "VaLidator1111111111111111111111111111111111";
const VOTE_ACCOUNT = "VoteAccount11111111111111111111111111111111";

export function getBlock(view: ChainView, params: Params): Answer {
  const slot = slotParam(params, 0);
  if (slot === undefined) return invalidParams("Invalid params: invalid slot");
  const config = typeof params[1] === "string" ? { encoding: params[1] } : configParam(params, 1);
  const level = blockLevelOf(config);
  if (!level.ok) return level;
  if (slot > view.slot(level.value)) return missing(-32004, `Block not available for slot ${slot}`);
  const block = view.block(slot, level.value);
  if (block === undefined)
    return missing(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
  const versioned = typeof config.maxSupportedTransactionVersion === "number";
  if (!versioned && block.transactions.some(({ message }) => message.version !== "legacy"))
    return { ok: false, error: unsupportedVersion };
  const encoding = (config.encoding ?? "json") as TransactionEncoding;
  if (!transactionEncodings.includes(encoding))
    return invalidParams(`Invalid params: unknown variant \`${String(encoding)}\``);
  const mintAccount = (mint: string) => view.account(mint, level.value);
  const whole = (found: ConfirmedTransaction): JsonValue => {
    const {
      blockTime: _time,
      slot: _slot,
      ...told
    } = transactionJson(found, {
      ...{ encoding, versioned, recorder: view.chain.recorder, mintAccount },
    }) as Readonly<Record<string, JsonValue>>;
    return told;
  };
  return ok({ ...headOf(block), ...bodyOf(block, config, whole) });
}

function headOf(block: Block): Readonly<Record<string, JsonValue>> {
  const { blockhash, blockTime, parentSlot, parentBlockhash, slot } = block;
  return { blockHeight: slot, blockTime, blockhash, parentSlot, previousBlockhash: parentBlockhash };
}

/** Transactions as much as was asked for; nobody earns rewards. */
function bodyOf(
  { transactions }: Block,
  { transactionDetails = "full", rewards }: Config,
  whole: (found: ConfirmedTransaction) => JsonValue,
): Readonly<Record<string, JsonValue>> {
  const told: Record<string, JsonValue> = rewards === false ? {} : { rewards: [] };
  if (transactionDetails === "signatures") told.signatures = transactions.map(({ signature }) => signature);
  else if (transactionDetails !== "none") told.transactions = transactions.map(whole);
  return told;
}

export function getBlocks(view: ChainView, params: Params): Answer {
  const [from, to] = [slotParam(params, 0), slotParam(params, 1)];
  const level = blockLevelOf(configParam(params, to === undefined ? 1 : 2));
  if (!level.ok) return level;
  const newest = view.slot(level.value);
  const last = to !== undefined && to < newest ? to : newest;
  if (from === undefined || last - from > BLOCKS_ASKED_MAX) return invalidParams("Slot range too large");
  return ok(slotsWithBlocks(view, from, last, BLOCKS_ASKED_MAX));
}

export function getBlocksWithLimit(view: ChainView, params: Params): Answer {
  const [from, limit] = [slotParam(params, 0), slotParam(params, 1)];
  const level = blockLevelOf(configParam(params, 2));
  if (!level.ok) return level;
  if (from === undefined || limit === undefined || limit > BLOCKS_ASKED_MAX)
    return invalidParams(`Limit too large; max ${BLOCKS_ASKED_MAX}`);
  return ok(slotsWithBlocks(view, from, view.slot(level.value), Number(limit)));
}

function slotsWithBlocks(view: ChainView, from: bigint, to: bigint, limit: number): readonly bigint[] {
  const found: bigint[] = [];
  for (let slot = from; slot <= to && found.length < limit; slot += 1n) {
    if (view.hasBlock(slot)) found.push(slot);
  }
  return found;
}

/** The least price of a unit that a block took from whoever wrote the accounts; 0 where nobody did. */
export function getRecentPrioritizationFees(view: ChainView, params: Params): Answer {
  const asked = params[0] === undefined ? { ok: true as const, value: [] } : listParam(params, 0, 32, FEE_ACCOUNTS_MAX);
  if (!asked.ok) return asked;
  const newest = view.slot("processed");
  const oldest = newest > FEE_BLOCKS ? newest - FEE_BLOCKS : 0n;
  const least = new Map<bigint, bigint>();
  for (const found of view.transactionsAfter(oldest)) {
    const { message, loaded, slot } = found;
    const written = keysOf(message, loaded).filter((_, index) => mayWrite(message, loaded, index));
    if (!asked.value.every((address) => written.includes(address))) continue;
    const budget = budgetOf(message);
    const price = "type" in budget ? 0n : budget.unitPrice;
    const before = least.get(slot);
    if (before === undefined || price < before) least.set(slot, price);
  }
  const told: JsonValue[] = [];
  for (let slot = oldest + 1n; slot <= newest; slot += 1n) {
    if (view.hasBlock(slot)) told.push({ prioritizationFee: least.get(slot) ?? 0n, slot });
  }
  return ok(told);
}

export function getVoteAccounts(view: ChainView, params: Params): Answer {
  const level = readLevel(view, configParam(params, 0));
  if (!level.ok) return level;
  const slot = view.slot(level.value);
  const epoch = slot / EPOCH_SLOTS;
  const vote = {
    activatedStake: STAKE_LAMPORTS,
    commission: 0,
    epochCredits: [[epoch, slot, 0n]],
    epochVoteAccount: true,
    lastVote: slot,
    nodePubkey: VALIDATOR,
    rootSlot: view.slot("finalized"),
    votePubkey: VOTE_ACCOUNT,
  };
  return ok({ current: [vote], delinquent: [] });
}

export function getSlotLeader(): Answer {
  return ok(VALIDATOR);
}

export function getIdentity(): Answer {
  return ok({ identity: VALIDATOR });
}

export function getClusterNodes(): Answer {
  return ok([{ featureSet: 0, gossip: null, pubkey: VALIDATOR, rpc: null, tpu: null, version: API_VERSION }]);
}

export function getEpochSchedule(): Answer {
  return ok({
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
    leaderScheduleSlotOffset: EPOCH_SLOTS,
    slotsPerEpoch: EPOCH_SLOTS,
    warmup: false,
  });
}

export function getTransactionCount(view: ChainView): Answer {
  return ok(view.chain.recorder.since(0).count);
}

function slotParam(params: Params, place: number): bigint | undefined {
  const given = params[place];
  return typeof given === "number" && Number.isSafeInteger(given) && given >= 0 ? BigInt(given) : undefined;
}

function missing(code: number, message: string): Answer {
  return { ok: false, error: { code, message } };
}
