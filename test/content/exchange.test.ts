/**
 * Goal: a block published at one node is read at every other, whatever came first, and nodes fetch nothing that no
 * settlement shows. Method: real nodes on the simulated network, asked as clients ask.
 * Source: protocol 02 G.7.
 */
import { expect, test } from "vitest";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { Wants } from "../../core/domains/content/blocks/tables.ts";
import { concat } from "../../core/kernel/bytes.ts";
import { toBase64 } from "../../core/kernel/text.ts";
import type { Person } from "../rpc/lone-node.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";
import { at, attachment, buyer, cidOf, png, T, third, trade, tradeSends } from "../rpc/node-with-settlement.ts";
import { dagNode } from "./dag.ts";
import type { TestNetwork } from "./network.ts";
import { networkOfNodes } from "./network.ts";

const NOW = T + 400_000n;
/** A file of several blocks: a PNG head and twenty parts of 200 KB, more than one answer may carry. */
const parts = Array.from({ length: 20 }, (_, i) => (i === 0 ? png("x".repeat(200_000)) : new Uint8Array(200_000 + i)));
const root = dagNode(parts.map((part) => cidOf(part)));
const whole = concat(...parts);
const file = { cid: cidOf(root, "dag-pb"), size_bytes: BigInt(whole.length) };

async function tradeAt(network: TestNetwork, node: number): Promise<void> {
  for (const { method, data } of tradeSends) expect(typeof (await network.ask(node, method, { data }))).toBe("string");
}
async function putFile(network: TestNetwork, node: number): Promise<void> {
  for (const part of parts) {
    await network.ask(node, "sendContentPut", { cid: cidOf(part), content: toBase64(part) });
  }
  await network.ask(node, "sendContentPut", { cid: file.cid, content: toBase64(root) });
}
async function attachAt(network: TestNetwork, node: number, by: Person = buyer): Promise<void> {
  const data = signedData(AttachmentPublish, attachment(by, { ...file, created_at: at(390_000) }), by);
  expect(await network.ask(node, "sendAttachmentPublish", { data })).toBe("att-1");
}
async function holds(network: TestNetwork, node: number): Promise<boolean> {
  const answer = (await network.ask(node, "getContentFile", { cid: file.cid })) as { readonly content: string | null };
  return answer.content !== null && answer.content === toBase64(whole);
}
/** Every node reads the whole file; answers after how many virtual milliseconds. */
function everywhere(network: TestNetwork, within: number): Promise<number> {
  return network.until(within, async () => {
    for (const { index } of network.world.nodes) if (!(await holds(network, index))) return false;
    return true;
  });
}

test("a file put at one node and attached at another is soon read at all eight", async () => {
  const network = await networkOfNodes(8, NOW);
  await tradeAt(network, 0);
  await putFile(network, 2);
  await attachAt(network, 5);
  expect(await everywhere(network, 60_000)).toBeLessThan(60_000);
  const [one] = (await network.ask(7, "getSettlementAttachments", { id: "set-1" })) as readonly { author: string }[];
  expect(one).toMatchObject({ id: "att-1", author: "", size_bytes: whole.length });
  expect(network.world.nodes.map((node) => node.driver()?.view.size(Wants))).toEqual(Array(8).fill(0));
  expect(network.world.violations).toEqual([]);
});

test("what is put long after it was attached is found, and so is what a node missed while it was down", async () => {
  const network = await networkOfNodes(4, NOW);
  await tradeAt(network, 0);
  network.world.nodes[3]?.crash(false);
  await attachAt(network, 1);
  await network.pass(120_000);
  await putFile(network, 0);
  network.world.nodes[3]?.start();
  await everywhere(network, 600_000);
});

test("what hangs on an unknown settlement is fetched by nobody until a party of it is seen to have attached it", async () => {
  const network = await networkOfNodes(4, NOW);
  await putFile(network, 0);
  await attachAt(network, 0, third);
  await attachAt(network, 2);
  await network.pass(60_000);
  expect(await holds(network, 3)).toBe(false);
  await tradeAt(network, 1);
  await everywhere(network, 60_000);
});

test("what was attached before its settlement is known is wanted as soon as that comes", () => {
  const node = loneNode(NOW);
  node.gossip(AttachmentPublish, attachment(buyer), buyer);
  expect(node.view.size(Wants)).toBe(0);
  trade(node);
  expect([...node.view.keys(Wants)]).toEqual([attachment(buyer).cid]);
});
