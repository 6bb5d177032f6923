/**
 * Goal: who was away for longer than H seals nothing before he had the chance to hear what he missed: a file, or two
 * peers whose sets were compared (CONVERGENCE B7).
 * Method: a node that takes files sleeps while a trade is paid and approved, and wakes when that is over everywhere:
 * with a file it ends as its producer; without one it waits for two peers. Planted bugs are found.
 */
import { assert, describe, expect, test } from "vitest";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SETTLEMENT_LIFE_MS } from "../../core/domains/trade/settlements/schema.ts";
import { Seals, Statements } from "../../core/engine/statements/table.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { absenceOf, isNewcomer } from "../../core/network/gossip/absence.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, taker as buyer, merchant } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Person } from "../rpc/lone-node.ts";
import type { Shelf, SignedBy, StagedNode } from "../snapshots/stage.ts";
import { EVERY_MS, producer, replay, SLOT, snapshotting, stage, taker, taking } from "../snapshots/stage.ts";
import { compare, compareWithTwo, first, second } from "./compared.ts";

/** A full hour at which the trade may be sealed. */
const OVER = (hourAfter(at(2) + BigInt(SETTLEMENT_LIFE_MS)) + 2n) * SEAL_EVERY_MS;

function signed({ type, payload }: Statement, by: Actor | Person): SignedBy {
  return { type, payload: payload as RecordOf<Fields>, by: by as Person };
}

const begun: readonly SignedBy[] = [
  signed(fixtures.advertisement(merchant, at(0)), merchant),
  signed(fixtures.request(buyer, at(1)), buyer),
  signed(fixtures.initiate(buyer, merchant, at(2)), buyer),
];
const missed: readonly SignedBy[] = [
  signed(fixtures.payment(buyer, at(30)), buyer),
  signed(fixtures.approve(merchant, at(40)), merchant),
];

function sweepAt(node: StagedNode, now: bigint): void {
  node.now = now;
  node.accept({ type: "timer.fired", timer: "sweep" });
}

/** A node that heard how a trade began and slept until it was over, and who heard all of it and has a file. */
function awoken(): { readonly node: StagedNode; readonly source: StagedNode } {
  const shelf: Shelf = new Map();
  const source = stage({ who: producer, now: at(10), shelf, told: snapshotting(producer) });
  replay(source, [...begun, ...missed]);
  const slept = stage({ who: taker, now: at(10), shelf, told: taking });
  replay(slept, begun);
  source.now = OVER;
  compareWithTwo(source);
  sweepAt(source, OVER);
  source.observe(SLOT);
  source.pass(EVERY_MS);
  slept.now = source.now;
  return { node: slept.again(), source };
}

describe("who was away for longer than H", () => {
  test("seals nothing before a file brings what he missed, and ends as who made it", () => {
    const { node, source } = awoken();
    sweepAt(node, source.now);
    assert.equal(node.view.size(Seals), 0);
    assert.isFalse(isNewcomer(node.view));
    const own = [...source.view.keys(Statements)].flatMap((key) => source.view.get(Statements, key) ?? []);
    replay(
      node,
      own.filter(({ signer }) => signer === producer.peer).map((each) => signed(each, producer)),
    );
    node.pass(EVERY_MS);
    sweepAt(node, node.now + SEAL_EVERY_MS);
    assert.isAbove(node.view.size(Seals), 0);
    assert.deepEqual(node.roots(), source.roots());
  });

  test("seals nothing before he compared his set with two peers", () => {
    const { node } = awoken();
    expect(absenceOf(node.view, node.now as never)).toEqual({ away: true, peers: 0 });
    sweepAt(node, node.now);
    for (const [place, by] of [first, first, second].entries()) {
      assert.equal(node.view.size(Seals), 0);
      expect(absenceOf(node.view, node.now as never)).toEqual({ away: true, peers: Math.min(place, 1) });
      compare(node, by);
      sweepAt(node, node.now + 20_000n);
    }
    assert.isAbove(node.view.size(Seals), 0);
    expect(absenceOf(node.view, node.now as never)).toEqual({ away: false, peers: 0 });
  });

  test("is who compares with nobody for H, though he runs", () => {
    const { node } = awoken();
    compareWithTwo(node);
    const day = 86_400_000n;
    node.now += 7n * day;
    expect(absenceOf(node.view, node.now as never).away).toBe(false);
    node.now += 1n;
    expect(absenceOf(node.view, node.now as never).away).toBe(true);
  });
});

test("who takes no files seals by his clock: no peer could tell what he missed", () => {
  const node = stage({ who: taker, now: at(10), shelf: new Map() });
  replay(node, begun);
  sweepAt(node, OVER);
  assert.isAbove(node.view.size(Seals), 0);
});
