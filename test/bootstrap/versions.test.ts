// Goal: the versions that are tried are those that package.json admits, by binaries that are what they should be, and
// the quick form is made of tests that are there. Method: the lists themselves; a run for a platform without binaries.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { assert, expect, onTestFinished, test, vi } from "vitest";
import { digestOf, majorsOf, QUICK_TESTS, RELEASES, runVersions } from "../../node/bootstrap/versions.mjs";
import { admitsAll } from "./engine-ranges.ts";

const root = new URL("../../", import.meta.url);
const releases = Object.entries(RELEASES as Readonly<Record<string, Readonly<Record<string, string>>>>);

test("each release is of its major version, admitted by package.json, and has a whole digest", () => {
  const { engines } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { engines: { node: string } };
  for (const [major, { version = "", ...digests }] of releases) {
    assert.equal(version.split(".")[0], major);
    assert.isTrue(admitsAll(engines.node, version));
    assert.sameMembers(Object.keys(digests), ["linux-x64", "linux-arm64"]);
    for (const digest of Object.values(digests)) assert.equal(Buffer.from(digest, "base64").length, 64);
  }
});

test("a digest is the one that npm writes", () => {
  expect(digestOf(Buffer.from("abc"))).toBe(
    "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==",
  );
});

test("every path of the quick form has tests", () => {
  const files = readdirSync(new URL("test", root), { recursive: true, encoding: "utf8" });
  const tests = files.map((file) => `test/${file}`).filter((file) => file.endsWith(".test.ts"));
  for (const path of QUICK_TESTS)
    assert.isTrue(
      tests.some((file) => file.startsWith(path)),
      path,
    );
  assert.isTrue(existsSync(new URL("test/versions/golden.json", root)));
});

test.each([
  [[], ["22", "24", "26"]],
  [["24"], ["24"]],
  [["24", "21"], "No such version: 21. There are 22, 24, 26."],
])("arguments %j name %j", (args, majors) => {
  expect(majorsOf(args)).toEqual(majors);
});

test("a platform without binaries is left out, and the run says so", () => {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
  onTestFinished(() => log.mockRestore());
  expect(runVersions("/nowhere", ["22", "26"], "sunos-x64")).toEqual({ passed: 0, failed: 0 });
  expect(lines).toEqual([
    "Left out: Node.js 22.23.3, for which there is no binary for sunos-x64.",
    "Left out: Node.js 26.10.0, for which there is no binary for sunos-x64.",
  ]);
});
