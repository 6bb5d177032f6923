/**
 * Goal: what a gateway is sent, and what reads say of it afterwards, is to the byte what protocol 04 §10.14 and §10.15
 * publish, under the reference's rules and under ours. Method: a trade of the published wallet through the real
 * ingress; the published event id, which no real event has, stands in the node's own log as the carrier of the
 * approval.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SettlementApproved } from "../../core/domains/trade/settlements/schema.ts";
import { devnetNetwork } from "../../core/index.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import { identityOf } from "../../core/kernel/signed.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { allStories } from "../examples/story.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, loneNode } from "../rpc/lone-node.ts";
import { acts, buyer, merchant, ordersOf, proofBy, register } from "./stage.ts";

const published = JSON.parse(readFileSync(new URL("./worked-examples.json", import.meta.url), "utf8")) as Readonly<
  Record<string, string>
>;
const [subscriptions] = allStories().get("04-notifications.json") ?? [];
const START = 1_700_000_000_000n as EpochMillis;
const instant = (ms: number) => (START + BigInt(ms)) as EpochMillis;
const approval = { settlement_id: "set-1", seller: merchant.peer, timestamp: instant(2_000) };

/** A log in which an event of the published id carried the approval. */
function logged(): Map<string, StoreRow> {
  const id = new Uint8Array(32).fill(3);
  const event = {
    ...{ id, event_type: "SettlementApproved", ofs_spec: 2300, version: 1, origin: merchant.peer },
    ...{ timestamp: START, ttl: 8, priority: "SessionReservationSettlement" as const, signature: "" as Signature },
    payload: new Uint8Array(0),
  };
  const writer = compactWriter();
  Events.record.encode({ event, statement: identityOf(crypto, SettlementApproved, approval) }, writer);
  return new Map([[`events ${toHex(id)}`, { table: "events", key: toHex(id), bytes: writer.finish() }]]);
}

/** The approval was handed over and taken at the published instant. */
function staged(parity: boolean): LoneNode {
  const node = loneNode(START, undefined, logged(), { profile: { ...devnetNetwork, parity } });
  register(node);
  for (const { at, request, answer } of subscriptions?.steps ?? []) {
    if (at !== undefined) node.now = BigInt(at);
    expect(node.body(request)).toBe(answer);
  }
  acts.advertise(node, instant(0));
  acts.reserve(node, instant(1));
  acts.initiate(node, instant(2));
  acts.pay(node, instant(3));
  expect(acts.approve(node, approval.timestamp)).toBe(null);
  return node;
}

function handedOver(parity: boolean): LoneNode {
  const node = staged(parity);
  const order = ordersOf(node).at(-1);
  expect(order?.endpoint).toBe("https://gw.example.org/deliver");
  expect(new TextDecoder().decode(order?.body)).toBe(published["post"]);
  node.now = 1_700_000_002_500n;
  node.accept({ type: "notification.delivered", dispatch: order?.dispatch ?? "", delivered: true });
  return node;
}

/** The request with a proof of the published wallet beside the id. */
const proven = (node: LoneNode, request: string) =>
  request.replace(/\}\}$/, `,${JSON.stringify(proofBy(node, buyer)).slice(1)}}`);

test.each([true, false])("§10.14, the reference's rules: %s", (parity) => {
  const node = handedOver(parity);
  const { dispatchRequest = "", dispatchAnswer = "", dispatchWithoutProof = "" } = published;
  expect(node.body(dispatchRequest)).toBe(parity ? dispatchAnswer : dispatchWithoutProof);
  if (!parity) expect(node.body(proven(node, dispatchRequest))).toBe(dispatchAnswer);
});

test.each([true, false])("§10.15, the reference's rules: %s", (parity) => {
  const node = handedOver(parity);
  const { reportRequest = "", receiptRequest = "", receiptAnswer = "", receiptWithoutProof = "" } = published;
  node.now = 1_700_000_005_000n;
  expect(node.body(reportRequest)).toBe(published["reportAnswer"]);
  expect(node.body(receiptRequest)).toBe(parity ? receiptAnswer : receiptWithoutProof);
  if (!parity) expect(node.body(proven(node, receiptRequest))).toBe(receiptAnswer);
});

test.each([true, false])("§10.15 at a node that never dispatched it, the reference's rules: %s", (parity) => {
  const node = loneNode(1_700_000_005_000n, undefined, undefined, { profile: { ...devnetNetwork, parity } });
  register(node);
  const { reportRequest = "", receiptRequest = "", neverDispatched = "" } = published;
  expect(node.body(reportRequest.replace('"id":15', '"id":33'))).toBe(neverDispatched);
  expect(node.body(receiptRequest)).toBe('{"jsonrpc":"2.0","id":32,"result":null}');
});
