/**
 * Goal: a message of version 0 whose accounts stand in lookup tables does on every executor what the legacy one does,
 * and is refused for the same reasons. Method: one release through tables, honest and malformed, on all three.
 */
import { expect, test } from "vitest";
import { toBase58, utf8 } from "../../../core/kernel/text.ts";
import { forwarded } from "../../../sim/chain/disguises.ts";
import type { ChainAccount, OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../sim/chain/executors/model.ts";
import type { LookupTable } from "../../../sim/chain/lookup-tables.ts";
import { lookupTableAccount } from "../../../sim/chain/lookup-tables.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { openTogether } from "../../chain/program/together.ts";
import { addressOf, contextAt, crypto, firstDay, keyring, START_UNIX, wireOf } from "./chain-world.ts";
import { approve, release } from "./trade-story.ts";

const model = modelExecutors(crypto);
const onAll: OpenExecutor = openTogether(openLitesvm, openBankrun, model);
/** The bank has slots of its own, so what depends on the slot is asked of the other two. */
const onClocks: OpenExecutor = openTogether(openLitesvm, model);

const tableAt = (name: string) => toBase58(crypto.sha256(utf8(`table ${name}`)));
const addresses = release.accounts.map(({ address }) => address);
const whole: LookupTable = { address: tableAt("whole"), addresses };
const first: LookupTable = { address: tableAt("first"), addresses: addresses.slice(0, 4) };
const context = contextAt(START_UNIX);

/** An approved trade, tables on the chain, and one release by a message of version 0. */
async function releaseBy(
  tables: readonly LookupTable[],
  { open = onAll, instruction = release, held = {} }: Options = {},
) {
  const executor = await open(firstDay(), keyring);
  let sent = 0;
  const run = (instructions: readonly Instruction[], named: readonly LookupTable[], payer: "merchant" | "stranger") =>
    executor.execute(wireOf(payer, instructions, ++sent, named), context);
  const land = async (payer: Parameters<typeof wireOf>[0], step: Instruction) => {
    const { error } = await executor.execute(wireOf(payer, [step], ++sent), context);
    expect(error).toBeNull();
  };
  await approve({ land, pass: () => Promise.resolve() });
  for (const table of [whole, first]) {
    const account = held[table.address] ?? lookupTableAccount(table.addresses);
    if (account !== "missing") await executor.putAccount(table.address, account);
  }
  const result = await run([instruction], tables, "stranger");
  await executor.close();
  return result;
}

interface Options {
  readonly open?: OpenExecutor;
  readonly instruction?: Instruction;
  /** Other accounts in the place of tables. */
  readonly held?: Readonly<Record<string, ChainAccount | "missing">>;
}

/** A table with its kind, slots or owner changed. */
function changed(table: LookupTable, change: (view: DataView) => void, owner?: string): ChainAccount {
  const account = lookupTableAccount(table.addresses);
  change(new DataView(account.data.buffer));
  return owner === undefined ? account : { ...account, owner };
}
const nothing = () => undefined;

test.each([
  ["one table", [whole]],
  ["two tables", [first, whole]],
])("a release through %s releases, and tells what was loaded", async (_, tables) => {
  const { error, loaded, logs } = await releaseBy(tables);
  expect(error).toBeNull();
  expect(logs.some((line) => line.startsWith("Program data: "))).toBe(true);
  const asked = (writable: boolean) =>
    release.accounts.filter((meta) => meta.writable === writable).map(({ address }) => address);
  expect(new Set(loaded.writable)).toEqual(new Set(asked(true)));
  expect(new Set(loaded.readonly)).toEqual(new Set(asked(false)));
});

test("a release called by another program names its accounts from the table", async () => {
  const { error, invoked } = await releaseBy([whole], { instruction: forwarded(release) });
  expect(error).toBeNull();
  expect(invoked.map(({ accounts }) => accounts)).toEqual([addresses]);
});

const other = {
  ...whole,
  addresses: [...whole.addresses.slice(1), tableAt("nowhere"), ...whole.addresses.slice(0, 1)],
};

test.each<[string, string, readonly LookupTable[], Options]>([
  ["a table that is not there", "AddressLookupTableNotFound", [whole], { held: { [whole.address]: "missing" } }],
  [
    "an account of somebody else",
    "InvalidAddressLookupTableOwner",
    [whole],
    { held: { [whole.address]: changed(whole, nothing, addressOf("merchant")) } },
  ],
  [
    "an account that is no table yet",
    "InvalidAddressLookupTableData",
    [whole],
    { held: { [whole.address]: changed(whole, (view) => view.setUint32(0, 0, true)) } },
  ],
  ["a place beyond the end", "InvalidAddressLookupTableIndex", [other], {}],
  [
    "the same account twice",
    "AccountLoadedTwice",
    [first, whole],
    { held: { [first.address]: lookupTableAccount(Array.from({ length: 4 }, () => addresses[5] ?? "")) } },
  ],
])("%s: refused alike as %s, before anything runs", async (_, name, tables, options) => {
  const { error } = await releaseBy(tables, options);
  expect(error).toEqual({ type: "other", instruction: null, name });
});

const slots: readonly (readonly [what: string, at: number, slot: bigint, error: string | null])[] = [
  ["ended in this slot", 4, context.slot, null],
  ["ended a slot ago", 4, context.slot - 1n, null],
  ["ended long ago", 4, context.slot - 600n, "AddressLookupTableNotFound"],
  ["extended a slot ago", 12, context.slot - 1n, null],
  ["extended in this slot", 12, context.slot, "InvalidAddressLookupTableIndex"],
];

test.each(slots)("a table that was %s", async (_, at, slot, name) => {
  const held = { [whole.address]: changed(whole, (view) => view.setBigUint64(at, slot, true)) };
  const { error } = await releaseBy([whole], { open: onClocks, held });
  expect(error).toEqual(name === null ? null : { type: "other", instruction: null, name });
});
