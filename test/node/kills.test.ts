/**
 * Goal: whatever a node acknowledged is there after kill -9 under load, folded to the same roots by whoever reads the
 * ledger, and the node goes on with it (L9).
 * Method: a real process that several traders send to at once, every kind of send of a trade among theirs, killed at a
 * drawn number of acknowledgements, again and again on one ledger, while checkpoints are made beside it; each time the
 * ledger is read whole in this process before the node starts anew, from a checkpoint where there is one, and has to
 * hold the same. A handful of kills here, a thousand by night.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { NodeDriver, RootTexts } from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { runsOf, seedOf, tries } from "../property/profile.ts";
import { crypto, gossipOnly } from "../rpc/lone-node.ts";
import { until } from "../until.ts";
import type { NodeProcess } from "./node-process.ts";
import { startNode } from "./node-process.ts";
import type { Sent } from "./trader.ts";
import { tradeOf } from "./trader.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-kills-"));
let running: NodeProcess | undefined;
afterAll(async () => {
  await running?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const KILLS = runsOf(3, 1_000);
/** So many fall on one ledger; the next begins another, or reading would be all that a night does. */
const KILLS_A_LEDGER = 40;
const TRADERS = 4;
/** No kill comes later than after so many acknowledgements. */
const ACKNOWLEDGED_MAX = 160;

/** Numbers that are equal for equal seeds of the run. */
function draws(): (below: number) => number {
  let state = seedOf("kills under load") >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 13), 0x5bd1e995) + 0x9e3779b9) >>> 0;
    return (state >>> 7) % below;
  };
}

/** What a node that reads this ledger holds, without starting one that others could reach. */
async function readLedger<T>(ledger: string, look: (driver: NodeDriver) => T): Promise<T> {
  const opened = openLedger(ledger);
  if (!opened.ok) assert.fail(opened.error.reason);
  const driver = createDriver({
    ...{ crypto, store: opened.value, bootSeed: new Uint8Array(32), perform: () => undefined },
    ...{ configuration: gossipOnly(devnetNetwork), now: () => BigInt(Date.now()) as EpochMillis },
  });
  await until(() => driver.ready());
  const seen = look(driver);
  await new Promise<void>((closed) => opened.value.close(closed));
  return seen;
}

/** Trades until the node is gone; `acknowledged` hears of every statement that the node said it took. */
async function trader(node: NodeProcess, number: number, acknowledged: (sent: Sent) => void): Promise<void> {
  for (let round = 0; ; round++)
    for (const send of tradeOf(number, round)) {
      const sent = send(BigInt(Date.now()) as EpochMillis);
      const answer = await post(node.rpc, sent);
      if (answer === undefined) return;
      // Whatever a trader sends is in order: a refusal would be a loss of what came before it.
      if (answer.error !== undefined) assert.fail(`${sent.method}: ${JSON.stringify(answer.error)}`);
      acknowledged(sent);
    }
}

async function post(rpc: string, { method, data }: Sent): Promise<{ readonly error?: unknown } | undefined> {
  try {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } });
    const answer = await fetch(`${rpc}/rpc`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return (await answer.json()) as { readonly error?: unknown };
  } catch {
    return undefined;
  }
}

async function rootsOf({ admin }: NodeProcess): Promise<unknown> {
  return (await fetch(`${admin}/debug/roots`)).json();
}

test("kills under load take nothing back", async () => {
  const draw = draws();
  const kinds = new Set<string>();
  let taken = new Map<string, string>();
  let before: RootTexts | undefined;
  let kills = 0;
  for (const kill of tries("kills under load", KILLS)) {
    kills = kill + 1;
    if (kill % KILLS_A_LEDGER === 0) taken = new Map();
    const ledger = join(folder, `${Math.floor(kill / KILLS_A_LEDGER)}`);
    const node = await startNode(ledger, "--rate-limit", "off", "--checkpoint-every", "60");
    running = node;
    if (kill % KILLS_A_LEDGER > 0) expect(await rootsOf(node)).toEqual(before);
    let left = 1 + draw(ACKNOWLEDGED_MAX);
    let gone: Promise<void> | undefined;
    const acknowledged = ({ identity, method }: Sent): void => {
      taken.set(identity, method);
      kinds.add(method);
      left -= 1;
      if (left === 0) gone = node.kill();
    };
    await Promise.all(Array.from({ length: TRADERS }, (_, n) => trader(node, kill * TRADERS + n, acknowledged)));
    await gone;
    const first = await readLedger(ledger, ({ view, roots }) => {
      const lost = [...taken].filter(([identity]) => view.get(Statements, identity) === undefined);
      expect(lost).toEqual([]);
      return roots();
    });
    // Reading is no writing, and comes to the same.
    expect(await readLedger(ledger, ({ roots }) => roots())).toEqual(first);
    before = first;
  }
  // Every kind of send was among them, where there were enough.
  const all = new Set(tradeOf(0, 0).map((send) => send(0n as EpochMillis).method));
  if (kills >= 10) expect(kinds).toEqual(all);
});
