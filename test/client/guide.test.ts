// Goal: whoever copies the client's example out of README has calls that a node takes.
// Method: the example as it stands there, at the instant of a node behind real HTTP; only where the node is differs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { openClient } from "../../adapters/client/client.ts";
import { fakeNode } from "../http/fake-node.ts";
import { ownPlace } from "../own-place.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { NEVER_MS } from "../until.ts";
import { merchant, offer, T } from "./offer.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "ofs-guide-"));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test("the example of README runs as it stands there", async () => {
  const guide = /```ts\n([\s\S]*?"ofs-node\/client"[\s\S]*?)```/.exec(
    readFileSync(join(root, "README.md"), "utf8"),
  )?.[1];
  const source = (name: string) => JSON.stringify(pathToFileURL(join(root, name)).href);
  const core = loneNode(T);
  const node = await fakeNode(ownPlace());
  node.onCall = ({ replyTo, body }) => {
    node.port.reply(replyTo, core.body(body));
    return true;
  };
  const client = openClient({ url: `${node.url}/rpc`, callMsMax: NEVER_MS });
  const advertised = await client.send("sendAdvertisementCreate", offer, merchant);

  const file = join(folder, "guide.mts");
  const placed = (guide ?? "")
    .replace('"ofs-node/client"', source("adapters/client/client.ts"))
    .replace('"ofs-node/adapters/crypto/native"', source("adapters/crypto/native.ts"))
    .replace("http://127.0.0.1:7080", node.url);
  writeFileSync(file, placed);
  vi.useFakeTimers({ toFake: ["Date"], now: Number(T) });
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await import(pathToFileURL(file).href);

  const [claim, ...advertisements] = printed.mock.calls;
  expect(claim).toEqual([expect.objectContaining({ claim_type: "MerchantName", value: "Corner shop", created_at: T })]);
  expect(advertisements).toEqual([[advertised, offer.pricing]]);
});
