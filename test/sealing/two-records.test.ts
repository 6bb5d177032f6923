// Goal: what was said about two records at once is sealed with the last of them, and not with the first (CONVERGENCE
// B7). Method: two trades of one plain id whose lives overlap, and words of both parties in both lives.
import { expect, test } from "vitest";
import { isSealed, Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at, merchant, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received } from "../convergence/replica.ts";

const day = (n: number) => at(24 * 60 * n);
const first = fixtures.initiate(taker, merchant, at(2));
const second = fixtures.initiate(taker, merchant, day(10), { about: "43" });
const alone = fixtures.payment(taker, day(1));
const shared = [fixtures.payment(taker, day(12)), fixtures.approve(merchant, day(13))];
const trades: readonly Statement[] = [
  ...[fixtures.advertisement(merchant, at(0)), fixtures.request(taker, at(1)), first, alone],
  ...[fixtures.request(taker, day(10), { id: "43" }), second, ...shared],
];

test("what is about two settlements of an id is sealed with the second", () => {
  const node = openReplica(true);
  node.receive(received(...trades));
  const sealed = (statements: readonly Statement[]) =>
    statements.map(({ identity }) => isSealed(node.store(), identity));
  for (const isRestarted of [false, true]) {
    node.seal(day(47));
    expect(sealed([first, alone, second, ...shared])).toEqual([true, true, false, false, false]);
    if (!isRestarted) node.restart();
  }
  node.seal(day(60));
  expect(sealed([second, ...shared])).toEqual([true, true, true]);
  expect(shared.every(({ identity }) => node.store().get(Statements, identity) !== undefined)).toBe(true);
});
