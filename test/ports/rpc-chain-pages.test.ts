// Goal: a history is read whole, in order and once, whatever its length, while it grows, and with bounded memory.
// Method: an endpoint of a few lines that lists as Solana does; random histories, pages and growth.
import type { Connection } from "@solana/web3.js";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Endpoint } from "../../adapters/chain/endpoint.ts";
import { moveOver, nextPage, openCursor } from "../../adapters/chain/signature-pages.ts";
import { ok } from "../../core/kernel/result.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import { forAllAsync } from "../property/for-all.ts";
import { openRpcChainWorld, vault } from "./rpc-chain-world.ts";

interface Line {
  readonly signature: string;
  readonly slot: number;
}

const ADDRESS = "11111111111111111111111111111111";

/** Lists newest first, `before` and `until` exclusive; `forgetful` knows no `until`. */
function endpointOver(history: readonly Line[], forgetful: boolean): { readonly endpoint: Endpoint; asked(): number } {
  let asked = 0;
  const connection = {
    async getSignaturesForAddress(
      _: unknown,
      { limit, before, until }: { readonly limit: number; readonly before?: string; readonly until?: string },
    ) {
      asked += 1;
      const newestFirst = history.toReversed();
      const from = before === undefined ? 0 : newestFirst.findIndex((each) => each.signature === before) + 1;
      const end = forgetful ? -1 : newestFirst.findIndex((each) => each.signature === until);
      return newestFirst.slice(from, end < 0 ? undefined : end).slice(0, limit);
    },
  } as unknown as Connection;
  const endpoint: Endpoint = {
    name: "fake",
    slot: 0n,
    ask: async (call) => ok(await call(connection)),
    failure: () => undefined,
    isOut: () => false,
    restsFor: () => 0,
    close: () => undefined,
  };
  return { endpoint, asked: () => asked };
}

const arbHistory = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 120 }).map((gaps) => {
  let slot = 1;
  return gaps.map((gap, n): Line => {
    slot += gap;
    return { signature: `s${n}`, slot };
  });
});

test("everything is listed, oldest first, once, also what comes meanwhile", async () => {
  const growths = fc.array(fc.oneof(fc.nat(9), fc.integer({ min: 20, max: 60 })), { maxLength: 30 });
  await forAllAsync(
    [arbHistory, fc.integer({ min: 1, max: 12 }), growths, fc.boolean()],
    async (all, page, growth, forgetful) => {
      const history: Line[] = [];
      const { endpoint } = endpointOver(history, forgetful);
      const cursor = openCursor();
      const seen: string[] = [];
      const labels = new Set([forgetful ? "an endpoint that forgot" : "an endpoint that knows"]);
      for (let round = 0, idle = 0; idle < 2; round++) {
        history.push(...all.slice(history.length, history.length + (growth[round] ?? all.length)));
        const found = await nextPage(endpoint, ADDRESS, cursor, page);
        if (!found.ok) throw new Error("the endpoint answers");
        const { listed, more, isWalking } = found.value;
        if (isWalking) {
          expect([listed, more]).toEqual([[], false]);
          labels.add("a walk goes on");
          continue;
        }
        expect(listed.length).toBeLessThanOrEqual(page);
        if (cursor.boundaries.length > 0) labels.add("several pages");
        if (more && history.length < all.length) labels.add("grows while pages are walked");
        if (listed.length === page) labels.add("a full page");
        const [first] = listed;
        if (first !== undefined && first.slot === cursor.slot) labels.add("a slot goes over two pages");
        seen.push(...listed.map((each) => each.signature));
        moveOver(cursor, listed);
        idle = listed.length === 0 && history.length === all.length ? idle + 1 : 0;
      }
      expect(seen).toEqual(all.map((each) => each.signature));
      return [...labels];
    },
    {
      runs: 100,
      sample: 150,
      shares: {
        ...{ "an endpoint that forgot": 0.3, "an endpoint that knows": 0.3, "several pages": 0.5, "a full page": 0.5 },
        ...{ "a walk goes on": 0.1 },
        ...{ "grows while pages are walked": 0.2, "a slot goes over two pages": 0.4 },
      },
    },
  );
});

test("a history of any length keeps few boundaries", async () => {
  const history = Array.from({ length: 3_000 }, (_, n): Line => ({ signature: `s${n}`, slot: n }));
  const { endpoint, asked } = endpointOver(history, false);
  const cursor = openCursor();
  const seen: string[] = [];
  let most = 0;
  for (let more = true; more; ) {
    const found = await nextPage(endpoint, ADDRESS, cursor, 4);
    if (!found.ok) throw new Error("the endpoint answers");
    most = Math.max(most, cursor.boundaries.length);
    seen.push(...found.value.listed.map((each) => each.signature));
    if (found.value.isWalking) continue;
    moveOver(cursor, found.value.listed);
    more = found.value.listed.length > 0;
  }
  expect(seen).toEqual(history.map((each) => each.signature));
  expect(most).toBeLessThanOrEqual(256);
  expect(asked()).toBeLessThan(6_000);
});

test.each([3, 7])("the port asks for pages of %d when it is told to", async (page) => {
  const asked: unknown[] = [];
  const lie = (method: string, params: readonly unknown[], result: JsonValue) => {
    if (method === "getSignaturesForAddress") asked.push((params[1] as { readonly limit?: number }).limit);
    return result;
  };
  const world = await openRpcChainWorld(1, { page }, { 0: { lie } });
  onTestFinished(() => world.end());
  world.port.watch(vault);
  await world.rest();
  expect(asked).toContain(page);
});
