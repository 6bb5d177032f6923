/**
 * Goal: a proof outlives a node that forgets its challenge, and is asked for no more than twice.
 * Method: two cores behind one name, each with challenges of its own; which of them answers is the test's to say.
 */
import { expect, test } from "vitest";
import { openClient } from "../../adapters/client/client.ts";
import { fakeNode } from "../http/fake-node.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { NEVER_MS } from "../until.ts";
import { merchant, T } from "./offer.ts";

/** A client of two nodes behind one name, and what they were asked; `answerer` tells by the call who answers it. */
async function twoBehindOne(answerer: (call: number) => "first" | "second") {
  const cores = { first: nodeOf(1), second: nodeOf(2) };
  const node = await fakeNode();
  node.onCall = ({ replyTo, body }) => {
    node.port.reply(replyTo, cores[answerer(node.calls.length)].body(body));
    return true;
  };
  const asked = () => node.calls.map(({ body }) => (JSON.parse(body) as { readonly method: string }).method);
  return { client: openClient({ url: `${node.url}/rpc`, callMsMax: NEVER_MS }), asked };
}

/** A node that was started with random bytes of its own. */
const nodeOf = (byte: number) => loneNode(T, undefined, undefined, undefined, new Uint8Array(32).fill(byte));

const once = ["getWalletChallenge", "getMySettlements"];

test("a node that restarts between challenge and proof is asked for one more challenge", async () => {
  const { client, asked } = await twoBehindOne((call) => (call === 1 ? "first" : "second"));
  expect(await client.prove("getMySettlements", merchant)).toEqual([]);
  expect(asked()).toEqual([...once, ...once]);
});

test("two nodes that take turns are asked twice, and then the refusal is thrown", async () => {
  const { client, asked } = await twoBehindOne((call) => (call % 2 === 1 ? "first" : "second"));
  await expect(client.prove("getMySettlements", merchant)).rejects.toMatchObject({
    ofs: { name: "RESOURCE_NOT_FOUND", reason: "challenge-unknown" },
  });
  expect(asked()).toEqual([...once, ...once]);
});

test("what is refused otherwise is asked for once", async () => {
  const { client, asked } = await twoBehindOne(() => "first");
  const forger = { ...merchant, sign: () => new Uint8Array(64) };
  await expect(client.prove("getMySettlements", forger)).rejects.toMatchObject({ ofs: { name: "INVALID_SIGNATURE" } });
  expect(asked()).toEqual(once);
});
