/**
 * What an executor did, kept for those who ask later: which transactions ran, in order, and what the accounts they
 * name held before and after. It stands between the chain and its executor and changes nothing.
 * Source: Solana's `getTransaction` (preBalances, postBalances, preTokenBalances, postTokenBalances).
 */

import { toBase58 } from "../../../core/index.ts";
import { parseTransaction } from "../../../core/testing.ts";
import type { ChainAccount, ChainExecutor, OpenExecutor } from "../executor.ts";
import { keysOf, loadAddressesFrom, nothingLoaded } from "../lookup-tables.ts";

/** Transactions whose balances are remembered; older ones answer without. Source: DESIGN L10. */
export const RECORDED_MAX = 65_536;

/** The accounts of one transaction, in the order of its message. */
export interface Balances {
  readonly before: readonly (ChainAccount | undefined)[];
  readonly after: readonly (ChainAccount | undefined)[];
}

/** What a recorder remembers. */
export interface HeldRecords {
  readonly balances: ReadonlyMap<string, Balances>;
  readonly line: readonly string[];
  readonly count: number;
}

export interface Recorder {
  /** The executor to open the chain with. */
  readonly open: OpenExecutor;
  /** A copy of what it remembers, for a recorder of a chain that goes on from here. */
  held(): HeldRecords;
  /** Work in which nothing that runs is recorded. */
  unrecorded<T>(work: () => Promise<T>): Promise<T>;
  balancesOf(signature: string): Balances | undefined;
  /** Signatures that ran after the `seen`-th, oldest first, and how many ran in all. */
  since(seen: number): { readonly signatures: readonly string[]; readonly count: number };
}

/** Records what an executor does, from nothing or on from what another recorder held. */
export function openRecorder(open: OpenExecutor, from?: HeldRecords): Recorder {
  const balances = new Map<string, Balances>(from?.balances);
  let line: string[] = [...(from?.line ?? [])];
  let count = from?.count ?? 0;
  let trying = false;
  const note = (signature: string, held: Balances) => {
    if (trying) return;
    balances.delete(signature);
    balances.set(signature, held);
    for (const [oldest] of balances) {
      if (balances.size <= RECORDED_MAX) break;
      balances.delete(oldest);
    }
    line.push(signature);
    count += 1;
    if (line.length > 2 * RECORDED_MAX) line = line.slice(-RECORDED_MAX);
  };
  return {
    open: async (genesis, signers) => recording(await open(genesis, signers), note),
    async unrecorded(work) {
      trying = true;
      try {
        return await work();
      } finally {
        trying = false;
      }
    },
    held: () => ({ balances: new Map(balances), line: [...line], count }),
    balancesOf: (signature) => balances.get(signature),
    since: (seen) => ({ signatures: line.slice(Math.max(0, line.length - (count - seen))), count }),
  };
}

function recording(executor: ChainExecutor, note: (signature: string, held: Balances) => void): ChainExecutor {
  const account = (address: string) => executor.account(address);
  return {
    name: executor.name,
    replays: executor.replays,
    async execute(wire, context) {
      const parsed = parseTransaction(wire);
      const signature = parsed.ok ? parsed.value.signatures[0] : undefined;
      if (!parsed.ok || signature === undefined) return executor.execute(wire, context);
      const { message } = parsed.value;
      const loaded = await loadAddressesFrom(message, account, context);
      const keys = keysOf(message, loaded.ok ? loaded.value : nothingLoaded);
      const before = await Promise.all(keys.map(account));
      const result = await executor.execute(wire, context);
      note(toBase58(signature), { before, after: await Promise.all(keys.map(account)) });
      return result;
    },
    account,
    putAccount: (address, account) => executor.putAccount(address, account),
    close: () => executor.close(),
  };
}
