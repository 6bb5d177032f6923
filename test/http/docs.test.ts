// Goal: /docs works from the OpenRPC document alone, in a real browser, and asks nobody but its own node.
// Source: protocol 01 §10.1, §10.8; the page's look is ours.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { readDocsPage } from "../../adapters/http/docs.ts";
import type { Visit } from "../page-visits.ts";
import { DESKTOP, expectOwnDocument, openVisitor, PHONE } from "../page-visits.ts";
import { needsChromium } from "../requirements.ts";
import type { FakeNode } from "./fake-node.ts";
import { DOCUMENT, fakeNode } from "./fake-node.ts";

test("the page is one document with no resource from elsewhere and no inline handler", () => {
  const page = readDocsPage();
  expect(page.html).toContain("<title>OpenFiat Node API Reference</title>");
  expectOwnDocument(page);
});

needsChromium("docs in a browser", (executablePath) => {
  const visitor = openVisitor(executablePath);
  async function visit(node: FakeNode, path = "/docs", viewport = DESKTOP): Promise<Visit> {
    const visited = await visitor.visit(node.url, { path, viewport });
    await visited.page.waitForSelector("h1");
    return visited;
  }

  test("lists every method of the document, finds them, and says nothing on the console", async () => {
    const node = await fakeNode();
    const { page, errors, asked } = await visit(node);
    expect(await page.title()).toBe("OpenFiat Node API Reference");
    const names = DOCUMENT.methods.map((method) => (method as { name: string }).name);
    expect(await page.locator("nav li").allTextContents()).toEqual(names);
    await page.keyboard.press("/");
    await page.keyboard.type("reservation request");
    expect(await page.locator("nav li").allTextContents()).toEqual(["sendReservationRequest"]);
    expect(await page.locator("#found").textContent()).toBe("1 of 5 methods");
    expect(errors).toEqual([]);
    const loaded = [...asked].filter((url) => !url.startsWith("data:"));
    expect(new Set(loaded)).toEqual(new Set(["/docs", "/openrpc.json"]));
  });

  test("is used by keys alone, and without its node once it is there", async () => {
    const node = await fakeNode();
    const { page, errors } = await visit(node);
    await page.context().setOffline(true);
    const focused = () => page.evaluate("document.activeElement.id || document.activeElement.textContent");
    await page.keyboard.press("/");
    await page.keyboard.type("reservation");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("getReservation");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("sendReservationRequest");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toBe("search");
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:text-is('getReservation')");
    await page.context().setOffline(false);
    expect(errors).toEqual([]);
  });

  test("a copy that the browser saved works without any network", async () => {
    const node = await fakeNode();
    const { page } = await visit(node, "/docs#getHealth");
    const directory = mkdtempSync(join(tmpdir(), "docs-"));
    const copy = join(directory, "api.html");
    // What "Save page" writes is the page as it stands.
    writeFileSync(copy, await page.content());
    const command = await page.goto(`${node.url}/docs`).then(() => page.locator(".command").textContent());
    await page.close();
    await node.close();
    const { page: saved, errors, asked } = await visitor.visit(pathToFileURL(copy).href, { offline: true });
    await saved.waitForSelector("h1");
    const names = DOCUMENT.methods.map((method) => (method as { name: string }).name);
    expect(await saved.locator("nav li").allTextContents()).toEqual(names);
    expect(await saved.locator(".command").textContent()).toBe(command);
    await saved.reload();
    await saved.fill("#search", "reservation request");
    await saved.click("nav >> text=sendReservationRequest");
    await saved.waitForSelector("h1:text-is('sendReservationRequest')");
    expect(await saved.locator("#document").count()).toBe(1);
    expect([errors, [...asked]]).toEqual([[], [""]]);
    rmSync(directory, { recursive: true });
  });

  test("tries a call with the text as it was typed, and shows the answer with all its digits", async () => {
    const node = await fakeNode();
    node.onCall = ({ replyTo }) => {
      const result = '{"a":12345678901234567890,"b":130.0,"c":"<b>\\u00e9"}';
      node.port.reply(replyTo, `{"jsonrpc":"2.0","id":1,"result":${result}}`);
      return true;
    };
    const { page, errors } = await visit(node, "/docs#getAdvertisement");
    const rows = await page.locator("tbody tr").allTextContents();
    expect(rows).toEqual(["idstringrequiredThe record.", "idstringoptional", "pricenumberoptional"]);
    expect(JSON.parse(await page.inputValue("#params"))).toEqual({ id: "" });
    await page.fill("#params", '{"id":"ad1","big":98765432109876543210}');
    await page.click("#call");
    await page.waitForSelector(".status.good");
    expect(node.calls.map((call) => call.body)).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"getAdvertisement","params":{"id":"ad1","big":98765432109876543210}}',
    ]);
    const shown = (await page.locator("#answer").textContent()) ?? "";
    for (const text of ["12345678901234567890", "130.0", '"<b>\\u00e9"']) expect(shown).toContain(text);
    expect(errors).toEqual([]);
  });

  test("shows a refusal, and refuses by itself what is not JSON", async () => {
    const node = await fakeNode();
    node.onCall = ({ replyTo }) => {
      node.port.reply(replyTo, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing field id"}}');
      return true;
    };
    const { page } = await visit(node, "/docs#getReservation");
    await page.fill("#params", "{id}");
    await page.click("#call");
    await page.waitForSelector(".status.bad");
    expect(await page.locator(".status").textContent()).toMatch(/^params is not JSON/);
    expect(node.calls).toEqual([]);
    await page.fill("#params", "{}");
    await page.click("#call");
    await page.waitForSelector("#answer:visible");
    expect(await page.locator(".status").textContent()).toMatch(/^Refused: missing field id \(HTTP 200, /);
  });

  test("explains data to those who send, and puts a signed statement into it", async () => {
    const node = await fakeNode();
    const { page } = await visit(node, "/docs#sendReservationRequest");
    const notice = await page.locator(".notice").textContent();
    for (const word of ["data", "base64", "signed"]) expect(notice).toContain(word);
    await page.click("summary:text('as JSON')");
    await page.fill("#statement", '{"id":"é\u{1f600}","amount":12345678901234567890}');
    await page.click("text=Put it into data");
    const { data } = JSON.parse(await page.inputValue("#params")) as { data: string };
    expect(Buffer.from(data, "base64").toString("utf8")).toBe('{"id":"é\u{1f600}","amount":12345678901234567890}');
    await page.goto(`${node.url}/docs#getHealth`);
    await page.waitForSelector("h1:text-is('getHealth')");
    expect(await page.locator(".notice").count()).toBe(0);
  });

  test("on a phone nothing is wider than the screen, and the list opens and closes", async () => {
    const node = await fakeNode();
    const { page } = await visit(node, "/docs", PHONE);
    expect(await page.locator("nav").isVisible()).toBe(false);
    await page.click("#menu");
    await page.click("nav >> text=sendReservationRequest");
    await page.waitForSelector("h1:text-is('sendReservationRequest')");
    expect(await page.locator("nav").isVisible()).toBe(false);
    await page.click("summary:text('as JSON')");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
  });

  test("says so when the document cannot be had, and tries again when asked", async () => {
    const node = await fakeNode();
    const { page } = await visit(node);
    await page.route("**/openrpc.json", (route) => route.abort());
    await page.reload();
    await page.waitForSelector("[role=alert]");
    await page.unroute("**/openrpc.json");
    await page.click("text=Try again");
    await page.waitForSelector("h1");
  });
});
