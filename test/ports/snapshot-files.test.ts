/**
 * Goal: files on disk and in the simulated world behave alike; on disk one is whole or not there, and no location makes
 * a node ask itself, follow for ever, wait for ever or hold more than was announced (protocol 05 §6.5, §6.7, §6.11,
 * §11.3, §14.22, §14.23).
 * Method: directories of their own; real HTTP servers on this machine; a resolver of the test's; virtual time.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { Lookup } from "../../adapters/gateway/addresses.ts";
import { isDistant } from "../../adapters/gateway/addresses.ts";
import { openApiServer } from "../../adapters/http/server.ts";
import { REDIRECTS_MAX } from "../../adapters/snapshots/download.ts";
import type { SnapshotFilesOptions } from "../../adapters/snapshots/files.ts";
import { openSnapshotFiles } from "../../adapters/snapshots/files.ts";
import type { SnapshotFetched, SnapshotWritten } from "../../core/index.ts";
import { createLoop } from "../../sim/clock.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import type { FileConditions } from "../../sim/files.ts";
import { healthyFiles, openNodeFiles } from "../../sim/files.ts";
import { WORLD_START } from "../../sim/world.ts";
import { NEVER_MS } from "../until.ts";
import type { SnapshotEnd, SnapshotWorld } from "./snapshots.contract.ts";
import { archiveOf, describeSnapshots } from "./snapshots.contract.ts";

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A port over a directory of its own that says when nothing is in hand any more. */
function openWatched(options: Partial<SnapshotFilesOptions> = {}) {
  const directory = options.directory ?? join(mkdtempSync(join(tmpdir(), "snapshot-files-")), "kept");
  const written: (readonly [string, SnapshotWritten])[] = [];
  const fetched: (readonly [string, string, SnapshotFetched])[] = [];
  let inHand = 0;
  let notify: () => void = () => undefined;
  const answered = () => {
    inHand -= 1;
    notify();
  };
  const port = openSnapshotFiles({
    directory,
    allowLocal: true,
    timeoutMs: NEVER_MS,
    ...options,
    events: {
      written: (id, outcome) => {
        written.push([id, outcome]);
        answered();
      },
      fetched: (id, location, outcome) => {
        fetched.push([id, location, outcome]);
        answered();
      },
    },
  });
  const order = (act: () => void) => {
    inHand += 1;
    act();
  };
  return {
    directory,
    written,
    fetched,
    port: {
      write: (id: string, archive: Uint8Array) => order(() => port.write(id, archive)),
      fetch: (id: string, location: string, size: bigint) => order(() => port.fetch(id, location, size)),
      close: (done: () => void) =>
        port.close(() => {
          inHand = 0;
          notify();
          done();
        }),
    },
    async settle() {
      while (inHand > 0) {
        await new Promise<void>((done) => {
          notify = done;
        });
      }
    },
  };
}

async function diskEnd(): Promise<SnapshotEnd & { settle(): Promise<void>; end(): Promise<void> }> {
  const watched = openWatched();
  const handlers = { called: () => false, healthy: () => true, openrpc: () => "{}" };
  const api = await openApiServer({ host: "127.0.0.1", port: 0, handlers, snapshotDirectory: watched.directory });
  if (!api.ok) throw new Error(api.error.reason);
  const { port } = api.value.address;
  let closed = false;
  return {
    ...watched,
    port: {
      ...watched.port,
      write: (id, archive) => (closed ? undefined : watched.port.write(id, archive)),
      close(done) {
        closed = true;
        watched.port.close(done);
      },
    },
    locationOf: (id) => `http://127.0.0.1:${port}/snapshot/${id}`,
    async end() {
      await new Promise<void>((done) => watched.port.close(done));
      await new Promise<void>((done) => api.value.close(done));
      rmSync(join(watched.directory, ".."), { recursive: true, force: true });
    },
  };
}

describeSnapshots("a directory, and HTTP", async (): Promise<SnapshotWorld> => {
  const ends = [await diskEnd(), await diskEnd()] as const;
  return {
    ends,
    settle: async () => void (await Promise.all(ends.map((end) => end.settle()))),
    end: async () => void (await Promise.all(ends.map((end) => end.end()))),
  };
});

function simWorld() {
  const clock = createLoop(WORLD_START);
  const faults = createFaultLedger(clock);
  const shelves = new Map();
  const ends = [0, 1].map((node) => {
    const files = openNodeFiles({ node, seed: 5n, clock, faults, shelves, base: `http://10.0.0.${node}:7080` });
    const [written, fetched]: [SnapshotEnd["written"], SnapshotEnd["fetched"]] = [[], []];
    const port = files.open({
      written: (id, outcome) => void written.push([id, outcome]),
      fetched: (id, location, outcome) => void fetched.push([id, location, outcome]),
    });
    return { files, port, written, fetched, locationOf: (id: string) => `${files.base}/snapshot/${id}` };
  });
  const [first, second] = ends;
  if (first === undefined || second === undefined) throw new Error("two ends");
  return { clock, faults, first, second };
}

describeSnapshots("the simulated world", async (): Promise<SnapshotWorld> => {
  const { clock, first, second } = simWorld();
  return {
    ends: [first, second],
    settle: () => clock.runUntil(clock.now() + 3_600_000),
    end: async () => undefined,
  };
});

describe("the simulated world", () => {
  const fetchUnder = async (conditions: Partial<FileConditions>) => {
    const { clock, faults, first, second } = simWorld();
    first.port.write("one", archiveOf(4_000));
    await clock.runUntil(10_000);
    second.files.setConditions({ ...healthyFiles, ...conditions });
    second.port.fetch("one", first.locationOf("one"), 4_000n);
    await clock.runUntil(20_000);
    return { outcome: second.fetched[0]?.[2], counts: faults.counts() };
  };

  test("cuts, damages and hides files, and counts that it did", async () => {
    const hidden = await fetchUnder({ unreachable: 1_000_000 });
    expect(hidden.outcome).toMatchObject({ ok: false, code: "NETWORK_ERROR" });
    expect(hidden.counts).toEqual([{ kind: "file-unreachable", injected: 1, effective: 1 }]);
    const cut = await fetchUnder({ cut: 1_000_000 });
    expect(cut.outcome?.ok && cut.outcome.sizeBytes < 4_000).toBe(true);
    const damaged = await fetchUnder({ damaged: 1_000_000 });
    const bytes = damaged.outcome?.ok ? damaged.outcome.archive : new Uint8Array(0);
    expect(bytes.filter((byte, at) => byte !== archiveOf(4_000)[at])).toHaveLength(1);
    expect(damaged.counts).toEqual([{ kind: "file-damaged", injected: 1, effective: 1 }]);
  });

  test("fails to write on a full disk; serves no file of a node that is down; keeps it for its next process", async () => {
    const { clock, first, second } = simWorld();
    first.files.setConditions({ ...healthyFiles, full: 1_000_000 });
    first.port.write("full", archiveOf(9));
    await clock.runUntil(1_000);
    expect(first.written).toMatchObject([["full", { ok: false, code: "DATABASE_ERROR" }]]);
    first.files.setConditions(healthyFiles);
    first.port.write("one", archiveOf(9));
    await clock.runUntil(2_000);
    first.port.close(() => undefined);
    second.port.fetch("one", first.locationOf("one"), 9n);
    await clock.runUntil(10_000);
    first.files.open({ written: () => undefined, fetched: () => undefined });
    second.port.fetch("one", first.locationOf("one"), 9n);
    await clock.runUntil(20_000);
    expect(second.fetched.map(([, , { ok }]) => ok)).toEqual([false, true]);
  });
});

describe("on disk", () => {
  test("a file is gzip as the reference writes it, of the archive and nothing else", async () => {
    const { port, directory, settle } = openWatched();
    cleanups.push(() => rmSync(join(directory, ".."), { recursive: true, force: true }));
    mkdirSync(directory);
    for (const name of ["older.tar.gz", "half.tar.partial", "notes.txt"]) writeFileSync(join(directory, name), "x");
    port.write("snap-1-2", archiveOf(5_000));
    await settle();
    expect(readdirSync(directory).sort()).toEqual(["notes.txt", "snap-1-2.tar.gz"]);
    const bytes = readFileSync(join(directory, "snap-1-2.tar.gz"));
    expect(bytes.subarray(0, 10).toString("hex")).toBe("1f8b08000000000000ff");
    expect(gunzipSync(bytes)).toEqual(Buffer.from(archiveOf(5_000)));
  });

  test("a directory that cannot be written is an answer, not an end", async () => {
    const parent = mkdtempSync(join(tmpdir(), "snapshot-files-"));
    cleanups.push(() => rmSync(parent, { recursive: true, force: true }));
    writeFileSync(join(parent, "file"), "");
    const { port, written, settle } = openWatched({ directory: join(parent, "file", "below") });
    port.write("one", archiveOf(10));
    await settle();
    expect(written).toMatchObject([["one", { ok: false, code: "DATABASE_ERROR" }]]);
  });
});

describe("over HTTP", () => {
  const gzipped = gzipSync(archiveOf(2_000));
  const fetchFrom = async (
    listener: RequestListener,
    options: Partial<SnapshotFilesOptions> = {},
    path = "/file",
  ): Promise<{ readonly outcome: SnapshotFetched | undefined; readonly asked: readonly string[] }> => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      listener(request, response);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const watched = openWatched(options);
    watched.port.fetch("one", `http://127.0.0.1:${port}${path}`, BigInt(gzipped.length));
    await watched.settle();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    rmSync(join(watched.directory, ".."), { recursive: true, force: true });
    return { outcome: watched.fetched[0]?.[2], asked };
  };
  const hops = (count: number): RequestListener => {
    return ({ url = "" }, response) => {
      const hop = Number(/hop=([0-9]+)/.exec(url)?.[1] ?? 0);
      if (hop >= count) response.end(gzipped);
      else response.writeHead(302, { location: `/file?hop=${hop + 1}` }).end();
    };
  };

  test("a few redirects are followed, and not one more", async () => {
    expect((await fetchFrom(hops(REDIRECTS_MAX))).outcome).toMatchObject({ ok: true, archive: archiveOf(2_000) });
    const { outcome, asked } = await fetchFrom(hops(REDIRECTS_MAX + 1));
    expect(outcome).toMatchObject({ ok: false, code: "NETWORK_ERROR" });
    expect(asked).toHaveLength(REDIRECTS_MAX + 1);
  });

  test.each([
    [
      "no gzip",
      (response: Parameters<RequestListener>[1]) => response.end(gzipped.map((byte) => byte ^ 1)),
      "UNSUPPORTED_OPERATION",
    ],
    ["an error", (response: Parameters<RequestListener>[1]) => response.writeHead(500).end(gzipped), "NETWORK_ERROR"],
    [
      "too long a body",
      (response: Parameters<RequestListener>[1]) => response.end(Buffer.concat([gzipped, gzipped])),
      "SNAPSHOT_VERIFICATION_FAILED",
    ],
    [
      "a body that says it is longer, and stops",
      (response: Parameters<RequestListener>[1]) => {
        response.writeHead(200, { "content-length": gzipped.length + 1 });
        response.write(gzipped.subarray(0, 10));
      },
      "SNAPSHOT_VERIFICATION_FAILED",
    ],
    [
      "half a body",
      (response: Parameters<RequestListener>[1]) => {
        response.writeHead(200, { "content-length": gzipped.length });
        response.write(gzipped.subarray(0, 10), () => response.destroy());
      },
      "NETWORK_ERROR",
    ],
    [
      "an endless body",
      (response: Parameters<RequestListener>[1]) => {
        response.on("error", () => undefined);
        const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
        more();
      },
      "SNAPSHOT_VERIFICATION_FAILED",
    ],
  ] as const)("%s is refused", async (_, answer, code) => {
    const { outcome } = await fetchFrom((_request, response) => void answer(response));
    expect(outcome).toMatchObject({ ok: false, code });
  });

  test("a server that changes over to another protocol has given no file", async () => {
    const refused = await fetchFrom((_request, { socket }) => {
      socket?.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: none\r\n\r\n");
    });
    expect(refused.outcome).toMatchObject({ ok: false, code: "NETWORK_ERROR", reason: "no answer" });
  });

  test("a server that says nothing is given up", async () => {
    const { outcome } = await fetchFrom(() => undefined, { timeoutMs: 60 });
    expect(outcome).toMatchObject({ ok: false, code: "NETWORK_ERROR" });
  });

  test("an archive larger than one may be is refused while it comes out", async () => {
    const bomb = gzipSync(Buffer.alloc(537_000_000));
    const server = createServer((_, response) => response.end(bomb));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const watched = openWatched();
    watched.port.fetch("one", `http://127.0.0.1:${port}/`, BigInt(bomb.length));
    await watched.settle();
    await new Promise((done) => server.close(done));
    expect(watched.fetched[0]?.[2]).toMatchObject({ ok: false, code: "SNAPSHOT_VERIFICATION_FAILED" });
  });

  test("this machine and its wire are asked only by who may: not by address, by name, nor by redirect", async () => {
    const none = await fetchFrom((_, response) => response.end(gzipped), { allowLocal: false });
    expect([none.asked, none.outcome]).toMatchObject([[], { ok: false, code: "NETWORK_ERROR" }]);
    const here: Lookup = (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
    const named = openWatched({ allowLocal: false, lookup: here });
    named.port.fetch("one", "http://files.example.org/file", 10n);
    await named.settle();
    expect(named.fetched[0]?.[2]).toMatchObject({ ok: false, reason: expect.stringContaining("no address") });
  });

  test.each([
    ["127.0.0.1", false],
    ["169.254.169.254", false],
    ["0.0.0.0", false],
    ["::1", false],
    ["::", false],
    ["fe80::1", false],
    ["::ffff:127.0.0.1", false],
    ["10.0.0.1", true],
    ["192.168.1.1", true],
    ["fd00::1", true],
    ["203.0.113.9", true],
    ["2600::1", true],
  ])("%s may be another machine: %s", (address, distant) => expect(isDistant(address)).toBe(distant));
});
