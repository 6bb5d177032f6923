/**
 * Goal: error codes and signature tags are those that were published (protocol 01 §4.3, §6.2).
 * Method: the published tables row by row, both ways for errors; tags of types that the core has.
 */
import { expect, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { errorCodes, errorData } from "../../core/errors.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { errorRows, tagRows } from "./fixtures.ts";

const RETRYABLE = [
  1, 8, 9, 1000, 1001, 1005, 1008, 1009, 1010, 1011, 1013, 4004, 4005, 4007, 5000, 5001, 5004, 8000, 8001, 9000,
];

test("85 errors with their numbers, in the published order", () => {
  const registry = Object.entries(errorCodes).map(([name, { number, retryable }]) => ({ number, name, retryable }));
  expect(registry).toEqual(errorRows);
  expect(registry.length).toBe(85);
  expect(new Set(registry.map((row) => row.number)).size).toBe(85);
});

test("20 of them may succeed later", () => {
  const retryable = Object.values(errorCodes).filter((row) => row.retryable);
  expect(retryable.map((row) => row.number)).toEqual(RETRYABLE);
});

test("error data names code, number and retry", () => {
  for (const { number, name, retryable } of errorRows) {
    const data = { ofsErrorCode: number, ofsErrorName: name, ofsRetryable: retryable };
    expect(errorData(name as ErrorCode)).toEqual(data);
  }
});

test("tags have their published length, outer member and forms", () => {
  expect(tagRows.length).toBe(43);
  for (const row of tagRows) expect(utf8(row.tag).length, row.tag).toBe(row.length);
  for (const type of marketplace.types) {
    const row = tagRows.find((candidate) => candidate.tag === type.tag);
    if (row === undefined) continue;
    expect({ outer: type.outer, bare: type.forms === "both" }, type.tag).toEqual({ outer: row.outer, bare: row.bare });
  }
});

test("every type's tag is published, or lies where no published tag is", () => {
  for (const type of marketplace.types) {
    expect(type.tag).toMatch(/^openfiat\/[a-z]+\/[A-Za-z]+\/v1$/);
    expect(type.tag.split("/")[2]).toBe(type.name);
  }
  for (const list of [marketplace.types.map((type) => type.tag), marketplace.types.map((type) => type.name)]) {
    expect(new Set(list).size).toBe(list.length);
  }
});
