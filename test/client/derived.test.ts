/**
 * Goal: what a client hashes for its author is what a node takes: content ids of blocks, commitments of votes.
 * Method: a node's core behind real HTTP, which is given the blocks, and the votes of a panel, one for each finding.
 */
import { expect, test } from "vitest";
import { contentIdOf, openClient, voteCommitmentOf } from "../../adapters/client/client.ts";
import type { Cid } from "../../core/kernel/cid.ts";
import { toBase64, utf8 } from "../../core/kernel/text.ts";
import { dagNode } from "../content/dag.ts";
import { ada, bob, cyd, staged } from "../disputes/stages.ts";
import { fakeNode } from "../http/fake-node.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode } from "../rpc/lone-node.ts";
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

const signerOf = ({ secret }: Person) => ({
  publicKey: crypto.publicKey(secret),
  sign: (message: Uint8Array) => crypto.sign(secret, message),
});

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

test("a commitment that the client makes is opened by the reveal of its vote, whatever it is", async () => {
  const core = staged("locked", "default");
  const client = await clientOf(core);
  const secret = crypto.sha256(utf8("secret"));
  const panel = [
    { judge: ada, vote: "BuyerWins", other: "MerchantWins" },
    { judge: bob, vote: "MerchantWins", other: "Invalid" },
    { judge: cyd, vote: "Invalid", other: "BuyerWins" },
  ] as const;
  const by = ({ peer }: Person) => ({ dispute_id: "d-1", arbitrator: peer, timestamp: core.now });
  for (const { judge, vote } of panel) {
    const commit = { ...by(judge), commitment: voteCommitmentOf(vote, secret) };
    await client.send("sendVoteCommit", commit, signerOf(judge));
  }
  for (const { judge, vote, other } of panel) {
    const shown = client.send("sendVoteReveal", { ...by(judge), vote: other, secret }, signerOf(judge));
    await expect(shown).rejects.toMatchObject({ ofs: { name: "INVALID_EVIDENCE" } });
    expect(await client.send("sendVoteReveal", { ...by(judge), vote, secret }, signerOf(judge))).toBeNull();
  }
  const { revealed_votes: votes } = (await client.call("getDispute", { id: "d-1" })) ?? {};
  expect(new Set(votes)).toEqual(new Set(panel.map(({ vote }) => vote)));
});

test("what no reveal could open is not committed to", () => {
  const secret = new Uint8Array(32).fill(1);
  const told = "a commitment takes one of BuyerWins, MerchantWins, Invalid, and 32 bytes";
  expect(() => voteCommitmentOf("BuyerWins", secret.subarray(1))).toThrow(new TypeError(told));
  expect(() => voteCommitmentOf("MutualSettlement" as never, secret)).toThrow(new TypeError(told));
});
