/**
 * Goal: what README says of a send whose answer was lost: repeated as it was, it changes nothing and hears one of a few
 * answers; the client repeats what a node refuses for now, and nothing that got lost.
 * Method: every send of the document's story, twice, on a node in the story's state; a client whose calls get lost.
 */
import { expect, test } from "vitest";
import { openClient } from "../../adapters/client/client.ts";
import { toldStory } from "../document/story/story.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { merchant, offer, T } from "./offer.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly data: { readonly ofsErrorName: string } };
}

/** What each send hears that came before; what is not named here hears the same answer again. */
const repeatAnswers = {
  sendAdvertisementCreate: "DUPLICATE_ADVERTISEMENT",
  sendAttachmentPublish: "RESOURCE_ALREADY_EXISTS",
  sendClaimPublish: "IDENTITY_ALREADY_EXISTS",
  sendClaimRevoke: "INVALID_IDENTITY_CLAIM",
  sendContentPut: "not stored once more",
  sendDisputeOpen: "DISPUTE_ALREADY_OPEN",
  sendOraclePublish: "INVALID_REQUEST",
  sendPaymentReversed: "INVALID_SETTLEMENT_STATE",
  sendPaymentSubmitted: "INVALID_SETTLEMENT_STATE",
  sendProposalActivate: "INVALID_PROPOSAL_STATE",
  sendProposalCreate: "PROPOSAL_ALREADY_EXISTS",
  sendProposalWithdraw: "INVALID_PROPOSAL_STATE",
  sendReservationCancel: "INVALID_RESERVATION_STATE",
  sendReservationRequest: "RESERVATION_ALREADY_EXISTS",
  sendReviewPublish: "RESOURCE_ALREADY_EXISTS",
  sendRiskPublish: "RESOURCE_ALREADY_EXISTS",
  sendSessionEstablish: "RESOURCE_ALREADY_EXISTS",
  sendSessionMigrate: "INVALID_REQUEST",
  sendSessionRenew: "INVALID_REQUEST",
  sendSessionRevoke: "SESSION_REVOKED",
  sendSettlementApproved: "INVALID_SETTLEMENT_STATE",
  sendSettlementCancelled: "INVALID_SETTLEMENT_STATE",
  sendSettlementInitiate: "SETTLEMENT_ALREADY_EXISTS",
  sendSettlementRejected: "INVALID_SETTLEMENT_STATE",
  sendSnapshotAnnounce: "RESOURCE_ALREADY_EXISTS",
  sendVoteCast: "DUPLICATE_VOTE",
} as const;

test("a send that is repeated as it was changes nothing, and hears that it is there", () => {
  const answers = new Map<string, Set<string>>();
  let sends = 0;
  toldStory((method, params, _node, copy) => {
    if (!method.startsWith("send")) return;
    sends += 1;
    const node = copy();
    const ask = () => JSON.parse(node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })) ?? "") as Answer;
    const first = ask();
    const roots = node.roots();
    node.now += 30_000n;
    const told = toldOf(first, ask());
    expect([method, node.roots()]).toEqual([method, roots]);
    if (told !== "the same") answers.set(method, (answers.get(method) ?? new Set()).add(told));
  });
  expect(sends).toBeGreaterThan(40);
  expect(Object.fromEntries([...answers].map(([method, told]) => [method, [...told].join()]))).toEqual(repeatAnswers);
});

test("the id that content earns changes with its date: what is dated anew is another record", async () => {
  const { client, node } = reached(() => true);
  const id = await client.send("sendAdvertisementCreate", offer, merchant);
  const again = client.send("sendAdvertisementCreate", offer, merchant);
  await expect(again).rejects.toMatchObject({ ofs: { name: "DUPLICATE_ADVERTISEMENT" } });
  node.now += 1_000n;
  const later = await client.send("sendAdvertisementCreate", { ...offer, timestamp: T + 1_000n }, merchant);
  expect(later).not.toBe(id);
  expect(await client.call("getAdvertisements")).toHaveLength(2);
});

test("a send whose answer is lost is sent once, and its repeat hears that it is there", async () => {
  const { client, asked } = reached((call) => call > 1);
  await expect(client.send("sendAdvertisementCreate", offer, merchant)).rejects.toThrow("the line was cut");
  expect(asked()).toBe(1);
  const again = client.send("sendAdvertisementCreate", offer, merchant);
  await expect(again).rejects.toMatchObject({ ofs: { name: "DUPLICATE_ADVERTISEMENT" } });
});

/** A client of a node; of its calls, numbered from 1, those that are not `answered` lose their answers. */
function reached(answered: (call: number) => boolean) {
  const node: LoneNode = loneNode(T);
  let calls = 0;
  const client = openClient({
    url: "http://node.example/rpc",
    fetch: (_url, init) => {
      const answer = node.body(String(init?.body));
      return answered(++calls) ? Promise.resolve(new Response(answer)) : Promise.reject(new Error("the line was cut"));
    },
  });
  return { client, node, asked: () => calls };
}

function toldOf(first: Answer, again: Answer): string {
  if (again.error !== undefined) return again.error.data.ofsErrorName;
  const [before, after] = [first, again].map(({ result }) => JSON.stringify(result));
  if (before === after) return "the same";
  return (again.result as { readonly stored?: boolean }).stored === false ? "not stored once more" : `${after}`;
}
