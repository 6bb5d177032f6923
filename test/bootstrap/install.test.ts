// Goal: a fresh clone is installed once, a changed lock again, and nothing in between.
// Method: a folder with a lock and a stamp, changed step by step; modification times play no part.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, assert, beforeEach, describe, test } from "vitest";
import { completeLock, platformOf } from "../../node/bootstrap/complete-lock.mjs";
import { reasonToInstall, stampOf } from "../../node/bootstrap/install.mjs";

const PLATFORM = "linux-x64";

describe("whether to install", () => {
  let root = "";
  const lock = (): string => join(root, "package-lock.json");
  const stamp = (): string => join(root, "node_modules", ".ofs-installed");

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "install-"));
    writeFileSync(lock(), "one");
    mkdirSync(join(root, "node_modules"));
    writeFileSync(stamp(), stampOf(Buffer.from("one"), PLATFORM));
  });

  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  test("nothing is done for the lock that was installed, however new its file is", () => {
    utimesSync(lock(), new Date(4_000_000_000_000), new Date(4_000_000_000_000));
    assert.isUndefined(reasonToInstall(root, PLATFORM));
  });

  test("a clone without node_modules is installed", () => {
    rmSync(join(root, "node_modules"), { recursive: true });
    assert.equal(reasonToInstall(root, PLATFORM), "node_modules is missing");
  });

  test("an installation that was cut short is repeated", () => {
    rmSync(stamp());
    assert.equal(reasonToInstall(root, PLATFORM), "node_modules was not completed by this command");
  });

  test("a changed lock is installed, however old its file is", () => {
    writeFileSync(lock(), "two");
    utimesSync(lock(), new Date(0), new Date(0));
    assert.equal(reasonToInstall(root, PLATFORM), "package-lock.json has changed");
  });

  test("another platform is another installation", () => {
    assert.equal(reasonToInstall(root, "darwin-arm64"), "package-lock.json has changed");
  });
});

describe("a lock from a partial registry", () => {
  const platforms = { "tool-linux-x64-gnu": "1.2.3", "tool-darwin-arm64": "1.2.3", "tool-linux-arm64-musl": "1.2.3" };
  const lock = {
    lockfileVersion: 3,
    packages: {
      "": { devDependencies: { tool: "1" } },
      "node_modules/tool": { version: "1.2.3", dev: true, optionalDependencies: platforms },
      "node_modules/tool-linux-x64-gnu": { version: "1.2.3", dev: true, optional: true },
    },
  };

  test("gets an entry for each platform that is missing, with its limits", () => {
    const { added, lock: complete } = completeLock(lock);
    assert.sameMembers(added, ["node_modules/tool-darwin-arm64", "node_modules/tool-linux-arm64-musl"]);
    assert.deepEqual(complete.packages["node_modules/tool-linux-arm64-musl"], {
      version: "1.2.3",
      os: ["linux"],
      cpu: ["arm64"],
      libc: ["musl"],
      dev: true,
      optional: true,
    });
  });

  test("is complete afterwards", () => {
    assert.deepEqual(completeLock(completeLock(lock).lock).added, []);
  });

  test.each([
    ["@esbuild/win32-ia32", { os: ["win32"], cpu: ["ia32"] }],
    ["@libsql/linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
    ["fsevents", { os: ["darwin"] }],
    ["bufferutil", {}],
  ])("reads the platform off the name %s", (name, limits) => {
    assert.deepEqual(platformOf(name), limits);
  });
});
