// Goal: the page of a history shows every figure of every case as it was measured, to everybody, and asks nobody for
// anything. Method: runs by hand, names that are HTML among them, drawn and opened in a real browser: at a desk and at
// phone width, in the light and in the dark, by keyboard.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Locator } from "playwright-core";
import { afterAll, assert, describe, test } from "vitest";
import { DESKTOP, openVisitor } from "../page-visits.ts";
import { needsChromium } from "../requirements.ts";
import { historyPage } from "./history-page.ts";
import { mainPlot, sharePlot } from "./history-plot.ts";
import { runOn } from "./history-runs.ts";
import type { Series } from "./series.ts";
import { changeSentence, seriesOf } from "./series.ts";

const HOSTILE = '"><script>document.title = "taken"</script><img src=x onerror=alert(1)>';
const rate = (value: number) => ({ name: "arrivals", value, cpu: 2 * value, unit: "/s", bar: { least: 200 } });
const bytes = (value: number) => ({ name: "a node", value, unit: "kB", bar: { most: 60 } });
const runs = [
  runOn(1, [rate(100), bytes(90)]),
  runOn(2, [rate(110), bytes(80), { name: HOSTILE, value: 1, unit: HOSTILE }], { node: HOSTILE, cpuModel: HOSTILE }),
  runOn(3, [rate(120), bytes(50)], { commit: null }),
];
const history = { runs, damaged: [{ line: 4, reason: "it is not JSON" }], older: 1_200 };
const [arrivals, node] = seriesOf(runs) as [Series, Series];

/** The places of a line, as pairs. */
const pointsOf = (svg: string, name: string) =>
  (new RegExp(`points="([^"]+)" class="line ${name}"`).exec(svg)?.[1] ?? "")
    .split(" ")
    .map((one) => one.split(",").map(Number));

describe("what a page draws", () => {
  test("is every figure through its runs, in the order of the newest run", () => {
    const names = seriesOf(runs).map(({ name, readings }) => [name, readings.map(({ value }) => value)]);
    assert.deepEqual(names, [
      ["arrivals", [100, 110, 120]],
      ["a node", [90, 80, 50]],
      [HOSTILE, [1]],
    ]);
  });

  test("is a line by value, one by CPU time, the bar, and the share of the machine where it is a rate", () => {
    const svg = mainPlot(arrivals);
    const [value, cpu, bar] = ["value", "cpu", "bar"].map((name) => pointsOf(svg, name));
    assert.deepEqual([value?.length, cpu?.length, bar?.length], [3, 3, 3]);
    // Upwards is less: twice as much by CPU time, the bar of 200 as high as 2 times 100, from zero at 126.
    const heights = (points: number[][] | undefined) => points?.map(([, y]) => Math.round((126 - Number(y)) * 10) / 10);
    assert.equal(heights(cpu)?.[0], heights(bar)?.[0]);
    assert.closeTo(Number(heights(cpu)?.[2]), 2 * Number(heights(value)?.[2]), 0.2);
    assert.deepEqual(
      arrivals.readings.map(({ share }) => share),
      [0.2, 0.22, 0.24],
    );
    assert.lengthOf(pointsOf(sharePlot(arrivals), "share"), 3);
    assert.equal(sharePlot(node), "", "no rate");
    assert.notInclude(mainPlot(node), "line cpu");
    const far = seriesOf([runOn(1, [{ ...bytes(1), bar: { most: 60 } }])])[0] as Series;
    assert.include(mainPlot(far), "bar ≤ 60, far above");
    assert.notInclude(mainPlot(far), "line bar");
  });

  test("tells how the newest stands to those before it, as a share of the machine where it can", () => {
    assert.equal(changeSentence(arrivals), "14 % more than the median of the 2 before, as a share of the machine.");
    assert.equal(changeSentence(node), "41 % less than the median of the 2 before.");
    assert.equal(changeSentence(seriesOf(runs)[2] as Series), "The first reading.");
  });

  test("is text wherever it comes from, under a policy that allows the page's own style alone", () => {
    const html = historyPage(history);
    const tags = html.replaceAll(/"[^"]*"/g, '""');
    assert.notMatch(tags, /<script|<img|<[^>]*\s(style|on\w+)=/);
    assert.notMatch(html, /https?:/);
    const policy = /http-equiv="content-security-policy" content="([^"]+)"/.exec(html)?.[1];
    assert.match(policy ?? "", /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'$/);
    assert.include(historyPage({ runs: [], damaged: [], older: 0 }), "The history holds no run.");
  });
});

const textOf = async (part: Locator) => (await part.textContent()) ?? "";

needsChromium("the page of a history", (executablePath) => {
  const visitor = openVisitor(executablePath);
  const folder = mkdtempSync(join(tmpdir(), "ofs-history-page-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "page.html");
  writeFileSync(file, historyPage(history));
  const site = pathToFileURL(file).href;

  test("is good at phone width and at a desk, in the light and in the dark, and asks for nothing", async () => {
    for (const [viewport, dark] of [
      [{ width: 360, height: 800 }, false],
      [{ width: 360, height: 800 }, true],
      [DESKTOP, false],
      [DESKTOP, true],
    ] as const) {
      const { page, errors, asked } = await visitor.visit(site, { viewport, dark, offline: true });
      assert.deepEqual([errors, [...asked]], [[], [""]]);
      assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), viewport.width);
      assert.equal(await page.title(), "Benchmarks of ofs-node");
      assert.equal(await page.locator("figure").count(), 3);
      assert.equal(await page.locator("svg[role=img][aria-label]").count(), 4, "one more of the rate");
      const back = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      assert.equal(back, dark ? "rgb(14, 19, 25)" : "rgb(245, 247, 250)", "its style is let in");
      await page.close();
    }
  });

  test("says the newest value in words, and what it leaves out", async () => {
    const { page } = await visitor.visit(site);
    assert.match(
      await textOf(page.locator("header")),
      /All 2 bars of the newest run are met\.[\s\S]*3 runs, .*no commit/,
    );
    const first = await textOf(page.locator("figure").first());
    assert.match(first, /^\s*arrivals\s+120\s*\/s\s*240 by CPU time\s+Meets its bar, ≥ 200\. 14 % more than/);
    assert.include(await textOf(page.locator("figcaption").last()), "<script>");
    await page.locator(".skipped summary").click();
    assert.match(await textOf(page.locator(".skipped ul")), /line 4: it is not JSON\s+1,200 lines before the newest/);
  });

  test("opens the readings behind a plot by keyboard, the newest first", async () => {
    const { page } = await visitor.visit(site);
    const table = page.locator("figure").first().locator("table");
    assert.isFalse(await table.isVisible());
    // What is skipped, then the first plot's readings: there is one case, so no list of cases between.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.isTrue(await table.isVisible());
    const cells = await table.locator("tbody tr").first().locator("th, td").allInnerTexts();
    assert.deepEqual(cells, ["2026-11-03 03:04", "no commit", "120", "240", "0.24", "≥ 200 met"]);
    // This browser stops at whatever scrolls; others where they are told to.
    assert.equal(await page.locator('figure .wide[role="region"][tabindex="0"]').count(), 3);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "Readings of arrivals");
  });
});
