/**
 * Limits of the other adapters: stores, files, gateways, peers' frames, the HTTP API and its client.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { WebSocket } from "ws";
import { openClient } from "../../../adapters/client/client.ts";
import { openVerifiedAhead } from "../../../adapters/crypto/verified-ahead.ts";
import { openHttpGateway } from "../../../adapters/gateway/http-gateway.ts";
import { ByteBudget } from "../../../adapters/libp2p/byte-budget.ts";
import { encodeFrame, FrameReader } from "../../../adapters/libp2p/frames.ts";
import { loadKeyFile } from "../../../adapters/libp2p/key-file.ts";
import { answerPings, PING_PROTOCOL } from "../../../adapters/libp2p/ping.ts";
import { openMemoryRows } from "../../../adapters/memory/store.ts";
import type * as Directory from "../../../adapters/snapshots/directory.ts";
import type * as Download from "../../../adapters/snapshots/download.ts";
import { download } from "../../../adapters/snapshots/download.ts";
import { openSnapshotFiles } from "../../../adapters/snapshots/files.ts";
import { openSqljsRows } from "../../../adapters/sqlite/sqljs.ts";
import type { Rows } from "../../../adapters/store/row-store.ts";
import type { NotificationDelivery } from "../../../core/index.ts";
import { fakeNode } from "../../http/fake-node.ts";
import { withPlantedBug } from "../../planted/planted-bug.ts";
import { closed, memoryNetwork, openTransport } from "../../ports/libp2p-network.ts";
import { openStranger } from "../../ports/libp2p-stranger.ts";
import { Witness } from "../../ports/transport-witness.ts";
import { World } from "../../ports/transport-world.ts";
import { crypto, person } from "../../rpc/lone-node.ts";
import { broughtDown } from "../brought-down.ts";
import type { Limit, Untried } from "../limit.ts";
import { cutAt, most, TAKEN_OR_LEFT } from "../limit.ts";

const silent = () => undefined;
const settled = () => new Promise<void>((done) => setImmediate(() => setImmediate(done)));

/** The rows of the first page, of a table with rows of these lengths. */
function firstPage(rows: Rows, lengths: readonly number[]): number {
  const keyOf = (at: number) => `${at}`.padStart(6, "0");
  rows.commit(lengths.map((length, at) => ({ table: "t", key: keyOf(at), bytes: new Uint8Array(length) })));
  const page = rows.pages().next().value;
  return page?.ok === true ? page.value.rows.length : 0;
}

const stores = { "in memory": () => Promise.resolve(openMemoryRows()), "in SQL": () => openSqljsRows() };

const pages: readonly Limit[] = Object.entries(stores).flatMap(([where, open]): Limit[] => [
  {
    ...cutAt("adapters/store/row-store.ts PAGE_ROWS_MAX", 1_024, async (n) =>
      firstPage(await open(), Array(n).fill(1)),
    ),
    where,
  },
  most(
    "adapters/store/row-store.ts PAGE_BYTES_MAX",
    4_194_304,
    async (bytes) => `${firstPage(await open(), [1_000_000, bytes - 1_000_000])}`,
    { where, within: "2", beyond: "1" },
  ),
]);

const node = person(1).peer;
const delivery = (dispatch: string, endpoint: string, bytes = 1): NotificationDelivery => ({
  ...{ type: "notification.deliver", dispatch, endpoint, body: new Uint8Array(bytes), node },
  signature: "" as never,
});

/** How many gateways are looked up of so many that are handed something, by a resolver that never answers. */
async function resolving(hosts: number): Promise<number> {
  let lookups = 0;
  const lookup = () => {
    lookups += 1;
  };
  const port = openHttpGateway({ delivered: silent, allowPrivate: true, lookup: lookup as never });
  for (let host = 0; host < hosts; host++) port.deliver(delivery(`${host}`, `http://gateway${host}.test/`));
  await settled();
  await new Promise<void>((done) => port.close(done));
  return lookups;
}

/** What becomes of the nth delivery in hand, or of one of so many bytes. */
async function delivered(n: number, bytes = 1): Promise<string> {
  const failed: string[] = [];
  const lookup = silent as never;
  const port = openHttpGateway({ delivered: (dispatch) => void failed.push(dispatch), allowPrivate: true, lookup });
  for (let at = 0; at < n; at++) port.deliver(delivery(`${at}`, "http://gateway.test/", bytes));
  await settled();
  await new Promise<void>((done) => port.close(done));
  return failed.length === 0 ? "taken" : "left";
}

const budget = () => new ByteBudget(1 << 30, 1 << 30);

/** What a reader makes of a frame of so many bytes. */
function framed(bytes: number): string {
  const reader = new FrameReader(budget().lease(person(1).peer));
  return reader.push(encodeFrame(new Uint8Array(bytes)));
}

/** What becomes of a request, or of an answer, of so many bytes between two real transports. */
async function carried(bytes: number, what: "request" | "answer"): Promise<string> {
  const world = new World(memoryNetwork);
  const [a, b] = await world.pair();
  a.send(b, 1, new Uint8Array(what === "request" ? bytes : 1));
  await world.settle(() => b.received.length > 0 || a.verdicts(1).length > 0);
  const [received] = b.received;
  if (received !== undefined) b.port.reply(received.replyTo, new Uint8Array(what === "answer" ? bytes : 1));
  await world.settle(() => a.verdicts(1).length > 0);
  const [verdict] = a.verdicts(1);
  await world.end();
  return verdict?.type ?? "nothing";
}

/** Pings that are answered at once of so many, each on a stream of its own. */
async function pinged(streams: number): Promise<number> {
  const witness = new Witness();
  const transport = await openTransport(witness.events, { limits: { pingIntervalMs: 3_600_000 } });
  witness.node = { peer: transport.peer, port: transport };
  const stranger = await openStranger();
  const connection = await stranger.dial(witness.address);
  const answers = await Promise.all(
    Array.from({ length: streams }, async () => {
      try {
        const stream = await connection.newStream(PING_PROTOCOL, { maxOutboundStreams: 1_000 });
        return await new Promise<number>((resolve) => {
          stream.addEventListener("message", () => resolve(1));
          stream.addEventListener("close", () => resolve(0));
          stream.send(new Uint8Array(32));
        });
      } catch {
        return 0;
      }
    }),
  );
  await stranger.node.stop();
  await closed(transport);
  return answers.reduce<number>((sum, each) => sum + each, 0);
}

/** What becomes of a ping stream of which so many bytes are not read back. */
function unread(bytes: number): string {
  let outcome = "kept";
  const listeners = new Map<string, (event: unknown) => void>();
  answerPings({
    addEventListener: (name: string, listener: (event: unknown) => void) => void listeners.set(name, listener),
    send: () => true,
    abort: () => {
      outcome = "ended";
    },
    writeBufferLength: bytes,
  } as never);
  listeners.get("message")?.({ data: { subarray: () => new Uint8Array(32) } });
  return outcome;
}

/** What becomes of something done with a folder of its own. */
async function inFolder<T>(act: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "limits-"));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const keyFile = (bytes: number) =>
  inFolder((folder) => {
    const { secret } = person(1);
    const text = JSON.stringify([...secret, ...crypto.publicKey(secret)]);
    writeFileSync(join(folder, "key.json"), text.padEnd(bytes, " "), { mode: 0o600 });
    const loaded = loadKeyFile(join(folder, "key.json"));
    return loaded.ok ? "read" : loaded.error.code;
  });

/** Something done with a real HTTP server. */
async function served<T>(answer: RequestListener, act: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const fetching = { allowLocal: true, timeoutMs: 60_000, lookup: silent as never };
const never = new AbortController().signal;
const packed = gzipSync(new Uint8Array(10));

/** A file behind so many redirects. */
const redirected = (hops: number) =>
  served(
    ({ url = "/0" }, response) => {
      const hop = Number(url.slice(1));
      if (hop < hops) response.writeHead(302, { location: `/${hop + 1}` }).end();
      else response.end(packed);
    },
    async (url) => {
      const fetched = await download(`${url}/0`, BigInt(packed.length), fetching, never);
      return fetched.ok ? "fetched" : fetched.code;
    },
  );

const FILE_BYTES = {
  file: "core/ports/snapshots.ts",
  find: "export const FILE_BYTES_MAX = 536_870_912;",
  value: 536_870_912,
};

/** A file of an archive of so many bytes. */
const fetchedOf = broughtDown(
  { ...FILE_BYTES, replace: "export const FILE_BYTES_MAX = 100;", small: 100 },
  (bytes, load) => {
    const file = gzipSync(new Uint8Array(bytes));
    return served(
      (_, response) => void response.end(file),
      async (url) => {
        const { download: fetch } = await load<typeof Download>("adapters/snapshots/download.ts");
        const fetched = await fetch(url, BigInt(file.length), fetching, never);
        return fetched.ok ? "ok" : fetched.code;
      },
    );
  },
);

const archive = new Uint8Array(5_000);
/** As the adapter compresses it. */
const compressed = gzipSync(archive, { level: 6 }).length;

/** A file of so many bytes more than there may be: the limit is brought down around one file. */
async function keptOf(bytes: number): Promise<string> {
  const limit = compressed - (bytes - FILE_BYTES.value);
  const replace = `export const FILE_BYTES_MAX = ${limit};`;
  return withPlantedBug({ ...FILE_BYTES, replace }, (load) =>
    inFolder(async (folder) => {
      const { keepFile } = await load<typeof Directory>("adapters/snapshots/directory.ts");
      const kept = await keepFile(folder, "file", archive);
      return kept.ok ? "ok" : kept.code;
    }),
  );
}

/** Whether something that takes so many milliseconds is waited for, by the time-out that was asked of the runtime. */
async function waitedFor(ms: number, act: () => unknown): Promise<string> {
  const real = AbortSignal.timeout;
  let longest = 0;
  AbortSignal.timeout = (asked) => {
    longest = asked;
    return AbortSignal.abort();
  };
  try {
    await act();
    return longest >= ms ? "waited for" : "given up";
  } finally {
    AbortSignal.timeout = real;
  }
}

const called = (ms: number) =>
  waitedFor(ms, () => {
    const answer = { text: () => Promise.resolve('{"jsonrpc":"2.0","id":1,"result":"ok"}') };
    return openClient({ url: "http://127.0.0.1:1", fetch: () => Promise.resolve(answer as Response) }).call(
      "getHealth",
    );
  });

const downloaded = (ms: number) =>
  waitedFor(ms, () =>
    inFolder(
      (directory) =>
        new Promise((fetched) =>
          openSnapshotFiles({ directory, allowLocal: true, events: { written: silent, fetched } }).fetch(
            ...(["id", "http://127.0.0.1:1/", 1n] as const),
          ),
        ),
    ),
  );

/** What a server says of a file whose name has so many characters: that the name is none, or that there is no page. */
async function namedBy(characters: number): Promise<string> {
  const node = await fakeNode();
  const response = await fetch(`${node.url}/snapshot/${"x".repeat(characters)}`);
  return (await response.text()) || `${response.status}`;
}

/** What becomes of a subscriber who says so much. */
async function subscriberSaying(bytes: number): Promise<string> {
  const node = await fakeNode();
  const socket = new WebSocket(`ws://127.0.0.1:${node.port.address.port}/ws`);
  await new Promise((opened) => socket.on("open", opened));
  const over = new Promise<string>((resolve) => {
    socket.on("close", (reason) => resolve(`closed with ${reason}`));
    socket.on("pong", () => resolve("kept"));
  });
  socket.send(new Uint8Array(bytes));
  socket.ping();
  const outcome = await over;
  socket.terminate();
  return outcome;
}

const KEPT_OR_CLOSED = { within: "kept", beyond: "closed with 1009" };
const OK_OR_TOO_LARGE = { within: "ok", beyond: "SNAPSHOT_VERIFICATION_FAILED" };
const WAITED_OR_NOT = { within: "waited for", beyond: "given up" };

export const limits: readonly Limit[] = [
  ...pages,
  cutAt("adapters/gateway/http-gateway.ts IN_FLIGHT_MAX", 64, resolving),
  most("adapters/gateway/http-gateway.ts QUEUE_MAX", 10_000, (n) => delivered(n), TAKEN_OR_LEFT),
  most("adapters/gateway/http-gateway.ts BODY_BYTES_MAX", 65_536, (bytes) => delivered(1, bytes), TAKEN_OR_LEFT),
  most("adapters/libp2p/limits.ts ENVELOPE_BYTES_MAX", 1_048_576, framed, {
    where: "read",
    within: "complete",
    beyond: "too large",
  }),
  most("adapters/libp2p/limits.ts ENVELOPE_BYTES_MAX", 1_048_576, (n) => carried(n, "request"), {
    where: "sent",
    within: "answered",
    beyond: "failed",
  }),
  most("adapters/libp2p/limits.ts ENVELOPE_BYTES_MAX", 1_048_576, (n) => carried(n, "answer"), {
    where: "answered",
    within: "answered",
    beyond: "failed",
  }),
  cutAt("adapters/libp2p/ping.ts PING_STREAMS_MAX", 8, pinged),
  most("adapters/libp2p/ping.ts UNSENT_BYTES_MAX", 64, unread, { within: "kept", beyond: "ended" }),
  most("adapters/libp2p/key-file.ts KEY_FILE_BYTES_MAX", 4_096, keyFile, { within: "read", beyond: "malformed" }),
  most("adapters/snapshots/download.ts REDIRECTS_MAX", 3, redirected, { within: "fetched", beyond: "NETWORK_ERROR" }),
  most("core/ports/snapshots.ts FILE_BYTES_MAX", 536_870_912, fetchedOf, { where: "fetched", ...OK_OR_TOO_LARGE }),
  most("core/ports/snapshots.ts FILE_BYTES_MAX", 536_870_912, keptOf, { where: "kept", ...OK_OR_TOO_LARGE }),
  most("adapters/client/client.ts CALL_MS_MAX", 30_000, called, WAITED_OR_NOT),
  most("adapters/snapshots/files.ts DOWNLOAD_MS_MAX", 300_000, downloaded, WAITED_OR_NOT),
  most("adapters/http/server.ts NAME_LENGTH_MAX", 1_024, namedBy, {
    within: "invalid snapshot id",
    beyond: "malformed URL",
  }),
  most("adapters/http/streams.ts INBOUND_BYTES_MAX", 65_536, subscriberSaying, KEPT_OR_CLOSED),
  most("adapters/crypto/verified-ahead.ts VERDICTS_AHEAD_MAX", 8_192, verifiedAhead, {
    within: "remembered",
    beyond: "reached again",
  }),
];

/** Whether the first of so many verdicts is still told, or reached again. */
async function verifiedAhead(n: number): Promise<string> {
  let asked = 0;
  const verify = () => {
    asked += 1;
    return true;
  };
  const ahead = openVerifiedAhead({ ...crypto, verify, verifyLater: (_key, _message, _signature, done) => done(true) });
  const [key, none] = [new Uint8Array(32), new Uint8Array(0)];
  const signature = (at: number) => Uint8Array.of(at & 255, at >> 8);
  for (let at = 0; at < n; at++) ahead.verify([{ key, message: none, signature: signature(at) }], () => undefined);
  ahead.crypto.verify(key, none, signature(0));
  return asked === 0 ? "remembered" : "reached again";
}

export const untried: readonly Untried[] = [
  {
    of: "adapters/crypto/native.ts KEYS_CACHED_MAX",
    because: "a memory of parsed keys: one that is forgotten is parsed again, with the same verdicts",
  },
  {
    of: "adapters/crypto/native.ts POINTS_CACHED_MAX",
    because: "a memory of verdicts on points: one that is forgotten is reached again",
  },
  {
    of: "adapters/libp2p/stack.ts STREAMS_PER_CONNECTION_MAX",
    because: "given to the library, above what all protocols together let a peer open",
  },
  {
    of: "adapters/libp2p/stack.ts UNREAD_BYTES_MAX",
    because: "given to the library, above the largest envelope, which our own reader refuses first",
  },
];
