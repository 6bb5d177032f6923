/**
 * The mutants of C sources: what each rule makes of a line, that equal seeds draw equal samples, and that the marks of
 * equivalent ones stand where they belong.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assert, describe, expect, test } from "vitest";
import { programPath } from "../../../adapters/chain/program/build.ts";
import { readSource } from "./c-source.ts";
import { equivalentsOf } from "./equivalents.ts";
import { drawn, mutantsOf, mutated } from "./mutants.ts";

const source = (text: string) => readSource("some.c", text);
const changes = (text: string) => mutantsOf([source(text)]).map(({ change }) => change);

describe("mutants", () => {
  test.each([
    ["{ x = a < b; }", ["x = a < b; -> ;", "< -> <=", "< -> >="]],
    ["const u64 x = a >= 3;", [">= -> >", ">= -> <", "3 -> 4", "3 -> 2"]],
    ["int x = a == b && !c;", ["== -> !=", "&& -> ||", "! -> nothing"]],
    ["u64 x = a + 32 * b;", ["+ -> -", "32 -> 33", "32 -> 31", "* -> /"]],
    ["#define SEATS_MAX 7", ["7 -> 8", "7 -> 6"]],
    ["#define KIND NAMED(0x0fff)", ["0x0fff -> 0x1000", "0x0fff -> 0x0ffe"]],
    ["u8 *at = (u8 *)(x) + *y;", ["+ -> -"]],
    ["const Account *a = &b[0];", ["0 -> 1"]],
    ["f(void) { return SUCCESS; }", ["SUCCESS -> INVALID_ACCOUNT"]],
    ["{ if (used(x)) return 1; }", ["used(x) -> !(used ( x ))", "return 1; -> ;", "1 -> 2", "1 -> 0"]],
    ["{ REQUIRE(ok, OVERFLOW); }", ["REQUIRE(ok, OVERFLOW); -> ;", "OVERFLOW -> UNAUTHORIZED"]],
    ["{ TRY(step(x)); }", ["TRY(step(x)); -> ;", "TRY -> (void)"]],
    ["{ for (u64 i = 0; i < n; i++) f(i); }", ["0 -> 1", "< -> <=", "< -> >=", "f(i); -> ;"]],
    ['u64 y = expect_accounts(call, "rbw");', ['"rbw" -> "rww"', '"rbw" -> "rsw"', '"rbw" -> "rbr"']],
    ["  0x22, 0xe6, 0xd5,\n  0x95, 0x91,\n", ["0xd5 -> 0xd6", "0xd5 -> 0xd4", "0x91 -> 0x92", "0x91 -> 0x90"]],
    ["const Slice x[2] = {a}; u8 y[32]; u8 z = y[3];", ["2 -> 1", "32 -> 31", "3 -> 4", "3 -> 2"]],
    ["u64 x = a ? b : c;", ["a -> !(a)"]],
    ["", []],
  ])("%s", (text, expected) => {
    assert.deepEqual(changes(text), expected);
  });

  test("swap neighbouring arguments of one type, but not where order means nothing", () => {
    const definitions = "int compare(const Wide *a, const Wide *b, u64 n) { } int keys_equal(u8 *a, u8 *b) { }";
    const calls = "int x = compare(&one, &two, 9); int y = keys_equal(p, q); int z = compare(&one, &one, n);";
    assert.deepEqual(
      mutantsOf([source(definitions), source(calls)]).flatMap(({ rule, change }) =>
        rule === "swapped" ? [change] : [],
      ),
      ["&one, &two -> &two, &one"],
    );
  });

  test("are edits at their places, told apart where a line has two alike", () => {
    const text = "u64 a = b + c + d;\n";
    const [first, second] = mutantsOf([source(text)]);
    if (first === undefined || second === undefined) throw new Error("two sums, two mutants");
    assert.deepEqual([first.id, second.id], ["some.c:1 + -> -", "some.c:1 + -> - (2)"]);
    assert.equal(mutated(source(text), first), "u64 a = b - c + d;\n");
    assert.equal(mutated(source(text), second), "u64 a = b + c - d;\n");
  });

  test("comments and texts are left alone", () => {
    assert.deepEqual(changes('/* a < b + 1 */ // 3 == 4\nTEXT("5 < 6")'), []);
  });

  test("what is no C is named with its line", () => {
    expect(() => source("u8 a;\nu8 $;\n")).toThrow("some.c:2: no C here: $;");
  });
});

describe("samples", () => {
  const mutants = mutantsOf([source(Array.from({ length: 50 }, (_, n) => `u64 x${n} = a + ${n + 1};`).join("\n"))]);

  test("are drawn by their seed alone", () => {
    const ids = (seed: number) => drawn(mutants, seed).map(({ id }) => id);
    assert.deepEqual(ids(1), ids(1));
    assert.notDeepEqual(ids(1), ids(2));
    assert.sameMembers(ids(1), ids(2));
  });

  test("are the same when a comment moves the lines", () => {
    const text = "u64 x = a + 1;\nu64 x = a + 1;\nu64 y = a < 2;\n";
    const draws = (changed: string) => drawn(mutantsOf([source(changed)]), 3).map(({ draw }) => draw);
    assert.deepEqual(draws(`/* why */\n${text.replace("a + 1", "a /* b */ + 1")}`), draws(text));
    assert.equal(new Set(draws(text)).size, mutantsOf([source(text)]).length);
  });

  test("keep their order when a mutant goes", () => {
    const [gone, ...rest] = mutants;
    assert.deepEqual(
      drawn(rest, 7),
      drawn(mutants, 7).filter((mutant) => mutant !== gone),
    );
  });
});

describe("marks of equivalent mutants", () => {
  const reasons = (text: string) => [...equivalentsOf(source(text), mutantsOf([source(text)]))];

  test("name changes of their own line, or of the next", () => {
    const own = '#define BYTES 256 /* mutate: equivalent "256 -> 257", nothing is as long. */\n';
    assert.deepEqual(reasons(own), [["some.c:1 256 -> 257", "nothing is as long."]]);
    const above = '/* mutate: equivalent "1 -> 2", "1 -> 0",\n * both mean\n * the same. */\nu64 a = 1;\n';
    assert.deepEqual(reasons(above), [
      ["some.c:4 1 -> 2", "both mean the same."],
      ["some.c:4 1 -> 0", "both mean the same."],
    ]);
  });

  test("are refused when they name nothing, or give no reason", () => {
    expect(() => reasons('/* mutate: equivalent "2 -> 3", because. */\nu64 a = 1;\n')).toThrow(
      "some.c:2: no mutant 2 -> 3",
    );
    expect(() => reasons('/* mutate: equivalent "1 -> 2", */\nu64 a = 1;\n')).toThrow("some.c:1: not a mark");
    expect(() => reasons("/* mutate: equivalent, since I say so. */\nu64 a = 1;\n")).toThrow("some.c:1: not a mark");
  });

  test("in the program's sources each names a mutant", () => {
    const folder = dirname(programPath);
    const names = readdirSync(folder).filter((name) => name.endsWith(".c"));
    const sources = names.map((name) => readSource(name, readFileSync(join(folder, name), "utf8")));
    const mutants = mutantsOf(sources);
    assert.isAbove(mutants.length, 3_000);
    for (const each of sources) equivalentsOf(each, mutants);
  });
});
