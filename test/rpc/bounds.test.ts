/**
 * Goal: a case takes whoever comes: nobody is kept from it by how many others joined, and nobody is displaced (B2).
 * What a read would say may be longer than a text can be: it is refused then, what comes after it is answered (L10).
 */

import { expect, test } from "vitest";
import { ArbitratorJoin } from "../../core/domains/trade/disputes/schema.ts";
import { noParams, query } from "../../core/engine/method.ts";
import { answerBody } from "../../core/engine/rpc.ts";
import { list } from "../../core/kernel/schema-composites.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { Text } from "../../core/kernel/values.ts";
import { disputedTrade } from "../laws/laws.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
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

test("a list that no text could hold is refused, in a batch too, and what comes after it is answered", () => {
  const big = "x".repeat(1_048_576);
  // More than the 2^29 units of the longest text.
  const texts = Array.from({ length: 520 }, () => big);
  const shape = { params: noParams, need: "none", result: list(Text), source: "", doc: "" } as const;
  const methods = { all: query({ ...shape, read: () => texts }), none: query({ ...shape, read: () => [] }) };
  const ask = (id: number, method: keyof typeof methods) => ({ jsonrpc: "2.0", id, method });
  const told = { ofsRetryable: false, reason: "answer-too-long" };
  const refused = { error: { message: "RATE_LIMIT_EXCEEDED", data: { ofsErrorCode: 9, ...told } } };
  const answered = (body: object): unknown =>
    crowdedNode(0n).withContext((context) => JSON.parse(answerBody(context, methods, JSON.stringify(body)) ?? ""));
  expect(answered(ask(1, "all"))).toMatchObject({ id: 1, ...refused });
  expect(answered([ask(1, "all"), ask(2, "none")])).toMatchObject([
    { id: 1, ...refused },
    { id: 2, result: [] },
  ]);
});
