// Goal: the report is an application in one file: opened from a disk without a network it shows everything of a run, is
// used by keys and by touch, on a desk and on a phone, by day and by night, with 100 nodes and 100,000 events.
// Method: pages of recorded runs and of recordings made by hand, in Chromium; what shows is compared with the reader.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { travelPageScript } from "../../../node/sim/page-script.ts";
import { reportPage } from "../../../node/sim/report-page.ts";
import { disputeDecidedOnChain } from "../../../scenarios/dispute-decided-on-chain.ts";
import type { RunNotes } from "../../../sim/travel/format.ts";
import { lawTextOf } from "../../../sim/travel/laws.ts";
import { nodesOf } from "../../../sim/travel/page/node-list.ts";
import { DESKTOP, openVisitor, PHONE } from "../../page-visits.ts";
import { needsChromium } from "../../requirements.ts";
import type { Recorded } from "./recorded.ts";
import { memoryRecording, NOTES, readRecording, record } from "./recorded.ts";

/** Events after a call by which its node has kept it, and another node far away has not heard of it. */
const AFTER = 9;

/** A recording made by hand: every node tells the next; some crash; each event writes a row. */
function large(nodes: number, events: number, notes: Partial<RunNotes> = {}): ReturnType<typeof readRecording> {
  const { writer, bytes } = memoryRecording();
  for (let event = 1; event <= events; event++) {
    const node = (event * 7) % nodes;
    const state = event;
    writer.changes(node, event, [
      { table: "rows", key: `row ${event % 40}`, text: `{"id":"r${event % 40}","state":${state}}` },
    ]);
    const kind = event % 10 === 0 ? "rpc.called" : "message.received";
    const label = kind === "rpc.called" ? "calls sendRow · by ann" : "GossipPush from node 1";
    writer.event({ event, time: event * 3, node, kind, cause: Math.max(0, event - 5), label, changed: 1 });
    if (event % 5_000 !== 0) continue;
    writer.forgotten(node, event, "crashed");
    writer.event({ event, time: event * 3, node, kind: "crashed", cause: 0, label: "its process ended", changed: 0 });
  }
  const names = Array.from({ length: nodes }, (_, node) => ({ name: `node ${node}`, gossipOnly: node % 9 === 0 }));
  writer.close({ ...NOTES, nodes: names, ...notes }, events);
  return readRecording(bytes());
}

test("nodes are written as numbers and ranges, and what is no node is passed over", () => {
  expect(nodesOf("0-2, 7", 9)).toEqual([0, 1, 2, 7]);
  expect(nodesOf("7–99,x", 9)).toEqual([7, 8]);
  expect(nodesOf("99", 3)).toEqual([0, 1, 2]);
});

describe("the page as a file", () => {
  test("is one document under a policy that names its own parts and allows nothing else", async () => {
    const html = reportPage(large(3, 100), await travelPageScript());
    expect(html).not.toMatch(/<(link|img|iframe)[^>]*(https?:)?\/\/|<script[^>]+src=|\son\w+=|\sstyle=/);
    const policy = /content-security-policy" content="([^"]+)"/.exec(html)?.[1] ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+';/);
    expect(policy).not.toMatch(/unsafe|\*|https?:|connect-src/);
  });

  test("holds the last events of a run that has more than it can bear", async () => {
    const script = await travelPageScript();
    const recording = large(10, 2_000);
    expect(reportPage(recording, script, 100).length).toBeLessThan(reportPage(recording, script).length);
  });
});

needsChromium("the report in a browser", (executablePath) => {
  const visitor = openVisitor(executablePath);
  let folder: string;
  let recorded: Recorded;
  let total: number;
  /** The call that opens the dispute, and an event of node 3 soon after it. */
  let [opens, later] = [0, 0];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ofs-report-"));
    recorded = await record(disputeDecidedOnChain, { seed: 1n, chain: "model" });
    const { recording } = recorded;
    total = recording.events;
    const all = [...recording.eventsFrom(1, total)];
    const label = ({ label: place }: (typeof all)[number]) => recording.text(place);
    opens = all.find((each) => label(each).startsWith("calls sendDisputeOpen"))?.event ?? 0;
    later = all.find(({ event, node }) => event > opens + AFTER && node === 3)?.event ?? 0;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function open(recording: ReturnType<typeof readRecording>, options: object = {}, most?: number) {
    const file = join(folder, "report.html");
    writeFileSync(file, reportPage(recording, await travelPageScript(), most));
    const visit = await visitor.visit(pathToFileURL(file).href, { offline: true, ...options });
    await visit.page.waitForSelector("body[data-ready]");
    return visit;
  }
  const chosen = (page: Page) => page.evaluate<number>("Number(document.body.dataset.chosen)");
  async function goTo(page: Page, event: number): Promise<void> {
    await page.fill("#go-to", String(event));
    await page.press("#go-to", "Enter");
    await page.waitForSelector(`body[data-chosen="${event}"]`);
  }

  test("asks nobody for anything and tells no error, from a file without a network", async () => {
    const { page, errors, asked } = await open(recorded.recording);
    await page.waitForSelector(`#diagram[data-drawn='${total}']`);
    expect(errors).toEqual([]);
    expect([...asked].filter((url) => url !== "" && !url.startsWith("data:"))).toEqual([]);
    expect(await page.textContent("#shown")).toBe(`${total} of ${total} events, 8 nodes`);
    expect(await page.textContent("#run")).toContain(`This page holds all ${total} events.`);
  });

  test("steps both ways by keys alone, over all events and over those of one node, and goes to the node beside", async () => {
    const { page } = await open(recorded.recording);
    await goTo(page, later);
    await page.focus("#diagram");
    await page.keyboard.press("ArrowDown");
    expect(await chosen(page)).toBe(later + 1);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await chosen(page)).toBe(later - 1);
    await goTo(page, later);
    await page.focus("#diagram");
    await page.keyboard.press("Shift+ArrowDown");
    const own = [...recorded.recording.eventsFrom(later + 1, total)].find(({ node }) => node === 3);
    expect(await chosen(page)).toBe(own?.event);
    await page.keyboard.press("ArrowRight");
    expect(await page.textContent("#chosen")).toContain("node 4:");
    await page.focus("#events");
    const before = await chosen(page);
    await page.keyboard.press("ArrowDown");
    expect(await chosen(page)).toBe(before + 1);
  });

  test("shows two nodes side by side with what differs, and why a field is what it is", async () => {
    const { page } = await open(recorded.recording);
    await goTo(page, opens + AFTER);
    await page.selectOption("#node-a", "6");
    await page.selectOption("#node-b", "3");
    await page.selectOption("#state-table", "settlements");
    await page.click("#rows li:has(.mark) button");
    const row = page.locator("#record tr", { has: page.locator("th", { hasText: /^state ≠/ }) });
    expect(await row.getAttribute("class")).toBe("differs");
    expect(await row.locator("td").allTextContents()).toEqual(['"Disputed"', '"PaymentSubmitted"']);
    await row.locator("button").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#why >> text=It goes back to a client's call.");
    expect(await page.textContent("#why li")).toContain("calls sendDisputeOpen · by dora");
    await page.click("#why li button");
    expect(await chosen(page)).toBe(opens);
  });

  test("filters by node, kind, method, table and record", async () => {
    const { page } = await open(recorded.recording);
    const all = [...recorded.recording.eventsFrom(1, recorded.recording.events)];
    const label = ({ label: place }: (typeof all)[number]) => recorded.recording.text(place);
    const shown = async (id: string, value: string, count: number): Promise<void> => {
      await page.click("#no-filter");
      await page.fill(id, value);
      await page.press(id, "Enter");
      expect(await page.textContent("#shown")).toContain(`${count} of ${total} events`);
    };
    await shown("#only-nodes", "2-3", all.filter(({ node }) => node === 2 || node === 3).length);
    await shown("#only-text", "sendvotecommit", all.filter((each) => label(each).includes("sendVoteCommit")).length);
    await page.click("#no-filter");
    await page.selectOption("#only-kind", "chain.observed");
    const observed = all.filter(({ kind }) => kind === "chain.observed").length;
    expect(await page.textContent("#shown")).toContain(`${observed} of ${total} events`);
    await page.click("#no-filter");
    await page.selectOption("#only-table", "disputes");
    await page.fill("#only-record", "dispute-1004");
    await page.press("#only-record", "Enter");
    expect(await page.textContent("#shown")).toMatch(new RegExp(`^[1-9]\\d? of ${total} events`));
  });

  test("explains a violation in words, and says what it leaves out", async () => {
    const broken = { check: "replicas-converge", message: "node 1 lacks a row", time: 5_700, event: 1_900 };
    const violations = [{ ...broken, law: lawTextOf(broken.check) }];
    const { page } = await open(large(8, 2_000, { violations }), {}, 500);
    const text = await page.textContent("#violations");
    expect(text).toContain("The law replicas-converge: in the end all nodes hold the same.");
    expect(text).toContain("Found instead: node 1 lacks a row");
    expect(text).toMatch(/Found after event 1900 at 00:05.700, on node 4/);
    expect(await page.locator("#violations tbody tr").count()).toBeGreaterThan(0);
    expect(await chosen(page)).toBe(1_900);
    expect(await page.textContent("#run")).toContain("Events 1 to 1500 are left out");
  });

  test("bears 100 nodes and 100,000 events, and draws them by day and by night", async () => {
    const recording = large(100, 100_000);
    for (const dark of [false, true]) {
      const { page, errors } = await open(recording, { dark, viewport: DESKTOP });
      // Filters take one row, and nothing takes no room.
      const tops = await page.locator("#filters button").evaluateAll((all) => all.map((one) => one.offsetTop));
      expect(new Set(tops).size).toBe(1);
      expect(await page.evaluate("document.getElementById('notice').offsetHeight")).toBe(0);
      await page.waitForSelector("#diagram[data-drawn='100020']");
      await goTo(page, 54_321);
      await page.focus("#diagram");
      for (let n = 0; n < 30; n++) await page.keyboard.press("-");
      expect(await page.locator(".event").count()).toBeLessThan(100);
      expect(errors).toEqual([]);
      await page.close();
    }
  });

  test("fits a phone, whatever is open, and is moved by a finger", async () => {
    const { page } = await open(recorded.recording, { viewport: PHONE });
    await goTo(page, later);
    await page.selectOption("#state-table", "settlements");
    await page.click("#rows button");
    await page.click("#record tbody button");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
    await page.locator("#diagram").scrollIntoViewIfNeeded();
    const box = await page.locator("#diagram").boundingBox();
    const [x, y] = [(box?.x ?? 0) + 200, (box?.y ?? 0) + 200];
    const pixels = 'document.getElementById("diagram").toDataURL()';
    await page.evaluate(`document.body.dataset.was = ${pixels}`);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 80, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(`${pixels} !== document.body.dataset.was`);
  });

  test("says in one line that it cannot be shown where it was cut", async () => {
    const file = join(folder, "cut.html");
    const html = reportPage(large(3, 200), await travelPageScript());
    writeFileSync(file, html.replace(/(id="recording">)[^<]*/, "$1AAAA"));
    const { page } = await visitor.visit(pathToFileURL(file).href, { offline: true });
    await page.waitForSelector("#notice.bad");
    expect(await page.textContent("#notice")).toMatch(/^This page cannot be shown: /);
  });
});
