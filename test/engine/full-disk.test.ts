// Goal: on a disk that is full a node loses nothing that it acknowledged, refuses what it cannot keep, goes on to
// answer reads, does not read its ledger again for every refusal, and takes writes by itself once there is room.
// Method: a driver over a real ledger whose file SQLite is not allowed to let grow.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, assert, beforeEach, test } from "vitest";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import { openLibsql } from "../../adapters/sqlite/libsql-driver.ts";
import type { SqlDriver } from "../../adapters/sqlite/sql-driver.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { Effect, NodeDriver } from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { crypto, gossipOnly, signedData } from "../rpc/lone-node.ts";
import { advertisement, merchant } from "../rpc/node-with-settlement.ts";

const T = 1_795_000_000_000n as EpochMillis;
/** Pages of 4 KiB that the file may have, and then may. */
const SMALL = 40;
const LARGE = 100_000;
const SENDS_MAX = 2_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "full-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A node over the ledger of the folder, and the library under it. */
function opened() {
  let library: SqlDriver | undefined;
  const result = openLedger(folder, {
    driver(file) {
      library = openLibsql(file);
      return library;
    },
  });
  if (!result.ok) throw new Error(result.error.reason);
  const asked = { loads: 0 };
  const ledger = result.value;
  const store: StorePort = {
    commit: ledger.commit,
    load(give) {
      asked.loads += 1;
      ledger.load(give);
    },
    close: ledger.close,
  };
  const answers = new Map<string, (body: string) => void>();
  let retry: (() => void) | undefined;
  let started: () => void = () => undefined;
  const perform = (effect: Effect): void => {
    if (effect.type === "rpc.reply") answers.get(effect.replyTo)?.(effect.body ?? "");
    if (effect.type === "timer.set" && effect.timer === "store-retry")
      retry = () => driver.accept({ type: "timer.fired", timer: "store-retry" });
  };
  const driver: NodeDriver = createDriver({
    ...{ crypto, store, bootSeed: new Uint8Array(32), now: () => T, configuration: gossipOnly(devnetNetwork) },
    perform,
    observe: ({ type }) => void (type === "started" && started()),
  });
  let calls = 0;
  const call = (method: string, params: object): Promise<string> => {
    const replyTo = `${calls++}`;
    return new Promise((answer) => {
      answers.set(replyTo, answer);
      driver.accept({ type: "rpc.called", replyTo, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
    });
  };
  return {
    ...{ driver, call, asked },
    send: (id: string) =>
      call("sendAdvertisementCreate", {
        data: signedData(AdvertisementCreate, { ...advertisement, id, timestamp: T }, merchant),
      }),
    read: async (id: string) => !(await call("getAdvertisement", { id })).includes('"result":null'),
    pages: (most: number) => library?.exec(`PRAGMA max_page_count = ${most}`),
    again: () => retry?.(),
    begun: () => new Promise<void>((resolve) => (started = resolve)),
    close: () => new Promise<void>((done) => ledger.close(done)),
  };
}

test("a full disk refuses writes, keeps what was acknowledged, answers reads, and recovers by itself", async () => {
  const node = opened();
  node.pages(SMALL);
  const kept: string[] = [];
  let answer = "";
  for (let n = 0; n < SENDS_MAX && !answer.includes("error"); n++) {
    answer = await node.send(`ad-${n}`);
    if (!answer.includes("error")) kept.push(`ad-${n}`);
  }
  assert.include(answer, "DATABASE_ERROR");
  assert.isAbove(kept.length, 0);
  const { loads } = node.asked;
  assert.equal(loads, 2);
  for (let n = 0; n < 20; n++) assert.include(await node.send(`refused-${n}`), "DATABASE_ERROR");
  assert.isTrue(await node.read(kept.at(-1) ?? ""));
  assert.isFalse(await node.read("refused-0"));
  node.again();
  assert.include(await node.send("refused-again"), "DATABASE_ERROR");
  assert.equal(node.asked.loads, loads);
  node.pages(LARGE);
  const begun = node.begun();
  node.again();
  await begun;
  assert.include(await node.send("later"), '"result"');
  assert.equal(node.asked.loads, loads);
  const roots = node.driver.roots();
  await node.close();
  const again = opened();
  for (const id of kept) assert.isTrue(await again.read(id));
  assert.deepEqual(again.driver.roots(), roots);
  assert.isFalse(await again.read("refused-0"));
  await again.close();
});
