/**
 * Runs a setting with something changed on the model and on another executor, and compares: the result, and where it
 * succeeded every account it names. Nothing stays of it on either.
 */
import { TRANSACTION_BYTES_MAX } from "../../../core/solana/transaction.ts";
import type { ChainAccount, ChainExecutor, ExecutionResult, OpenExecutor } from "../../../sim/chain/executor.ts";
import type { ModelExecutor } from "../../../sim/chain/executors/model.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";
import type { Probe, Setting } from "./probes.ts";
import { crypto, keypair, nothing, SLOT_HASHES, wallet } from "./world.ts";

const BLOCKHASH = wallet("a blockhash");

/** Opens an executor on the chain of the settings. */
export async function openMachine(open: OpenExecutor, [setting]: readonly Setting[]): Promise<ChainExecutor> {
  const accounts = [...(setting?.model.accounts() ?? [])].map(([address, account]) => ({ address, account }));
  return open(accounts, []);
}

/** Compares; answers the result, or nothing when the transaction is too long for a chain. */
export async function probed(
  machine: ChainExecutor,
  setting: Setting,
  probe: Probe,
): Promise<ExecutionResult | undefined> {
  const { attempt, model } = setting;
  const without = Object.fromEntries((attempt.without ?? []).map((address) => [address, nothing]));
  const puts = Object.entries({ ...without, ...probe.put });
  const wire = wireFor(setting, probe);
  if (wire.length > TRANSACTION_BYTES_MAX) return undefined;
  const fork = model.fork();
  const touched = new Set(puts.map(([address]) => address));
  try {
    for (const [address, account] of puts) {
      await fork.putAccount(address, account);
      await machine.putAccount(address, account);
    }
    return await compared(machine, fork, setting, touched, probe);
  } finally {
    await restored(machine, model, touched);
  }
}

/** Runs the setting's instruction on both chains as they stand, and compares; `touched` learns what it changed. */
export async function compared(
  machine: ChainExecutor,
  fork: ModelExecutor,
  setting: Setting,
  touched: Set<string>,
  probe: Probe = { name: "as it is" },
): Promise<ExecutionResult> {
  const wire = wireFor(setting, probe);
  const slotHashes = probe.slotHashes ?? SLOT_HASHES;
  const context = { slot: 1001n, unixTimestamp: probe.now ?? setting.now, slotHashes };
  const expected = fork.executeNow(wire, context);
  touched.add(wallet(setting.signer));
  if (expected.ok) for (const address of writtenBy(setting)) touched.add(address);
  same(shown(await machine.execute(wire, context)), shown(expected), probe.name);
  if (expected.ok) await sameAccounts(machine, fork, touched, probe.name);
  return expected;
}

/** Puts back what was changed. */
export async function restored(
  machine: ChainExecutor,
  model: ModelExecutor,
  touched: ReadonlySet<string>,
): Promise<void> {
  for (const address of touched) await machine.putAccount(address, model.accountNow(address) ?? nothing);
}

/** The accounts that the instruction may write. */
function writtenBy({ instruction }: Setting): readonly string[] {
  return instruction.accounts.filter(({ writable }) => writable).map(({ address }) => address);
}

function wireFor(setting: Setting, { data, instead }: Probe): Uint8Array {
  if (data === undefined && instead === undefined) return usualWire(setting);
  const { instruction } = setting;
  const accounts = instruction.accounts.map((meta) => ({ ...meta, address: instead?.[meta.address] ?? meta.address }));
  return wireOf(setting, { ...instruction, accounts, data: data ?? instruction.data });
}

const usual = new WeakMap<Setting, Uint8Array>();

/** The honest transaction. It is signed once: a machine judges neither signatures nor repeats. */
function usualWire(setting: Setting): Uint8Array {
  const wire = usual.get(setting) ?? wireOf(setting, setting.instruction);
  usual.set(setting, wire);
  return wire;
}

function wireOf({ signer }: Setting, instruction: Instruction): Uint8Array {
  const message = { payer: wallet(signer), instructions: [instruction], blockhash: BLOCKHASH };
  return signTransaction(message, [keypair(signer)], crypto);
}

async function sameAccounts(
  machine: ChainExecutor,
  fork: ChainExecutor,
  addresses: ReadonlySet<string>,
  name: string,
): Promise<void> {
  for (const address of addresses) {
    const account = await fork.account(address);
    if (account !== undefined) same(textOf(await machine.account(address)), textOf(account), `${name}: ${address}`);
  }
}

function same(found: string, expected: string, what: string): void {
  if (found !== expected) throw new Error(`${what}\nthe model  ${expected}\nthe machine ${found}`);
}

function textOf(account: ChainAccount | undefined): string {
  if (account === undefined) return "nothing";
  return `${account.lamports} lamports of ${account.owner}: ${Buffer.from(account.data).toString("hex")}`;
}

function shown(result: ExecutionResult): string {
  return JSON.stringify(result.error ?? result.logs);
}
