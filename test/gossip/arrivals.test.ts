/**
 * Goal: nobody makes a node take much at once, or more than his credit pays for, by saying what he holds instead of
 * pushing it; and whoever has much is compared with all the same (CONVERGENCE B5).
 * Method: a peer at a lone node names, and then brings, many more statements than its credit pays for.
 */
import { expect, test } from "vitest";
import { Statements } from "../../core/engine/statements/table.ts";
import { fromHex } from "../../core/kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import { list, struct } from "../../core/kernel/schema-composites.ts";
import { byteArray } from "../../core/kernel/schema-scalars.ts";
import { FETCHED_AT_ONCE } from "../../core/network/gossip/arrivals.ts";
import { CREDIT_MAX } from "../../core/network/gossip/credit.ts";
import { FetchRequest, FetchResponse } from "../../core/network/gossip/reconcile.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { adEvent, adIdentity, peerOf } from "./link.ts";
import { T } from "./two-nodes.ts";

const Have = struct("GossipHave", { identities: list(byteArray(32)) });
const NAMED = 1_800;
const BROUGHT = 3 * FETCHED_AT_ONCE + 1;

function listening() {
  const node = loneNode(T);
  const peer = peerOf(node, person(0x31));
  peer.connect();
  return { node, peer };
}

test("of what a peer names as much is fetched as it could have pushed, and the rest is compared for later", () => {
  const { peer } = listening();
  const named = Array.from({ length: NAMED }, (_, n) => fromHex(adIdentity(`a-${n}`, T)) ?? new Uint8Array(32));
  const fetches = () =>
    peer
      .sent("GossipFetchRequest")
      .flatMap(({ payload }) => decodeCompact(FetchRequest, payload)?.identities.length ?? []);
  peer.tell("GossipHave", encodeCompact(Have, { identities: named }));
  expect(fetches()).toEqual([CREDIT_MAX]);
  expect(peer.link()?.behind).toBe(true);
  peer.tell("GossipHave", encodeCompact(Have, { identities: named.slice(CREDIT_MAX) }));
  expect(fetches()).toEqual([]);
});

test("what is fetched is taken in slices, whatever else the node does between them", () => {
  const { node, peer } = listening();
  const named = [fromHex(adIdentity("a-0", T)) ?? new Uint8Array(32)];
  peer.tell("GossipHave", encodeCompact(Have, { identities: named }));
  const [asked] = peer.sent("GossipFetchRequest");
  const events = Array.from({ length: BROUGHT }, (_, n) => adEvent(person(0x31), `a-${n}`, T));
  const answer = encodeCompact(FetchResponse, { events, more: false });
  peer.answer(asked?.request ?? 0, "GossipFetchResponse", answer);
  const held = [node.view.size(Statements)];
  for (let slice = 0; slice < 5; slice++) {
    node.accept({ type: "timer.fired", timer: "reconcile" });
    held.push(node.view.size(Statements));
  }
  const [once, all] = [FETCHED_AT_ONCE, BROUGHT];
  expect(held).toEqual([once, 2 * once, 3 * once, all, all, all]);
});
