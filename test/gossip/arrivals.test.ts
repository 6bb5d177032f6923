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
import { CREDIT_MAX, PUSHED_BYTES_MAX, PUSHED_BYTES_PER_SECOND } from "../../core/network/gossip/credit.ts";
import { FetchRequest, FetchResponse, SetResponse } from "../../core/network/gossip/reconcile.ts";
import { RECOVERY_BYTES_MAX } from "../../core/network/gossip/wire.ts";
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

test("the bytes of what a peer named are charged when they come: the next is fetched once an answer is paid for", () => {
  const { node, peer } = listening();
  let nth = 0;
  /** Whether one more name is heeded, and what the answer cost. */
  const names = (bytes: number): number | undefined => {
    const named = [fromHex(adIdentity(`b-${nth++}`, T)) ?? new Uint8Array(32)];
    peer.tell("GossipHave", encodeCompact(Have, { identities: named }));
    const [asked] = peer.sent("GossipFetchRequest");
    if (asked === undefined) return undefined;
    const events = [adEvent(person(0x31), `b-${nth}`, T, { payload: new Uint8Array(bytes) })];
    const answer = encodeCompact(FetchResponse, { events, more: false });
    peer.answer(asked.request, "GossipFetchResponse", answer);
    return answer.length;
  };
  const spent = [names(700_000), names(700_000)].reduce<number>((sum, each) => sum + (each ?? 0), 0);
  expect([spent > 1_400_000, peer.link()?.behind]).toEqual([true, false]);
  expect([names(1), peer.link()?.behind]).toEqual([undefined, true]);
  const missing = RECOVERY_BYTES_MAX - (PUSHED_BYTES_MAX - spent);
  const wait = BigInt(Math.ceil((missing * 1_000) / PUSHED_BYTES_PER_SECOND));
  node.now += wait - 1n;
  expect(names(1)).toBe(undefined);
  node.now += 1n;
  expect(names(1)).not.toBe(undefined);
});

test("what this node finds by comparing is not charged to whom it asks", () => {
  const { node, peer } = listening();
  const [asked] = peer.sent("GossipSetRequest");
  const identities = [fromHex(adIdentity("c-0", T)) ?? new Uint8Array(32)];
  const contents = [{ prefix: "", branches: [], identities }];
  peer.answer(asked?.request ?? 0, "GossipSetResponse", encodeCompact(SetResponse, { contents }));
  const [fetched] = peer.sent("GossipFetchRequest");
  const events = [adEvent(person(0x31), "c-0", T)];
  peer.answer(fetched?.request ?? 0, "GossipFetchResponse", encodeCompact(FetchResponse, { events, more: false }));
  expect([node.view.size(Statements), peer.link()?.pushed]).toEqual([1, BigInt(PUSHED_BYTES_MAX)]);
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
