/**
 * What the suites asked of an executor and what it answered, so that another build of the program can be asked the
 * same: its answers differ from the first transaction on that the build runs otherwise. The suites compare results
 * and accounts of every transaction between executors, so whatever differs here fails there.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { parseTransaction } from "../../../core/solana/transaction.ts";
import type {
  ChainAccount,
  ChainExecutor,
  ExecutionContext,
  ExecutionResult,
  OpenExecutor,
} from "../../../sim/chain/executor.ts";

export interface Recording {
  readonly genesis: Parameters<OpenExecutor>[0];
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly type: "put"; readonly address: string; readonly account: ChainAccount }
  | {
      readonly type: "execute";
      /** The test that asked. */
      readonly test: string;
      readonly wire: Uint8Array;
      readonly context: ExecutionContext;
      readonly result: ExecutionResult;
      /** The transaction's accounts after it, where it succeeded: a failed one changes none but its payer. */
      readonly after: readonly (readonly [string, ChainAccount | undefined])[];
    };

/** Executors that write what they did into a folder when they close; `testName` says for whom. */
export function recorded(open: OpenExecutor, folder: string, testName: () => string): OpenExecutor {
  return async (genesis, signers) => {
    const executor = await open(genesis, signers);
    const steps: Step[] = [];
    return {
      ...executor,
      putAccount: async (address, account) => {
        steps.push({ type: "put", address, account: { ...account, data: account.data.slice() } });
        await executor.putAccount(address, account);
      },
      execute: async (wire, context) => {
        const result = await executor.execute(wire, context);
        const after = result.ok ? await accountsAfter(executor, wire) : [];
        steps.push({ type: "execute", test: testName(), wire, context, result, after });
        return result;
      },
      close: async () => {
        const name = `${readdirSync(folder).length}`.padStart(4, "0");
        writeFileSync(join(folder, name), serialize({ genesis, steps } satisfies Recording));
        await executor.close();
      },
    };
  };
}

/** The accounts a transaction names, but programs and sysvars, which every machine fills in its own way. */
export async function accountsAfter(
  executor: ChainExecutor,
  wire: Uint8Array,
): Promise<readonly (readonly [string, ChainAccount | undefined])[]> {
  const parsed = parseTransaction(wire);
  if (!parsed.ok) throw new Error(`a malformed transaction: ${parsed.error}`);
  const after: (readonly [string, ChainAccount | undefined])[] = [];
  for (const address of parsed.value.message.accounts) {
    const account = await executor.account(address);
    if (account?.executable !== true && !account?.owner.startsWith("Sysvar")) after.push([address, account]);
  }
  return after;
}

/** All recordings of a folder, in the order they were made. */
export function readRecordings(folder: string): readonly Recording[] {
  const names = readdirSync(folder).sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => deserialize(readFileSync(join(folder, name))) as Recording);
}
