/**
 * Goal: the list of methods in the papers is the list that is served. Method: the table of the README against the
 * server's own, and a call of every method, which none refuses as unknown.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { modelExecutors } from "../../../../sim/chain/executors/model.ts";
import { methods } from "../../../../sim/chain/server/methods.ts";
import { subscriptionMethods } from "../../../../sim/chain/server/subscriptions.ts";
import { crypto } from "../chain-world.ts";
import { openServedTestChain } from "./served-test-chain.ts";

const readme = readFileSync(new URL("../../../../sim/chain/server/README.md", import.meta.url), "utf8");

test("the README lists every method and every subscription, once, and nothing else", () => {
  const section = readme.slice(readme.indexOf("## Methods"), readme.indexOf("## Limits"));
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const served = [...methods.keys(), ...subscriptionMethods];
  expect(new Set(listed)).toEqual(new Set(served));
  expect(listed).toHaveLength(served.length);
});

test("every method that is listed is known to the server, whatever it is called with", async () => {
  const { server } = await openServedTestChain(modelExecutors(crypto));
  for (const method of [...methods.keys(), "getNothing"]) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
    const answer = await fetch(server.url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { error } = (await answer.json()) as { readonly error?: { readonly code: number } };
    expect(error?.code === -32601, method).toBe(method === "getNothing");
    expect(error?.code, method).not.toBe(-32603);
  }
});
