// Goal: a ledger loses nothing it acknowledged, whoever kills its process; belongs to one process at a time; and a
// file that is not its own, not readable or not whole is refused in one line and left exactly as it was.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import type { LedgerFailure } from "../../adapters/sqlite/ledger-failure.ts";
import { openLibsql } from "../../adapters/sqlite/libsql-driver.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { TYPESCRIPT } from "../typescript.ts";
import { failurePlan } from "./failing-driver.ts";
import { close, commit, failEachCall, list, load, put } from "./store-calls.ts";

/** Where SQLite keeps whose file it is. Source: SQLite's file format. */
const APPLICATION_ID_AT = 68;
const ROOT = resolve(import.meta.dirname, "..", "..");
let folder: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ledger-"));
  path = join(folder, LEDGER_FILE);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function opened(directory = folder): StorePort {
  const result = openLedger(directory);
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

function refused(directory = folder): LedgerFailure {
  const result = openLedger(directory);
  if (result.ok) throw new Error("the ledger was opened");
  return result.error;
}

/** Everything in a folder: names, and the bytes of files. */
function contents(): readonly (readonly [string, string])[] {
  return readdirSync(folder)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => [name, statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "hex") : ""]);
}

interface Child {
  readonly child: ChildProcess;
  /** Lines that it wrote, until its output ends. */
  readonly lines: AsyncIterator<string>;
  readonly ended: Promise<unknown>;
}

function start(mode: string, options: { readonly uid?: number } = {}): Child {
  const script = fileURLToPath(new URL("./ledger-child.ts", import.meta.url));
  const child = spawn(process.execPath, [...TYPESCRIPT, script, mode, folder], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
    ...options,
  });
  children.push(child);
  const ended = new Promise((done) => child.on("close", done));
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended };
}

async function line(child: Child): Promise<string> {
  const next = await child.lines.next();
  return next.done === true ? "" : next.value;
}

describe("kill -9", () => {
  test.each([1, 2, 9, 40, 333])("after acknowledgement %i every acknowledged row is there", async (kill) => {
    const child = start("commit");
    expect(await line(child)).toBe("open");
    let acknowledged = 0;
    for (let text = await line(child); text !== ""; text = await line(child)) {
      acknowledged = Number(text);
      if (acknowledged === kill) child.child.kill("SIGKILL");
    }
    await child.ended;
    expect(acknowledged).toBeGreaterThanOrEqual(kill);
    const store = opened();
    const rows = new Map((await list(store)).map(([table, key, bytes]) => [`${table} ${key}`, bytes]));
    for (let n = 1; n <= acknowledged; n += 1) {
      for (let at = 0; at < 1 + (n % 7); at += 1) {
        expect(rows.get(`acknowledged ${n}.${at}`)).toBe("ab".repeat(n % 5000));
      }
    }
    // One commit may have been on its way: it is there whole or not at all.
    const newest = Number(Buffer.from(rows.get("newest n") ?? "", "hex").toString());
    expect([acknowledged, acknowledged + 1]).toContain(newest);
    const whole = Array.from({ length: newest }, (_, n) => 1 + ((n + 1) % 7)).reduce((sum, count) => sum + count, 1);
    expect(rows.size).toBe(whole);
    await close(store);
    expect(readdirSync(folder)).toEqual([LEDGER_FILE]);
  });

  test("a file whose making was cut short is made anew", async () => {
    const child = start("spill");
    await child.ended;
    expect(readdirSync(folder)).toEqual([LEDGER_FILE, `${LEDGER_FILE}-journal`]);
    expect(statSync(path).size).toBeGreaterThan(0);
    const store = opened();
    expect(await commit(store, [put("t", "k", "01")])).toEqual({ ok: true, value: null });
    expect(await list(store)).toEqual([["t", "k", "01"]]);
    await close(store);
  });
});

describe("one holder", () => {
  test("a second opening in this process is refused, and does not end the first one's lock", async () => {
    const store = opened();
    expect(refused()).toEqual({ code: "held", reason: `${folder} is in use by this process` });
    const other = start("hold");
    expect(await line(other)).toBe(`held: ${path} is in use by another process`);
    expect(await commit(store, [put("t", "k", "01")])).toEqual({ ok: true, value: null });
    await close(store);
  });

  test("another process holds it until it ends, even by kill -9", async () => {
    const holder = start("hold");
    expect(await line(holder)).toBe("open");
    expect(refused()).toEqual({ code: "held", reason: `${path} is in use by another process` });
    holder.child.kill("SIGKILL");
    await holder.ended;
    await close(opened());
  });

  test("closing gives it up: to this process and to others", async () => {
    await close(opened());
    await close(opened());
    const other = start("hold");
    expect(await line(other)).toBe("open");
  });
});

describe("directories and permissions", () => {
  test("the directory is made, for its owner alone", async () => {
    const deep = join(folder, "a", "b c", "ü?#%20");
    await close(opened(deep));
    expect(readdirSync(deep)).toEqual([LEDGER_FILE]);
    expect(statSync(deep).mode & 0o777).toBe(0o700);
  });

  test("a path through a file is one clear failure", () => {
    writeFileSync(join(folder, "file"), "x");
    expect(refused(join(folder, "file", "ledger")).reason).toContain(join(folder, "file", "ledger"));
    expect(refused(join(folder, "file")).reason).toContain("file");
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("x");
  });

  test("a ledger that is a directory is one clear failure", () => {
    mkdirSync(path);
    expect(refused().reason).toContain(path);
    expect(readdirSync(folder)).toEqual([LEDGER_FILE]);
  });

  // Permissions bind everyone but root, so root asks as nobody (65534).
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};

  test("a ledger or directory that may not be written is denied", async () => {
    await close(opened());
    const before = contents();
    chmodSync(folder, 0o755);
    chmodSync(path, 0o444);
    if (asNobody.uid === undefined) chmodSync(folder, 0o555);
    const reader = start("hold", asNobody);
    expect(await line(reader)).toMatch(/^denied: .*ledger\.db cannot be opened for writing/);
    await reader.ended;
    chmodSync(path, 0o000);
    const stranger = start("hold", asNobody);
    expect(await line(stranger)).toMatch(/^denied: .*ledger\.db cannot be opened for writing/);
    await stranger.ended;
    chmodSync(path, 0o644);
    chmodSync(folder, 0o755);
    expect(contents()).toEqual(before);
  });
});

describe("files that are not whole or not ours", () => {
  function makeForeign(sql: readonly string[]): void {
    const database = new Database(path);
    for (const statement of sql) database.exec(statement);
    database.close();
  }

  test.each([
    ["text", Buffer.from("just some text\n".repeat(100))],
    ["a few bytes", Buffer.from("SQLite")],
    ["zeros", Buffer.alloc(8192)],
  ])("%s is no ledger, and stays as it is", (_name, bytes) => {
    writeFileSync(path, bytes);
    expect(refused()).toEqual({ code: "foreign", reason: `${path} is not a ledger of this program` });
    expect(contents()).toEqual([[LEDGER_FILE, bytes.toString("hex")]]);
  });

  test.each([
    ["empty", ["VACUUM"]],
    ["in use by someone else", ["CREATE TABLE rows (x)", "INSERT INTO rows VALUES (1)"]],
    ["with a log", ["PRAGMA journal_mode = WAL", "CREATE TABLE t (x)"]],
  ])("a database of another program, %s, is no ledger, and stays as it is", (_name, sql) => {
    makeForeign(sql);
    const before = contents();
    expect(refused().code).toBe("foreign");
    expect(contents()).toEqual(before);
  });

  test("a database of another program that was cut short in writing is not even repaired", async () => {
    makeForeign(["CREATE TABLE half (x)", "INSERT INTO half VALUES (1)"]);
    await start("spill").ended;
    const before = contents();
    expect(before.map(([name]) => name)).toEqual([LEDGER_FILE, `${LEDGER_FILE}-journal`]);
    expect(refused().code).toBe("foreign");
    expect(contents()).toEqual(before);
  });

  test("a ledger of a later version is refused by its version, and stays as it is", async () => {
    await close(opened());
    makeForeign(["PRAGMA user_version = 3"]);
    const before = contents();
    expect(refused()).toEqual({
      code: "newer",
      reason: `${path} was written by a later version of this program (ledger 3)`,
    });
    expect(contents()).toEqual(before);
  });

  test.each([
    ["another program's", "foreign", ["CREATE TABLE t (x)"]],
    ["a later version's", "newer", ["CREATE TABLE t (x)", "PRAGMA application_id = 0", "PRAGMA user_version = 3"]],
  ])("a file that became %s between the look and the lock is refused, and stays as it is", (_name, code, sql) => {
    const id = contentsOfALedger().readUInt32BE(APPLICATION_ID_AT);
    let before: ReturnType<typeof contents> = [];
    const driver = (at: string) => {
      makeForeign(code === "newer" ? sql.map((line) => line.replace("= 0", `= ${id}`)) : sql);
      before = contents();
      return openLibsql(at);
    };
    const result = openLedger(folder, { driver });
    expect(result.ok ? "opened" : result.error.code).toBe(code);
    expect(contents()).toEqual(before);
  });

  /** The bytes of a ledger that was just made, elsewhere. */
  function contentsOfALedger(): Buffer {
    const elsewhere = join(folder, "elsewhere");
    void close(opened(elsewhere));
    const bytes = readFileSync(join(elsewhere, LEDGER_FILE));
    rmSync(elsewhere, { recursive: true });
    return bytes;
  }

  test("an empty file becomes a ledger", async () => {
    writeFileSync(path, "");
    await close(opened());
  });

  test("one changed byte in a row is found by the load", async () => {
    const store = opened();
    await commit(store, [put("t", "a", "01"), put("t", "needle", "deadbeefdeadbeef"), put("t", "z", "02")]);
    await close(store);
    const bytes = readFileSync(path);
    const at = bytes.indexOf(Buffer.from("deadbeefdeadbeef", "hex"));
    bytes[at + 3] = (bytes[at + 3] ?? 0) ^ 0x10;
    writeFileSync(path, bytes);
    const damaged = opened();
    const reason = 'table t, row "needle" does not match its checksum';
    expect(await load(damaged)).toEqual({ pages: [], error: { code: "broken", reason } });
    await close(damaged);
  });

  test("pages of the file that were overwritten are found by the opening or by the load", async () => {
    const store = opened();
    await commit(
      store,
      Array.from({ length: 500 }, (_, n) => put("t", `k${n}`, "ab".repeat(200))),
    );
    await close(store);
    const whole = readFileSync(path);
    for (let page = 0; page * 4096 < whole.length; page += 1) {
      const bytes = Buffer.from(whole);
      bytes.fill(0x5a, page * 4096 + (page === 0 ? 100 : 0), (page + 1) * 4096);
      writeFileSync(path, bytes);
      const result = openLedger(folder);
      if (!result.ok) {
        expect(result.error.code).toBe("damaged");
        continue;
      }
      expect((await load(result.value)).error).toMatchObject({ code: "broken" });
      await close(result.value);
    }
  });

  test("a file cut short is found by the opening or by the load", async () => {
    const store = opened();
    await commit(
      store,
      Array.from({ length: 500 }, (_, n) => put("t", `k${n}`, "ab".repeat(200))),
    );
    await close(store);
    const whole = readFileSync(path);
    for (const length of [50, 4096, 5000, 4096 * 3, whole.length - 4096]) {
      writeFileSync(path, whole.subarray(0, length));
      const result = openLedger(folder);
      if (!result.ok) {
        expect(["damaged", "foreign"]).toContain(result.error.code);
        continue;
      }
      expect((await load(result.value)).error).toMatchObject({ code: "broken" });
      await close(result.value);
    }
  });

  test("an opening in which any one call fails is refused in one line, and the next one is whole", async () => {
    const store = opened();
    await commit(store, [put("t", "k", "01")]);
    await close(store);
    for (const fresh of [false, true]) {
      const reached = await failEachCall(async (n) => {
        if (fresh) rmSync(path, { force: true });
        const plan = failurePlan();
        plan.failCall(n);
        const result = openLedger(folder, { driver: (file) => plan.between(openLibsql(file)) });
        if (result.ok) {
          const reachedIt = plan.failed();
          plan.failCall(0);
          await close(result.value);
          return reachedIt;
        }
        expect(result.error).toMatchObject({ code: "broken", reason: `${path} cannot be opened: planned failure` });
        const again = opened();
        expect(await list(again)).toEqual(fresh ? [] : [["t", "k", "01"]]);
        await close(again);
        return true;
      });
      expect(reached).toBeGreaterThan(0);
    }
  });
});

describe("a full disk", () => {
  test("refuses the commit as full, keeps what it held, and goes on when there is room", async () => {
    let database: { exec: (sql: string) => void } | undefined;
    const result = openLedger(folder, {
      driver: (file) => {
        const driver = openLibsql(file);
        database = driver;
        return driver;
      },
    });
    if (!result.ok) throw new Error(result.error.reason);
    const store = result.value;
    await commit(store, [put("t", "k", "01")]);
    database?.exec("PRAGMA max_page_count = 20");
    const large = Array.from({ length: 100 }, (_, n) => put("t", `large ${n}`, "ab".repeat(2000)));
    expect(await commit(store, large)).toEqual({ ok: false, error: { code: "full" } });
    expect(await list(store)).toEqual([["t", "k", "01"]]);
    database?.exec("PRAGMA max_page_count = 1000000");
    expect(await commit(store, large)).toEqual({ ok: true, value: null });
    expect((await list(store)).length).toBe(101);
    await close(store);
  });
});

test("every commit is synced: the log is on and synchronous is FULL", async () => {
  const seen: string[] = [];
  const result = openLedger(folder, {
    driver: (file) => {
      const driver = openLibsql(file);
      return {
        ...driver,
        exec: (sql) => {
          driver.exec(sql);
          if (sql !== "COMMIT" || seen.length > 0) return;
          queueMicrotask(() => {
            for (const name of ["journal_mode", "synchronous", "locking_mode"]) {
              seen.push(String(driver.prepare(`PRAGMA ${name}`).all([])[0]?.[0]));
            }
          });
        },
      };
    },
  });
  await Promise.resolve();
  expect(seen).toEqual(["wal", "2", "exclusive"]);
  if (result.ok) await close(result.value);
});
