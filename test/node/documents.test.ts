/**
 * Goal: the static copy of the interface document is the live one of the same build, and the page that a node
 * serves about itself shows and calls every method.
 * Method: the real commands; a real node behind a real browser.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { methods } from "../../core/index.ts";
import { compareText } from "../../core/kernel/text.ts";
import { needsChromium } from "../requirements.ts";
import type { NodeProcess } from "./node-process.ts";
import { runNode, startNode } from "./node-process.ts";

interface Document {
  readonly servers?: unknown;
  readonly methods: readonly { readonly name: string }[];
}

const folder = mkdtempSync(join(tmpdir(), "ofs-documents-"));
let node: NodeProcess;

beforeAll(async () => {
  node = await startNode(join(folder, "ledger"));
});
afterAll(async () => {
  await node.kill();
  rmSync(folder, { recursive: true });
});

test("the static copy is the live document but for its servers", async () => {
  const file = join(folder, "openrpc.json");
  expect((await runNode("openrpc", "--out", file)).code).toBe(0);
  const written = JSON.parse(readFileSync(file, "utf8")) as Document;
  const live = (await (await fetch(`${node.rpc}/openrpc.json`)).json()) as Document;
  expect({ ...written, servers: null }).toEqual({ ...live, servers: null });
  expect(written.servers).not.toEqual(live.servers);
});

needsChromium("the page of a real node", (executablePath) => {
  test("lists every method and shows what a call answers", async () => {
    const args = ["--headless", "--no-sandbox", "--disable-gpu"];
    const browser = await chromium.launch({ executablePath, args, timeout: 0 });
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    const output: string[] = [];
    page.on("console", (message) => output.push(message.text()));
    await page.goto(`${node.rpc}/docs#getHealth`);
    await page.waitForSelector("h1");
    const listed = await page.locator("nav li").allTextContents();
    expect([...listed].sort(compareText)).toEqual(Object.keys(methods).sort(compareText));
    expect(await page.locator("nav h2").allTextContents()).toContain("Dispute");
    for (const name of listed) {
      await page.goto(`${node.rpc}/docs#${name}`);
      await page.locator("main h1, main h2", { hasText: name }).first().waitFor();
    }
    await page.goto(`${node.rpc}/docs#getHealth`);
    await page.click("#call");
    await page.waitForSelector(".status.good");
    expect(await page.locator("#answer").textContent()).toContain('"ok"');
    expect(output).toEqual([]);
    await browser.close();
  });
});
