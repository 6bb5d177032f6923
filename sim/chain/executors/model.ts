/**
 * The model executor: the program's rules in TypeScript, as oracle for the others and for the fastest swarms.
 * Deterministic, in memory, forked in constant time. Source: DESIGN section 4.
 */

import type { ChainAddresses } from "../../../core/index.ts";
import { chainAddresses, parseTransaction, simulatedProfile } from "../../../core/index.ts";
import type { CryptoPort } from "../../../core/ports/crypto.ts";
import type { ChainAccount, ChainExecutor, ExecutionContext, ExecutionResult, OpenExecutor } from "../executor.ts";
import type { Ledger } from "../model/ledger.ts";
import { openLedger } from "../model/ledger.ts";
import { runMessage } from "../model/runtime.ts";
import { rememberedAddresses } from "../remembered-addresses.ts";

export interface ModelExecutor extends ChainExecutor {
  readonly name: "model";
  /** An independent chain with the same accounts. */
  fork(): ModelExecutor;
  /** Every existing account. */
  accounts(): ReadonlyMap<string, ChainAccount>;
  /** The same execution without a promise. */
  executeNow(wire: Uint8Array, context: ExecutionContext): ExecutionResult;
}

/** Model executors of the simulated network, on the given cryptography. */
export function modelExecutors(
  crypto: CryptoPort,
): OpenExecutor & ((...args: Parameters<OpenExecutor>) => Promise<ModelExecutor>) {
  const at = rememberedAddresses(chainAddresses(crypto, simulatedProfile));
  return (accounts) => Promise.resolve(openModel(at, crypto, accounts));
}

/** A model chain that begins with `accounts`. */
export function openModel(
  at: ChainAddresses,
  crypto: CryptoPort,
  accounts: Parameters<OpenExecutor>[0],
): ModelExecutor {
  return modelOn({ at, sha256: crypto.sha256 }, openLedger(accounts.map(({ address, account }) => [address, account])));
}

function modelOn(machine: Parameters<typeof runMessage>[0], ledger: Ledger): ModelExecutor {
  const executeNow = (wire: Uint8Array, context: ExecutionContext): ExecutionResult => {
    const parsed = parseTransaction(wire);
    if (!parsed.ok || parsed.value.message.version !== "legacy") {
      return { ok: false, error: { type: "other", instruction: null, name: "SanitizeFailure" }, logs: [] };
    }
    return runMessage(machine, ledger, parsed.value.message, context);
  };
  return {
    name: "model",
    replays: true,
    execute: (wire, context) => Promise.resolve(executeNow(wire, context)),
    executeNow,
    account: (address) => Promise.resolve(ledger.get(address)),
    putAccount: (address, account) => {
      ledger.set(address, account);
      return Promise.resolve();
    },
    accounts: () => ledger.entries(),
    fork: () => modelOn(machine, ledger.fork()),
    close: () => Promise.resolve(),
  };
}
