/**
 * Goal: what is remembered of comparisons is nobody's to fill: one answer has a node remember so many ranges at most,
 * and a peer's are remembered however many others have theirs remembered (CONVERGENCE B2, B4, B5).
 * Method: one node, answers in which everything differs, and peers that fill what a node remembers.
 */
import { expect, test } from "vitest";
import { encodeCompact } from "../../core/kernel/schema.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import { ComparedRanges, noteRange, RANGES_MAX, RANGES_PER_PEER_MAX } from "../../core/network/gossip/idle-ranges.ts";
import { LOOKED_INTO_AT_ONCE, onSetResponse, SetResponse } from "../../core/network/gossip/reconcile.ts";
import { meet } from "../../core/network/peers/peers.ts";
import type { CrowdedNode } from "../limits/crowded-node.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { person } from "../rpc/lone-node.ts";

const T = 1_786_000_000_000n;
const DEPTH = 3;
const PREFIXES = 1_024;
const ada = person(0x41).peer;
const crowd = Array.from({ length: RANGES_MAX / RANGES_PER_PEER_MAX }, (_, n) => person(0x60 + n).peer);
const digests = { own: new Uint8Array(16), theirs: new Uint8Array(16).fill(1) };

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, "0");

/** The node hears that everything differs below as many prefixes as it may ask for. */
function differs(node: CrowdedNode): number {
  const branches = Array.from({ length: 16 }, () => new Uint8Array(16).fill(1));
  const contents = Array.from({ length: PREFIXES }, (_, n) => ({ prefix: hex(n, DEPTH), branches, identities: [] }));
  const before = node.store.size(ComparedRanges);
  node.withContext((context) => onSetResponse(context, ada, encodeCompact(SetResponse, { contents }), DEPTH));
  return node.store.size(ComparedRanges) - before;
}

/** Has a node remember ranges of a peer, one after another. */
function remember(node: CrowdedNode, peer: PeerId, from: number, many: number, note = noteRange): void {
  node.withContext((context) => {
    meet(context, peer, null);
    for (let n = from; n < from + many; n++) note(context, { peer, prefix: hex(n, 4), ...digests }, true);
  });
}

const held = (node: CrowdedNode, peer: PeerId) => node.store.count(ComparedRanges, "peer", peer);
const has = (node: CrowdedNode, peer: PeerId, n: number) =>
  node.store.get(ComparedRanges, `${peer}/${hex(n, 4)}`) !== undefined;

test("of one answer so many ranges are remembered; the next begins elsewhere, until all are", () => {
  const node = crowdedNode(T);
  const added: number[] = [];
  while (node.store.size(ComparedRanges) < RANGES_PER_PEER_MAX && added.length < 64) added.push(differs(node));
  expect(Math.max(...added)).toBe(LOOKED_INTO_AT_ONCE);
  expect(added.length).toBeLessThan(32);
});

test("a peer's own newer ranges take the places of its oldest", () => {
  const node = crowdedNode(T);
  remember(node, ada, 0, RANGES_PER_PEER_MAX + 3);
  expect(held(node, ada)).toBe(RANGES_PER_PEER_MAX - 61);
  expect([63, 64].map((n) => has(node, ada, n))).toEqual([false, true]);
});

/** Peers fill what a node remembers; then one has a few ranges, and those go on; how many are left of the few. */
function crowdedOut(open = crowdedNode, note = noteRange): number {
  const node = open(T);
  for (const peer of crowd) remember(node, peer, 0, RANGES_PER_PEER_MAX, note);
  remember(node, ada, 0, 100, note);
  for (const peer of crowd) remember(node, peer, RANGES_PER_PEER_MAX, 500, note);
  expect(node.store.size(ComparedRanges)).toBeLessThanOrEqual(RANGES_MAX);
  return held(node, ada);
}

test("eight peers that fill it keep nobody else from being remembered, then or later", () => {
  expect(crowdedOut()).toBe(100);
});

test("a planted bug is found: who comes first stays", async () => {
  const bug = {
    file: "core/network/gossip/idle-ranges.ts",
    find: "  if (context.draft.get(ComparedRanges, key) === undefined) makeRoom(context, range.peer);",
    replace: "  if (context.draft.size(ComparedRanges) >= RANGES_MAX) return;",
  };
  const left = await withPlantedBug(bug, async (load) => {
    const { crowdedNode: open } = await load<typeof import("../limits/crowded-node.ts")>("test/limits/crowded-node.ts");
    const ranges = await load<typeof import("../../core/network/gossip/idle-ranges.ts")>(
      "core/network/gossip/idle-ranges.ts",
    );
    return crowdedOut(open, ranges.noteRange);
  });
  expect(left).toBe(0);
});
