/**
 * Goal: what a wallet's valid claims name as its avatar is held and fetched like what is attached, and takes no more
 * than its share of what a node holds and wants, however many wallets claim however much. Method: claims and puts
 * through the real ingress, the timer `content` fired by hand; real nodes on the simulated network; rows at the bounds.
 * Source: protocol 02 G.6, G.7; 04 §1.6; DESIGN §7 #10, L10.
 */
import { describe, expect, test } from "vitest";
import { CLAIMED_BLOCKS_MAX, CLAIMED_WANTS_MAX } from "../../core/domains/content/blocks/claimed.ts";
import { takeWanted } from "../../core/domains/content/blocks/keep.ts";
import { Blocks, Unlisted, Usages, Wants } from "../../core/domains/content/blocks/tables.ts";
import { ClaimPublish, ClaimRevoke } from "../../core/domains/identity/schema.ts";
import { toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { about, claimed } from "../identity/fixtures.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import { at, attach, buyer, cidOf, merchant, png, put, T, third, trade } from "../rpc/node-with-settlement.ts";
import { dagNode } from "./dag.ts";
import { networkOfNodes } from "./network.ts";

const MINUTE = 60_000n;
const DAY = 24n * 60n * MINUTE;
const face = png("face");

type Fields = Parameters<typeof claimed>[2];
const avatar = (node: LoneNode, value: string, fields: Fields = {}, by = buyer) =>
  node.call("sendClaimPublish", {
    data: signedData(ClaimPublish, claimed(by, node.now as EpochMillis, { type: "Avatar", value, ...fields }), by),
  });
const holds = (node: LoneNode, bytes: Uint8Array): boolean =>
  (node.call("getHeldContent", { cid: cidOf(bytes) }) as { readonly content: string | null }).content !== null;
function sweepAfter(node: LoneNode, ms: bigint): void {
  node.now += ms;
  for (let step = 0; step < 40; step++) node.accept({ type: "timer.fired", timer: "content" });
}
const wants = (node: LoneNode) => [...node.view.keys(Wants)];

describe("an avatar that was put here", () => {
  test("stays past its grace and past the days of attachments, its whole file with it, also after a restart", () => {
    const node = loneNode(T);
    const root = dagNode([cidOf(face), cidOf(png("rest"))]);
    for (const bytes of [face, png("rest"), png("unnamed")]) put(node, bytes);
    put(node, root, "dag-pb");
    expect(avatar(node, cidOf(root, "dag-pb"))).toBe("c");
    sweepAfter(node, 20n * MINUTE);
    expect([face, png("rest"), png("unnamed")].map((bytes) => holds(node, bytes))).toEqual([true, true, false]);
    sweepAfter(node, 400n * DAY);
    expect(node.view.size(Blocks)).toBe(3);
    const again = node.restart();
    sweepAfter(again, MINUTE);
    expect(again.view.size(Blocks)).toBe(3);
    expect(again.view.get(Usages, "claimed")).toEqual({ blocks: 3, bytes: BigInt(root.length + 2 * face.length) });
  });

  test("goes once its claim is revoked, or has expired", () => {
    for (const fields of [{}, { expires: (T + 30n * MINUTE) as EpochMillis }]) {
      const node = loneNode(T);
      put(node, face);
      avatar(node, cidOf(face), fields);
      sweepAfter(node, 20n * MINUTE);
      expect(holds(node, face)).toBe(true);
      const revoke = signedData(ClaimRevoke, about(buyer, node.now as EpochMillis), buyer);
      if (fields.expires === undefined) expect(node.call("sendClaimRevoke", { data: revoke })).toBeNull();
      sweepAfter(node, 10n * MINUTE);
      expect(holds(node, face)).toBe(false);
    }
  });

  test("stays as long as anybody's claim names it, and after that while an attachment does", () => {
    const node = trade(loneNode(T));
    put(node, face);
    avatar(node, cidOf(face), { expires: (node.now + 60n * MINUTE) as EpochMillis });
    avatar(node, cidOf(face), { expires: (node.now + 30n * MINUTE) as EpochMillis }, third);
    sweepAfter(node, 40n * MINUTE);
    expect(holds(node, face)).toBe(true);
    attach(node, buyer, { cid: cidOf(face), created_at: at(390_000) });
    sweepAfter(node, 40n * MINUTE);
    expect([holds(node, face), node.view.get(Usages, "claimed")?.blocks]).toEqual([true, 0]);
    sweepAfter(node, 31n * DAY);
    expect(holds(node, face)).toBe(false);
  });

  test("is named by no claim of another type", () => {
    const node = loneNode(T);
    put(node, face);
    avatar(node, cidOf(face), { type: { Custom: "Avatar" } });
    sweepAfter(node, 20n * MINUTE);
    expect([holds(node, face), wants(node)]).toEqual([false, []]);
  });
});

describe("an avatar that is lacking", () => {
  test("is fetched by every node, what is put long after the claim too", async () => {
    const network = await networkOfNodes(4, T + 400_000n);
    const claim = claimed(buyer, at(390_000), { type: "Avatar", value: cidOf(face) });
    expect(await network.ask(1, "sendClaimPublish", { data: signedData(ClaimPublish, claim, buyer) })).toBe("c");
    await network.pass(60_000);
    await network.ask(0, "sendContentPut", { cid: cidOf(face), content: toBase64(face) });
    await network.until(900_000, async () => {
      const held = await Promise.all(
        [0, 1, 2, 3].map((node) => network.ask(node, "getHeldContent", { cid: cidOf(face) })),
      );
      return held.every((answer) => (answer as { readonly content: string | null }).content !== null);
    });
    expect(network.world.violations).toEqual([]);
  });

  test("is wanted while its claim is live, and found again at a start", () => {
    const node = loneNode(T);
    avatar(node, cidOf(face));
    expect(wants(node)).toEqual([cidOf(face)]);
    expect(wants(node.restart())).toEqual([cidOf(face)]);
    avatar(node, cidOf(png("new face")), { id: "newer", supersedes: "c" });
    expect(wants(node.restart())).toEqual([cidOf(png("new face"))]);
    const revoke = signedData(ClaimRevoke, about(buyer, node.now as EpochMillis, "newer"), buyer);
    node.call("sendClaimRevoke", { data: revoke });
    node.call("sendClaimRevoke", { data: signedData(ClaimRevoke, about(buyer, node.now as EpochMillis), buyer) });
    sweepAfter(node, 20n * MINUTE);
    expect(wants(node)).toEqual([]);
  });

  test("is wanted as a settlement's once one shows it", () => {
    const node = trade(loneNode(T));
    avatar(node, cidOf(face), {}, third);
    expect(node.view.get(Wants, cidOf(face))?.claimed).toBe(true);
    attach(node, buyer, { cid: cidOf(face) });
    expect(node.view.get(Wants, cidOf(face))?.claimed).toBe(false);
    avatar(node, cidOf(face), { id: "again" }, merchant);
    expect(node.view.get(Wants, cidOf(face))?.claimed).toBe(false);
  });
});

describe("a crowd of claimants", () => {
  /** A node that holds as much for claims as it may. */
  function filled() {
    const node = crowdedNode(T);
    node.put(Usages, "claimed", { blocks: CLAIMED_BLOCKS_MAX, bytes: 0n });
    return node;
  }
  const want = (claimed: boolean) => ({ root: cidOf(face), claimed, tries: 0, asked: null, asked_at: T });

  test("whose share is full has nothing fetched, and takes nothing from what settlements show", () => {
    const node = filled();
    for (const isClaimed of [true, false]) {
      node.put(Wants, cidOf(face), want(isClaimed));
      expect(node.withContext((context) => takeWanted(context, cidOf(face), face))).toBe(!isClaimed);
      expect([node.store.size(Wants), node.store.size(Unlisted)]).toEqual([0, 1]);
    }
    expect(node.store.get(Usages, "claimed")?.blocks).toBe(CLAIMED_BLOCKS_MAX);
  });

  test("has at most its part of the list of wants, and a settlement finds room there", () => {
    const node = trade(loneNode(T));
    const claims = Array.from({ length: CLAIMED_WANTS_MAX + 64 }, (_, n) => ({
      id: `${n}`,
      by: person(0x40 + Math.floor(n / 64)),
      cid: cidOf(utf8(`${n}`)),
    }));
    for (const { id, by, cid } of claims) expect(avatar(node, cid, { id }, by)).toBe(id);
    expect([node.view.size(Wants), node.view.size(Unlisted)]).toEqual([CLAIMED_WANTS_MAX, 64]);
    attach(node, buyer);
    expect(node.view.get(Wants, cidOf(png("receipt")))?.claimed).toBe(false);
    // What found no place is listed once there is room.
    for (const { id, by } of claims.slice(0, 100))
      node.call("sendClaimRevoke", { data: signedData(ClaimRevoke, about(by, node.now as EpochMillis, id), by) });
    sweepAfter(node, 20n * MINUTE);
    expect([node.view.size(Wants), node.view.size(Unlisted)]).toEqual([CLAIMED_WANTS_MAX + 64 - 100 + 1, 0]);
  });

  test("that puts what it claims keeps no more than its share past the grace", () => {
    const node = loneNode(T);
    const block = (n: number) => new Uint8Array(262_144).fill(n, 0, 2).fill(n >> 8, 2, 4);
    for (let n = 0; n < 600; n++) {
      if (n % 200 === 0) sweepAfter(node, 20n * MINUTE);
      expect(put(node, block(n))).toMatchObject({ stored: true });
      avatar(node, cidOf(block(n)), { id: `${n}` }, person(0x40 + Math.floor(n / 60)));
    }
    sweepAfter(node, 20n * MINUTE);
    expect(node.view.size(Blocks)).toBe(512);
    expect(node.view.get(Usages, "claimed")).toEqual({ blocks: 512, bytes: 134_217_728n });
    // Those that came first stayed.
    expect([holds(node, block(0)), holds(node, block(511)), holds(node, block(599))]).toEqual([true, true, false]);
    attach(node, buyer);
    put(node, png("receipt"));
    sweepAfter(node, 20n * MINUTE);
    expect(holds(node, png("receipt"))).toBe(true);
  });
});
