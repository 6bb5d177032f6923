/**
 * Goal: what strangers tell of rules costs a node no more than other messages do, fills no log, and makes it unready
 * only where those say it of whom no stranger chose most, or most of all where it chose none (CONVERGENCE "Profile";
 * DESIGN L10).
 * Method: one node, peers made of frames, whose rules are hashes that no profile has.
 */
import { describe, expect, test } from "vitest";
import { devnetNetwork } from "../../core/index.ts";
import { concat } from "../../core/kernel/bytes.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { FAULTS_MAX, WORK_BYTES_MAX } from "../../core/network/gossip/credit.ts";
import { RuleChange, RuleChanges, rulesLacked } from "../../core/network/gossip/rule-changes.ts";
import { profileText } from "../../core/profile.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";
import type { PeerEnd } from "./link.ts";
import { peerOf } from "./link.ts";

const T = 1_786_000_000_000n;
const before = crypto.sha256(utf8(profileText(devnetNetwork, T as EpochMillis)));
const rules = (n: number): Uint8Array => crypto.sha256(Uint8Array.of(n >> 8, n & 255));

/** Tells a node of rules since a date, in a message that may be longer than that takes. */
function tell(peer: PeerEnd, from: bigint, after: Uint8Array, more = 0): void {
  const told = encodeCompact(RuleChange, { from: from as EpochMillis, before, after });
  peer.tell("GossipRuleChange", concat(told, new Uint8Array(more)));
}

function come(node: LoneNode, n: number, dialled = false): PeerEnd {
  const by = person(n);
  const peer = peerOf(node, by);
  if (!dialled) peer.connect();
  else {
    const address = `/ip4/203.0.113.${n}/tcp/4001/p2p/${by.peer}`;
    node.accept({ type: "peer.connected", peer: by.peer, address });
  }
  return peer;
}

const lines = (node: LoneNode) =>
  node.effects.filter((effect) => effect.type === "log" && /rules/.test(effect.event)).length;
/** Lines that a count of so many makes, at its first, second, fourth and so on. */
const linesOf = (times: number) => Math.floor(Math.log2(times)) + 1;

describe("one link", () => {
  test("tells of one change; any other is what no honest node says, and is not noted", () => {
    const node = loneNode(T);
    const peer = come(node, 0x41);
    for (let n = 0; n < 50; n++) tell(peer, T - BigInt(n), rules(n));
    expect(node.view.get(RuleChanges, peer.by.peer)).toMatchObject({ from: T, after: rules(0) });
    expect(lines(node)).toBe(1);
    expect(peer.link()?.patience).toBe(BigInt(FAULTS_MAX - 49) * 10_000n);
  });

  test("may say the same again, which is no fault", () => {
    const node = loneNode(T);
    const peer = come(node, 0x41);
    for (let n = 0; n < 50; n++) tell(peer, T, rules(0));
    expect([lines(node), peer.link()?.patience]).toEqual([1, BigInt(FAULTS_MAX) * 10_000n]);
  });

  test("pays for what it tells, and is not heard when it cannot", () => {
    const node = loneNode(T);
    const peer = come(node, 0x41, true);
    const left = () => peer.link()?.work ?? 0n;
    const MIB = 1_048_576;
    // What is in force here is no change.
    for (let paid = 0; paid < WORK_BYTES_MAX / MIB - 1; paid++) tell(peer, T, before, MIB);
    expect(left()).toBeLessThan(BigInt(MIB));
    tell(peer, T, rules(1), Number(left()));
    expect(node.view.get(RuleChanges, peer.by.peer)).toBeUndefined();
    tell(peer, T, rules(1));
    expect(node.view.get(RuleChanges, peer.by.peer)).toBeDefined();
  });

  test("that comes anew tells anew, also where nobody heard it end", () => {
    const node = loneNode(T);
    const peer = come(node, 0x41);
    tell(peer, T, rules(0));
    peer.connect();
    tell(peer, T - 1n, rules(1));
    expect(node.view.get(RuleChanges, peer.by.peer)).toMatchObject({ from: T - 1n, after: rules(1) });
    expect(peer.link()?.patience).toBe(BigInt(FAULTS_MAX) * 10_000n);
  });
});

test("who comes and goes fills no log, before the date nor from it on", () => {
  const node = loneNode(T);
  for (let n = 0; n < 64; n++) {
    const peer = come(node, 0x41);
    tell(peer, T, rules(n));
    node.accept({ type: "timer.fired", timer: "recover" });
    node.accept({ type: "peer.disconnected", peer: peer.by.peer });
    node.now += 1_000n;
  }
  expect(lines(node)).toBe(2 * linesOf(64));
});

/** Since when a node lacks rules to which so many of its peers tell of a change, of those from outside and dialled. */
function lackedSince(outside: readonly [number, number], dialled: readonly [number, number]): bigint | undefined {
  const node = loneNode(T);
  for (const [many, [all, told]] of [outside, dialled].entries())
    for (let n = 0; n < all; n++) {
      const peer = come(node, 0x20 + 0x40 * many + n, many === 1);
      if (n < told) tell(peer, T - 10n - BigInt(n), rules(1));
    }
  expect(rulesLacked(node.view).peers).toBe(outside[1] + dialled[1]);
  return rulesLacked(node.view).from;
}

test.each<[readonly [number, number], readonly [number, number], bigint | undefined]>([
  [[1, 1], [0, 0], undefined],
  [[2, 2], [0, 0], undefined],
  [[3, 3], [0, 0], T - 10n],
  [[4, 3], [0, 0], T - 10n],
  [[6, 3], [0, 0], undefined],
  [[5, 4], [0, 0], T - 11n],
  [[9, 9], [4, 0], undefined],
  [[9, 9], [4, 2], undefined],
  [[9, 0], [4, 3], T - 10n],
  [[0, 0], [1, 1], T - 10n],
  [[9, 9], [1, 0], undefined],
])("of peers from outside and told %j, of dialled ones and told %j: since %s", (outside, dialled, since) => {
  expect(lackedSince(outside, dialled)).toBe(since);
});

const file = "core/network/gossip/rule-changes.ts";

describe("a planted bug is found", () => {
  /** What a node with a bug has in its log, and since when it lacks rules, once so many came and told of a change. */
  async function planted(bug: { readonly find: string; readonly replace: string }, stay: boolean) {
    return withPlantedBug({ file, ...bug }, async (load) => {
      const { loneNode: open } = await load<typeof import("../rpc/lone-node.ts")>("test/rpc/lone-node.ts");
      const { rulesLacked: lacked } = await load<typeof import("../../core/index.ts")>("core/index.ts");
      const node = open(T);
      for (let n = 0; n < 16; n++) {
        const peer = come(node, stay ? 0x41 + n : 0x41, stay && n > 12);
        if (n < 12) tell(peer, T, rules(n));
        if (!stay) node.accept({ type: "peer.disconnected", peer: peer.by.peer });
      }
      return [lines(node), lacked(node.view).from];
    });
  }

  test("a log that says it each time", async () => {
    const found = await planted({ find: "return (times & (times - 1)) === 0;", replace: "return true;" }, false);
    expect(found).toEqual([12, undefined]);
  });

  test("strangers that are asked beside those who were dialled", async () => {
    const found = await planted({ find: "dialled.length > 0 ?", replace: "dialled.length > 99 ?" }, true);
    expect(found).toEqual([linesOf(12), T]);
  });
});
