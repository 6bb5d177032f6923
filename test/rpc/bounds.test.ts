/**
 * Goal: a case takes whoever comes: nobody is kept from it by how many others joined, and nobody is displaced (B2).
 */

import { expect, test } from "vitest";
import { ArbitratorJoin } from "../../core/domains/trade/disputes/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { disputedTrade } from "../laws/laws.ts";
import { person, signedData } from "./lone-node.ts";

test("the hundredth joiner takes a seat as the first did, and a second join changes nothing", () => {
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
  for (let seated = 3; seated < 100; seated++) expect(join(0x80 + seated)).toBe(null);
  const before = node.roots();
  expect(join(0x83)).toBe(null);
  expect(node.roots()).toEqual(before);
  expect(node.call("getDispute", { id: "d-1" })).toMatchObject({ arbitrators_seated: 100, reveals: 3 });
});
