// Goal: the Node.js versions that package.json declares are those that the installed packages support.
// Method: `engines` of every package of the lock that a user installs; planted packages that support less.
import { readFileSync } from "node:fs";
import { assert, describe, test } from "vitest";
import { shrinkwrapOf } from "../../node/bootstrap/shrinkwrap.mjs";
import { admitsAll } from "./engine-ranges.ts";

interface LockedPackage {
  readonly dev?: boolean;
  readonly version?: string;
  readonly engines?: { readonly node?: string };
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const root = new URL("../../", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), "utf8");
const declared = (JSON.parse(read("package.json")) as { readonly engines: { readonly node: string } }).engines.node;

/** Runtime packages that do not support every version that ours declares. */
function lessSupported(ours: string, { packages }: Lock): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { dev, engines }]) => path !== "" && dev !== true && !admitsAll(engines?.node ?? "*", ours))
    .map(([path, { version, engines }]) => `${path} ${version}: Node.js ${engines?.node}`);
}

describe("declared Node.js versions", () => {
  test("are supported by every runtime package of the lock", () => {
    const lock = JSON.parse(read("package-lock.json")) as Lock;
    assert.isAbove(Object.keys(lock.packages).length, 200);
    assert.deepEqual(lessSupported(declared, lock), []);
    assert.deepEqual(lessSupported(declared, shrinkwrapOf(lock) as Lock), []);
  });

  test("are the same in the lock", () => {
    const lock = JSON.parse(read("package-lock.json")) as Lock;
    assert.equal(lock.packages[""]?.engines?.node, declared);
  });

  test("are installed from whatever registry is configured: the lock names none", () => {
    assert.notMatch(read("package-lock.json"), /"resolved"|https?:\/\/[^"]*\.tgz/);
  });

  test("a runtime package that supports less is found, one for development is not asked", () => {
    const packages = {
      "node_modules/new": { version: "2.0.2", engines: { node: ">=22" } },
      "node_modules/gap": { version: "1.0.0", engines: { node: "^20.19.0 || >=22.12.0" } },
      "node_modules/tool": { version: "1.0.0", dev: true, engines: { node: ">=99" } },
      "node_modules/old": { version: "1.0.0", engines: { node: ">=18" } },
      "node_modules/silent": { version: "1.0.0" },
    };
    assert.deepEqual(lessSupported(">=20.19", { packages }), [
      "node_modules/new 2.0.2: Node.js >=22",
      "node_modules/gap 1.0.0: Node.js ^20.19.0 || >=22.12.0",
    ]);
  });
});

describe("a range", () => {
  test.each([
    ["*", ">=20.19", true],
    [">= 20.19.0", ">=20.19", true],
    [">=20.19.1", ">=20.19", false],
    ["> 0.1.90", ">=20.19", true],
    [">20", ">=20.19", false],
    ["^18 || >=20", ">=20.19", true],
    ["^12.20.0 || ^14.13.1 || >=16.0.0", ">=20.19", true],
    ["4.x || >=6.0.0", ">=20.19", true],
    ["20 || 22 || >=24", ">=20.19", false],
    ["20 || 22 || >=24", "^22.1", true],
    ["~20.19", "20.19.5", true],
    ["~20.19", "^20.19.0", false],
  ])("%s admits all of %s: %s", (outer, inner, expected) => {
    assert.equal(admitsAll(outer, inner), expected);
  });

  test("that is spelled in an unknown way is an error, not a pass", () => {
    assert.throws(() => admitsAll("<30", ">=20"), "cannot read: <30");
  });
});
