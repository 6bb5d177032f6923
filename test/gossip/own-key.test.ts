/**
 * Goal: a node notices that somebody else uses its key, says so loudly and goes on; it does not take its own past, its
 * own events, or anybody else's for that (DESIGN §7 #24).
 * Method: one node, whose key is known, and a peer that brings events signed by it.
 */
import { expect, test } from "vitest";
import { gaugesOf } from "../../core/index.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { signedSends } from "../rpc/signed-sends.ts";
import { adEvent, peerOf } from "./link.ts";

const T = 1_786_000_000_000n;
const [own, other] = [person(9), person(0x41)];

const alarms = (node: LoneNode) =>
  node.effects.flatMap((each) => (each.type === "log" && each.level === "error" ? [each.fields] : []));
const counted = (node: LoneNode) => gaugesOf(node.view)["ofs_identity_in_use_elsewhere"];

function hearing(events: readonly ReturnType<typeof adEvent>[]) {
  const node = loneNode(T);
  const peer = peerOf(node, other);
  peer.connect();
  for (const event of events) peer.push(event);
  return { node, peer };
}

test("an event of its own key that it never sent is said, counted, kept and passed on", () => {
  const { node } = hearing([adEvent(own, "ad-1", T)]);
  expect(alarms(node)).toEqual([{ error: "IDENTITY_IN_USE_ELSEWHERE", event: "AdvertisementCreated", times: 1 }]);
  expect(counted(node)).toBe(1);
  expect(node.view.size(Events)).toBe(1);
  expect(node.call("getAdvertisement", { id: "ad-1" })).not.toBeNull();
});

test("of many it says the first, the second, the fourth, and so on", () => {
  const { node } = hearing([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => adEvent(own, `ad-${n}`, T)));
  expect(alarms(node).map((fields) => fields["times"])).toEqual([1, 2, 4, 8]);
  expect(counted(node)).toBe(9);
});

test("its own past, as a node restored from a backup hears it, is none", () => {
  const { node } = hearing([adEvent(own, "ad-1", T - 1n), adEvent(other, "ad-2", T)]);
  expect([alarms(node), counted(node)]).toEqual([[], 0]);
});

test("what it sent itself is none when it comes back", () => {
  const { node, peer } = hearing([]);
  signedSends(node).create();
  for (const key of [...node.view.keys(Events)]) {
    const sent = node.view.get(Events, key)?.event;
    if (sent !== undefined) peer.push(sent);
  }
  expect([alarms(node), counted(node)]).toEqual([[], 0]);
});
