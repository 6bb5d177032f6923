/**
 * Goal: statements cross a line of five nodes, one that was away catches up, a sixth that joins holds the same; all say
 * so by equal roots at their admin addresses, and the recorded life of each plays through the core to those roots.
 * Method: production nodes of this process over loopback, each of which is told of the one before it alone.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import type { RunningNode } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { replayRecording } from "../../node/sim/replay-recording.ts";
import { person, signedData } from "../rpc/lone-node.ts";
import { until } from "../until.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-five-"));
const at = (name: string) => join(folder, name);
const open = new Map<string, RunningNode>();
afterAll(async () => {
  for (const node of open.values()) await node.close();
  rmSync(folder, { recursive: true, force: true });
});

const LOOPBACK = { host: "127.0.0.1", port: 0 };
const ASK_EVERY_MS = 200;

/** A node that is told of one other, and whose life is recorded. */
async function started(name: string, before: RunningNode | undefined): Promise<RunningNode> {
  const node = await startNode({
    ...{ ledger: at(name), admin: LOOPBACK, record: { path: at(`${name}.record`), redacted: false } },
    ...(before !== undefined && { entrypoints: before.gossip }),
  });
  if (!node.ok) assert.fail(node.error.reason);
  open.set(name, node.value);
  return node.value;
}

async function stopped(name: string): Promise<void> {
  await open.get(name)?.close();
  open.delete(name);
}

/** A merchant of that number defines a payment method at a node. */
async function define(node: RunningNode, merchant: number): Promise<void> {
  const { peer, key, ...keys } = person(merchant);
  const definition = { merchant: peer, merchant_public_key: key, name: `Stall ${merchant}`, category: "Cash" };
  const data = signedData(PaymentMethodDefine, definition as never, { peer, key, ...keys });
  await node.client().call("sendPaymentMethodDefine", { data } as never);
}

interface Roots {
  readonly statements: string;
  readonly facts: string;
  readonly state: string;
}

async function rootsOf(node: RunningNode): Promise<Roots> {
  return (await (await fetch(`${node.admin?.url}/debug/roots`)).json()) as Roots;
}

/** Waits until all say the same, other than what they said before. */
async function agreed(before: string): Promise<Roots> {
  let roots: readonly Roots[] = [];
  await until(async () => {
    roots = await Promise.all([...open.values()].map(rootsOf));
    const told = new Set(roots.map((each) => JSON.stringify(each)));
    return told.size === 1 && roots[0]?.statements !== before;
  }, ASK_EVERY_MS);
  const [first] = roots;
  return first ?? assert.fail("nobody runs");
}

/** What playing a recording comes to. */
function replayed(name: string, file = `${name}.record`): string {
  const out: string[] = [];
  const around = { out: (text: string) => void out.push(text) };
  const code = replayRecording(at(file), { json: false, identity: join(at(name), "identity.json") }, around);
  return code === 0 ? out.join("") : `${code}: ${out.join("")}`;
}

test("five in a line, one that was away and a sixth hold the same, and their lives play to it", async () => {
  const names = ["first", "second", "third", "fourth", "fifth"];
  let before: RunningNode | undefined;
  for (const name of names) before = await started(name, before);
  const [first, fourth, fifth] = ["first", "fourth", "fifth"].map((name) => open.get(name));
  if (first === undefined || fourth === undefined || fifth === undefined) assert.fail("all run");
  const nothing = (await rootsOf(first)).statements;
  await define(first, 1);
  const crossed = await agreed(nothing);
  await define(fifth, 2);
  const both = await agreed(crossed.statements);

  await stopped("third");
  await define(first, 3);
  await define(fifth, 4);
  await started("third", open.get("second"));
  await agreed(both.statements);
  await started("sixth", fourth);
  const last = await agreed(both.statements);
  expect(new Set(open.keys())).toEqual(new Set([...names, "sixth"]));

  const ran = [...open.keys()];
  for (const name of ran) await stopped(name);
  for (const name of ran) {
    const told = replayed(name);
    expect(told, name).toMatch(/^OK inputs=[1-9]/);
    expect(told).toContain(`state=${last.state} statements=${last.statements}`);
  }
  expect(replayed("third", "third.record.before")).toContain(`state=${both.state} statements=${both.statements}`);
});
