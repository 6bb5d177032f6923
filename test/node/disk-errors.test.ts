/**
 * Goal: while its disk is full, refuses writes or makes nothing durable, a node answers sends with DATABASE_ERROR and
 * reads as before; it goes on by itself, and what it acknowledged is there after it was killed (L9).
 * Method: a real process whose calls to write and to make durable fail as it is told, under several senders, killed in
 * the end and started on the disk as it is. One life here, many by night.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import { runsOf, tries } from "../property/profile.ts";
import { needsClang } from "../requirements.ts";
import { until } from "../until.ts";
import type { NodeProcess } from "./node-process.ts";
import { call, startNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-disk-errors-"));
const [library, control] = [join(folder, "failing-disk.so"), join(folder, "disk")];
let running: NodeProcess | undefined;
afterAll(async () => {
  await running?.kill();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => vi.unstubAllEnvs());

const LIVES = runsOf(1, 100);
const FAULTS = { "a full disk": "f", "write errors": "w", "a disk that makes nothing durable": "s" } as const;
const SENDERS = 4;
/** Sends that may be acknowledged while the disk begins to fail, and more. */
const FEW = 100;

const tell = (order: string) => writeFileSync(control, order);

/** The error that a send was refused with; nothing when it was acknowledged. */
async function sent({ rpc }: NodeProcess, id: string): Promise<string | undefined> {
  const data = advertisementData(id, BigInt(Date.now()) as EpochMillis, "tagged");
  const { error } = await call(rpc, "sendAdvertisementCreate", { data });
  return error === undefined ? undefined : (error as { readonly message: string }).message;
}

/** Sends of several at a time until told to end; keeps what was acknowledged, and each error that was not. */
function senders(node: NodeProcess, life: string) {
  const [acknowledged, errors] = [new Set<string>(), new Set<string>()];
  let isOver = false;
  const one = async (sender: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const id = `${life}-${sender}-${n}`;
      const error = await sent(node, id);
      if (error === undefined) acknowledged.add(id);
      else errors.add(error);
    }
  };
  const all = Promise.all(Array.from({ length: SENDERS }, (_, sender) => one(sender)));
  const end = async () => {
    isOver = true;
    await all;
  };
  return { acknowledged, errors, end };
}

needsClang("a disk that fails", (clang) => {
  beforeAll(() => {
    const source = fileURLToPath(new URL("./failing-disk.c", import.meta.url));
    execFileSync(clang, ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  });

  test("nothing acknowledged is lost, reads go on, and the node with them", async () => {
    for (const life of tries("disk errors", LIVES)) {
      const ledger = join(folder, `${life}`);
      tell(".");
      vi.stubEnv("LD_PRELOAD", library);
      vi.stubEnv("OFS_TEST_DISK", control);
      const starting = startNode(ledger, "--rate-limit", "off");
      vi.unstubAllEnvs();
      const node = await starting;
      running = node;
      expect(await sent(node, "first")).toBe(undefined);
      const { acknowledged, errors, end } = senders(node, `${life}`);
      for (const [fault, order] of Object.entries(FAULTS)) {
        errors.clear();
        const soFar = acknowledged.size;
        tell(order);
        await until(() => errors.size > 0 || acknowledged.size > soFar + FEW);
        expect({ fault, errors: [...errors] }).toEqual({ fault, errors: ["DATABASE_ERROR"] });
        const read = await call(node.rpc, "getAdvertisement", { id: "first" });
        expect({ fault, read }).toEqual({ fault, read: expect.objectContaining({ result: expect.anything() }) });
        expect((await fetch(`${node.admin}/ready`)).status).toBe(503);
        tell(".");
        const before = acknowledged.size;
        await until(() => acknowledged.size > before + SENDERS);
      }
      tell("s");
      await end();
      await node.kill();
      running = await startNode(ledger, "--rate-limit", "off");
      const lost: string[] = [];
      for (const id of ["first", ...acknowledged])
        if ((await call(running.rpc, "getAdvertisement", { id })).result === null) lost.push(id);
      expect(lost).toEqual([]);
      await running.kill();
    }
  });
});
