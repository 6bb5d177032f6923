/**
 * Every method this server answers over HTTP, by its name. Source: Solana's JSON-RPC.
 */
import {
  getAccountInfo,
  getBalance,
  getMinimumBalanceForRentExemption,
  getMultipleAccounts,
  getProgramAccounts,
  getTokenAccountBalance,
  getTokenAccountsByOwner,
  getTokenSupply,
} from "./account-methods.ts";
import {
  getBlock,
  getBlocks,
  getBlocksWithLimit,
  getClusterNodes,
  getEpochSchedule,
  getIdentity,
  getRecentPrioritizationFees,
  getSlotLeader,
  getTransactionCount,
  getVoteAccounts,
} from "./block-methods.ts";
import {
  getBlockTime,
  getEpochInfo,
  getFeeForMessage,
  getFirstAvailableBlock,
  getGenesisHash,
  getHealth,
  getLatestBlockhash,
  getSlot,
  getVersion,
  isBlockhashValid,
} from "./chain-methods.ts";
import type { Params } from "./params.ts";
import type { Answer } from "./rpc-errors.ts";
import { requestAirdrop, sendTransaction, simulateTransaction } from "./send-methods.ts";
import { getSignatureStatuses, getSignaturesForAddress, getTransaction } from "./transaction-methods.ts";
import type { ChainView } from "./view.ts";

type Method = (view: ChainView, params: Params) => Answer | Promise<Answer>;

export const methods: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({
    getAccountInfo,
    getBalance,
    getBlock,
    getBlockHeight: getSlot,
    getBlockTime,
    getBlocks,
    getBlocksWithLimit,
    getClusterNodes,
    getEpochInfo,
    getEpochSchedule,
    getFeeForMessage,
    getFirstAvailableBlock,
    getGenesisHash,
    getHealth,
    getIdentity,
    getLatestBlockhash,
    getMinimumBalanceForRentExemption,
    getMultipleAccounts,
    getProgramAccounts,
    getRecentPrioritizationFees,
    getSignatureStatuses,
    getSignaturesForAddress,
    getSlot,
    getSlotLeader,
    getTokenAccountBalance,
    getTokenAccountsByOwner,
    getTokenSupply,
    getTransaction,
    getTransactionCount,
    getVersion,
    getVoteAccounts,
    isBlockhashValid,
    minimumLedgerSlot: getFirstAvailableBlock,
    requestAirdrop,
    sendTransaction,
    simulateTransaction,
  }),
);
