// Goal: an endpoint that is slow, silent, or lists without end keeps nobody from being told what the others say
// (protocol 03 C9: no single one decides).
// Method: endpoints that answer by script, three of them and one that does so; lists, accounts in turn, accounts as of
// a slot and looked-up transactions; and planted bugs.
import { PublicKey } from "@solana/web3.js";
import { expect, test } from "vitest";
import { openAccountReads } from "../../adapters/chain/account-reads.ts";
import { openAccountSweep } from "../../adapters/chain/account-sweep.ts";
import type * as History from "../../adapters/chain/history.ts";
import { openTasks } from "../../adapters/chain/tasks.ts";
import { openTransactionStatuses } from "../../adapters/chain/transaction-statuses.ts";
import type { ChainObservation, Commitment } from "../../core/index.ts";
import { toBase58 } from "../../core/index.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { crypto } from "../sim/chain/chain-world.ts";
import type { Script, ScriptedEndpoint } from "./scripted-endpoint.ts";
import { landed, scriptedEndpoint, settled } from "./scripted-endpoint.ts";

/** More than are read or settled at once. */
const addresses = Array.from({ length: 12 }, (_, n) => toBase58(new Uint8Array(32).fill(n + 1)));
const tx = landed(1, 5);
const never = () => new Promise(() => undefined);

/** Holds one transaction, which touched every address and is not final yet or is. */
const holding = (commitment: Commitment): Script => ({
  getSignaturesForAddress: (_, query, level) => {
    const { until, before } = query as { readonly until?: string; readonly before?: string };
    if (level !== commitment || until !== undefined || before !== undefined) return [];
    return [{ signature: tx.signature, slot: 5, err: null }];
  },
  getTransaction: () => tx.told,
  getFirstAvailableBlock: () => 0,
});

/** Lists so many new signatures whenever it is asked. */
function endless(): Script {
  let n = 0;
  const next = () => {
    n += 1;
    return { signature: `s${n}`, slot: 1_000 };
  };
  const list = (limit: number) => Array.from({ length: limit }, next);
  return {
    getSignaturesForAddress: (_, query) => list((query as { readonly limit: number }).limit),
    getTransaction: () => null,
    getFirstAvailableBlock: () => 0,
  };
}

const stories: readonly (readonly [string, Commitment, Script])[] = [
  ["lists without end", "finalized", endless()],
  ["does not answer for its list", "finalized", { ...holding("finalized"), getSignaturesForAddress: never }],
  ["does not answer for a transaction", "finalized", { ...holding("finalized"), getTransaction: never }],
  ["does not answer at all", "finalized", { getSignaturesForAddress: never, getTransaction: never }],
  ["lists without end", "confirmed", endless()],
  ["does not answer for its list", "confirmed", { ...holding("confirmed"), getSignaturesForAddress: never }],
  ["does not answer for a transaction", "confirmed", { ...holding("confirmed"), getTransaction: never }],
];

/** How many addresses are told of within a few polls, and how often the troubled endpoint was asked. */
async function play(commitment: Commitment, script: Script, openHistory: typeof History.openHistory) {
  const told = new Set<string | null>();
  const alarms: string[] = [];
  const third: ScriptedEndpoint = scriptedEndpoint("third", script);
  const endpoints = [scriptedEndpoint("a", holding(commitment)), scriptedEndpoint("b", holding(commitment)), third];
  const history = openHistory({
    ...{ endpoints, crypto, tasks: openTasks(), page: 10 },
    tell: (each) => void (each.type === "transaction" && told.add(each.address)),
    alarm: (_, endpoint) => void alarms.push(endpoint),
  });
  for (const address of addresses) history.watch(address, commitment);
  for (let poll = 0; poll < 8; poll += 1) {
    await settled();
    history.sweep();
  }
  return { told: told.size, alarms, asked: third.asked.length };
}

test.each(stories)("of three endpoints one %s: what the others say is told as %s", async (_, commitment, script) => {
  const { openHistory } = await import("../../adapters/chain/history.ts");
  const { told, asked } = await play(commitment, script, openHistory);
  expect(told).toBe(addresses.length);
  expect(asked).toBeGreaterThan(0);
  // Twelve first walks, four more lists and all that is in turn at each of eight polls, with 16 pages of two requests.
  expect(asked).toBeLessThan((12 + 8 * (4 + 4 + 12)) * 16 * 2);
});

test("who speaks after the others agreed is judged by it", async () => {
  const { openHistory } = await import("../../adapters/chain/history.ts");
  const other = { ...tx.told, slot: 6 };
  const late = { ...holding("finalized"), getTransaction: () => settled().then(() => other) };
  const { alarms } = await play("finalized", late, openHistory);
  await settled();
  expect(new Set(alarms)).toEqual(new Set(["third"]));
});

/** An endpoint at a slot whose accounts hold this byte, and which has one final transaction. */
const showing = (byte: number, more: Script = {}): Script => {
  const account = { owner: PublicKey.default, lamports: 1, data: Uint8Array.of(byte) };
  return {
    getAccountInfoAndContext: () => ({ context: { slot: 9 }, value: account }),
    getMultipleAccountsInfoAndContext: (keys) => ({
      context: { slot: 9 },
      value: (keys as readonly unknown[]).map(() => account),
    }),
    getSlot: () => 9,
    getTransaction: () => tx.told,
    ...more,
  };
};

type Part = (
  endpoints: readonly ScriptedEndpoint[],
  tell: (each: ChainObservation) => void,
  alarm: (subject: string, endpoint: string) => void,
) => { readonly ask: () => void };
const parts: Readonly<Record<string, Part>> = {
  "accounts in turn": (endpoints, tell, alarm) => {
    const sweep = openAccountSweep({ endpoints, tasks: openTasks(), tell, changed: () => undefined, alarm });
    for (const address of addresses) sweep.watch(address, "finalized");
    return { ask: () => sweep.sweep() };
  },
  "an account as of a slot": (endpoints, tell, alarm) => {
    const reads = openAccountReads({ endpoints, tasks: openTasks(), tell, alarm });
    return { ask: () => reads.read(addresses[0] ?? "", 9n, "finalized") };
  },
  "a transaction": (endpoints, tell) => {
    const statuses = openTransactionStatuses({ endpoints, crypto, tasks: openTasks(), tell });
    return { ask: () => statuses.check(tx.signature) };
  },
};

test.each(Object.entries(parts))("%s: told while one endpoint of three never answers", async (name, open) => {
  const told: ChainObservation[] = [];
  const silent = scriptedEndpoint(
    "third",
    Object.fromEntries(Object.keys(showing(0)).map((method) => [method, never])),
  );
  const others = ["a", "b"].map((each) => scriptedEndpoint(each, showing(5)));
  const part = open(
    [...others, silent],
    (each) => void told.push(each),
    () => undefined,
  );
  part.ask();
  await settled();
  const types = told.map(({ type }) => type);
  expect(types).toEqual(
    name === "a transaction"
      ? ["transaction"]
      : name === "accounts in turn"
        ? addresses.map(() => "account")
        : ["account"],
  );
  // Its share of what it may leave unanswered, and no more.
  for (let again = 0; again < 40; again += 1) {
    part.ask();
    await settled();
  }
  expect(silent.asked.length).toBeLessThanOrEqual(name === "accounts in turn" ? 4 : 41);
});

test("what may be final is not told as confirmed before every endpoint spoke", async () => {
  const told: ChainObservation[] = [];
  let answer = () => undefined as void;
  const late = new Promise<void>((resolve) => (answer = resolve));
  const near: Script = showing(5, {
    getTransaction: (_, asked) =>
      (asked as { readonly commitment: Commitment }).commitment === "finalized" ? null : tx.told,
  });
  const slow: Script = showing(5, { getTransaction: () => late.then(() => tx.told) });
  const endpoints = [showing(5), near, slow].map((script, n) => scriptedEndpoint(`${n}`, script));
  const tell = (each: ChainObservation) => void told.push(each);
  openTransactionStatuses({ endpoints, crypto, tasks: openTasks(), tell }).check(tx.signature);
  await settled();
  expect(told).toEqual([]);
  answer();
  await settled();
  expect(told).toMatchObject([{ type: "transaction", commitment: "finalized" }]);
});

test("a slow endpoint that shows other accounts is named all the same", async () => {
  const alarms: string[] = [];
  const liar = showing(6, {
    getMultipleAccountsInfoAndContext: (keys) =>
      settled().then(() => showing(6)["getMultipleAccountsInfoAndContext"]?.(keys)),
  });
  const endpoints = [showing(5), showing(5), liar].map((script, n) => scriptedEndpoint(`${n}`, script));
  const part = parts["accounts in turn"]?.(
    endpoints,
    () => undefined,
    (_, name) => void alarms.push(name),
  );
  for (let look = 0; look < 6; look += 1) {
    part?.ask();
    await settled();
    await settled();
  }
  expect(new Set(alarms)).toEqual(new Set(["2"]));
});

test.each([
  ["walks for ever", 0, "adapters/chain/signature-pages.ts", "walked < WALK_PAGES_MAX;", "walked < 400;"],
  [
    "waits for every list",
    1,
    "adapters/chain/history.ts",
    "const liars = liarsOf(endpoints.length);",
    "const liars = 0;",
  ],
  ["waits for every answer", 2, "adapters/chain/pace.ts", "left === 0 || isEnough(answers, left)", "left === 0"],
] as const)("a reader that %s is found out", async (_, story, file, find, replace) => {
  const [, commitment, script] = stories[story] as (typeof stories)[number];
  const troubled = file.endsWith("signature-pages.ts") ? endless() : script;
  const { told, asked } = await withPlantedBug([{ file, find, replace }], async (load) => {
    const { openHistory } = await load<typeof History>("adapters/chain/history.ts");
    return play(commitment, troubled, openHistory);
  });
  expect(told < addresses.length || asked > 6_000).toBe(true);
});
