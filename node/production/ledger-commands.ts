/**
 * What is done with a ledger beside running a node on it: check, repair, backup, export. A running node holds
 * its ledger alone, so it makes its own copy when its admin address asks for one. Source: protocol 05 §11.3; DESIGN
 * section 6.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { makeFolder } from "../../adapters/folders/make-folder.ts";
import { syncDirectory, syncFile, syncLargeFile } from "../../adapters/folders/sync.ts";
import { LEDGER_FILE, openLedger, salvagedRows } from "../../adapters/sqlite/ledger.ts";
import type { LedgerFailure } from "../../adapters/sqlite/ledger-failure.ts";
import type { EpochMillis, RootTexts } from "../../core/index.ts";
import { createDriver, ok, peerOfKey, publicKeyText } from "../../core/index.ts";
import type { StorePort, StoreRow } from "../../core/ports/store.ts";
import { askForBackup } from "./backup-request.ts";
import { directoryProblem } from "./directories.ts";
import { NETWORK_FILE, networkOfLedger } from "./network.ts";
import type { Terminal } from "./usage.ts";
import { Failure, packageVersion, Refusal } from "./usage.ts";
import { loadFailureLine } from "./watched-store.ts";

/** Rows written at once while a ledger is repaired. */
const BATCH_ROWS = 1_024;
const IDENTITY_FILE = "identity.json";
/** What a ledger is called in its new directory, or the directory in it that holds it, until it is whole. */
const UNFINISHED = "unfinished";

/** `check`: every row and every record is read, and the roots told. */
export async function checkCommand(ledger: string, terminal: Terminal): Promise<void> {
  const { rows, roots } = await inspected(ledger);
  terminal.out(`ok rows=${rows} statements=${roots.statements} facts=${roots.facts} state=${roots.state}\n`);
}

/** `export`: one JSON object a line, as the rows are kept. */
export async function exportCommand(ledger: string, out: string, terminal: Terminal): Promise<void> {
  let file: number;
  try {
    file = openSync(out, "wx", 0o600);
  } catch (error) {
    throw new Refusal(`--out ${out} cannot be written: ${(error as Error).message}`);
  }
  let rows = 0;
  try {
    await eachRow(ledger, ({ table, key, bytes }) => {
      rows += 1;
      writeFileSync(file, `${JSON.stringify({ table, key, bytes: Buffer.from(bytes).toString("base64") })}\n`);
    });
    fsyncSync(file);
  } catch (error) {
    // Half a list looks like a whole one.
    rmSync(out, { force: true });
    throw told(`${out} cannot be written`, error);
  } finally {
    closeSync(file);
  }
  terminal.out(`${out} rows=${rows}\n`);
}

/** `backup`: of a ledger that no node holds. The copy is read whole before it is called one. */
export async function backupCommand(ledger: string, out: string, terminal: Terminal): Promise<void> {
  const opened = openedLedger(existing(ledger));
  try {
    await copyLedger(opened.copyTo, ledger, out);
  } finally {
    await closed(opened.value);
  }
  await verified(out, undefined, terminal);
}

/** `backup --admin`: of a running node, whose roots the copy must have. */
export async function hotBackupCommand(admin: string, out: string, terminal: Terminal): Promise<void> {
  // The node may have rights that this user lacks.
  refuseUnlessNew(out, "or denied");
  const answered = await askForBackup(admin, resolve(out));
  await verified(out, answered, terminal);
}

/** `repair`: what can be read goes into a new ledger; what cannot is named. The damaged one stays as it is. */
export async function repairCommand(ledger: string, out: string, terminal: Terminal): Promise<void> {
  existing(ledger);
  refuseUnlessNew(out);
  const rows = salvagedRows(join(ledger, LEDGER_FILE), out);
  if (!rows.ok) throw refusalOf(rows.error);
  const unfinished = join(out, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    const target = openedLedger(unfinished).value;
    const { kept, lost } = await keepRows(rows.value, target, out, terminal).finally(() => closed(target));
    copyBesides(ledger, out);
    moveDurably(join(unfinished, LEDGER_FILE), join(out, LEDGER_FILE));
    terminal.out(`${out} kept=${kept} lost=${lost}\n`);
  } catch (error) {
    throw told(`${out} cannot be written`, error);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Writes rows into a new ledger, and tells each that is lost. */
async function keepRows(
  rows: Iterable<StoreRow | string>,
  target: StorePort,
  out: string,
  terminal: Terminal,
): Promise<{ readonly kept: number; readonly lost: number }> {
  let [kept, lost] = [0, 0];
  let batch: StoreRow[] = [];
  const write = async (): Promise<void> => {
    const writes = batch;
    batch = [];
    const result = await new Promise<{ readonly ok: boolean }>((done) => target.commit(writes, done));
    if (!result.ok) throw new Failure(`${out} cannot be written: its disk may be full.`);
    kept += writes.length;
  };
  for (const row of rows) {
    if (typeof row === "string") {
      lost += 1;
      terminal.err(`lost: ${row}\n`);
    } else batch.push(row);
    if (batch.length >= BATCH_ROWS) await write();
  }
  await write();
  return { kept, lost };
}

/**
 * Copies an open ledger, with the key that lies in it, into a new directory, durably, for its owner alone. It has its
 * name there once it is whole: what a full disk or a kill leaves is none that a node would begin with.
 */
export async function copyLedger(copyTo: (path: string) => Promise<void>, ledger: string, out: string): Promise<void> {
  refuseUnlessNew(out);
  const path = join(out, UNFINISHED);
  makeFolder(out, 0o700);
  const clear = () => {
    for (const end of ["", "-journal"]) rmSync(path + end, { force: true });
  };
  clear();
  try {
    await copyTo(path);
    chmodSync(path, 0o600);
    await syncLargeFile(path);
    copyBesides(ledger, out);
    moveDurably(path, join(out, LEDGER_FILE));
  } catch (error) {
    throw told(`no copy was made in ${out}`, error);
  } finally {
    clear();
  }
}

/** What an operator is told of what the system or SQLite said; what was a line already stays one. */
function told(what: string, error: unknown): Error {
  if (error instanceof Refusal || error instanceof Failure) return error;
  return new Failure(`${what}: ${(error as Error).message.split("\n")[0]}; its disk may be full.`);
}

/** Gives a file that is on the disk its name in another place of it. */
function moveDurably(from: string, to: string): void {
  renameSync(from, to);
  syncDirectory(dirname(to));
}

/** A directory for a ledger holds none, and can be made where it is missing, by this user unless said otherwise. */
function refuseUnlessNew(out: string, unless?: "or denied"): void {
  if (out.trim() === "") throw new Refusal("--out is empty: name a new directory.");
  if (existsSync(join(out, LEDGER_FILE)))
    throw new Refusal(`--out ${out} holds a ledger already; name a new directory.`);
  const problem = directoryProblem("--out", out);
  if (problem !== undefined && !(problem.denied && unless !== undefined)) throw new Refusal(problem.line);
}

/** What lies beside the rows: the key, and which network they are of. */
function copyBesides(ledger: string, out: string): void {
  for (const name of [IDENTITY_FILE, NETWORK_FILE]) {
    if (!existsSync(join(ledger, name))) continue;
    copyFileSync(join(ledger, name), join(out, name));
    syncFile(join(out, name));
  }
}

async function verified(out: string, expected: RootTexts | undefined, terminal: Terminal): Promise<void> {
  const { rows, roots } = await inspected(out);
  const differs =
    expected !== undefined && (["statements", "facts", "state"] as const).some((r) => roots[r] !== expected[r]);
  if (differs) throw new Failure(`${out} has other roots than the node had; remove it and make another backup.`);
  terminal.out(`${out} rows=${rows} statements=${roots.statements} facts=${roots.facts} state=${roots.state}\n`);
}

/** Reads a whole ledger as a node would, and writes nothing. */
async function inspected(ledger: string): Promise<{ readonly rows: number; readonly roots: RootTexts }> {
  // Opened once: what cannot be closed in order, as on a full disk, is held until this process ends.
  const store = openedToRead(ledger);
  try {
    let rows = 0;
    await eachRowOf(store, ledger, () => {
      rows += 1;
    });
    return { rows, roots: await rootsOf(store, ledger) };
  } finally {
    await closed(store);
  }
}

function rootsOf(store: StorePort, ledger: string): Promise<RootTexts> {
  const crypto = openNativeCrypto();
  const secretKey = new Uint8Array(32);
  const key = crypto.publicKey(secretKey);
  return new Promise((told) => {
    const driver = createDriver({
      ...{ crypto, bootSeed: secretKey, now: () => BigInt(Date.now()) as EpochMillis, perform: () => undefined },
      store: { ...store, commit: (_writes, done) => done(ok(null)) },
      observe(input) {
        if (input.type === "store.loaded" && input.last) told(driver.roots());
      },
      configuration: {
        ...{ profile: networkOfLedger(ledger).profile, secretKey, publicKey: publicKeyText(key) },
        ...{ peerId: peerOfKey(key), chain: "GossipOnly", announcedAddresses: [], entrypoints: [], roles: [] },
        version: packageVersion(),
      },
    });
  });
}

/** Hands over every row, or fails with the line about the one that is damaged. */
async function eachRow(ledger: string, take: (row: StoreRow) => void): Promise<void> {
  const store = openedToRead(ledger);
  await eachRowOf(store, ledger, take).finally(() => closed(store));
}

function eachRowOf(store: StorePort, ledger: string, take: (row: StoreRow) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    store.load((page) => {
      if (!page.ok) return reject(new Failure(loadFailureLine(ledger, page.error)));
      try {
        for (const row of page.value.rows) take(row);
      } catch (error) {
        return reject(error as Error);
      }
      if (page.value.last) resolve();
    }),
  );
}

function openedToRead(ledger: string): StorePort {
  return openedLedger(existing(ledger)).value;
}

/** Nothing is made where nothing is. */
function existing(ledger: string): string {
  if (ledger !== "" && existsSync(join(ledger, LEDGER_FILE))) return ledger;
  throw new Refusal(ledger === "" ? "--ledger <dir> is needed." : `--ledger ${ledger} holds no ledger.`);
}

function openedLedger(ledger: string) {
  const opened = openLedger(ledger);
  if (opened.ok) return opened;
  throw refusalOf(opened.error);
}

function refusalOf({ code, reason }: LedgerFailure): Refusal | Failure {
  if (code === "held") return new Refusal(`${reason}: stop the node, or use backup --admin with its admin address.`);
  return code === "damaged" || code === "full" || code === "broken" ? new Failure(reason) : new Refusal(reason);
}

function closed(store: StorePort): Promise<void> {
  return new Promise((done) => store.close(done));
}
