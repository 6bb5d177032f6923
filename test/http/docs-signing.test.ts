// Goal: /docs signs with a key that stays in the page: every step can be compared, what it signs is taken, and it
// proves a wallet; examples and errors are shown.
// Method: the real document and one node's core behind the page, in a browser.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { methods, openRpcDocument } from "../../core/index.ts";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import { keptStory } from "../document/story/story.ts";
import { needsChromium } from "../requirements.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";
import type { FakeNode } from "./fake-node.ts";
import { fakeNode } from "./fake-node.ts";

const NOW = 1_786_000_000_000;
const text = openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, keptStory());
const { secret, key, peer } = person(0x55);
const { statements } = JSON.parse(readFileSync(new URL("../../vectors.json", import.meta.url), "utf8")) as {
  readonly statements: readonly {
    readonly tag: string;
    readonly renderings: readonly { readonly name: string; readonly text: string }[];
  }[];
};

needsChromium("signing in the page", (executablePath) => {
  let browser: Browser;
  const pages: Page[] = [];
  beforeAll(async () => {
    const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
    browser = await chromium.launch({ executablePath, args, timeout: 0 });
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close()));
  });

  /** A page over a node whose answers are a core's, at a fixed instant. */
  async function visit(hash: string, viewport = { width: 1280, height: 900 }) {
    const core = loneNode(BigInt(NOW));
    const node: FakeNode = await fakeNode();
    node.onCall = ({ replyTo, body }) => {
      node.port.reply(replyTo, core.body(body));
      return true;
    };
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(0);
    pages.push(page);
    const errors: string[] = [];
    page.on("console", (message) => errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.clock.setFixedTime(NOW);
    await page.route("**/openrpc.json", (route) => route.fulfill({ contentType: "application/json", body: text }));
    await page.goto(`${node.url}/docs${hash}`);
    await page.waitForSelector("h1");
    return { page, node, errors };
  }

  const stepOf = async (page: Page, id: string) => (await page.locator(`#step-${id}`).textContent()) ?? "";

  test("a payload is signed step by step, taken by the node, and its wallet is proven", async () => {
    const { page, node, errors } = await visit("#sendAdvertisementCreate");
    await page.fill("#secret", toHex(secret));
    await page.click("#use-key");
    await page.waitForSelector("#step-data");
    expect(await page.locator("#key-status").textContent()).toContain(`Key ${key}, peer ${peer}`);
    expect(await page.inputValue("#secret")).toBe("");
    expect(await page.locator("#sign-status").textContent()).toContain("merchant names somebody else");
    await page.click("#as-me");
    await page.waitForFunction(`document.querySelector("#step-text")?.textContent.includes("${peer}")`);
    const bytes = fromHex(await stepOf(page, "bytes")) ?? new Uint8Array(0);
    expect(new TextDecoder().decode(bytes.subarray(4))).toBe(
      `openfiat/advertisements/AdvertisementCreate/v1${await stepOf(page, "text")}`,
    );
    expect(await stepOf(page, "signature")).toBe(toBase58(crypto.sign(secret, bytes)));
    const text = await stepOf(page, "text");
    const compared = async (theirs: string) => {
      await page.fill("#theirs", theirs);
      return page.locator("#compared").textContent();
    };
    expect(await compared(text)).toBe("The same as step 1.");
    expect(await compared(toHex(bytes).toUpperCase())).toBe("The same as step 2.");
    expect(await compared(await stepOf(page, "data"))).toBe("The same as step 5.");
    expect(await compared(toHex(new TextEncoder().encode(text)))).toMatch(/the bare form, which is taken too/);
    expect(await compared(text.replace(":", ": "))).toBe(
      'Like step 1 up to character 6, counted from 0: there it has "\\"ad-1\\",\\"merc", yours " \\"ad-1\\",\\"mer".',
    );
    expect(await compared(toHex(bytes.subarray(0, 6)))).toMatch(/^Like step 2 up to byte 6, .* yours its end\.$/);
    expect(await compared("?")).toBe("It begins like none of these steps.");
    await page.click("#call");
    await page.waitForSelector(".status.good");
    expect(await page.locator("#answer").textContent()).toContain('"ad-1"');

    await page.goto(`${node.url}/docs#getMyTrades`);
    await page.waitForSelector("#prove");
    await page.click("#prove");
    await page.waitForFunction('document.querySelector("#params")?.value.includes("nonce")');
    await page.waitForSelector("#proof-text:visible");
    await page.click("#call");
    await page.waitForSelector(".status.good");

    expect(node.calls.map(({ body }) => (JSON.parse(body) as { method: string }).method)).toEqual([
      "sendAdvertisementCreate",
      "getWalletChallenge",
      "getMyTrades",
    ]);
    for (const { body } of node.calls)
      for (const spelled of [toHex(secret), toBase58(secret)]) expect(body).not.toContain(spelled);
    expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
    expect(errors).toEqual([]);
  });

  test("the page writes every published payload as it is signed, from any rendering, in any order", async () => {
    const { page } = await visit("#signing");
    const published = statements.flatMap(({ tag, renderings }) =>
      renderings.map(({ text: given }) => [tag, given, renderings[0]?.text ?? ""] as const),
    );
    const [known, wrong] = (await page.evaluate(`(() => {
      const all = state.methods.flatMap((each) => each["x-signed"] ?? []);
      const rows = (${JSON.stringify(published)}).filter(([tag]) => all.some((each) => each.tag === tag));
      const backwards = (value) => Object.fromEntries(Object.entries(value).reverse());
      const schemaOf = (tag) => all.find((each) => each.tag === tag).payload;
      const found = ([tag, given]) => written(schemaOf(tag), backwards(parseExactly(given)));
      return [rows.length, rows.filter((row) => found(row) !== row[2]).map((row) => row[0] + " " + found(row))];
    })()`)) as [number, readonly string[]];
    expect(wrong).toEqual([]);
    expect(known).toBeGreaterThan(statements.length / 2);
  });

  test("what cannot be signed is said, and a key that is none", async () => {
    const { page, node } = await visit("#sendSettlementApproved");
    await page.fill("#secret", "abc");
    await page.click("#use-key");
    await page.waitForSelector("#key-status:text('cannot be used')");
    await page.fill("#payload", '{"settlement_id":"set-1","seller":"x","colour":1,"timestamp":1}');
    await page.waitForSelector("#sign-status:text('payload has no member colour')");
    await page.fill("#payload", '{"settlement_id":"set-1","timestamp":1}');
    await page.waitForSelector("#sign-status:text('payload.seller is missing')");
    expect(node.calls).toEqual([]);
  });

  test("examples, errors and the rules of signing are read in the page", async () => {
    const { page, node } = await visit("#getTrade");
    await page.click("summary:text('call')");
    expect(await page.locator("details pre").first().textContent()).toContain('"4711001"');
    await page.goto(`${node.url}/docs#errors`);
    await page.waitForSelector("h1:text-is('Errors')");
    expect(await page.locator("tbody tr").count()).toBeGreaterThan(40);
    await page.goto(`${node.url}/docs#signing`);
    await page.waitForSelector("h1:text-is('Signing')");
    expect(await page.locator("dt").allTextContents()).toContain("floats");
  });

  test("on a phone the steps are no wider than the screen", async () => {
    const { page } = await visit("#sendAdvertisementCreate", { width: 390, height: 844 });
    await page.click("#test-key");
    await page.waitForSelector("#step-data");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });
});
