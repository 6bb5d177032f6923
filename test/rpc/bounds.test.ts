/**
 * Goal: a case takes 64 joiners and no more (L10): the next is refused, nothing grows, nobody is displaced.
 */

import { expect, test } from "vitest";
import { ArbitratorJoin } from "../../core/domains/trade/disputes/schema.ts";
import { JOINERS_MAX } from "../../core/domains/trade/disputes/tables.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { disputedTrade } from "../laws/laws.ts";
import { person, signedData } from "./lone-node.ts";

test("the joiner after the last place answers INVALID_DISPUTE_STATE", () => {
  const node = disputedTrade();
  const join = (byte: number) => {
    const by = person(byte);
    const payload = {
      dispute_id: "d-1",
      arbitrator: by.peer,
      arbitrator_public_key: by.key,
      timestamp: node.now as EpochMillis,
    };
    return node.call("sendArbitratorJoin", { data: signedData(ArbitratorJoin, payload, by) });
  };
  for (let seated = 3; seated < JOINERS_MAX; seated++) expect(join(0x80 + seated)).toBe(null);
  const before = node.roots();
  expect(join(0x7f)).toBe(6005);
  expect(node.roots()).toEqual(before);
  expect(join(0x83)).toBe(null);
  expect(node.call("getDispute", { id: "d-1" })).toMatchObject({ arbitrators_seated: JOINERS_MAX, reveals: 3 });
});
