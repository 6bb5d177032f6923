/**
 * Goal: the client runs in browsers: its bundle needs nothing of Node.js, weighs what README says at most, and sends,
 * proves, pages, follows, seals and opens in one.
 * Method: the bundle that the package holds, built anew; in Chromium against one node's core over real HTTP.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { montgomeryOfEdwards } from "../../adapters/crypto/sealed-box.ts";
import { causes } from "../../core/document/causes.ts";
import { members } from "../../core/document/openrpc.ts";
import { known } from "../../core/kernel/assert.ts";
import { BUNDLE_BYTES_MAX, bundledClient } from "../../node/bootstrap/bundle.mjs";
import { fakeNode } from "../http/fake-node.ts";
import { needsChromium } from "../requirements.ts";
import { crypto, loneNode } from "../rpc/lone-node.ts";
import { T } from "./offer.ts";

const root = new URL("../../", import.meta.url).pathname;
const text = await bundledClient(root);
const recipient = montgomeryOfEdwards(crypto.publicKey(new Uint8Array(32).fill(8)));

test("the bundle weighs what README says at most, and imports nothing", () => {
  const stated = /(\d+) kB \((\d+) kB compressed\)/.exec(readFileSync(`${root}README.md`, "utf8"));
  expect(Number(stated?.[1]) * 1_000).toBe(BUNDLE_BYTES_MAX);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BUNDLE_BYTES_MAX);
  expect(gzipSync(text).length).toBeLessThanOrEqual(Number(stated?.[2]) * 1_000);
  expect(text).not.toMatch(/\bimport\s*[{*"(]|\brequire\(|\bprocess\.|\bBuffer\b/);
});

test("the bundle carries no texts of the document, which a client does not read", () => {
  for (const meaning of [members["amount"], members["wallet_public_key"], causes.CLAIM_LIMIT_REACHED])
    expect(text).not.toContain(known(meaning, "a text"));
});

/** What the page does with the bundle: a story of its own, told back as text. */
const story = `(async () => {
  const { openClient, openFollowing, identityOfSigner, isRefusal, ...boxes } = await import("/ofs-client.js");
  const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign"]);
  const signer = {
    publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
    sign: async (message) => new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, message)),
  };
  const { peer, key } = identityOfSigner(signer);
  const client = openClient({ url: location.origin + "/rpc" });
  const amount = (base_units) => ({ base_units, decimals: 6 });
  const offer = (id) => ({
    ...{ id, merchant: peer, merchant_public_key: key, asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" },
    ...{ direction: "Sell", fiat_currency: "KES", min_trade: amount(1n), max_trade: amount(18446744073709551615n) },
    ...{ initial_liquidity: amount(18446744073709551615n), pricing: { Fixed: { price: amount(13000n) } } },
    ...{ payment_methods: ["builtin:mpesa-kenya"], timestamp: ${T}n },
  });
  const told = [];
  const bytes = (byte) => new Uint8Array(32).fill(byte);
  const own = boxes.montgomerySecretOfEdwards(bytes(8));
  const box = boxes.sealBox(Uint8Array.from(${JSON.stringify([...recipient])}), bytes(7), bytes(5));
  told.push(box.ciphertext.length, String(boxes.openBox(own, box)) === String(bytes(7)));
  await new Promise((resolve, reject) => {
    const close = openFollowing({
      url: location.origin.replace("http", "ws") + "/ws",
      missed: async () => void told.push(await client.send("sendAdvertisementCreate", offer("ad-1"), signer)),
      broken: reject,
      message: ({ method, result }) => {
        told.push(method + " " + result);
        close();
        resolve();
      },
    });
  });
  await client.send("sendAdvertisementCreate", offer("ad-2"), signer);
  for await (const { max_trade } of client.rows("getAdvertisements", { pageRows: 1n }))
    told.push(max_trade.base_units.toString());
  told.push((await client.prove("getMySettlements", signer)).length);
  const again = await client.send("sendAdvertisementCreate", offer("ad-1"), signer).catch((thrown) => thrown);
  told.push(isRefusal(again, "DUPLICATE_ADVERTISEMENT"));
  return told;
})()`;

needsChromium("the bundle in a browser", (executablePath) => {
  test("signs with a key that it cannot read, follows, pages, proves, and knows a refusal", async () => {
    const core = loneNode(T);
    const node = await fakeNode();
    let published = 0;
    node.onCall = ({ replyTo, body }) => {
      const answer = core.body(body);
      for (const message of core.published.slice(published)) node.port.publish("own", message);
      published = core.published.length;
      node.port.reply(replyTo, answer);
      return true;
    };
    const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
    const browser = await chromium.launch({ executablePath, args, timeout: 0 });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(0);
      await page.route("**/ofs-client.js", (route) => route.fulfill({ contentType: "text/javascript", body: text }));
      // A page of the node itself: one that only the test answers may open no stream to this machine.
      await page.goto(`${node.url}/health`);
      const digits = "18446744073709551615";
      const told = [48, true, "ad-1", "sendAdvertisementCreate ad-1", digits, digits, 0, true];
      expect(await page.evaluate(story)).toEqual(told);
    } finally {
      await browser.close();
    }
  });
});
