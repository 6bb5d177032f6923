// Goal: the ledger on disk keeps the contract, opens only what is its own, and is held by one process at a time.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import { openLibsql } from "../../adapters/sqlite/libsql-driver.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { failurePlan } from "./failing-driver.ts";
import { describeStore } from "./store.contract.ts";

describeStore("libsql", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  const plan = failurePlan();
  let life = 0;
  const open: StorePort[] = [];
  const pathOf = (): string => join(folder, `${life}`);
  mkdirSync(pathOf());
  return {
    open: async () => {
      const result = openLedger(pathOf(), { driver: (path) => plan.between(openLibsql(path)) });
      if (!result.ok) throw new Error(result.error.reason);
      open.push(result.value);
      return result.value;
    },
    // What the operating system holds of the files is what a killed process leaves; the next life opens that.
    crash: () => {
      const left = pathOf();
      life += 1;
      cpSync(left, pathOf(), { recursive: true });
    },
    failCall: plan.failCall,
    failed: plan.failed,
    dispose: () => {
      plan.failCall(0);
      for (const store of open) store.close(() => undefined);
      setImmediate(() => rmSync(folder, { recursive: true, force: true }));
    },
  };
});
