// Goal: an identity survives its file, and a bad file is refused with one line that names it (protocol 01 §1.2).
// Method: a table of files, good and bad, in a folder of their own.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, assert, beforeEach, describe, expect, test } from "vitest";
import { generateKeyFile, loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import { fromHex } from "../../core/kernel/bytes.ts";
import { TYPESCRIPT } from "../typescript.ts";

/** Vector A of protocol 01 §1.2. */
const SECRET_A = new Uint8Array(32).fill(1);
const PUBLIC_A = fromHex("8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c")!;
const NUMBERS_A = [...SECRET_A, ...PUBLIC_A];

/** Draws a key in a process of its own, that ends before the nth call which changes a file. */
const KILLED = fileURLToPath(new URL("./key-file-child.ts", import.meta.url));
/** An opening, a writing and what makes it durable. */
const KILLS_LEAST = 3;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "key-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string): string {
  const path = join(folder, "identity.json");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

describe("loading", () => {
  for (const text of [JSON.stringify(NUMBERS_A), ` ${JSON.stringify(NUMBERS_A, null, 2)}\n`]) {
    test(`reads the published key from ${text.length} characters`, () => {
      expect(loadKeyFile(write(text))).toEqual({ ok: true, value: { secretKey: SECRET_A, publicKey: PUBLIC_A } });
    });
  }

  const malformed: Readonly<Record<string, string>> = {
    "an empty file": "",
    "text that is not JSON": "[1, 2",
    "something after the array": `${JSON.stringify(NUMBERS_A)} x`,
    "an object": "{}",
    null: "null",
    "the secret alone": JSON.stringify([...SECRET_A]),
    "one number too many": JSON.stringify([...NUMBERS_A, 0]),
    "a number above 255": JSON.stringify([256, ...NUMBERS_A.slice(1)]),
    "a negative number": JSON.stringify([-1, ...NUMBERS_A.slice(1)]),
    "a fraction": JSON.stringify([0.5, ...NUMBERS_A.slice(1)]),
    "numbers as text": JSON.stringify(NUMBERS_A.map(String)),
    "base58 text": '"AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9"',
    "a very long file": `${JSON.stringify(NUMBERS_A)}${" ".repeat(5_000)}`,
  };
  for (const [name, text] of Object.entries(malformed)) {
    test(`refuses ${name}`, () => {
      const path = write(text);
      const reason = `key file ${path}: not a JSON array of 64 integers from 0 to 255`;
      expect(loadKeyFile(path)).toEqual({ ok: false, error: { code: "malformed", reason } });
    });
  }

  test.each([0o666, 0o644, 0o640, 0o604, 0o601])(
    "refuses mode %o, which others can use, and says how to mend it",
    (mode) => {
      const path = write(JSON.stringify(NUMBERS_A));
      chmodSync(path, mode);
      const shown = mode.toString(8).padStart(4, "0");
      const reason = `key file ${path}: others than its owner can use it (mode ${shown}); run chmod 600 ${path}`;
      expect(loadKeyFile(path)).toEqual({ ok: false, error: { code: "exposed", reason } });
      chmodSync(path, 0o400);
      expect(loadKeyFile(path).ok).toBe(true);
    },
  );

  test("refuses a public key that belongs to another secret, whichever byte differs", () => {
    for (let at = 0; at < 64; at++) {
      const path = write(JSON.stringify(NUMBERS_A.map((byte, index) => (index === at ? byte ^ 1 : byte))));
      const loaded = loadKeyFile(path);
      assert.ok(!loaded.ok);
      expect(loaded.error.code).toBe("mismatch");
      expect(loaded.error.reason).toBe(`key file ${path}: its public key does not belong to its secret key`);
    }
  });

  test("refuses a file that is not there, and a folder", () => {
    const path = join(folder, "none.json");
    expect(loadKeyFile(path)).toEqual({
      ok: false,
      error: { code: "missing", reason: `key file ${path}: does not exist` },
    });
    expect(loadKeyFile(folder)).toMatchObject({ ok: false, error: { code: "unreadable" } });
  });
});

describe("generating", () => {
  test("writes what loading reads, for the owner alone, another key each time", () => {
    const [first, second] = [join(folder, "a.json"), join(folder, "b.json")];
    const generated = generateKeyFile(first);
    assert.ok(generated.ok);
    expect(loadKeyFile(first)).toEqual(generated);
    expect(statSync(first).mode & 0o777).toBe(0o600);
    const other = generateKeyFile(second);
    assert.ok(other.ok);
    expect(other.value.secretKey).not.toEqual(generated.value.secretKey);
    const numbers: unknown = JSON.parse(readFileSync(first, "utf8"));
    expect(numbers).toEqual([...generated.value.secretKey, ...generated.value.publicKey]);
  });

  test("never touches a file that exists", () => {
    const path = write("precious");
    expect(generateKeyFile(path)).toEqual({
      ok: false,
      error: { code: "exists", reason: `key file ${path}: exists already; it is not overwritten` },
    });
    expect(readFileSync(path, "utf8")).toBe("precious");
  });

  test("killed before any of its calls it leaves no file, or a whole one", () => {
    const path = join(folder, "killed.json");
    for (let call = 1; ; call++) {
      rmSync(path, { force: true });
      const { signal, stderr } = spawnSync(process.execPath, [...TYPESCRIPT, KILLED, path, `${call}`]);
      // What lies there is taken, and what does not is made.
      const next = existsSync(path) ? loadKeyFile(path) : generateKeyFile(path);
      expect({ call, ok: next.ok }).toEqual({ call, ok: true });
      if (signal === "SIGKILL") continue;
      expect(`${stderr}`).toBe("");
      expect(call).toBeGreaterThan(KILLS_LEAST);
      return;
    }
  });

  test("says so when it cannot write, and leaves nothing", () => {
    const inside = join(folder, "missing", "id.json");
    expect(generateKeyFile(inside)).toMatchObject({ ok: false, error: { code: "unwritable" } });
    mkdirSync(join(folder, "missing"));
    chmodSync(join(folder, "missing"), 0o700);
    expect(generateKeyFile(inside).ok).toBe(true);
  });
});
