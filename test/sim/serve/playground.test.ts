/**
 * Goal: the playground is one file that needs nobody: a seed comes there to the trace that the command comes to, a
 * network is broken and steered in it, by keys too, and a link brings another reader to the same.
 * Method: the file as it is bundled, opened from the disk in Chromium with networking off, beside the command in this
 * process.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PLAYGROUND_BYTES_MAX, playground } from "../../../node/bootstrap/playground.mjs";
import { commandLine } from "../../../node/sim/command-line.ts";
import { disputeDecidedOnChain } from "../../../scenarios/dispute-decided-on-chain.ts";
import { openBackends } from "../../../sim/backends.ts";
import { openVisitor, PHONE } from "../../page-visits.ts";
import { needsChromium } from "../../requirements.ts";
import { toySurroundings } from "../toy-surroundings.ts";

const SEED = "7";
const root = new URL("../../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "ofs-playground-"));
const file = join(folder, "playground.html");
let text: string;

beforeAll(async () => {
  text = await playground(root);
  writeFileSync(file, text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the file", () => {
  test("weighs what README says at most", () => {
    const stated = /playground\.html` \((\d+) kB, (\d+) kB compressed\)/.exec(readFileSync(`${root}README.md`, "utf8"));
    expect(Number(stated?.[1]) * 1_000).toBe(PLAYGROUND_BYTES_MAX);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PLAYGROUND_BYTES_MAX);
    expect(gzipSync(text).length).toBeLessThanOrEqual(Number(stated?.[2]) * 1_000);
  });

  test("has nothing of Node.js and nothing from elsewhere, under a policy that lets it ask nobody", () => {
    expect(text).not.toMatch(/\brequire\(|\bimport\(|["'`]node:|\bprocess\./);
    expect(text).not.toMatch(/<(link|img|iframe)[^>]*(https?:)?\/\/|<script[^>]+src=|\sstyle=/);
    expect(text).toMatch(/content="default-src 'none'; script-src 'sha256-[^' ]+' blob:; style-src 'sha256-/);
    expect(text).not.toContain("connect-src");
  });
});

needsChromium("the playground in a browser", (executablePath) => {
  const visitor = openVisitor(executablePath);
  const visit = (fragment: string, options: object = {}) =>
    visitor.visit(`${pathToFileURL(file)}${fragment}`, { offline: true, ...options });

  test("a seed that a link bears comes to the trace of the command, and its story is told", async () => {
    const { page, errors, asked } = await visit(`#seed=${SEED}&show=flagship`);
    const backends = async () => openBackends();
    const around = { ...toySurroundings(false), scenarios: async () => [disputeDecidedOnChain], backends };
    const args = ["run", "dispute-decided-on-chain", "--chain", "model", "--seed", SEED, "--json"];
    expect(await commandLine(args, around)).toBe(0);
    const report = JSON.parse(around.printed.join("")) as { readonly trace_hash: string; readonly events: number };
    await page.waitForSelector("#trace");
    expect(await page.textContent("#trace")).toBe(report.trace_hash);
    expect(await page.textContent("#flagship-state")).toContain(`${report.events} events; every law held`);
    expect(await page.textContent("#flagship-story")).toContain("Resolved");
    expect(errors).toEqual([]);
    expect([...asked].filter((url) => !/^(data|blob):/.test(url))).toEqual([`${pathToFileURL(file)}`]);
  });

  test("a network is started and broken by keys, and shared by a link that starts the same", async () => {
    const { page, errors } = await visit("");
    expect(await page.isVisible("main")).toBe(false);
    await page.fill("#play-seed", "a seed");
    await page.press("#play-seed", "Enter");
    await page.waitForSelector("#notice.bad:has-text('a seed is a whole number below 2^64')");
    await page.fill("#play-seed", "12");
    await page.fill("#play-nodes", "3");
    await page.press("#play-nodes", "Enter");
    await page.waitForSelector("g.node[data-node='2']");
    await page.press("[data-node='1']", "Enter");
    await page.press("#crash", "Enter");
    await page.waitForSelector("g.node.down[data-node='1']");
    await page.press("#restart", "Enter");
    await page.waitForSelector("g.node.up[data-node='1']");
    await page.press("#seed button", "Enter");
    await page.waitForSelector("#story >> text=PaymentSubmitted");
    await page.press("#play-share", "Enter");
    const link = await page.inputValue("#play-link");
    expect(link.replace(/^.*#/, "#")).toBe("#seed=12&nodes=3&show=network");
    expect(errors).toEqual([]);
    const other = await visit(link.replace(/^.*#/, "#"), { viewport: PHONE, dark: true });
    await other.page.waitForSelector("g.node[data-node='2']");
    await other.page.waitForSelector("#status:has-text('seed 12')");
    expect(await other.page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
    expect(other.errors).toEqual([]);
  });

  test("another network takes the place of the one before", async () => {
    const { page, errors } = await visit("#seed=1&nodes=3&show=network");
    await page.waitForSelector("g.node[data-node='2']");
    await page.fill("#play-seed", "2");
    await page.fill("#play-nodes", "2");
    await page.press("#play-nodes", "Enter");
    await page.waitForSelector("#status:has-text('seed 2')");
    await page.waitForSelector("#caption:has-text('2 nodes')");
    expect(errors).toEqual([]);
  });
});
