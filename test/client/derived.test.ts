/**
 * Goal: what a client hashes for its author is what a node takes: content ids of blocks.
 * Method: a node's core behind real HTTP, which is given the blocks.
 */
import { expect, test } from "vitest";
import { contentIdOf, openClient } from "../../adapters/client/client.ts";
import type { Cid } from "../../core/kernel/cid.ts";
import { toBase64, utf8 } from "../../core/kernel/text.ts";
import { dagNode } from "../content/dag.ts";
import { fakeNode } from "../http/fake-node.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { NEVER_MS } from "../until.ts";
import { T } from "./offer.ts";

/** A client of a core behind HTTP. */
async function clientOf(core: LoneNode) {
  const node = await fakeNode();
  node.onCall = ({ replyTo, body }) => {
    node.port.reply(replyTo, core.body(body));
    return true;
  };
  return openClient({ url: `${node.url}/rpc`, callMsMax: NEVER_MS });
}

test("a node takes a block under the id that the client makes", async () => {
  const client = await clientOf(loneNode(T));
  const block = utf8("a photo of a receipt");
  const content = toBase64(block);
  const cid = contentIdOf(block);
  expect(await client.call("sendContentPut", { cid, content })).toEqual({ cid, stored: true });
  expect(await client.call("getHeldContent", { cid })).toEqual({ content });
  const other = contentIdOf(utf8("another"));
  await expect(client.call("sendContentPut", { cid: other, content })).rejects.toMatchObject({
    ofs: { name: "INVALID_PARAMETER" },
  });
});

test("a node reads a file of several blocks under the id of the one that lists them", async () => {
  const client = await clientOf(loneNode(T));
  const parts = ["a photo ", "of a receipt"].map(utf8);
  const list = dagNode(parts.map((part) => contentIdOf(part) as Cid));
  const blocks = [
    ...parts.map((part) => [contentIdOf(part), part] as const),
    [contentIdOf(list, "dag-pb"), list] as const,
  ];
  for (const [cid, block] of blocks) await client.call("sendContentPut", { cid, content: toBase64(block) });
  const file = await client.call("getContentFile", { cid: contentIdOf(list, "dag-pb") });
  expect(file).toEqual({ content: toBase64(utf8("a photo of a receipt")) });
});
