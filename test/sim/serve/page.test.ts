/**
 * Goal: the page on the control port shows a served network and steers it, by pointer and by keys, on a desk and on a
 * phone, with 50 nodes too, and asks nobody but its own port.
 * Method: the page as it is bundled, in Chromium, over a real network; what it does is looked up by control's client.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pageScript } from "../../../node/sim/page-script.ts";
import type { ControlResult } from "../../../sim/serve/control/client.ts";
import { controlPage } from "../../../sim/serve/control/front-page.ts";
import type { Answers } from "../../../sim/serve/page/answers.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import { DESKTOP, expectOwnDocument, openVisitor, PHONE } from "../../page-visits.ts";
import { needsChromium } from "../../requirements.ts";
import { advertise, clientOf, controlOf, openTestServed } from "./test-network.ts";

/** Methods that answer something else than the page reads. There is none, or the line below does not compile. */
type Unfit = { [M in keyof Answers]: ControlResult<M> extends Answers[M] ? never : M }[keyof Answers];
const fits: [Unfit] extends [never] ? true : Unfit = true;

const TOKEN = "a token of sixteen characters".replaceAll(" ", "-");

test("the page is one document with no resource from elsewhere, under a policy that names its own parts", async () => {
  expect(fits).toBe(true);
  expectOwnDocument(controlPage(await pageScript()));
});

needsChromium("the page in a browser", (executablePath) => {
  const visitor = openVisitor(executablePath);
  const visit = ({ ready }: ServedNetwork, viewport = DESKTOP) => visitor.visit(ready.control.url, { viewport });
  const drawn = (page: Page) => page.waitForSelector("[data-node='0']", { state: "attached" });

  test("draws nodes and links, follows what happens, and asks its own port alone", async () => {
    const network = await openTestServed();
    const { page, errors, asked } = await visit(network);
    await drawn(page);
    expect(await page.locator("g.node").count()).toBe(3);
    expect(await page.locator("line.link.open").count()).toBe(3);
    await advertise(network, 0, "the offer");
    await page.waitForSelector("#events >> text=AdvertisementCreated");
    await controlOf(network).call("sim_crash", { node: 2 });
    await page.waitForSelector("g.node.down[data-node='2']");
    expect(await page.locator("g.node.down").getAttribute("aria-label")).toBe("node 2, down, gossip-only");
    expect(errors).toEqual([]);
    expect(new Set([...asked].filter((url) => !url.startsWith("data:")))).toEqual(new Set(["/", "/rpc"]));
  });

  test("is used by keys alone: chooses nodes, cuts them off, lets time pass, and shows a refusal", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { page } = await visit(network);
    await drawn(page);
    await page.focus("[data-node='0']");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-node='1'][aria-pressed=true]");
    await page.focus("#cut");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#caption:has-text('cut 1 | 0, 2')");
    expect((await control.call("sim_getTopology")).cuts).toEqual([{ groups: [[1], [0, 2]], one_way: false }]);
    expect(await page.locator("line.link.cut").count()).toBe(2);
    const { now } = await control.call("sim_getTime");
    await page.fill("#seconds", "90");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#notice:has-text('increaseTime')");
    expect((await control.call("sim_getTime")).now).toBe(now + 90_000n);
    await page.fill("#instant", "2026-01-01T00:00:00");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#notice.bad:has-text('TIME_IS_PAST')");
    await page.focus("#stall");
    await page.keyboard.press("Space");
    await page.waitForSelector("#stall[aria-pressed=true]");
    await page.focus("#heal");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#caption:not(:has-text('cut'))");
    await page.fill("#loss-percent", "12.5");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#messages:has-text('loss 12.5 %')");
    await page.focus("#crash");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-node='1'].down");
    await page.focus("#restart");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-node='1'].up");
  });

  test("latency, loss and reorganizations are what its fields hold, and a refusal leaves them as they were", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { page, errors } = await visit(network);
    await drawn(page);
    await page.fill("#latency-least", "700");
    await page.fill("#latency-most", "250");
    await page.click("#latency button");
    await page.waitForSelector("#messages:has-text('latency uniform, least 250, most 700 ms')");
    await page.fill("#loss-percent", "100");
    await page.click("#loss button");
    await page.waitForSelector("#messages:has-text('loss 100 %')");
    const { latency, loss } = await control.call("sim_getTopology");
    expect([latency, loss]).toEqual([{ type: "uniform", least: 250, most: 700 }, 1_000_000]);
    await advertise(network, 0, "an offer that is lost");
    await page.click("#step-1s");
    await page.waitForSelector("#notice:has-text('increaseTime')");
    expect(await nodesThatHold(network, "an offer that is lost")).toEqual([0]);
    await page.fill("#loss-percent", "0");
    await page.click("#loss button");
    await page.waitForSelector("#messages:has-text('loss 0 %')");
    const before = await control.call("sim_getBlocks", {});
    await page.fill("#depth", "3");
    await page.click("#reorg button");
    await page.waitForSelector(`#chain-state:has-text('${before.forks + 1} forks so far')`);
    const after = await control.call("sim_getBlocks", {});
    expect(after.forks).toBe(before.forks + 1);
    const replaced = before.slots.filter(({ slot, blockhash }) => {
      const now = after.slots.find((one) => one.slot === slot);
      return blockhash !== null && now !== undefined && now.blockhash !== blockhash;
    });
    expect(replaced.length).toBeGreaterThan(0);
    expect(replaced.every(({ slot }) => slot > before.current - 3n)).toBe(true);
    await page.fill("#depth", "30000");
    await page.click("#reorg button");
    await page.waitForSelector("#notice.bad:has-text('REORG_TOO_DEEP')");
    expect((await control.call("sim_getBlocks", {})).forks).toBe(after.forks);
    expect(errors).toEqual([]);
  });

  test("every field and button has a name", async () => {
    const { page } = await visit(await openTestServed());
    await drawn(page);
    const unnamed = await page.evaluate(`[...document.querySelectorAll("button, input, select, [role=button]")]
      .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length))
      .map((one) => one.outerHTML)`);
    expect(unnamed).toEqual([]);
  });

  test("tells the story of a trade, shows its transactions, and a record that nodes hold differently", async () => {
    const network = await openTestServed();
    const { page, errors } = await visit(network);
    await drawn(page);
    await page.selectOption("#trade-state", "Completed");
    await page.click("#seed button");
    await page.waitForSelector(".timeline >> text=SettlementApproved");
    const lines = await page.locator(".timeline > li.onchain span").allTextContents();
    expect(lines).toContain("create trade escrow, fund trade escrow");
    await page.waitForSelector("#slots tr");
    await page.focus("#table");
    await page.waitForSelector("#table option[value=settlements]", { state: "attached" });
    await page.selectOption("#table", "settlements");
    await page.click("#find-record button");
    await page.click("#keys button");
    await page.waitForSelector("#comparison tr.differs >> text=state");
    const row = page.locator("#comparison tr.differs", { has: page.locator("th", { hasText: /^state / }) });
    expect(await row.locator("td").allTextContents()).toEqual(['"Completed"', '"Approved"']);
    expect(await page.locator("#comparison thead th").allTextContents()).toEqual(["member", "node 0–1", "node 2"]);
    expect(await page.locator("#comparison tr.same >> text=merchant_key").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test("goes back with the network", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { id } = await control.call("sim_snapshot");
    const { page } = await visit(network);
    await drawn(page);
    await control.call("sim_seedMarket", { advertisements: 3 });
    await page.waitForSelector("#events >> text=AdvertisementCreated");
    await control.call("sim_revert", { id });
    await page.waitForSelector("#events >> text=revert");
    expect(await page.locator("#events >> text=AdvertisementCreated").count()).toBe(0);
  });

  test("asks for the token where control wants one", async () => {
    const network = await openTestServed({ token: TOKEN });
    const { page } = await visit(network);
    await page.waitForSelector("#token-text");
    await page.fill("#token-text", TOKEN);
    await page.keyboard.press("Enter");
    await drawn(page);
    expect(await page.locator("#token").isVisible()).toBe(false);
    expect((await fetch(network.ready.control.rpc, { method: "POST", body: "{}" })).status).toBe(401);
  });

  test("its docs say in the title whose they are, and their header holds it on the smallest phone", async () => {
    const { ready } = await openTestServed({ nodes: 1, gossipOnly: 0 });
    const { page } = await visitor.visit(ready.control.docs, { viewport: { ...PHONE, width: 320 } });
    await page.waitForSelector("h1");
    expect(await page.title()).toBe("Simulated Network Control API Reference");
    const [shown, needed] = (await page.evaluate(`[...document.querySelectorAll("header")]
      .flatMap((header) => [header.clientHeight, header.scrollHeight])`)) as readonly [number, number];
    expect(needed).toBeLessThanOrEqual(shown);
  });

  test.each([320, 360])("every part of the page can be gone to at a width of %s", async (width) => {
    const { page } = await visit(await openTestServed({ nodes: 1, gossipOnly: 0 }), { ...PHONE, width });
    await drawn(page);
    const cut = await page.evaluate(`[...document.querySelectorAll("nav a")]
      .filter((link) => link.getBoundingClientRect().right > document.documentElement.clientWidth - 8)
      .map((link) => link.textContent)`);
    expect(cut).toEqual([]);
  });

  test("with 50 nodes on a phone nothing is wider than the screen, and every node is there", async () => {
    const network = await openTestServed();
    const { page, errors } = await visit(network, PHONE);
    // Fifty real nodes cost seconds of a test: these are three, whose answers tell of fifty.
    await page.route("**/rpc", async (route) => {
      const answers = (await (await route.fetch()).json()) as readonly { readonly result: object }[];
      await route.fulfill({ json: answers.map(({ result, ...rest }) => ({ ...rest, result: ofFifty(result) })) });
    });
    await page.waitForSelector("[data-node='49']");
    expect(await page.locator("g.node").count()).toBe(50);
    expect(await page.locator("g.node[tabindex='0']").count()).toBe(1);
    await page.click("#seed button");
    await page.waitForSelector(".timeline");
    expect(await page.locator(".timeline > li").first().locator(".reached li").count()).toBe(50);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
    // What stays at the top leaves the screen to the network.
    expect(await page.evaluate("document.querySelector('header').offsetHeight")).toBeLessThan(PHONE.height / 6);
    expect(errors).toEqual([]);
  });
});

/** The nodes that hold an advertisement. */
async function nodesThatHold(network: ServedNetwork, id: string): Promise<readonly number[]> {
  const held = [0, 1, 2].map((node) => clientOf(network, node).call("getAdvertisement", { id }));
  return (await Promise.all(held)).flatMap((record, node) => (record === null ? [] : [node]));
}

/** An answer of a network of three nodes, told of fifty. */
function ofFifty(result: object): object {
  const numbers = Array.from({ length: 50 }, (_, node) => node);
  if ("links" in result && "nodes" in result) {
    const [first] = result.nodes as readonly object[];
    const links = numbers.flatMap((one) =>
      [1, 2, 7].map((far) => ({ one, other: (one + far) % 50, open: true, cut: false })),
    );
    return { ...result, nodes: numbers.map((node) => ({ ...first, node })), links };
  }
  if (!("lines" in result)) return result;
  const lines = result.lines as readonly { readonly at: number }[];
  return { ...result, lines: lines.map((line) => ({ ...line, nodes: reachedBy(numbers, line.at) })) };
}

function reachedBy(numbers: readonly number[], at: number): readonly object[] {
  return numbers.map((node) => ({ node, at: at + 7 * node, from: node === 0 ? null : node - 1 }));
}
