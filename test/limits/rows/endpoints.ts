/**
 * Limits of the chain adapter: endpoints, what is asked of them at once and how often, and how much they may say.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Connection } from "@solana/web3.js";
import { PublicKey } from "@solana/web3.js";
import { WebSocketServer } from "ws";
import { openAccountReads } from "../../../adapters/chain/account-reads.ts";
import type { Endpoint } from "../../../adapters/chain/endpoint.ts";
import { openEndpoint } from "../../../adapters/chain/endpoint.ts";
import type { Failure } from "../../../adapters/chain/failures.ts";
import { EndpointError } from "../../../adapters/chain/failures.ts";
import { openHead } from "../../../adapters/chain/head.ts";
import { HINTS_TIMING, openHints } from "../../../adapters/chain/hints.ts";
import type * as History from "../../../adapters/chain/history.ts";
import { endpointError } from "../../../adapters/chain/probe.ts";
import { linkProgram } from "../../../adapters/chain/program/linker.ts";
import { nextPage, openCursor } from "../../../adapters/chain/signature-pages.ts";
import { openSubmissions } from "../../../adapters/chain/submissions.ts";
import type { Tasks } from "../../../adapters/chain/tasks.ts";
import { openTasks } from "../../../adapters/chain/tasks.ts";
import { openTransactionStatuses } from "../../../adapters/chain/transaction-statuses.ts";
import { tellTail } from "../../../adapters/chain/unfinalized.ts";
import type { ChainObservation } from "../../../core/index.ts";
import { err, ok } from "../../../core/index.ts";
import { code, EXIT, objectFile } from "../../chain/program/object-file.ts";
import { crypto } from "../../rpc/lone-node.ts";
import { broughtDown } from "../brought-down.ts";
import type { Limit, Untried } from "../limit.ts";
import { cutAt, most, TAKEN_OR_LEFT } from "../limit.ts";

const silent = () => undefined;
/** A clock that stands. */
const now = () => 1_000;
const never = new Promise<never>(silent);
/** Until everything that could happen by itself has happened. */
const settled = () => new Promise<void>((done) => setImmediate(() => setImmediate(done)));

/** An endpoint that answers as a test says. */
function endpoint(answer: (call: (connection: Connection) => Promise<unknown>) => Promise<unknown>): Endpoint {
  return {
    ...{ name: "endpoint", slot: 0n, failure: () => undefined, isOut: () => false, restsFor: () => 0, close: silent },
    ask: async (call) => {
      try {
        return ok((await answer(call)) as never);
      } catch (error) {
        return err(error as Failure);
      }
    },
  };
}

const hanging = endpoint(() => never);

/** What is told of the nth of many things that are asked for at once. */
async function nthTold(
  n: number,
  ask: (tell: (told: ChainObservation) => void, tasks: Tasks) => (nth: number) => void,
) {
  const told: ChainObservation[] = [];
  const each = ask((observation) => told.push(observation), openTasks());
  for (let at = 1; at <= n; at++) each(at);
  await settled();
  return told.length === 0 ? "asked" : (told[0]?.type ?? "");
}

const readsAtOnce = (n: number) =>
  nthTold(n, (tell, tasks) => {
    const reads = openAccountReads({ endpoints: [hanging], tasks, tell, alarm: silent });
    return (at) => reads.read(`account ${at}`, 0n, "finalized");
  });
const checksAtOnce = (n: number) =>
  nthTold(n, (tell, tasks) => {
    const statuses = openTransactionStatuses({ endpoints: [hanging], crypto, tasks, tell });
    return (at) => statuses.check(`signature ${at}`);
  });
const submissionsAtOnce = (n: number) =>
  nthTold(n, (tell, tasks) => {
    const submit = openSubmissions({ endpoints: [hanging], tasks, tell, now, retryMs: 0 });
    return (at) => submit(`signature ${at}`, new Uint8Array(1));
  });

/** How often something that no endpoint answers is asked for, when it might be asked n times. */
async function triesOf(n: number, what: "account" | "transaction"): Promise<number> {
  let tries = 0;
  const counting = endpoint(() => {
    tries += 1;
    return Promise.reject({ type: "unreachable" } satisfies Failure);
  });
  const options = { endpoints: [counting], crypto, tasks: openTasks(), tell: silent, alarm: silent };
  const reads = openAccountReads(options);
  const statuses = openTransactionStatuses(options);
  if (what === "account") reads.read("account", 0n, "finalized");
  else statuses.check("signature");
  await settled();
  const first = tries;
  for (let time = 1; time < n; time++) {
    (what === "account" ? reads : statuses).again();
    await settled();
  }
  return tries / first;
}

/** How long an endpoint is left alone that asks for so many milliseconds. */
async function restOf(ms: number): Promise<number> {
  const opened = openEndpoint("http://127.0.0.1:1", "endpoint", { now });
  await opened.ask(() => Promise.reject(new EndpointError({ type: "limited", retryAfterMs: ms })));
  return opened.restsFor();
}

async function inFlight(n: number): Promise<number> {
  const opened = openEndpoint("http://127.0.0.1:1", "endpoint", {});
  let started = 0;
  for (let call = 0; call < n; call++)
    void opened.ask(() => {
      started += 1;
      return never;
    });
  await settled();
  return started;
}

/** What becomes of the nth request that waits behind eight that hang. */
async function waitingAs(n: number): Promise<string> {
  const opened = openEndpoint("http://127.0.0.1:1", "endpoint", {});
  let last: Promise<unknown> = never;
  for (let call = 0; call < 8 + n; call++) last = opened.ask(() => never);
  const answer = (await Promise.race([last, settled()])) as { readonly error: Failure } | undefined;
  return answer === undefined ? "waits" : answer.error.type;
}

/** What becomes of an answer of so many bytes, from a real server. */
async function answered(bytes: number): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += String(part);
    });
    request.on("end", () => {
      const { id } = JSON.parse(body) as { readonly id: string };
      const text = (version: string) =>
        JSON.stringify({ jsonrpc: "2.0", id, result: { "solana-core": version, "feature-set": 1 } });
      response.end(text("x".repeat(bytes - text("").length)));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const opened = openEndpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "endpoint");
  const answer = await opened.ask((connection) => connection.getVersion());
  opened.close();
  server.close();
  return answer.ok ? "read" : answer.error.type;
}

/** Whether it is an alarm that two endpoints are so many slots apart. */
async function apart(slots: number): Promise<string> {
  const at = (slot: number) =>
    endpoint((call) =>
      call({
        getLatestBlockhashAndContext: () => Promise.resolve({ context: { slot }, value: { blockhash: "hash" } }),
        isBlockhashValid: () => Promise.resolve({ context: { slot }, value: true }),
      } as unknown as Connection),
    );
  const alarms: string[] = [];
  const alarm = (about: string) => void alarms.push(about);
  await openHead({ endpoints: [at(1_000), at(1_000 - slots)], tell: silent, alarm, now })();
  return alarms[0] ?? "no alarm";
}

/** The signature of one address at a place of its history, the newest the greatest. */
const signature = (at: number) => `${at}`.padStart(64, "z");

/** An endpoint that lists so many transactions of every address, and holds none. */
function listing(length: number, asked: { readonly listed: Set<string>; readonly looked: Set<string> }): Endpoint {
  const history = Array.from({ length }, (_, at) => ({ signature: signature(length - at), slot: length - at }));
  const placeOf = (sought: string | undefined, otherwise: number) => {
    const place = history.findIndex((each) => each.signature === sought);
    return place < 0 ? otherwise : place;
  };
  return endpoint((call) =>
    call({
      getSignaturesForAddress(address: PublicKey, query: { limit?: number; before?: string; until?: string }) {
        asked.listed.add(address.toBase58());
        const from = query.before === undefined ? 0 : placeOf(query.before, -1) + 1;
        return Promise.resolve(history.slice(from, placeOf(query.until, length)).slice(0, query.limit));
      },
      getTransaction(sought: string) {
        asked.looked.add(sought);
        return Promise.resolve(null);
      },
      getFirstAvailableBlock: () => Promise.resolve(0),
    } as unknown as Connection),
  );
}

const nothing = () => ({ listed: new Set<string>(), looked: new Set<string>() });
const addressOf = (n: number) =>
  new PublicKey(Uint8Array.from({ length: 32 }, (_, at) => (at < 2 ? (n >> (8 * at)) & 255 : 1)));

/** Boundaries that are kept of a list of so many and one, pages of one signature each, walked in so many goes. */
async function boundariesOf(n: number, walks = n): Promise<number> {
  const cursor = openCursor();
  const endless = listing(n + 1, nothing());
  for (let walk = 0; walk < walks; walk += 1) await nextPage(endless, addressOf(0).toBase58(), cursor, 1);
  return cursor.boundaries.length;
}

/** Unfinalized transactions that are looked at of so many, at an endpoint that lists more than it is asked for. */
async function tailOf(n: number): Promise<number> {
  const asked = nothing();
  const more = endpoint((call) =>
    call({
      getSignaturesForAddress: () =>
        Promise.resolve(Array.from({ length: n }, (_, at) => ({ signature: signature(at), slot: at }))),
      getTransaction(sought: string) {
        asked.looked.add(sought);
        return Promise.resolve(null);
      },
    } as unknown as Connection),
  );
  const tail = { address: addressOf(0).toBase58(), toldSlots: new Map(), isFinal: () => false, newestFinal: silent };
  await tellTail({ endpoints: [more], crypto, tell: silent }, tail);
  return asked.looked.size;
}

/** Two lists of so many together, of which each endpoint has one half. */
async function tailsOf(n: number): Promise<number> {
  const asked = nothing();
  const half = (from: number, to: number) =>
    endpoint((call) =>
      call({
        getSignaturesForAddress: () =>
          Promise.resolve(
            Array.from({ length: to - from }, (_, at) => ({ signature: signature(from + at), slot: at })),
          ),
        getTransaction(sought: string) {
          asked.looked.add(sought);
          return Promise.resolve(null);
        },
      } as unknown as Connection),
    );
  const tail = { address: addressOf(0).toBase58(), toldSlots: new Map(), isFinal: () => false, newestFinal: silent };
  const endpoints = [half(0, 60), half(60, n)];
  await tellTail({ endpoints, crypto, tell: silent }, tail);
  return asked.looked.size;
}

const watchesOf = broughtDown(
  {
    file: "adapters/chain/history.ts",
    find: "export const WATCHES_MAX = 100_000;",
    value: 100_000,
    replace: "export const WATCHES_MAX = 3;",
    small: 3,
  },
  async (n, load) => {
    const { openHistory } = await load<typeof History>("adapters/chain/history.ts");
    const asked = nothing();
    const tasks = openTasks();
    const endpoints = [listing(0, asked)];
    const history = openHistory({ endpoints, crypto, tasks, tell: silent, alarm: silent });
    for (let at = 0; at < n; at++) history.watch(addressOf(at).toBase58(), "finalized");
    await settled();
    return asked.listed.size === n ? "all watched" : `${n - asked.listed.size} not watched`;
  },
);

/** Whether a transaction that was taken is handed over again after so many others were taken. */
async function rememberedAfter(n: number): Promise<string> {
  let handed = 0;
  const taking = endpoint(() => {
    handed += 1;
    return Promise.resolve("");
  });
  const submit = openSubmissions({ endpoints: [taking], tasks: openTasks(), tell: silent, now, retryMs: 0 });
  for (let at = 0; at < n; at++) {
    submit(`signature ${at}`, new Uint8Array(1));
    // No more are in hand at once than may be.
    if (at % 1_000 === 0) await settled();
  }
  await settled();
  submit("signature 0", new Uint8Array(1));
  await settled();
  return handed === n ? "remembered" : "forgotten";
}

const line = { ...HINTS_TIMING, program: "p", commitment: "finalized", now } as const;

/** How long a line that is lost again and again is left alone, asked whether so long. */
async function pausedFor(ms: number): Promise<string> {
  let longest = 0;
  let pauses = 0;
  const tasks: Tasks = {
    ...openTasks(),
    closed: () => pauses >= 9,
    pause(asked) {
      pauses += 1;
      longest = Math.max(longest, asked);
      return Promise.resolve();
    },
    run: (work) => void work().then(done),
  };
  let done: () => void = silent;
  const over = new Promise<void>((resolve) => {
    done = resolve;
  });
  openHints({ ...line, url: "ws://127.0.0.1:1", tasks, told: silent });
  await over;
  return longest >= ms ? "left alone" : "listened to";
}

/** Whether news in a message of so many bytes is heard. */
async function newsOf(bytes: number): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise<void>((done) => server.once("listening", () => done()));
  const tasks = openTasks();
  const outcome = new Promise<string>((resolve) => {
    server.on("connection", (socket) => {
      const text = (padding: string) =>
        JSON.stringify({ padding, params: { result: { value: { signature: signature(1) } } } });
      socket.on("close", () => resolve("left"));
      socket.send(text("x".repeat(bytes - text("").length)));
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    openHints({ ...line, url, tasks, told: () => resolve("taken") });
  });
  const result = await outcome;
  tasks.close(silent);
  for (const client of server.clients) client.terminate();
  server.close();
  return result;
}

/** Linking an object whose constants stand at multiples of so many bytes, as its second section header says. */
function aligned(bytes: number): string {
  const text = { name: ".text", bytes: code(EXIT), flags: 6 };
  const constants = { name: ".rodata", bytes: new Uint8Array(8), flags: 2 };
  const entrypoint = { name: "entrypoint", section: ".text", kind: "function" } as const;
  const object = objectFile({ sections: [text, constants], symbols: [entrypoint] });
  const view = new DataView(object.buffer);
  view.setBigUint64(Number(view.getBigUint64(40, true)) + 2 * 64 + 48, BigInt(bytes), true);
  try {
    linkProgram(object);
    return "linked";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

const urls = (n: number) => Array.from({ length: n }, (_, at) => `ftp://host${at}`);
const ASKED_OR_UNAVAILABLE = { within: "asked", beyond: "unavailable" };

export const limits: readonly Limit[] = [
  most("adapters/chain/account-reads.ts READS_MAX", 10_000, readsAtOnce, ASKED_OR_UNAVAILABLE),
  cutAt("adapters/chain/account-reads.ts TRIES_MAX", 60, (n) => triesOf(n, "account")),
  most("adapters/chain/transaction-statuses.ts CHECKS_MAX", 10_000, checksAtOnce, ASKED_OR_UNAVAILABLE),
  cutAt("adapters/chain/transaction-statuses.ts TRIES_MAX", 12, (n) => triesOf(n, "transaction")),
  most("adapters/chain/submissions.ts SUBMISSIONS_MAX", 1_024, submissionsAtOnce, {
    within: "asked",
    beyond: "refused",
  }),
  most("adapters/chain/submissions.ts REMEMBERED_MAX", 16_384, rememberedAfter, {
    within: "remembered",
    beyond: "forgotten",
  }),
  cutAt("adapters/chain/endpoint.ts BACK_OFF_MS_MAX", 60_000, restOf),
  most("adapters/chain/endpoint.ts ENDPOINTS_MAX", 8, (n) => endpointError(urls(n)) ?? "", {
    within: 'takes an http or https URL, not "ftp://host0"',
    beyond: "at most 8 endpoints",
  }),
  cutAt("adapters/chain/endpoint.ts IN_FLIGHT_MAX", 8, inFlight),
  most("adapters/chain/endpoint.ts WAITING_MAX", 1_024, waitingAs, { within: "waits", beyond: "busy" }),
  most("adapters/chain/endpoint.ts ANSWER_BYTES_MAX", 1_048_576, answered, { within: "read", beyond: "nonsense" }),
  most("adapters/chain/head.ts SPREAD_SLOTS_MAX", 150, apart, { within: "no alarm", beyond: "slot" }),
  most("adapters/chain/hints.ts RECONNECT_MS_MAX", 60_000, pausedFor, { within: "left alone", beyond: "listened to" }),
  most("adapters/chain/hints.ts MESSAGE_BYTES_MAX", 1_048_576, newsOf, TAKEN_OR_LEFT),
  most("adapters/chain/history.ts WATCHES_MAX", 100_000, watchesOf, { within: "all watched", beyond: "1 not watched" }),
  cutAt("adapters/chain/signature-pages.ts BOUNDARIES_MAX", 256, boundariesOf),
  cutAt("adapters/chain/signature-pages.ts WALK_PAGES_MAX", 16, (n) => boundariesOf(n, 1)),
  { ...cutAt("adapters/chain/unfinalized.ts TAIL_MAX", 100, tailOf), where: "of one endpoint" },
  { ...cutAt("adapters/chain/unfinalized.ts TAIL_MAX", 100, tailsOf), where: "of two endpoints" },
  most("adapters/chain/program/linker.ts SECTION_ALIGN_MAX", 4_096, aligned, {
    within: "linked",
    beyond: "section .rodata: alignment 4097",
  }),
];

export const untried: readonly Untried[] = [
  {
    of: "adapters/chain/history.ts TOLD_MAX",
    because: "a memory that saves questions: what it forgets is told twice, which changes nothing",
  },
  {
    of: "adapters/chain/rpc.ts NEWS_MAX",
    because: "news only answer where to look first: what is beyond it is found in context, and nobody can tell",
  },
];
