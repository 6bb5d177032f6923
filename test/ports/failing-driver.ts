/**
 * An SQL driver whose nth call fails, once: what stands between the rows and the library in the store contract.
 */
import type { SqlDriver } from "../../adapters/sqlite/sql-driver.ts";

export interface FailurePlan {
  readonly between: (driver: SqlDriver) => SqlDriver;
  readonly failCall: (n: number) => void;
  readonly failed: () => boolean;
}

/** A plan that fails nothing until `failCall`. */
export function failurePlan(): FailurePlan {
  let left = 0;
  const call = <T>(run: () => T): T => {
    if (left > 0) {
      left -= 1;
      if (left === 0) throw new Error("planned failure");
    }
    return run();
  };
  return {
    between: (driver) => ({
      exec: (sql) => call(() => driver.exec(sql)),
      execLater: async (sql) => call(() => driver.execLater?.(sql)),
      prepare: (sql) => {
        const statement = call(() => driver.prepare(sql));
        return {
          run: (values) => call(() => statement.run(values)),
          all: (values) => call(() => statement.all(values)),
        };
      },
      close: driver.close,
    }),
    failCall: (n) => {
      left = n;
    },
    failed: () => left === 0,
  };
}
