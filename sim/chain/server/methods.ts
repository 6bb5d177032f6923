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
import {
  getSignatureStatuses,
  getSignaturesForAddress,
  getTransaction,
  requestAirdrop,
  sendTransaction,
} from "./transaction-methods.ts";
import type { ChainView } from "./view.ts";

type Method = (view: ChainView, params: Params) => Answer;

export const methods: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({
    getAccountInfo,
    getBalance,
    getBlockHeight: getSlot,
    getBlockTime,
    getEpochInfo,
    getFeeForMessage,
    getFirstAvailableBlock,
    getGenesisHash,
    getHealth,
    getLatestBlockhash,
    getMinimumBalanceForRentExemption,
    getMultipleAccounts,
    getProgramAccounts,
    getSignatureStatuses,
    getSignaturesForAddress,
    getSlot,
    getTokenAccountBalance,
    getTokenAccountsByOwner,
    getTokenSupply,
    getTransaction,
    getVersion,
    isBlockhashValid,
    requestAirdrop,
    sendTransaction,
  }),
);
