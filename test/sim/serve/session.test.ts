// Goal: what a served network was asked can be written down and played again to the same trace; what a revert took back
// does not stand in it, and a file that somebody changed is told apart or refused in one line.
// Method: real HTTP against networks of both executors, then the command on the file that they gave.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { commandLine } from "../../../node/sim/command-line.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import type { HeldSession } from "../../../sim/serve/session.ts";
import { CHARACTERS_KEPT, freshSession, openSession, ROWS_KEPT } from "../../../sim/serve/session.ts";
import { toySurroundings } from "../toy-surroundings.ts";
import { advertise, clientOf, controlOf, openTestServed, posted, walletOf } from "./test-network.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-session-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Does what clients do: calls, control, airdrops, cuts, crashes, a trade, and waiting. */
async function used(network: ServedNetwork): Promise<void> {
  const control = controlOf(network);
  await advertise(network, 0, "first");
  await control.call("sim_partition", { groups: [[0], [1, 2]] });
  await control.call("sim_increaseTime", { ms: 7_001 });
  await posted(network.ready.chain.rpc, "requestAirdrop", [walletOf(network, "alice").address, 5_000_000_000]);
  await Promise.all([0, 1, 2].map((node) => clientOf(network, node).call("getAdvertisements", {})));
  await control.call("sim_heal");
  await control.call("sim_crash", { node: 1 });
  await control.call("sim_restart", { node: 1 });
  await control.call("sim_seedTrade", { state: "PaymentSubmitted" });
  await control.call("sim_reorg", { depth: 3 });
  await control.call("sim_awaitConverged");
}

const exported = async (network: ServedNetwork) => (await controlOf(network).call("sim_exportRepro")).text;

interface Played {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function replayed(content: string, ...args: readonly string[]): Promise<Played> {
  const file = join(folder, "session.json");
  writeFileSync(file, content);
  const around = toySurroundings(false);
  const code = await commandLine(["replay", file, ...args], around);
  return { code, out: around.printed.join(""), err: around.complained.join("").replaceAll(file, "FILE") };
}

describe("a session that was written down", () => {
  test.each(["model", "litesvm"] as const)("comes to the same trace again, on %s", async (chain) => {
    const network = await openTestServed({ chain });
    await used(network);
    const { events, hash } = await controlOf(network).call("sim_getTrace");
    const text = await exported(network);
    expect(text).toMatch(/^\{\n {2}"format": "ofs-session\/1",/);
    const { code, out, err } = await replayed(text, "--json");
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ verdict: "same", events: Number(events), trace: hash });
    expect((await replayed(text)).out).toMatch(new RegExp(`^OK rows=[0-9]+ events=${events} trace=${hash}\n$`));
  });

  test("bears nothing that a revert or a reset took back, and goes on from there", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const asked = (id: string) => clientOf(network, 0).call("getAdvertisement", { id });
    await advertise(network, 0, "offer");
    await asked("kept");
    const { id } = await control.call("sim_snapshot");
    const before = await exported(network);
    await asked("undone");
    await controlOf(network).call("sim_increaseTime", { ms: 9_000 });
    await control.call("sim_revert", { id });
    expect(await exported(network)).toBe(before);
    await advertise(network, 1, "another");
    const text = await exported(network);
    expect(text).toContain("kept");
    expect(text).not.toContain("undone");
    expect((await replayed(text)).code).toBe(0);
    await control.call("sim_reset");
    expect(await exported(network)).toContain('"rows": []');
  });

  test("may have followed the wall clock for a while", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_resume", { factor: 1_000 });
    await advertise(network, 0, "offer");
    await control.call("sim_awaitConverged");
    await control.call("sim_pause");
    const { code, out } = await replayed(await exported(network));
    expect([code, out.slice(0, 2)]).toEqual([0, "OK"]);
  });
});

describe("a file that somebody changed", () => {
  test("is told apart where it goes another way", async () => {
    const network = await openTestServed();
    await advertise(network, 0, "first");
    await controlOf(network).call("sim_increaseTime", { ms: 5_000 });
    await advertise(network, 1, "second");
    const text = await exported(network);
    const told = async (from: string | RegExp, to: string) => {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      const { code, out } = await replayed(changed);
      return `${code} ${out}`;
    };
    expect(await told('{ \\"ms\\": 5000 }', '{ \\"ms\\": 5001 }')).toMatch(/^1 DIFFERS rows\[\d+\], call, came at /);
    expect(await told('"seed": 3', '"seed": 4')).toMatch(/^1 DIFFERS /);
    expect(await told(/"trace": "[0-9a-f]{8}/, `"trace": "00000000`)).toMatch(/^1 DIFFERS its trace was 00000000/);
    expect(await told(/"time": \d+/, '"time": 1')).toMatch(/^1 DIFFERS it ended at 1 ms and ends at /);
    expect(await told(/"events": \d+,\n {4}"trace"/, '"events": 1,\n    "trace"')).toMatch(
      /^1 DIFFERS it came to 1 events/,
    );
  });

  test.each([
    ['{"format":"ofs-session/1"', /^FILE: expected .+\.\n$/],
    ['{"format":"ofs-session/1"}', /^FILE: .*seed.*\.\n$/],
  ])("is refused in one line: %s", async (content, line) => {
    const { code, out, err } = await replayed(content);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(line);
  });
});

test("a trace shows its last steps, as many as are asked for", async () => {
  const network = await openTestServed();
  const control = controlOf(network);
  await clientOf(network, 1).call("getPeers");
  const { lines } = await control.call("sim_getTrace", { lines: 2 });
  expect(lines).toHaveLength(2);
  expect(lines.at(-1)).toMatchObject({ node: 1 });
  expect(lines.map(({ text }) => text).join("\n")).toContain("rpc.called{");
  expect((await control.call("sim_getTrace", { lines: 0 })).lines).toEqual([]);
  expect((await control.call("sim_getTrace")).lines).toHaveLength(20);
});

describe("a session that grew too long", () => {
  const grown = (rows: number, body: string): HeldSession => {
    const session = openSession(freshSession(0));
    for (let row = 0; row < rows; row += 1) session.add({ kind: "call", at: 0, node: 0, body });
    return session.held();
  };

  test("is lost as a whole, and says so", async () => {
    expect(grown(ROWS_KEPT, "").lost).toBeUndefined();
    expect(grown(ROWS_KEPT + 1, "")).toMatchObject({
      last: undefined,
      lost: { name: "TOO_MANY", why: expect.stringContaining("more was asked") },
    });
    expect(grown(1, "x".repeat(CHARACTERS_KEPT)).lost).toBeUndefined();
    expect(grown(1, "x".repeat(CHARACTERS_KEPT + 1)).lost).toBeDefined();
    const network = await openTestServed();
    network.host.live().session.lose({ name: "NOT_REPLAYABLE", why: "for a test" });
    await expect(exported(network)).rejects.toThrow("there is no session to play again: for a test");
  });
});
