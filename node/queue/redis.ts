/**
 * The connection to the Redis that holds the jobs: reached and of a version that serves, or refused in one line; lost
 * later, it is waited for. Who else is connected is read off the names of connections. Source: DESIGN section 8 "work
 * over many machines".
 */
import { hostname } from "node:os";
import { Redis } from "ioredis";
import { UsageError } from "../sim/usage.ts";
import type { Code } from "./code.ts";

/** The oldest Redis, as major and minor number: what BullMQ asks for. */
const OLDEST = [6, 2] as const;
/** For how long a Redis is waited for until it is connected and says what it is, in milliseconds. */
const ANSWER_MS = 10_000;
/** Between two attempts to come back, in milliseconds: the shortest and the longest. */
const [RETRY_MS, RETRY_MS_MAX] = [100, 2_000];
/** Names the password of a Redis whose URL holds none, so that no list of processes shows it. */
const PASSWORD = "OFS_QUEUE_PASSWORD";

/** Who is connected: what hands jobs out, or what runs them, so many at once. */
export interface Peer {
  readonly role: "coordinator" | "worker";
  readonly code: Code;
  readonly slots: number;
}

/** The Redis of a queue. */
export interface QueueRedis {
  readonly client: Redis;
  /** Where it is, without the password. */
  readonly place: string;
  /** Who is connected; nothing where this Redis does not say. */
  peers(): Promise<readonly Peer[] | undefined>;
  /**
   * A second connection, for what waits for the events of a stream, and the newest of them that is there already.
   * Fails with a line that ends the command, and ends this one as well.
   */
  openListener(stream: string): Promise<{ readonly listener: Redis; readonly newest: string }>;
  /** Ends both for good. */
  end(): void;
}

/** Connects under a name that says who this is. Fails with a line that ends the command. */
export async function openRedis(url: string, self: Peer, answerMs = ANSWER_MS): Promise<QueueRedis> {
  const place = placeOf(url);
  const password = process.env[PASSWORD];
  const client = new Redis(url, {
    ...(new URL(url).password === "" && password !== undefined && { password }),
    connectionName: nameOf(self),
    maxRetriesPerRequest: null,
    lazyConnect: true,
  });
  await connected(client, place, answerMs, async () => checkVersion(await client.info("server"), place));
  const opened = [client];
  const end = () => opened.forEach(endConnection);
  return {
    ...{ client, place, end },
    async peers() {
      try {
        return peersIn(String(await client.client("LIST")));
      } catch (error) {
        // Some hosted ones do not tell.
        if (client.status === "ready" && error instanceof Error && error.name === "ReplyError") return undefined;
        throw error;
      }
    },
    async openListener(stream) {
      const listener = client.duplicate({ connectionName: "ofs-listener" });
      // BullMQ takes it as it is: nobody but BullMQ could end a copy.
      listener.duplicate = () => listener;
      opened.push(listener);
      try {
        const last = () => listener.xrevrange(stream, "+", "-", "COUNT", 1);
        const [newest] = await connected(listener, place, answerMs, last);
        return { listener, newest: newest?.[0] ?? "0-0" };
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

/** Waits for what a connection is asked first; lost later, it is waited for. Fails with a line that ends a command. */
async function connected<T>(client: Redis, place: string, answerMs: number, ask: () => Promise<T>): Promise<T> {
  let last = "it does not answer";
  client.on("error", (error: Error) => {
    last = error.message;
  });
  // Only once it was there is it waited for.
  client.options.retryStrategy = () => null;
  // What takes a connection and never answers is away as well.
  const patience = setTimeout(() => client.disconnect(), answerMs);
  try {
    await client.connect();
    const answer = await ask();
    client.options.retryStrategy = (times) => Math.min(times * RETRY_MS, RETRY_MS_MAX);
    return answer;
  } catch (error) {
    client.disconnect();
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error && error.message !== "Connection is closed." ? error.message : last;
    throw new UsageError(`Redis at ${place} cannot be used: ${reason}.`);
  } finally {
    clearTimeout(patience);
  }
}

/** Ends a connection for good, also one that is between two attempts to come back. */
function endConnection(client: Redis): void {
  // Told to disconnect there, ioredis makes no further attempt and never says that this was the end; BullMQ waits for
  // that. One that was not begun yet ends at once.
  if (client.status === "reconnecting") client.status = "wait";
  client.disconnect();
}

/** Where a URL leads, without the password. Fails with a line that ends the command. */
export function placeOf(url: string): string {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !["redis:", "rediss:"].includes(read.protocol) || read.hostname === "")
    throw new UsageError("--queue takes the URL of a Redis, for example redis://127.0.0.1:6379.");
  return `${read.protocol}//${read.host}${read.pathname === "/" ? "" : read.pathname}`;
}

/** Refuses a Redis that is too old, or that is none. */
export function checkVersion(info: string, place: string): void {
  const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? "unknown";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least, then] = OLDEST;
  if (major > least || (major === least && minor >= then)) return;
  throw new UsageError(`Redis at ${place} is ${version}; ${OLDEST.join(".")} or later is needed.`);
}

/** A name that a connection can have: no spaces. */
function nameOf({ role, code, slots }: Peer): string {
  const host = hostname().replaceAll(/[^A-Za-z0-9.-]/g, "-");
  return `ofs-${role}:${code.version}:${code.hash}:${slots}:${host}:${process.pid}`;
}

const NAME = / name=ofs-(coordinator|worker):([^: ]+):([0-9a-f]{64}):([0-9]{1,4}):/;

/** Whom a list of connections names. */
export function peersIn(list: string): readonly Peer[] {
  return list.split("\n").flatMap((line) => {
    const [, role, version = "", hash = "", slots] = NAME.exec(line) ?? [];
    if (role !== "coordinator" && role !== "worker") return [];
    return [{ role, code: { version, hash }, slots: Number(slots) }];
  });
}
