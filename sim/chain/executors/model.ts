/**
 * The model executor: the program's rules in TypeScript, as oracle for the others and for the fastest swarms.
 * Deterministic, in memory, forked in constant time. Source: DESIGN section 4.
 */

import type { CryptoPort } from "../../../core/ports/crypto.ts";
import type { ChainAddresses } from "../../../core/testing.ts";
import {
  chainAddresses,
  parseMessage,
  simulatedProfile,
  token2022Program,
  tokenProgram,
} from "../../../core/testing.ts";
import { forwarderProgram } from "../disguises.ts";
import type { ChainAccount, ChainExecutor, ExecutionContext, ExecutionResult, OpenExecutor } from "../executor.ts";
import { loadAddresses, nothingLoaded } from "../lookup-tables.ts";
import type { HeldAccount } from "../model/held-account.ts";
import { heldOf, shownOf } from "../model/held-account.ts";
import type { Ledger } from "../model/ledger.ts";
import { openLedger } from "../model/ledger.ts";
import { runMessage } from "../model/runtime.ts";
import { rememberedAddresses } from "../remembered-addresses.ts";
import { memoProgram } from "../transaction-log.ts";
import { ESCROW_PROGRAM, PROGRAM_LAMPORTS, PROGRAM_LOADER, STAKING_PROGRAM } from "./sysvars.ts";

/** The model of the programs, which can also be copied. */
export interface ModelExecutor extends ChainExecutor {
  readonly name: "model";
  /** An independent chain with the same accounts. */
  fork(): ModelExecutor;
  /** Every existing account but the programs. */
  accounts(): ReadonlyMap<string, ChainAccount>;
  /** The same execution without a promise. */
  executeNow(wire: Uint8Array, context: ExecutionContext): ExecutionResult;
  /** The same reading without a promise. */
  accountNow(address: string): ChainAccount | undefined;
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
  const held = [...programAccounts, ...accounts].map(({ address, account }) => [address, heldOf(account)] as const);
  return modelOn({ at, sha256: crypto.sha256 }, openLedger(held));
}

function modelOn(machine: Parameters<typeof runMessage>[0], ledger: Ledger<HeldAccount>): ModelExecutor {
  const executeNow = (wire: Uint8Array, context: ExecutionContext): ExecutionResult => {
    const parsed = parseMessage(wire);
    if (!parsed.ok) return refused("SanitizeFailure");
    const loaded = loadAddresses(parsed.value, accountNow, context);
    return loaded.ok ? runMessage(machine, ledger, parsed.value, loaded.value, context) : refused(loaded.error);
  };
  const accountNow = (address: string): ChainAccount | undefined => {
    const held = ledger.get(address);
    return held === undefined ? undefined : shownOf(held);
  };
  return {
    name: "model",
    replays: true,
    execute: (wire, context) => Promise.resolve(executeNow(wire, context)),
    executeNow,
    accountNow,
    account: (address) => Promise.resolve(accountNow(address)),
    putAccount: (address, account) => {
      ledger.set(address, heldOf(account));
      return Promise.resolve();
    },
    accounts: () => {
      const kept = [...ledger.entries()].filter(([, held]) => !held.executable);
      return new Map(kept.map(([address, held]) => [address, shownOf(held)]));
    },
    fork: () => modelOn(machine, ledger.fork()),
    close: () => Promise.resolve(),
  };
}

/** Programs that are no part of the validator are accounts too, which may be paid; their code is not held. */
const programAccounts = [
  ESCROW_PROGRAM,
  STAKING_PROGRAM,
  forwarderProgram,
  tokenProgram,
  token2022Program,
  memoProgram,
].map((address) => {
  const account = { lamports: PROGRAM_LAMPORTS, owner: PROGRAM_LOADER, data: new Uint8Array(0), executable: true };
  return { address, account };
});

function refused(name: string): ExecutionResult {
  const error = { type: "other", instruction: null, name } as const;
  return { ok: false, error, logs: [], invoked: [], loaded: nothingLoaded };
}
