// Goal: watched accounts are read a hundred at a time, and what changed is told once, as endpoints agree, though every
// transaction is hidden (protocol 03 A.10.3 R3, R8). What that costs is counted. Method: scripted endpoints.
import { Buffer } from "node:buffer";
import type { PublicKey } from "@solana/web3.js";
import { PublicKey as Key } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { openAccountReads } from "../../adapters/chain/account-reads.ts";
import { openAccountSweep } from "../../adapters/chain/account-sweep.ts";
import { openTasks } from "../../adapters/chain/tasks.ts";
import type { ChainObservation } from "../../core/index.ts";
import { scriptedEndpoint } from "./scripted-endpoint.ts";

const owner = new Key(new Uint8Array(32).fill(9));
const addressOf = (n: number) =>
  new Key(Uint8Array.from({ length: 32 }, (_, at) => (at < 2 ? (n >> (8 * at)) & 255 : 1))).toBase58();

/** An endpoint at which each account holds one byte. */
function holding(byteOf: (address: string) => number, slotOf = () => 5, name = "a") {
  const sizes: number[] = [];
  const endpoint = scriptedEndpoint(name, {
    getMultipleAccountsInfoAndContext(keys: unknown) {
      const addresses = (keys as readonly PublicKey[]).map((key) => key.toBase58());
      sizes.push(addresses.length);
      const slot = slotOf();
      const value = addresses.map((each) => ({ owner, lamports: 1, data: Buffer.of(byteOf(each)), executable: false }));
      return { context: { slot }, value };
    },
  });
  return { endpoint, sizes };
}

async function swept(endpoints: Parameters<typeof openAccountSweep>[0]["endpoints"], watched: number) {
  const [told, changed, alarms]: [ChainObservation[], string[], string[]] = [[], [], []];
  const tasks = openTasks();
  const accounts = openAccountSweep({
    endpoints,
    tasks,
    tell: (one) => told.push(one),
    changed: (at) => changed.push(at),
    alarm: (about, endpoint) => alarms.push(`${about} ${endpoint}`),
  });
  for (let n = 0; n < watched; n += 1) accounts.watch(addressOf(n), "finalized");
  const poll = async () => {
    const before = [told.length, changed.length] as const;
    accounts.sweep();
    while (tasks.busy()) await new Promise<void>((next) => setImmediate(next));
    return { told: told.slice(before[0]), changed: changed.slice(before[1]) };
  };
  return { poll, alarms };
}

test("a thousand accounts are ten requests, told at first and then only when they change", async () => {
  let byte = 1;
  const { endpoint, sizes } = holding((address) => (address === addressOf(7) ? byte : 1));
  const { poll } = await swept([endpoint], 1_000);
  expect((await poll()).told).toHaveLength(1_000);
  expect(sizes).toEqual(Array(10).fill(100));
  expect(await poll()).toEqual({ told: [], changed: [] });
  byte = 2;
  const { told, changed } = await poll();
  expect(changed).toEqual([addressOf(7)]);
  expect(told).toMatchObject([{ type: "account", address: addressOf(7), slot: 5n, commitment: "finalized" }]);
});

test("an answer that leaves accounts out is none", async () => {
  const { endpoint } = holding(() => 1);
  const { poll } = await swept([endpoint], 3);
  expect((await poll()).told).toHaveLength(3);
  endpoint.script = { getMultipleAccountsInfoAndContext: () => ({ context: { slot: 9 }, value: [] }) };
  expect(await poll()).toEqual({ told: [], changed: [] });
});

test("of more than a thousand, each poll reads the next ones", async () => {
  const { endpoint, sizes } = holding(() => 1);
  const { poll } = await swept([endpoint], 1_500);
  const firsts = [(await poll()).told.length, (await poll()).told.length, (await poll()).told.length];
  expect(firsts).toEqual([1_000, 500, 0]);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3_000);
});

test("what one of three endpoints says alone is not told, and what two say is, as of the earlier slot", async () => {
  const endpoints = [
    holding(
      () => 1,
      () => 9,
    ),
    holding(
      () => 1,
      () => 8,
    ),
    holding(() => 2),
  ].map(({ endpoint }) => endpoint);
  const { told } = await (await swept(endpoints, 1)).poll();
  expect(told).toMatchObject([{ slot: 8n, account: { data: Uint8Array.of(1) } }]);
  const two = [holding(() => 1), holding(() => 2)].map(({ endpoint }) => endpoint);
  expect((await (await swept(two, 1)).poll()).told).toEqual([]);
});

test("whoever pays into an account at every slot hides nothing of it, and has nobody named", async () => {
  let paid = 0;
  let byte = 1;
  const account = () => ({ owner, lamports: ++paid, data: Buffer.of(byte), executable: false });
  const endpoints = ["a", "b", "c"].map((name) =>
    scriptedEndpoint(name, {
      getAccountInfoAndContext: () => ({ context: { slot: ++paid }, value: account() }),
      getMultipleAccountsInfoAndContext: () => ({ context: { slot: ++paid }, value: [account()] }),
    }),
  );
  const { poll, alarms } = await swept(endpoints, 1);
  expect((await poll()).told).toMatchObject([{ type: "account", account: { data: Uint8Array.of(1) } }]);
  expect(await poll()).toEqual({ told: [], changed: [] });
  byte = 2;
  expect(await poll()).toMatchObject({ told: [{ account: { data: Uint8Array.of(2) } }], changed: [addressOf(0)] });
  const [tasks, told]: [ReturnType<typeof openTasks>, ChainObservation[]] = [openTasks(), []];
  const alarm = (about: string, endpoint: string) => alarms.push(`${about} ${endpoint}`);
  openAccountReads({ endpoints, tasks, alarm, tell: (one) => told.push(one) }).read(addressOf(0), 1n, "finalized");
  while (tasks.busy()) await new Promise<void>((next) => setImmediate(next));
  expect(told).toMatchObject([{ type: "account", account: { data: Uint8Array.of(2) } }]);
  expect(alarms).toEqual([]);
});

describe("endpoints that show an account differently, without a word from any list", () => {
  const newer = (slot = () => 5) => holding(() => 2, slot, "newer").endpoint;
  const older = (name: string, slot = () => 5, byte = () => 1) => holding(byte, slot, name).endpoint;
  const polled = async (endpoints: Parameters<typeof swept>[0], polls: number) => {
    const { poll, alarms } = await swept(endpoints, 1);
    for (let n = 0; n < polls; n += 1) await poll();
    return [...new Set(alarms)];
  };

  test("are both named from the third look on, if neither has a majority", async () => {
    expect(await polled([newer(), older("older")], 2)).toEqual([]);
    expect(await polled([newer(), older("older")], 3)).toEqual(["account newer", "account older"]);
  });

  test("leave the one named that the majority contradicts", async () => {
    expect(await polled([newer(), older("older"), older("third")], 3)).toEqual(["account newer"]);
  });

  test("are waited for while one is behind what the other showed first, for ten minutes", async () => {
    let slot = 4;
    const catchesUp = older(
      "older",
      () => ++slot,
      () => (slot < 9 ? 1 : 2),
    );
    expect(await polled([newer(() => 9), catchesUp], 20)).toEqual([]);
    expect(await polled([newer(() => 9), older("older")], 59)).toEqual([]);
    expect(await polled([newer(() => 9), older("older")], 60)).toEqual(["account newer", "account older"]);
  });

  test("are not named for an account that keeps changing", async () => {
    let now = 0;
    expect(await polled([newer(), older("older", undefined, () => 3 + (now++ % 5))], 20)).toEqual([]);
  });
});
