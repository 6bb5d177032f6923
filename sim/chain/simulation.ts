/**
 * Trying a transaction: it is executed as if in the next slot of a branch, and what it did is put back. Wallets ask for
 * it before they send. Whoever asks lets nothing else run meanwhile. Source: Solana's `simulateTransaction`.
 */
import type { ParsedMessage } from "../../core/testing.ts";
import type { ChainState } from "./blocks.ts";
import { contextIn, load, nothing } from "./blocks.ts";
import type { ChainAccount, ExecutionResult } from "./executor.ts";
import { keysOf, loadAddressesFrom, nothingLoaded } from "./lookup-tables.ts";
import { logOf } from "./transaction-log.ts";

/** What a transaction would come to. */
export interface Simulation {
  readonly result: ExecutionResult;
  readonly logs: readonly string[];
  /** What it would leave of every account that it names. */
  readonly accounts: ReadonlyMap<string, ChainAccount | undefined>;
}

/** Tries a transaction on the branch that the cluster follows. */
export async function simulate(state: ChainState, wire: Uint8Array, message: ParsedMessage): Promise<Simulation> {
  const { executor, main } = state;
  const { shown } = main;
  const read = (address: string) => executor.account(address);
  await load(state, main);
  const context = contextIn(state, main, state.current + 1n);
  main.shown = shown;
  const loaded = await loadAddressesFrom(message, read, context);
  const keys = keysOf(message, loaded.ok ? loaded.value : nothingLoaded);
  const before = new Map<string, ChainAccount | undefined>();
  for (const key of keys) before.set(key, await read(key));
  const result = await executor.execute(wire, context);
  const accounts = new Map<string, ChainAccount | undefined>();
  for (const key of keys) {
    const [was, now] = [before.get(key), await read(key)];
    accounts.set(key, now);
    if (!isSame(was, now)) await executor.putAccount(key, was ?? nothing);
  }
  return { result, logs: logOf(result, message), accounts };
}

function isSame(a: ChainAccount | undefined, b: ChainAccount | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.lamports === b.lamports && a.owner === b.owner && Buffer.compare(a.data, b.data) === 0;
}
