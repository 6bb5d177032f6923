// Goal: SQLite in memory keeps the contract; its exported bytes are the whole ledger, and only ours are opened.
import { describe, expect, test } from "vitest";
import type { SqljsRows } from "../../adapters/sqlite/sqljs.ts";
import { openSqljsRows, openSqljsStore } from "../../adapters/sqlite/sqljs.ts";
import { failurePlan } from "./failing-driver.ts";
import { describeStore } from "./store.contract.ts";
import { commit, list, put } from "./store-calls.ts";

describeStore("sql.js", async () => {
  const plan = failurePlan();
  let bytes: Uint8Array | undefined;
  let current: SqljsRows | undefined;
  const leave = (): void => {
    bytes = current?.exported() ?? bytes;
    current?.close();
    current = undefined;
  };
  return {
    open: async () => {
      const opened = await openSqljsRows({ between: plan.between, ...(bytes === undefined ? {} : { bytes }) });
      current = opened;
      return openSqljsStore({ rows: { ...opened, close: leave } });
    },
    crash: leave,
    failCall: plan.failCall,
    failed: plan.failed,
    dispose: () => current?.close(),
  };
});

describe("sql.js", () => {
  test("goes on after its bytes were taken, and the bytes hold what was committed by then", async () => {
    const rows = await openSqljsRows();
    const store = openSqljsStore({ rows });
    await commit(store, [put("t", "a", "01")]);
    const bytes = rows.exported();
    await commit(store, [put("t", "b", "02")]);
    expect(await list(store)).toEqual([
      ["t", "a", "01"],
      ["t", "b", "02"],
    ]);
    expect(await list(openSqljsStore({ rows: await openSqljsRows({ bytes }) }))).toEqual([["t", "a", "01"]]);
  });

  test("bytes that are no database, or a foreign one, are refused", async () => {
    await expect(openSqljsRows({ bytes: new Uint8Array(2000).fill(7) })).rejects.toThrow(/not a database/);
    await expect(openSqljsRows({ bytes: new Uint8Array(0) })).rejects.toThrow(/not a ledger/);
  });
});
