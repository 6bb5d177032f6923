/**
 * Goal: what nodes recorded of their lives plays through the core to the same hash after every input; a recording that
 * is damaged, foreign, redacted or another node's is refused with one line, and one that comes to something else says
 * where.
 * Method: two real processes on loopback that trade statements, and end by kill -9; then their files, changed.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { createByteSink, putAny } from "../../adapters/recording/byte-sink.ts";
import { openRecording } from "../../adapters/recording/reader.ts";
import { FRAME_HEAD, MAGIC } from "../../adapters/recording/recorder.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { replayRecording, reportRecording } from "../../node/sim/replay-recording.ts";
import { whyIs } from "../../sim/travel/why.ts";
import { signedData } from "../rpc/lone-node.ts";
import { advertisement, merchant } from "../rpc/node-with-settlement.ts";
import { readRecording } from "../sim/travel/recorded.ts";
import { until } from "../until.ts";
import type { NodeProcess } from "./node-process.ts";
import { call, startNode, untilAnswered } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-record-"));
const running: NodeProcess[] = [];
const at = (name: string) => join(folder, name);

afterAll(async () => {
  await Promise.all(running.map((node) => node.kill()));
  rmSync(folder, { recursive: true });
});

async function recorded(name: string, ...more: readonly string[]): Promise<NodeProcess> {
  const node = await startNode(at(name), "--record", at(`${name}.record`), ...more);
  running.push(node);
  return node;
}

/** What `ofs-sim replay` answers. */
function replayed(file: string, identity: string | undefined): { readonly code: number; readonly told: string } {
  let out = "";
  const around = {
    out(text: string) {
      out += text;
    },
  };
  try {
    const code = replayRecording(file, { json: false, ...(identity !== undefined && { identity }) }, around);
    return { code, told: out };
  } catch (error) {
    return { code: 2, told: (error as Error).message };
  }
}

/** Where each frame of a recording begins. */
function framesOf(bytes: Buffer): readonly number[] {
  const starts: number[] = [];
  for (let start = MAGIC.length; start + FRAME_HEAD <= bytes.length; start += FRAME_HEAD + bytes.readUInt32BE(start))
    starts.push(start);
  return starts;
}

/** A file that begins as a recording and says of itself what is given. */
function beginning(head: unknown): Buffer {
  const sink = createByteSink(1 << 16);
  putAny(sink, head);
  const body = sink.buffer.subarray(0, sink.length);
  const frame = Buffer.alloc(FRAME_HEAD);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE((body.length ^ 0xffff_ffff) >>> 0, 4);
  frame.writeUInt32BE(crc32(body), 8);
  return Buffer.concat([MAGIC, frame, body]);
}

/** What a life with statements is told to play to; the statements' root. */
const WELL =
  /^(?:the recording ends in .+\n)?OK inputs=[1-9]\d* state=[0-9a-f]{64} statements=(?!0{64})([0-9a-f]{64}) /;

/** Files whose bytes are sound and that say of themselves what no recorder says. */
function expectHeadsRefused(key: string): void {
  expectEmptyRefused(readFileSync(at("first.record")), key);
  const { value } = openRecording(at("first.record")) as unknown as {
    readonly value: { readonly configuration: object };
  };
  const nested = Array.from({ length: 1_000 }).reduce<unknown>((inner) => [inner], null);
  const heads: readonly (readonly [unknown, RegExp])[] = [
    [nested, /deep in each other/],
    [{ part: 1, redacted: false, configuration: {} }, /not part 0 of a recording/],
    [{ part: 0, redacted: false, configuration: null }, /not part 0 of a recording/],
    [{ part: 0, redacted: false, configuration: {} }, /is not the key of the node/],
    [{ part: 0, redacted: false, configuration: { ...value.configuration, profile: null } }, /settings .* cannot take/],
  ];
  for (const [head, told] of heads) {
    writeFileSync(at("head"), beginning(head));
    expect(replayed(at("head"), key)).toMatchObject({ code: 2, told: expect.stringMatching(told) });
  }
}

/** A recording that ends where its first input begins, or in it. */
function expectEmptyRefused(bytes: Buffer, key: string): void {
  const [, started = 0] = framesOf(bytes);
  for (const [length, told] of [
    [started, "holds no input: there is nothing to play."],
    [started + FRAME_HEAD + 1, "holds no input that is whole: there is nothing to play."],
  ] as const) {
    writeFileSync(at("empty"), bytes.subarray(0, length));
    expect(replayed(at("empty"), key)).toEqual({ code: 2, told: `${at("empty")} ${told}` });
  }
}

/** A page about a life: the node and its peer as lines, what the peer sent as where a statement came from. */
async function expectPage(file: string, identity: string): Promise<void> {
  let told = "";
  const report = at("life.html");
  const around = {
    out(text: string) {
      told += text;
    },
  };
  expect(await reportRecording(file, { json: false, identity, report }, around)).toBe(0);
  expect(told).toMatch(/^report: .+life\.html\n.*OK inputs=/s);
  expect(existsSync(`${report}.recording`)).toBe(false);
  const packed = /id="recording">([^<]+)</.exec(readFileSync(report, "utf8"))?.[1] ?? "";
  const recording = readRecording(inflateRawSync(Buffer.from(packed, "base64")));
  expect(recording.notes.nodes).toHaveLength(2);
  const rows = [...recording.stateAt(0, recording.events).rows.values()];
  const row = rows.find(
    ({ table, text }) => table === "advertisements" && recording.text(text).includes(advertisement.id),
  );
  const key = recording.text(row?.key ?? 0);
  const reason = whyIs(recording, { node: 0, table: "advertisements", key, event: recording.events });
  expect(reason?.origin).toBe("peer");
  expect(reason?.links.map(({ node }) => node)).toEqual([0, 1]);
}

test("the lives of two killed nodes play to the same hashes, and what is wrong with a file is told", async () => {
  const first = await recorded("first");
  const second = await recorded("second", "--entrypoint", first.gossip);
  const timestamp = BigInt(Date.now()) as EpochMillis;
  const data = signedData(AdvertisementCreate, { ...advertisement, timestamp }, merchant);
  expect(await call(first.rpc, "sendAdvertisementCreate", { data })).toHaveProperty("result");
  await untilAnswered(second, "getAdvertisement", { id: advertisement.id }, () => true);
  // What a recorder holds back a moment dies with its process.
  const lives = ["first", "second"];
  const life = (name: string) => replayed(at(`${name}.record`), at(`${name}/identity.json`));
  await until(() => lives.every((name) => /statements=(?!0{64})/.test(life(name).told)), 50);
  await Promise.all([first.kill(), second.kill()]);
  const key = at("first/identity.json");
  const ends = lives.map((name) => {
    const { code, told } = life(name);
    expect(code).toBe(0);
    return WELL.exec(told)?.[1];
  });
  expect(ends[0]).toBeDefined();
  expect(ends[1]).toBe(ends[0]);
  await expectPage(at("second.record"), at("second/identity.json"));

  const bytes = readFileSync(at("first.record"));
  expect(bytes.includes(readFileSync(key).subarray(0, 32))).toBe(false);
  const frames = framesOf(bytes);
  const [, started = 0, other = 0] = frames;
  expect(frames.length).toBeGreaterThan(3);
  const changed = (name: string, change: (copy: Buffer) => void) => {
    const copy = Buffer.from(bytes);
    change(copy);
    writeFileSync(at(name), copy);
    return replayed(at(name), key);
  };
  const elsewhere = changed("elsewhere", (copy) => {
    const body = other + FRAME_HEAD;
    copy.writeUInt8(copy.readUInt8(body) ^ 1, body);
    copy.writeUInt32BE(crc32(copy.subarray(body, body + copy.readUInt32BE(other))), other + 8);
  });
  expect(elsewhere).toMatchObject({ code: 1, told: expect.stringMatching(/^DIFFERS after 1 inputs: input 1, /) });
  const flips = [started, started + 4, started + 8, started + FRAME_HEAD + 20];
  for (const place of flips) {
    const flipped = changed("flipped", (copy) => void copy.writeUInt8(copy.readUInt8(place) ^ 0x10, place));
    expect(flipped).toMatchObject({ code: 2, told: expect.stringMatching(/it is damaged at byte \d+, [^\n]+$/) });
  }
  expectHeadsRefused(key);
  copyFileSync(key, at("foreign"));
  expect(replayed(at("foreign"), key)).toMatchObject({ code: 2, told: expect.stringContaining("no recording") });
  const foreign = replayed(at("first.record"), at("second/identity.json"));
  expect(foreign).toMatchObject({ code: 2, told: expect.stringContaining("is not the key of the node") });
  expect(replayed(at("first.record"), undefined)).toMatchObject({
    code: 2,
    told: expect.stringContaining("--identity"),
  });

  const again = await recorded("first", "--record-redacted");
  await again.kill();
  expect(replayed(at("first.record.before"), key).code).toBe(0);
  expect(replayed(at("first.record"), key)).toMatchObject({ code: 2, told: expect.stringContaining("is redacted") });
  expect(readFileSync(at("first.record")).includes(Buffer.from(advertisement.merchant))).toBe(false);
});
