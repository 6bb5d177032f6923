/**
 * Goal: what watching costs while nothing happens is what the adapter's README states, for each level and number of
 * watched addresses, and what failed costs nothing; an adapter that asks for each account alone is found out
 * (DESIGN section 4 "A decision cannot be hidden"; protocol 03 A.10.3 R3).
 * Method: requests counted at a scripted endpoint over a part of an hour, and compared with the table.
 */
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import type { PublicKey } from "@solana/web3.js";
import { PublicKey as Key } from "@solana/web3.js";
import { expect, test } from "vitest";
import type * as Sweep from "../../adapters/chain/account-sweep.ts";
import { openAccountSweep } from "../../adapters/chain/account-sweep.ts";
import type * as Lists from "../../adapters/chain/history.ts";
import { openHistory } from "../../adapters/chain/history.ts";
import { POLL_MS } from "../../adapters/chain/rpc.ts";
import { openTasks } from "../../adapters/chain/tasks.ts";
import type { Commitment } from "../../core/index.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { crypto } from "../sim/chain/chain-world.ts";
import { scriptedEndpoint } from "./scripted-endpoint.ts";

const HOUR_MS = 3_600_000;
/** Polls that are counted: a twentieth of an hour. */
const POLLS = 18;
const PER_HOUR = HOUR_MS / (POLL_MS * POLLS);
const owner = new Key(new Uint8Array(32).fill(9));
const levels = ["finalized", "confirmed"] as const;

type Parts = Pick<typeof Sweep, "openAccountSweep"> & Pick<typeof Lists, "openHistory">;
const product: Parts = { openAccountSweep, openHistory };

const addressOf = (n: number) =>
  new Key(Uint8Array.from({ length: 32 }, (_, at) => (at < 3 ? (n >> (8 * at)) & 255 : 1))).toBase58();

/** Something that an endpoint lists under every address. */
interface Listed {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
}

/** Requests of each kind that so many watched addresses cost in an hour. */
async function hourOf(watched: number, level: Commitment, listed: readonly Listed[] = [], parts: Parts = product) {
  const endpoint = scriptedEndpoint("a", {
    getMultipleAccountsInfoAndContext(keys: unknown) {
      const account = { owner, lamports: 1, data: Buffer.of(1), executable: false };
      return { context: { slot: 5 }, value: (keys as readonly PublicKey[]).map(() => account) };
    },
    getSignaturesForAddress: (_, query) => ((query as { until?: string }).until === undefined ? listed : []),
  });
  const tasks = openTasks();
  const common = { endpoints: [endpoint], crypto, tasks, tell: () => undefined, alarm: () => undefined };
  const history = parts.openHistory(common);
  const accounts = parts.openAccountSweep({ ...common, changed: history.news });
  const rest = async () => {
    while (tasks.busy()) await new Promise<void>((next) => setImmediate(next));
  };
  for (let n = 0; n < watched; n += 1) {
    history.watch(addressOf(n), level);
    accounts.watch(addressOf(n), level);
  }
  await rest();
  endpoint.asked.length = 0;
  for (let poll = 0; poll < POLLS; poll += 1) {
    accounts.sweep();
    history.sweep();
    await rest();
  }
  const count = (method: string) => endpoint.asked.filter((asked) => asked === method).length * PER_HOUR;
  return {
    batches: count("getMultipleAccountsInfoAndContext"),
    lists: count("getSignaturesForAddress"),
    fetched: count("getTransaction"),
  };
}

/** The rows of the README: watched, batches, lists at either level. */
function stated(): readonly (readonly number[])[] {
  const readme = readFileSync("adapters/chain/README.md", "utf8");
  const rows = readme.matchAll(/^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm);
  return [...rows].map((row) => row.slice(1).map((text) => Number(text.replaceAll(",", ""))));
}

test("an hour costs what the README states", async () => {
  const rows = stated();
  expect(rows.map(([watched]) => watched)).toEqual([100, 1_000, 100_000]);
  for (const [watched = 0, batches, ...lists] of rows) {
    // What is read in one poll is bounded: many more than that cost as much as somewhat more.
    for (const [place, level] of levels.entries()) {
      expect(await hourOf(Math.min(watched, 2_000), level), `${watched} ${level}`).toEqual({
        ...{ batches, lists: lists[place], fetched: 0 },
      });
    }
  }
});

const failures = Array.from({ length: 40 }, (_, n) => ({
  signature: `${n + 11}`.replaceAll("0", "z").repeat(44),
  slot: 4,
  err: { InstructionError: [0, { Custom: 6017 }] },
}));

test.each(levels)("what failed is not fetched, however much it is: %s", async (level) => {
  expect((await hourOf(100, level, failures)).fetched).toBe(0);
});

const planted = [
  ["asks for each account alone", "batches", "account-sweep.ts", "const BATCH = 100;", "const BATCH = 1;"],
  ["lists every address at every poll", "lists", "history.ts", "if (inTurn.length >= SWEEP) break;", ""],
  ["fetches what failed", "fetched", "history.ts", "if (failed || watched", "if (watched"],
] as const;

test.each(planted)("an adapter that %s is found out", async (_, kind, name, find, replace) => {
  const usual = await hourOf(100, "finalized", failures);
  const found = await withPlantedBug([{ file: `adapters/chain/${name}`, find, replace }], async (load) =>
    hourOf(100, "finalized", failures, {
      openAccountSweep: (await load<typeof Sweep>("adapters/chain/account-sweep.ts")).openAccountSweep,
      openHistory: (await load<typeof Lists>("adapters/chain/history.ts")).openHistory,
    }),
  );
  expect(found[kind]).toBeGreaterThan(usual[kind]);
});
