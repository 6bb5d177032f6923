/**
 * Goal: what a client leaves stays for its grace, and beyond it only while something signed names it; no put changes a
 * root, and no bound grows. Method: puts and attachments through the real ingress; the timer `content` fired by hand.
 * Source: protocol 02 G.6, G.7; DESIGN §7 #10, L10.
 */
import { describe, expect, test } from "vitest";
import { BLOCKS_MAX, UPLOADS_MAX } from "../../core/domains/content/blocks/keep.ts";
import { Blocks, Usages } from "../../core/domains/content/blocks/tables.ts";
import { toBase64, utf8 } from "../../core/kernel/text.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { at, attach, buyer, cidOf, png, put, T, third, trade } from "../rpc/node-with-settlement.ts";
import { dagNode } from "./dag.ts";

const MINUTE = 60_000n;
const DAY = 24n * 60n * MINUTE;
const holds = (node: LoneNode, bytes: Uint8Array): boolean => {
  const answer = node.call("getHeldContent", { cid: cidOf(bytes) }) as { readonly content: string | null };
  return answer.content !== null;
};
/** Lets time pass, and the sweep run at its end. */
function sweepAfter(node: LoneNode, ms: bigint): void {
  node.now += ms;
  // Each step of it takes some away, and sets the timer for the next at once.
  for (let step = 0; step < 40; step++) node.accept({ type: "timer.fired", timer: "content" });
}
/** What a count of blocks says must be what is there. */
function usage(node: LoneNode): unknown {
  const blocks = [...node.view.keys(Blocks)].map((key) => node.view.get(Blocks, key)?.bytes.length ?? 0);
  const bytes = BigInt(blocks.reduce((sum, length) => sum + length, 0));
  expect(node.view.get(Usages, "held")).toEqual({ blocks: blocks.length, bytes });
  return blocks.length;
}

describe("a put", () => {
  test("changes no root and no record, is announced to this node's own stream, and is told to no peer", () => {
    const node = trade(loneNode(T));
    const before = [node.roots(), node.call("getSettlements"), node.effects.length];
    expect(put(node, png("a"))).toEqual({ cid: cidOf(png("a")), stored: true });
    expect([node.roots(), node.call("getSettlements")]).toEqual(before.slice(0, 2));
    const sent = node.effects.slice(before[2] as number).map((effect) => effect.type);
    expect(new Set(sent)).toEqual(new Set(["ws.publish", "rpc.reply"]));
    expect(node.published.at(-1)).toBe(
      `{"method":"sendContentPut","result":{"cid":"${cidOf(png("a"))}","stored":true}}`,
    );
  });

  test("of other bytes, of too many, or under a bent spelling is refused", () => {
    const node = loneNode(T);
    const cid = cidOf(png("a"));
    const other = node.call("sendContentPut", { cid, content: toBase64(png("b")) });
    expect(other).toBe(3);
    expect(put(node, new Uint8Array(262_144))).toMatchObject({ stored: true });
    expect(put(node, new Uint8Array(262_145))).toBe(3);
    expect(put(parityNode(T), new Uint8Array(262_145))).toBe(-32_602);
    const last = "abcdefghijklmnopqrstuvwxyz234567";
    const bent = cid.slice(0, -1) + last[last.indexOf(cid.slice(-1)) + 1];
    const params = { cid: bent, content: toBase64(png("a")) };
    expect(node.call("sendContentPut", params)).toBe(-32_602);
    expect(parityNode(T).call("sendContentPut", params)).toEqual({ cid: bent, stored: true });
    expect(node.call("sendContentPut", { cid, content: "AAA" })).toBe(-32_602);
    expect(usage(node)).toBe(1);
  });

  test("survives a restart, and what it takes is counted again", () => {
    const node = loneNode(T);
    put(node, png("a"));
    const again = node.restart();
    expect(holds(again, png("a"))).toBe(true);
    expect(usage(again)).toBe(1);
  });

  test("beyond what unsigned uploads may take is refused, until their grace is over", () => {
    const node = loneNode(T);
    for (let i = 0; i < UPLOADS_MAX; i++) expect(put(node, utf8(`${i}`))).toMatchObject({ stored: true });
    expect(put(node, utf8("one more"))).toBe(9);
    expect(put(node, utf8("0"))).toMatchObject({ stored: false });
    expect(usage(node)).toBe(UPLOADS_MAX);
    sweepAfter(node, 16n * MINUTE);
    expect(usage(node)).toBe(0);
    expect(put(node, utf8("one more"))).toMatchObject({ stored: true });
  });

  test("of large blocks is bounded by their bytes", () => {
    const node = loneNode(T);
    const block = (i: number) => new Uint8Array(262_144).fill(i);
    for (let i = 0; i < 256; i++) expect(put(node, block(i))).toMatchObject({ stored: true });
    expect(put(node, utf8("x"))).toBe(9);
    expect(BLOCKS_MAX).toBeGreaterThan(UPLOADS_MAX);
  });
});

describe("a held block", () => {
  test("that nothing names is forgotten after its grace, not before; another upload renews it", () => {
    const node = loneNode(T);
    put(node, png("a"));
    put(node, png("b"));
    sweepAfter(node, 10n * MINUTE);
    put(node, png("b"));
    sweepAfter(node, 5n * MINUTE);
    expect([holds(node, png("a")), holds(node, png("b"))]).toEqual([true, true]);
    sweepAfter(node, 10n * MINUTE);
    expect([holds(node, png("a")), holds(node, png("b"))]).toEqual([false, true]);
    expect(usage(node)).toBe(1);
    expect(node.restart().view.size(Blocks)).toBe(1);
  });

  test("that a statement names stays for thirty days, its whole file with it", () => {
    const node = trade(loneNode(T));
    const root = dagNode([cidOf(png("a")), cidOf(png("b"))]);
    put(node, png("a"));
    put(node, png("b"));
    put(node, png("unnamed"));
    put(node, root, "dag-pb");
    attach(node, buyer, { cid: cidOf(root, "dag-pb"), size_bytes: 18n });
    sweepAfter(node, DAY);
    expect([holds(node, png("a")), holds(node, png("b")), holds(node, png("unnamed"))]).toEqual([true, true, false]);
    expect(usage(node)).toBe(3);
    sweepAfter(node, 28n * DAY);
    expect(usage(node)).toBe(3);
    sweepAfter(node, DAY + DAY / 2n);
    expect(usage(node)).toBe(0);
  });

  test.each([
    ["archival", 400, 1],
    [60, 45, 1],
    [60, 75, 0],
    [3, 20, 1],
  ] as const)("is kept for %s days, so after %i days there are %i", (retentionDays, days, left) => {
    const node = trade(loneNode(T, undefined, undefined, { retentionDays }));
    put(node, png("receipt"));
    attach(node, buyer);
    sweepAfter(node, BigInt(days) * DAY);
    expect(usage(node)).toBe(left);
  });

  test("is kept for a stranger's statement too: who is a party may be known later", () => {
    const node = loneNode(T + 400_000n);
    put(node, png("receipt"));
    expect(attach(node, third, { created_at: at(390_000) })).toBe("att-1");
    sweepAfter(node, 20n * MINUTE);
    expect(usage(node)).toBe(1);
  });
});
