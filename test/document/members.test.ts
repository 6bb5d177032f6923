/**
 * Goal: every member that the document prints says what it is, once; nothing is described that is not there; every
 * method has its place, and every error its cause.
 * Method: all schemas of the method table against the words beside the document.
 */
import { expect, test } from "vitest";
import { causes } from "../../core/document/causes.ts";
import { groups } from "../../core/document/groups.ts";
import { meaningOf, members } from "../../core/document/openrpc.ts";
import { compareText, methods } from "../../core/index.ts";
import type { MemberFound } from "./records.ts";
import { membersOf } from "./records.ts";

const found: readonly MemberFound[] = Object.values(methods).flatMap((row) => [
  ...membersOf(row.params),
  ...membersOf(row.result),
  ...(row.mutation?.signed ?? []).flatMap((type) => membersOf(type.payload)),
]);

/** Members without words. */
function undescribed(all: readonly MemberFound[]): readonly string[] {
  return [...new Set(all.filter((each) => !meaningOf(each.record, each.member)).map((e) => `${e.record}.${e.member}`))];
}

test("every member has a description: a sentence, or a phrase", () => {
  expect(undescribed(found)).toEqual([]);
  expect(undescribed([...found, { record: "Settlement", member: "colour", type: "text" }])).toEqual([
    "Settlement.colour",
  ]);
  for (const [name, text] of Object.entries(members)) expect(text, name).toMatch(/^[A-Z{1].*\.$/s);
});

test("every description is of a member that is there", () => {
  const there = new Set(found.flatMap(({ record, member }) => [member, `${record}.${member}`]));
  expect(Object.keys(members).filter((name) => !there.has(name))).toEqual([]);
  const shared = new Set(found.filter((e) => members[`${e.record}.${e.member}`] === undefined).map((e) => e.member));
  expect(Object.keys(members).filter((name) => !name.includes(".") && !shared.has(name))).toEqual([]);
});

test("one name that holds two kinds of value says so for each record", () => {
  const types = new Map<string, Set<string>>();
  for (const { record, member, type } of found) {
    if (members[`${record}.${member}`] !== undefined) continue;
    types.set(member, (types.get(member) ?? new Set()).add(type));
  }
  expect([...types].filter(([, kinds]) => kinds.size > 1).map(([member, kinds]) => `${member}: ${[...kinds]}`)).toEqual(
    [],
  );
});

test("every method stands in one group, and every error of a method has a cause", () => {
  const grouped = Object.values(groups).flat();
  expect([...grouped].sort(compareText)).toEqual(Object.keys(methods).sort(compareText));
  const codes = new Set(Object.values(methods).flatMap(({ errors }) => errors as readonly string[]));
  expect(Object.keys(causes).sort(compareText)).toEqual([...codes, "DATABASE_ERROR"].sort(compareText));
});
