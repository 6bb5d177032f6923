/**
 * Goal: nobody keeps others from a case by repeating himself.
 * Method: one arbitrator joins with as many dates as there are seats, as peers bring it; then others take theirs.
 */
import { expect, test } from "vitest";
import { ArbitratorJoin } from "../../core/domains/trade/disputes/schema.ts";
import { JOINERS_MAX } from "../../core/domains/trade/disputes/tables.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { disputed, joinOf, taken } from "../limits/situations.ts";
import { person } from "../rpc/lone-node.ts";

const [loud, honest] = [person(0x61), person(0x62)];

test("one key with many joins takes one seat, whichever of them comes last", () => {
  const node = disputed();
  const before = node.store.size(Statements);
  for (let n = 0; n < JOINERS_MAX; n++) node.gossip(ArbitratorJoin, joinOf(loud, 360_000 + ((n * 7) % 64)), loud);
  expect(node.store.size(Statements)).toBe(before + 1);
  expect(taken(node, ArbitratorJoin, joinOf(honest, 361_000), honest)).toBe("taken");
  expect(node.read("getDispute", { id: "dis-1" })).toMatchObject({ arbitrators_seated: 2 });
});

test("who has a seat keeps it when he joins again on a full case", () => {
  const node = disputed(loud);
  for (let n = 0; n < JOINERS_MAX - 1; n++)
    node.gossip(ArbitratorJoin, joinOf(person(0x70 + n), 361_000), person(0x70 + n));
  expect(taken(node, ArbitratorJoin, joinOf(honest, 361_000), honest)).toBe("left");
  const before = node.store.size(Statements);
  node.gossip(ArbitratorJoin, joinOf(loud, 365_000), loud);
  expect(node.store.size(Statements)).toBe(before);
  const joins = [...node.store.keys(Statements)].flatMap((key) => node.store.get(Statements, key) ?? []);
  expect(joins.filter(({ signer }) => signer === loud.peer).map(({ timestamp }) => timestamp)).toEqual([
    joinOf(loud, 365_000).timestamp,
  ]);
});
