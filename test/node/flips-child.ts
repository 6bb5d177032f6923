/**
 * A process that opens damaged ledgers, one for each line that it is told, and says what came of each: a library that
 * aborts for a byte of a file takes this process and not the test's. Usage: flips-child.ts LEDGER IDENTITY SCRATCH; a
 * line is `FILE OFFSET BIT`, `FILE LENGTH cut`, or `whole`; an answer is one line of JSON.
 */
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startNode } from "../../node/production/start-node.ts";

const [ledger = "", identity = "", scratch = ""] = process.argv.slice(2);
const LOOPBACK = { host: "127.0.0.1", port: 0 };
/** What a reader of the trades would see. */
const READS = ["getAdvertisements", "getReservations", "getSettlements", "getDisputes", "getPaymentMethods"] as const;

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await outcomeOf(line)));
process.exit(0);

/** The roots and answers of the node that opens it, or the one line with which it refused. */
async function outcomeOf(line: string): Promise<object> {
  rmSync(scratch, { recursive: true, force: true });
  cpSync(ledger, scratch, { recursive: true });
  const [file, offset, bit] = line.split(" ");
  if (file !== undefined && bit === "cut") truncateSync(join(scratch, file), Number(offset));
  else if (file !== undefined && offset !== undefined) flip(join(scratch, file), Number(offset), Number(bit));
  const node = await startNode({ ledger: scratch, identity, admin: LOOPBACK });
  if (!node.ok) return { refused: node.error.reason.replaceAll(scratch, "LEDGER"), code: node.error.code };
  const { admin, client, close } = node.value;
  try {
    const roots = await (await fetch(`${admin?.url}/debug/roots`)).json();
    const answers: unknown[] = [];
    for (const read of READS) answers.push(await client().call(read, {} as never));
    const text = JSON.stringify(answers, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    return { roots, answers: text };
  } finally {
    await close();
  }
}

function flip(path: string, offset: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
  writeFileSync(path, bytes);
}
