/**
 * The chain as one server sees it: one of its branches, now or some slots ago. Accounts are read at a level of the
 * cluster as it is; a server that lags says so with the slot of its answer. Source: DESIGN "Simulated world".
 */

import type { Block, ChainView as Branch, SignatureStatus } from "../chain-view.ts";
import type { ConfirmedTransaction } from "../confirmed-transaction.ts";
import type { ChainAccount } from "../executor.ts";
import type { Commitment } from "../slots.ts";
import { BLOCKHASH_SLOTS, commitments } from "../slots.ts";
import type { ServedChain } from "./served-chain.ts";

/** Heads that a server remembers, to show a late one. Source: DESIGN "Simulated world". */
const HEADS_MAX = 1_024;

interface Head {
  readonly slot: bigint;
  readonly blockhash: string;
}

export interface ChainView {
  readonly chain: ServedChain;
  slot(level: Commitment): bigint;
  /** Undefined when it lags behind everything it noted. */
  latestBlockhash(level: Commitment): (Head & { readonly lastValidSlot: bigint }) | undefined;
  /** Whether a transaction may still use the blockhash. */
  isBlockhashValid(blockhash: string, level: Commitment): boolean;
  account(address: string, level: Commitment): ChainAccount | undefined;
  accounts(level: Commitment): ReadonlyMap<string, ChainAccount>;
  transaction(signature: string, level: Commitment): ConfirmedTransaction | undefined;
  /** The block of a slot that has reached a level. */
  block(slot: bigint, level: Commitment): Block | undefined;
  hasBlock(slot: bigint): boolean;
  /** Transactions of the blocks after a slot, oldest first. */
  transactionsAfter(slot: bigint): readonly ConfirmedTransaction[];
  status(signature: string): SignatureStatus | undefined;
  /** Newest first. */
  signatures(address: string, query: SignaturesAsked): readonly ConfirmedTransaction[];
}

export interface SignaturesAsked {
  readonly level: Commitment;
  readonly limit: number;
  readonly before: string | undefined;
  readonly until: string | undefined;
}

/** Remembers heads of the chain at every level: what was told once stays known, and a view may be late. */
export interface Heads {
  /** Notes the newest block of each level. */
  note(): void;
  /** Noted heads, oldest first. */
  noted(): readonly Head[];
}

export function openHeads(branch: () => Branch): Heads {
  let noted: readonly Head[] = [];
  return {
    noted: () => noted,
    note() {
      const shown = branch();
      const newest = commitments.map((level) => shown.latestBlockhash(level));
      const processed = shown.slot("processed");
      // Another fork may have taken the place of the newest ones.
      const kept = noted.filter(({ slot }) => slot <= processed && newest.every((head) => head.slot !== slot));
      const heads = new Map([...kept, ...newest].map(({ slot, blockhash }) => [slot, { slot, blockhash }]));
      noted = [...heads.values()].sort((a, b) => (a.slot < b.slot ? -1 : 1)).slice(-HEADS_MAX);
    },
  };
}

export function viewOf(chain: ServedChain, branch: Branch, heads: Heads, lagSlots: bigint): ChainView {
  const slot = (level: Commitment) => {
    const newest = branch.slot(level);
    return newest > lagSlots ? newest - lagSlots : 0n;
  };
  const head = (level: Commitment) =>
    lagSlots === 0n ? branch.latestBlockhash(level) : heads.noted().findLast((each) => each.slot <= slot(level));
  return {
    chain,
    slot,
    latestBlockhash(level) {
      const found = head(level);
      return found && { ...found, lastValidSlot: found.slot + BLOCKHASH_SLOTS };
    },
    isBlockhashValid(blockhash, level) {
      const newest = slot(level);
      const oldest = newest - BLOCKHASH_SLOTS;
      return heads.noted().some((each) => each.blockhash === blockhash && each.slot <= newest && each.slot >= oldest);
    },
    account: (address, level) => branch.account(address, level),
    accounts: (level) => branch.accounts(level),
    transaction(signature, level) {
      const found = branch.transaction(signature, level);
      return found !== undefined && found.slot <= slot(level) ? found : undefined;
    },
    block: (asked, level) => (asked <= slot(level) ? branch.block(asked) : undefined),
    hasBlock: (asked) => branch.hasBlock(asked),
    transactionsAfter: (after) => branch.transactionsAfter(after).filter((each) => each.slot <= slot("processed")),
    status(signature) {
      const found = branch.signatureStatus(signature);
      if (found === undefined || found.slot > slot("processed")) return undefined;
      return { ...found, commitment: commitments.findLast((level) => found.slot <= slot(level)) ?? "processed" };
    },
    signatures(address, { level, limit, before, until }) {
      if (before !== undefined && branch.transaction(before, level) === undefined) return [];
      const query = {
        commitment: level,
        ...(before !== undefined && { before }),
        ...(until !== undefined && { until }),
      };
      const found = branch.signaturesForAddress(address, query).filter((each) => each.slot <= slot(level));
      return found.slice(0, limit);
    },
  };
}
