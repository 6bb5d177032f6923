/**
 * Several executors as one: every operation runs on all of them, and the first difference in a result or in the
 * bytes of an account that a transaction names is an error. Whatever suite runs on it compares them.
 * Source: DESIGN section 4 (equal account bytes, logs and errors on all).
 */
import { parseTransaction } from "../../../core/solana/transaction.ts";
import type { ChainAccount, ChainExecutor, LoadedAddresses, OpenExecutor } from "../../../sim/chain/executor.ts";
import { keysOf } from "../../../sim/chain/lookup-tables.ts";

/** Accounts the machines fill in their own ways: programs and sysvars. */
const OWN_OWNERS = /^(NativeLoader|BPFLoader|Sysvar)/;

/** Opens all and answers as the first. */
export function openTogether(...opens: readonly OpenExecutor[]): OpenExecutor {
  return async (genesis, signers) => {
    const executors = await Promise.all(opens.map((open) => open(genesis, signers)));
    const [first, ...others] = executors;
    if (first === undefined) throw new Error("nothing to compare");
    return {
      name: first.name,
      replays: executors.every((executor) => executor.replays),
      execute: async (wire, context) => {
        const results = [];
        for (const executor of executors) results.push(await executor.execute(wire, context));
        const [expected] = results;
        if (expected === undefined) throw new Error("nothing was executed");
        for (const [index, result] of results.entries()) {
          agree(`result of ${executors[index]?.name}`, shown(expected), shown(result));
        }
        for (const address of accountsOf(wire, expected.loaded)) await sameAccount(address, first, others);
        return expected;
      },
      account: (address) => first.account(address),
      putAccount: async (address, account) => {
        for (const executor of executors) await executor.putAccount(address, account);
      },
      close: async () => {
        for (const executor of executors) await executor.close();
      },
    };
  };
}

function accountsOf(wire: Uint8Array, loaded: LoadedAddresses): readonly string[] {
  const parsed = parseTransaction(wire);
  if (!parsed.ok) throw new Error(`the suite sent a malformed transaction: ${parsed.error}`);
  return keysOf(parsed.value.message, loaded);
}

async function sameAccount(address: string, first: ChainExecutor, others: readonly ChainExecutor[]): Promise<void> {
  const expected = await first.account(address);
  if (expected !== undefined && (expected.executable || OWN_OWNERS.test(expected.owner))) return;
  for (const executor of others) {
    const found = await executor.account(address);
    agree(`account ${address} on ${executor.name}`, describeAccount(expected), describeAccount(found));
  }
}

function agree(what: string, expected: string, found: string): void {
  if (expected !== found) throw new Error(`executors differ in ${what}\nexpected ${expected}\nfound    ${found}`);
}

function describeAccount(account: ChainAccount | undefined): string {
  if (account === undefined) return "nothing";
  return `${account.lamports} lamports of ${account.owner}: ${Buffer.from(account.data).toString("hex")}`;
}

function shown(result: object): string {
  return JSON.stringify(result);
}
