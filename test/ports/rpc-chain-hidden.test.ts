/**
 * Goal: however its event is hidden, a decision and a release reach a node over the production adapter, with the facts
 * of one that nobody hid, and a node that knew events alone would never see them (protocol 03 A.10.3 R3, R4, R11).
 * Method: a served chain on which a stranger closes the escrow in each disguise; the same with the bug planted.
 */
import { afterEach, expect, test } from "vitest";
import { behindMemos, forwarded } from "../../sim/chain/disguises.ts";
import type { LookupTable } from "../../sim/chain/lookup-tables.ts";
import type { ServerConditions } from "../../sim/chain/server/conditions.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import type { Core } from "../chain-bridge/case-node.ts";
import { shown } from "../chain-bridge/case-node.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { approve, closingTable, execution, release, vote } from "../sim/chain/trade-story.ts";
import type { RpcCase } from "./rpc-chain-case.ts";
import { openRpcCase } from "./rpc-chain-case.ts";
import type { Members } from "./rpc-chain-world.ts";

/** Looks in which a node that sees nothing would have seen it. */
const LOOKS = 40;

let open: RpcCase[] = [];
afterEach(async () => {
  for (const each of open) await each.end();
  open = [];
});

/** An endpoint that keeps no logs, and so nothing that programs invoked. */
const forgetful: Partial<ServerConditions> = {
  lie: (method, _, result) => (method === "getTransaction" ? withoutRecords(result) : result),
};

function withoutRecords(result: JsonValue): JsonValue {
  if (result === null) return null;
  const { meta, ...rest } = result as Members;
  return { ...rest, meta: { ...(meta as Members), innerInstructions: null, loadedAddresses: null, logMessages: null } };
}

type Disguise = (instruction: Instruction) => {
  readonly instructions: readonly Instruction[];
  readonly tables?: readonly LookupTable[];
};
const plainly: Disguise = (instruction) => ({ instructions: [instruction] });

type Kept = Readonly<Record<number, Partial<ServerConditions>>>;
type Bug = readonly [file: string, find: string, replace: string];

/** A node that takes decisions from events and nothing else. */
const eventsAlone: readonly Bug[] = [
  ["follow.ts", "of read.unexplained) {", "of [] as typeof read.unexplained) {"],
  ["looks.ts", "if (!isClosed(context, seen.account) ||", "if (!isClosed(context, null) ||"],
];
/** And that reads a message's own instructions alone. */
const ownInstructions: Bug = ["reading.ts", "return [...own, ...(seen.inner ?? [])];", "return own;"];
/** And that knows no looked-up address. */
const ownAddresses: Bug = ["reading.ts", "...(seen.loaded ?? [])]", "]"];
const calledByAnother: Disguise = (instruction) => ({ instructions: [forwarded(instruction)] });
const throughTable: Disguise = (instruction) => ({ instructions: [instruction], tables: [closingTable] });
const calledThroughTable: Disguise = (instruction) => ({ ...throughTable(forwarded(instruction)) });
const filled: Disguise = (instruction) => ({ instructions: behindMemos(instruction) });

/** An endpoint that knows of no lookup table. */
const unaware: Partial<ServerConditions> = {
  lie: (method, _, result) => {
    if (method !== "getTransaction" || result === null) return result;
    const { meta, ...rest } = result as Members;
    return { ...rest, meta: { ...(meta as Members), loadedAddresses: null } };
  },
};

const disguises: readonly (readonly [name: string, disguise: Disguise, kept: Kept, bugs: readonly Bug[]])[] = [
  ["behind memos", filled, {}, eventsAlone],
  ["at an endpoint that tells no metadata", plainly, { 0: forgetful }, eventsAlone],
  ["by another program's call", calledByAnother, {}, [...eventsAlone, ownInstructions]],
  ["by another program's call, without metadata", calledByAnother, { 0: forgetful }, eventsAlone],
  ["through a lookup table", throughTable, {}, [...eventsAlone, ownAddresses]],
  ["through a lookup table that an endpoint does not tell", throughTable, { 0: unaware }, eventsAlone],
  ["through a lookup table, without metadata", throughTable, { 0: forgetful }, eventsAlone],
  ["by another program's call through a lookup table", calledThroughTable, {}, [...eventsAlone, ownInstructions]],
];

const state = ({ node }: RpcCase) => (node.call("getSettlement", { id: "s-1" }) as { readonly state: string }).state;

async function decide(disguise: Disguise, kept: Kept, core?: Core) {
  const one = await openRpcCase(1, core && { core }, kept);
  open.push(one);
  await vote(one);
  const { instructions, tables } = disguise(execution);
  await one.send(instructions, tables);
  return one;
}

test.each(disguises)("a decision %s is seen, as one that nobody hid", async (_, disguise, kept) => {
  const one = await decide(disguise, kept);
  await one.until(() => shown(one.node).resolution === "BuyerWins");
  const plain = await decide(plainly, {});
  await plain.until(() => shown(plain.node).resolution === "BuyerWins");
  expect(one.node.roots()).toEqual(plain.node.roots());
});

test.each(disguises)("a release %s is seen", async (_, disguise, kept) => {
  const one = await openRpcCase(1, { disputed: false }, kept);
  open.push(one);
  await approve(one);
  const { instructions, tables } = disguise(release);
  await one.send(instructions, tables);
  await one.until(() => state(one) === "Completed");
});

test.each(disguises)("without what finds it, a decision %s is never seen", async (_, disguise, kept, planted) => {
  const bugs = planted.map(([file, find, replace]) => ({
    file: `core/domains/chain-bridge/${file}`,
    find,
    replace,
  }));
  await withPlantedBug(bugs, async (load) => {
    const one = await decide(disguise, kept, await load<Core>("core/index.ts"));
    await one.until(() => one.looks() >= LOOKS);
    expect(shown(one.node).resolution).toBeNull();
  });
});
