/**
 * A process that holds a ledger until it is killed: commits without end and says on a line of its own what was
 * acknowledged. `hold` only holds; `spill` dies in the middle of writing the file.
 */
import Database from "libsql";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import type { StoreWrite } from "../../core/ports/store.ts";

const [mode = "", directory = ""] = process.argv.slice(2);

if (mode === "spill") spill();
else run();

function run(): void {
  const ledger = openLedger(directory);
  if (!ledger.ok) {
    console.log(`${ledger.error.code}: ${ledger.error.reason}`);
    process.exit(2);
  }
  console.log("open");
  const next = (n: number): void => {
    const rows = Array.from({ length: 1 + (n % 7) }, (_, at) =>
      row("acknowledged", `${n}.${at}`, "ab".repeat(n % 5000)),
    );
    ledger.value.commit([...rows, row("newest", "n", Buffer.from(`${n}`).toString("hex"))], (outcome) => {
      if (!outcome.ok) process.exit(3);
      // Written at once: what stands in the pipe was acknowledged before the process was killed.
      process.stdout.write(`${n}\n`);
      next(n + 1);
    });
  };
  if (mode === "commit") next(1);
  else process.stdin.resume();
}

function row(table: string, key: string, hex: string): StoreWrite {
  return { table, key, bytes: Buffer.from(hex, "hex") };
}

/** As a creation, or a change, that is cut short: part of the transaction has already been written into the file. */
function spill(): void {
  const database = new Database(`${directory}/${LEDGER_FILE}`);
  database.exec("PRAGMA cache_size = 1");
  database.exec("BEGIN");
  database.exec("CREATE TABLE IF NOT EXISTS half (x BLOB)");
  for (let row = 0; row < 50; row += 1) database.prepare("INSERT INTO half VALUES (zeroblob(4000))").run([]);
  process.kill(process.pid, "SIGKILL");
}
