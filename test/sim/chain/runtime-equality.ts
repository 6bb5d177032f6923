/**
 * The model and a machine on one transaction after another: equal results, logs and accounts. The machines run the
 * chain's own programs in versions of their own; where those give another reason for the same refusal, it is listed.
 */
import { toHex } from "../../../core/kernel/bytes.ts";
import { parseMessage, systemProgram, token2022Program, tokenProgram } from "../../../core/testing.ts";
import { computeBudgetProgram } from "../../../sim/chain/compute-budget.ts";
import { forwarderProgram } from "../../../sim/chain/disguises.ts";
import type { ChainAccount, ChainExecutor, ExecutionError, ExecutionResult } from "../../../sim/chain/executor.ts";
import type { ModelExecutor } from "../../../sim/chain/executors/model.ts";
import { keysOf, loadAddresses, nothingLoaded } from "../../../sim/chain/lookup-tables.ts";
import { shownOf } from "../../../sim/chain/model/held-account.ts";
import { emptyAccount, isTokenProgram } from "../../../sim/chain/model/programs.ts";
import { reservedAddresses } from "../../../sim/chain/reserved-addresses.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { memoProgram } from "../../../sim/chain/transaction-log.ts";
import { contextAt, START_UNIX, wireOf } from "./chain-world.ts";
import type { Attack } from "./runtime-attacks.ts";
import { builtPrograms } from "./runtime-attacks.ts";

/** A machine beside the model, and what either holds that a case has touched. */
export interface Pair {
  readonly model: ModelExecutor;
  readonly machine: ChainExecutor;
}

const OWN_OWNERS = /^(NativeLoader|BPFLoader|Sysvar|Feature)/;
const programs: ReadonlySet<string> = new Set([...reservedAddresses, ...builtPrograms]);
const context = contextAt(START_UNIX + 500n);
let sent = 0;

/** The reason of a refusal by one version of a program, and by another. */
interface Version {
  /** The program called, undefined for the runtime itself. */
  readonly program: string | undefined;
  readonly model: string;
  /** Undefined: any reason that this version has. */
  readonly machine: string | undefined;
}

const versions: Readonly<Record<ChainExecutor["name"], readonly Version[]>> = {
  model: [],
  litesvm: [
    { program: undefined, model: "ProgramAccountNotFound", machine: "InvalidProgramForExecution" },
    { program: memoProgram, model: "InvalidInstructionData", machine: "ProgramFailedToComplete" },
    // The validator's other programs and loaders, which the model does not know, refuse in words of their own.
    { program: forwarderProgram, model: "UnsupportedProgramId", machine: undefined },
  ],
  bankrun: [
    { program: undefined, model: "InvalidProgramForExecution", machine: "ProgramAccountNotFound" },
    // Looks whether the payer and the programs are there before it reads wishes, and before it finds one told twice.
    { program: undefined, model: "DuplicateInstruction", machine: "ProgramAccountNotFound" },
    { program: undefined, model: "DuplicateInstruction", machine: "InvalidProgramForExecution" },
    { program: undefined, model: "DuplicateInstruction", machine: "AccountNotFound" },
    { program: computeBudgetProgram, model: "InvalidInstructionData", machine: "ProgramAccountNotFound" },
    { program: computeBudgetProgram, model: "InvalidInstructionData", machine: "InvalidProgramForExecution" },
    { program: computeBudgetProgram, model: "InvalidInstructionData", machine: "AccountNotFound" },
    { program: forwarderProgram, model: "UnsupportedProgramId", machine: undefined },
    { program: tokenProgram, model: "ReadonlyLamportChange", machine: "ReadonlyDataModified" },
    { program: systemProgram, model: "MissingAccount", machine: "NotEnoughAccountKeys" },
    // Its older Token-2022 looks at the owner last, and lets bytes behind a transfer be.
    { program: token2022Program, model: "IncorrectProgramId", machine: undefined },
    { program: token2022Program, model: "InvalidInstructionData", machine: undefined },
  ],
};

/** What differs, or nothing; `told` hears of every transaction that was compared. */
export async function difference(
  { model, machine }: Pair,
  attacks: readonly Attack[],
  told: (attack: Attack, result: ExecutionResult) => void,
): Promise<string | undefined> {
  const touched = new Map<string, ChainAccount | undefined>();
  let found: string | undefined;
  for (const attack of attacks) {
    sent += 1; // a blockhash of its own: no machine takes it for a repeat
    const wire = wireOf(attack.payer, attack.instructions, sent, attack.tables);
    const message = parseMessage(wire);
    if (!message.ok) continue; // no cluster takes it: too long, or a payer that is called
    const loaded = loadAddresses(message.value, model.accountNow, context);
    const keys = keysOf(message.value, loaded.ok ? loaded.value : nothingLoaded);
    for (const key of keys) if (!touched.has(key)) touched.set(key, model.accountNow(key));
    if (machine.name === "bankrun" && isOfLaterVersions(attack)) continue;
    const result = model.executeNow(wire, context);
    const other = await machine.execute(wire, context);
    told(attack, result);
    found = resultsDiffer(machine.name, attack, result, other) ?? (await accountsDiffer({ model, machine }, keys));
    if (found !== undefined) break;
  }
  for (const [address, account] of touched) await putBack({ model, machine }, address, account);
  return found;
}

/**
 * Where bankrun's versions and later ones do not both refuse, so that chains part: lamports paid to a program, no
 * tokens moved where nothing may be written, bytes behind a transfer, and wishes alone (its units do not suffice).
 */
function isOfLaterVersions({ instructions }: Attack): boolean {
  return instructions.some(isOfLaterVersion) || instructions.every(({ program }) => program === computeBudgetProgram);
}

function isOfLaterVersion({ program, accounts, data }: Instruction): boolean {
  if (program === forwarderProgram) {
    const [called, ...rest] = accounts;
    return called !== undefined && isOfLaterVersion({ program: called.address, accounts: rest, data });
  }
  if (program === token2022Program && data[0] === 3 && data.length > 9) return true;
  if (program === systemProgram) return programs.has(accounts[1]?.address ?? "");
  return (
    isTokenProgram(program) &&
    data.slice(1, 9).every((byte) => byte === 0) &&
    !accounts.slice(0, 2).every(({ writable }) => writable)
  );
}

function resultsDiffer(
  name: ChainExecutor["name"],
  attack: Attack,
  model: ExecutionResult,
  machine: ExecutionResult,
): string | undefined {
  const [expected, seen] = [model, machine].map((result) => JSON.stringify(result));
  if (expected === seen || (model.error && machine.error && isVersion(name, attack, model.error, machine.error)))
    return;
  return `${name}: ${seen}, not ${expected}`;
}

/** Whether both refuse for what one version of a program calls otherwise. */
function isVersion(
  name: ChainExecutor["name"],
  { instructions }: Attack,
  model: ExecutionError,
  machine: ExecutionError,
): boolean {
  if (model.type !== "other" || (machine.instruction ?? model.instruction) !== model.instruction) return false;
  const called = model.instruction === null ? undefined : instructions[model.instruction];
  const programs =
    called?.program === forwarderProgram ? [forwarderProgram, called.accounts[0]?.address] : [called?.program];
  return versions[name].some((version) => {
    if (!programs.includes(version.program) || version.model !== model.name) return false;
    return version.machine === undefined || (machine.type === "other" && version.machine === machine.name);
  });
}

async function accountsDiffer({ model, machine }: Pair, keys: readonly string[]): Promise<string | undefined> {
  for (const key of keys) {
    const seen = await machine.account(key);
    if (isOwn(seen)) continue;
    const [expected, found] = [model.accountNow(key), seen].map(shown);
    if (expected !== found) return `${key} on ${machine.name}: ${found}, not ${expected}`;
  }
  return undefined;
}

/** Machines fill programs and sysvars in their own ways. */
function isOwn(account: ChainAccount | undefined): boolean {
  return account !== undefined && (account.executable || OWN_OWNERS.test(account.owner));
}

function shown(account: ChainAccount | undefined): string {
  return account === undefined ? "nothing" : `${account.lamports} of ${account.owner}: ${toHex(account.data)}`;
}

/** The next case begins where this one did. */
async function putBack({ model, machine }: Pair, address: string, before: ChainAccount | undefined): Promise<void> {
  if (isOwn(await machine.account(address)) || isOwn(before)) return;
  const account = before ?? shownOf(emptyAccount);
  await machine.putAccount(address, account);
  await model.putAccount(address, account);
}
