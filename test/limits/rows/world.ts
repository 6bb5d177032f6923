/**
 * Limits of the simulated world: its network, generators, checkers and memories.
 */
import { WebSocket } from "ws";
import { list } from "../../../core/kernel/schema-composites.ts";
import { byteArray, u8 } from "../../../core/kernel/schema-scalars.ts";
import type { EpochMillis, PeerId } from "../../../core/kernel/values.ts";
import type { TransportEvents } from "../../../core/ports/transport.ts";
import { arbU64 } from "../../../sim/arbitraries/numbers.ts";
import { arbitraryOf } from "../../../sim/arbitraries/of-schema.ts";
import { arbPlainText } from "../../../sim/arbitraries/texts.ts";
import { modelExecutors } from "../../../sim/chain/executors/model.ts";
import { equalSetsEqualStates } from "../../../sim/checkers/equal-sets-equal-states.ts";
import { createLoop } from "../../../sim/clock.ts";
import { checked } from "../../../sim/data/plain.ts";
import { Milliseconds } from "../../../sim/data/values.ts";
import { createFaultLedger } from "../../../sim/faults.ts";
import { openNodeFiles } from "../../../sim/files.ts";
import { healthyLink } from "../../../sim/links.ts";
import { createNetwork, enrolMember, joinNetwork } from "../../../sim/network.ts";
import { runScenario } from "../../../sim/run.ts";
import { openSharedWork } from "../../../sim/sharing-memory.ts";
import { createSpotter } from "../../../sim/spellings.ts";
import { describeStep } from "../../../sim/step-text.ts";
import { encryptEntry } from "../../../sim/trade-channel-crypto.ts";
import { shareCrypto } from "../../../sim/verdict-memory.ts";
import { samples } from "../../property/for-all.ts";
import { crypto, person } from "../../rpc/lone-node.ts";
import { T } from "../../rpc/node-with-settlement.ts";
import { openServedTestChain } from "../../sim/chain/server/served-test-chain.ts";
import type { Limit, Untried } from "../limit.ts";
import { cutAt, least, most, mostOf } from "../limit.ts";

const silent = () => undefined;

/** A network and members by number, who answer whatever they are asked with what a test says. */
function network() {
  const loop = createLoop(0n as EpochMillis);
  const net = createNetwork({ clock: loop, seed: 1n, faults: createFaultLedger(loop), conditions: healthyLink });
  const joined = new Map<number, ReturnType<typeof joinNetwork>>();
  const nameOf = (n: number) => ({ peer: `peer ${n}` as PeerId, address: `/memory/${n}/p2p/peer ${n}`, name: `${n}` });
  return {
    ...{ net, loop, nameOf },
    join(n: number, events: Partial<TransportEvents> = {}) {
      const all = { connected: silent, disconnected: silent, unreachable: silent, measured: silent, observed: silent };
      const port = joinNetwork(net, nameOf(n), {
        ...{ ...all, received: silent, answered: silent, failed: silent },
        ...events,
      });
      joined.set(n, port);
      return port;
    },
    async settle() {
      while (loop.pending() > 0) await loop.runNext();
    },
  };
}

/** Connections of one member when so many dial it. */
async function incoming(n: number): Promise<number> {
  const { join, nameOf, settle } = network();
  let connected = 0;
  const count = () => {
    connected += 1;
  };
  join(0, { connected: count });
  for (let other = 1; other <= n; other++) join(other).dial(nameOf(0).address);
  await settle();
  return connected;
}

/** Connections of one member that dials so many. */
async function outgoing(n: number): Promise<number> {
  const { join, nameOf, settle } = network();
  let connected = 0;
  const count = () => {
    connected += 1;
  };
  const dialer = join(0, { connected: count });
  for (let other = 1; other <= n; other++) {
    join(other);
    dialer.dial(nameOf(other).address);
  }
  await settle();
  return connected;
}

/** What becomes of a request, or of its answer, of so many bytes. */
async function carried(bytes: number, what: "request" | "answer"): Promise<string> {
  const { join, nameOf, settle } = network();
  let outcome = "nothing";
  const answered = () => {
    outcome = "answered";
  };
  const failed = (_: unknown, __: unknown, reason: string) => {
    outcome = reason;
  };
  const sender = join(0, { answered, failed });
  const receiver = join(1, {
    received: (_, replyTo) => receiver.reply(replyTo, new Uint8Array(what === "answer" ? bytes : 1)),
  });
  sender.dial(nameOf(1).address);
  await settle();
  sender.send(nameOf(1).peer, 1, new Uint8Array(what === "request" ? bytes : 1));
  await settle();
  return outcome;
}

/** Whether somebody can be the nth member. */
function enrolledAs(n: number): string {
  const { net, nameOf } = network();
  const members = Object.assign([], { push: silent });
  Object.defineProperty(members, "length", { value: n - 1 });
  try {
    enrolMember({ ...net, held: { ...net.held, members: new Proxy(members, {}) as never } }, nameOf(1));
    return "taken";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

/** How a run with a seed begins: it goes on to look at its scenario, which is none. */
async function seeded(seed: bigint): Promise<string> {
  try {
    await runScenario({} as never, { seed } as never, {} as never);
    return "ran";
  } catch (error) {
    return error instanceof RangeError ? error.message : "began";
  }
}

/** Whether two states of one pair of sets are told apart when so many pairs came between. */
function statesOf(n: number): string {
  const violations: string[] = [];
  const checker = equalSetsEqualStates({
    violate: (text: string) => void violations.push(text),
    keep: (fresh: () => unknown) => fresh(),
  } as never);
  const step = (sets: number, state: string) =>
    checker.onStep?.({
      node: 0,
      roots: { statements: `${sets}`, facts: "", archive: "", state },
      rootsBefore: {},
    } as never);
  for (let sets = 0; sets < n; sets++) step(sets, "one");
  step(0, "another");
  return violations.length > 0 ? "remembered" : "forgotten";
}

function verdictsOf(n: number): string {
  let asked = 0;
  const verify = () => {
    asked += 1;
    return true;
  };
  const shared = shareCrypto({ ...crypto, verify });
  const key = new Uint8Array(32);
  const signature = (at: number) => Uint8Array.of(at & 255, (at >> 8) & 255, at >> 16);
  for (let at = 0; at < n; at++) shared.verify(key, key, signature(at));
  shared.verify(key, key, signature(0));
  return asked === n ? "remembered" : "forgotten";
}

/** Whether the first of so many values that were made of bytes is made again. */
function madeOfBytes(n: number): string {
  const shared = openSharedWork();
  const way = { made: "of bytes" };
  const bytes = (at: number) => Uint8Array.of(at & 255, at >> 8);
  for (let at = 0; at < n; at++) shared.ofBytes(way, bytes(at), () => at);
  return shared.ofBytes(way, bytes(0), () => n) === 0 ? "remembered" : "forgotten";
}

/** Whether the first of so many questions, or of so many values of one, is still there. */
function keptUnder(n: number, what: "questions" | "values"): string {
  const shared = openSharedWork();
  const way = { kept: what };
  for (let at = 0; at < n; at++) shared.keep(way, what === "questions" ? `${at}` : "0", at);
  return shared.kept(way, "0").includes(0) ? "remembered" : "forgotten";
}

/** Whether a wallet whose key is 32 zero bytes is found in so many ones, or in so many zeros. */
function spotted(n: number, where: "text" | "bytes"): string {
  const spotter = createSpotter();
  const wallet = { publicKey: "1".repeat(32), peer: person(1).peer };
  spotter.add(wallet as never);
  const found = where === "text" ? spotter.inText("1".repeat(n)) : spotter.inBytes(Array(n).fill(0));
  return found.length > 0 ? "found" : "not found";
}

function shown(characters: number): string {
  const input = { type: "rpc.called", body: "x".repeat(characters - 2) };
  return describeStep(input as never, [], null).includes("…") ? "cut short" : "whole";
}

function encrypted(bytes: number): string {
  const binding = { settlement: "s", author: new Uint8Array(38), sequence: 0n, kind: "Message" as const };
  const entry = encryptEntry(
    new Uint8Array(32),
    binding,
    "é".repeat(bytes / 2) + "x".repeat(bytes % 2),
    new Uint8Array(12),
  );
  return entry === undefined ? "refused" : "encrypted";
}

/** What becomes of a file of so many bytes; only its length is looked at. */
async function written(bytes: number): Promise<string> {
  const clock = createLoop(T);
  let outcome = "nothing";
  const options = { node: 0, seed: 1n, clock, faults: createFaultLedger(clock), shelves: new Map(), base: "http://n" };
  const port = openNodeFiles(options).open({
    written: (_, kept) => {
      outcome = kept.ok ? "ok" : kept.code;
    },
    fetched: silent,
  });
  port.write("id", { length: bytes, slice: () => new Uint8Array(0) } as Uint8Array);
  while (clock.pending() > 0) await clock.runNext();
  return outcome;
}

const lengthsOf = (arbitrary: { map: unknown }) =>
  new Set(samples(arbitrary as never, 5_000).map((each) => [...(each as Iterable<unknown>)].length));
const generated = {
  lists: lengthsOf(arbitraryOf(list(u8))),
  bytes: lengthsOf(arbitraryOf(byteArray(null))),
  texts: lengthsOf(arbPlainText()),
};
/** Whether something of this length is generated. */
const made = (what: keyof typeof generated, n: number) => (generated[what].has(n) ? "made" : "not made");

/** What becomes of the nth client of a server, or of a message of so many bytes. */
async function subscribing(clients: number, bytes = 0): Promise<string> {
  const { server } = await openServedTestChain(modelExecutors(crypto));
  const url = server.url.replace("http", "ws").replace(`${server.port}`, `${server.port + 1}`);
  const sockets: WebSocket[] = [];
  let outcome = "";
  for (let at = 0; at < clients; at++) {
    const socket = new WebSocket(url);
    sockets.push(socket);
    outcome = await new Promise<string>((resolve) => {
      socket.on("open", () => resolve("taken"));
      socket.on("error", () => resolve("left"));
      socket.on("close", (code) => resolve(`closed with ${code}`));
    });
  }
  const [socket] = sockets;
  if (bytes > 0 && socket !== undefined) {
    outcome = await new Promise<string>((resolve) => {
      socket.on("message", () => resolve("answered"));
      socket.on("close", (code) => resolve(`closed with ${code}`));
      const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "slotSubscribe" });
      socket.send(text + " ".repeat(bytes - text.length));
    });
  }
  for (const each of sockets) each.terminate();
  return outcome;
}

const REMEMBERED_OR_FORGOTTEN = { within: "remembered", beyond: "forgotten" };
const FOUND_OR_NOT = { within: "found", beyond: "not found" };
const MADE_OR_NOT = { within: "made", beyond: "not made" };
const ANSWERED_OR_TOO_LARGE = { within: "answered", beyond: "too large" };

export const limits: readonly Limit[] = [
  most(
    "sim/data/values.ts MILLISECONDS_MAX",
    31_536_000_000_000,
    (n) => (checked(Milliseconds, n, "at").ok ? "read" : "refused"),
    { within: "read", beyond: "refused" },
  ),
  cutAt("sim/network.ts CONNECTIONS_INCOMING_MAX", 256, incoming),
  cutAt("sim/network.ts CONNECTIONS_MAX", 512, outgoing),
  most("sim/network-state.ts MEMBERS_MAX", 1_048_576, enrolledAs, {
    within: "taken",
    beyond: "at most 1048576 members",
  }),
  most("sim/requests.ts ENVELOPE_BYTES_MAX", 1_048_576, (n) => carried(n, "request"), {
    where: "sent",
    ...ANSWERED_OR_TOO_LARGE,
  }),
  most("sim/requests.ts ENVELOPE_BYTES_MAX", 1_048_576, (n) => carried(n, "answer"), {
    where: "answered",
    ...ANSWERED_OR_TOO_LARGE,
  }),
  mostOf("sim/random.ts SEED_MAX", (1n << 64n) - 1n, seeded, {
    within: "began",
    beyond: "a seed is a number below 2^64",
  }),
  most("sim/checkers/equal-sets-equal-states.ts SETS_REMEMBERED_MAX", 65_536, statesOf, REMEMBERED_OR_FORGOTTEN),
  most("sim/verdict-memory.ts VERDICTS_MAX", 65_536, verdictsOf, REMEMBERED_OR_FORGOTTEN),
  most("sim/sharing-memory.ts OF_BYTES_MAX", 16_384, madeOfBytes, REMEMBERED_OR_FORGOTTEN),
  most("sim/sharing-memory.ts QUESTIONS_MAX", 8_192, (n) => keptUnder(n, "questions"), REMEMBERED_OR_FORGOTTEN),
  most("sim/sharing-memory.ts VALUES_PER_QUESTION_MAX", 4, (n) => keptUnder(n, "values"), REMEMBERED_OR_FORGOTTEN),
  least("sim/spellings.ts TOKEN_LEAST", 32, (n) => spotted(n, "text"), { where: "in a text", ...FOUND_OR_NOT }),
  least("sim/spellings.ts TOKEN_LEAST", 32, (n) => spotted(n, "bytes"), { where: "in bytes", ...FOUND_OR_NOT }),
  most("sim/step-text.ts VALUE_CHARACTERS_MAX", 400, shown, { within: "whole", beyond: "cut short" }),
  most("sim/trade-channel-crypto.ts TEXT_BYTES_MAX", 4_096, encrypted, { within: "encrypted", beyond: "refused" }),
  most("core/ports/snapshots.ts FILE_BYTES_MAX", 536_870_912, written, {
    where: "in the simulated world",
    within: "ok",
    beyond: "SNAPSHOT_VERIFICATION_FAILED",
  }),
  most("sim/arbitraries/of-schema.ts LIST_LENGTH_MAX", 4, (n) => made("lists", n), MADE_OR_NOT),
  most("sim/arbitraries/of-schema.ts LONG_LIST_LENGTH_MAX", 24, (n) => made("lists", n), MADE_OR_NOT),
  most("sim/arbitraries/of-schema.ts BYTES_LENGTH_MAX", 48, (n) => made("bytes", n), MADE_OR_NOT),
  most("sim/arbitraries/of-schema.ts LONG_BYTES_LENGTH_MAX", 300, (n) => made("bytes", n), MADE_OR_NOT),
  most("sim/arbitraries/texts.ts PLAIN_LENGTH_MAX", 24, (n) => made("texts", n), MADE_OR_NOT),
  most("sim/arbitraries/texts.ts LONG_LENGTH_MAX", 300, (n) => made("texts", n), MADE_OR_NOT),
  mostOf(
    "sim/arbitraries/numbers.ts U64_MAX",
    (1n << 64n) - 1n,
    (n) => (samples(arbU64(), 1_000).some((each) => each >= n) ? "made" : "not made"),
    MADE_OR_NOT,
  ),
  most("sim/chain/server/pub-sub.ts CLIENTS_MAX", 256, (n) => subscribing(n), { within: "taken", beyond: "left" }),
  most("sim/chain/server/pub-sub.ts MESSAGE_BYTES_MAX", 51_200, (n) => subscribing(1, n), {
    within: "answered",
    beyond: "closed with 1009",
  }),
];

const story = "how long an actor of a story goes on: no behaviour of the product, and a story that needs more says so";

export const untried: readonly Untried[] = [
  { of: "sim/actions/expect.ts SEEN_MS_MAX", because: story },
  { of: "sim/actions/public-read-probe.ts LEARNED_MAX", because: story },
  { of: "sim/actions/public-read-probe.ts SERVICES_MAX", because: story },
  { of: "sim/stage.ts LEARN_MS_MAX", because: story },
  {
    of: "sim/byzantine/false-dates.ts U64_MAX",
    because: "the last instant there is, which an attacker signs: nothing is compared with it",
  },
  {
    of: "sim/checkers/unkept-writes.ts BEHIND_MAX",
    because: "when a queue is copied that has begun to empty: nothing but memory tells",
  },
  {
    of: "sim/spellings.ts REMEMBERED_MAX",
    because: "a memory of words that were searched: forgotten ones are searched again, and name the same",
  },
];
