/**
 * Goal: a page of any origin calls a node and follows it, as applications do, and no page reaches the admin address.
 * Method: a real node, Chromium, and a page that another port serves.
 * Source: protocol 01 §10.5, §10.6; DESIGN section 6.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundledClient } from "../../node/bootstrap/bundle.mjs";
import { needsChromium } from "../requirements.ts";
import type { NodeProcess } from "./node-process.ts";
import { startNode } from "./node-process.ts";

const FLAGS = "--headless --no-sandbox --disable-gpu --disable-background-networking";
/** A name whose owner points it at this machine once the page is loaded. */
const REBOUND = "rebound.test";
/** So many calls, and then one a thousand seconds. */
const RATE = "8/0.001";

/** An application: reads, is refused, follows, sends; and then calls until the node has heard enough of it. */
const application = `async (rpc) => {
  const { openClient, openFollowing, identityOfSigner, isRefusal } = await import("/ofs-client.js");
  const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign"]);
  const signer = {
    publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
    sign: async (message) => new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, message)),
  };
  const { peer, key } = identityOfSigner(signer);
  const client = openClient({ url: rpc + "/rpc" });
  const amount = (base_units) => ({ base_units, decimals: 6 });
  const offer = {
    ...{ id: "ad-1", merchant: peer, merchant_public_key: key },
    ...{ asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", direction: "Sell", fiat_currency: "KES" },
    ...{ min_trade: amount(1n), max_trade: amount(5n), initial_liquidity: amount(5n) },
    ...{ pricing: { Fixed: { price: amount(13000n) } }, payment_methods: ["builtin:mpesa-kenya"] },
    timestamp: BigInt(Date.now()),
  };
  const told = [];
  await new Promise((resolve, reject) => {
    const close = openFollowing({
      url: rpc.replace("http", "ws") + "/ws",
      missed: async () => void told.push(await client.send("sendAdvertisementCreate", offer, signer)),
      broken: reject,
      message: ({ method, result }) => {
        told.push(method + " " + result);
        close();
        resolve();
      },
    });
  });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" });
  let answer;
  do answer = await fetch(rpc + "/rpc", { method: "POST", headers: { "content-type": "application/json" }, body });
  while (answer.status === 200);
  const { error } = await answer.json();
  return [...told, answer.status, error.message, /^[0-9]+$/.test(answer.headers.get("retry-after"))];
}`;

/** What a page learns of an address that is not for pages: everything it can try, and what each came to. */
const stranger = `async ({ admin, out }) => {
  const tried = async (request) => {
    try {
      const answer = await request();
      return answer.type === "opaque" ? "sent and not shown" : String(answer.status);
    } catch (error) {
      return error.message;
    }
  };
  const stream = (url) => new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.onopen = () => resolve("opened");
    socket.onerror = () => resolve("refused");
  });
  const asked = { method: "POST", body: out, headers: { "x-ofs-admin": "1" } };
  return {
    read: await tried(() => fetch(admin + "/debug/roots")),
    metrics: await tried(() => fetch(admin + "/metrics")),
    blind: await tried(() => fetch(admin + "/backup", { method: "POST", body: out, mode: "no-cors" })),
    asked: await tried(() => fetch(admin + "/backup", asked)),
    stream: await stream(admin.replace("http", "ws") + "/ws"),
  };
}`;

needsChromium("a page from elsewhere", (executablePath) => {
  const folder = mkdtempSync(join(tmpdir(), "ofs-elsewhere-"));
  let node: NodeProcess;
  let browser: Browser;
  let elsewhere: { readonly server: Server; readonly url: string };

  beforeAll(async () => {
    const client = await bundledClient(new URL("../../", import.meta.url).pathname);
    node = await startNode(join(folder, "ledger"), "--rate-limit", RATE);
    elsewhere = await serve(client);
    const args = [...FLAGS.split(" "), `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`];
    browser = await chromium.launch({ executablePath, args, timeout: 0 });
  });
  afterAll(async () => {
    await browser.close();
    elsewhere.server.close();
    await node.kill();
    rmSync(folder, { recursive: true });
  });

  async function visit(url: string): Promise<Page> {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(url);
    return page;
  }

  test("calls with a preflight, follows a stream, and reads why it has to wait", async () => {
    const page = await visit(elsewhere.url);
    const session = await page.context().newCDPSession(page);
    const verbs = new Set<string>();
    session.on("Network.requestWillBeSent", ({ request }) => {
      if (request.url === `${node.rpc}/rpc`) verbs.add(request.method);
    });
    await session.send("Network.enable");
    const told = await page.evaluate(`(${application})(${JSON.stringify(node.rpc)})`);
    expect(told).toEqual(["ad-1", "sendAdvertisementCreate ad-1", 429, "RATE_LIMIT_EXCEEDED", true]);
    expect(verbs).toEqual(new Set(["OPTIONS", "POST"]));
  });

  test("learns nothing from the admin address and orders nothing there", async () => {
    const page = await visit(elsewhere.url);
    const parts = JSON.stringify({ admin: node.admin, out: join(folder, "stolen") });
    expect(await page.evaluate(`(${stranger})(${parts})`)).toEqual({
      ...{ read: "Failed to fetch", metrics: "Failed to fetch" },
      ...{ blind: "sent and not shown", asked: "Failed to fetch", stream: "refused" },
    });
    expect(readdirSync(folder)).toEqual(["ledger"]);
  });

  test("reads and orders nothing there under a name that leads to this machine only afterwards", async () => {
    const { port } = new URL(node.admin);
    const origin = `http://${REBOUND}:${port}`;
    const page = await visit(`${origin}/live`);
    const parts = JSON.stringify({ admin: origin, out: join(folder, "stolen") });
    expect(await page.evaluate(`(${stranger})(${parts})`)).toEqual({
      ...{ read: "403", metrics: "403", blind: "403", asked: "403", stream: "refused" },
    });
    expect(readdirSync(folder)).toEqual(["ledger"]);
  });
});

/** A web server of somebody else: one page, and the client that it loads. */
function serve(client: string): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    const script = request.url === "/ofs-client.js";
    response.setHeader("content-type", script ? "text/javascript" : "text/html");
    response.end(script ? client : "<!doctype html><title>elsewhere</title>");
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({ server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    });
  });
}
