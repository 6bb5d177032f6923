/**
 * Goal: a CommonJS runner has the network of `ofs-node/testing`, from one file that loads no ES module, in a process
 * that ends with its own. Method: the bundle, required by processes that know nothing else; its client against the
 * typed one; test/package has the same of the packed package, with its types.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parseJson } from "../../../core/index.ts";
import { testingBundle } from "../../../node/bootstrap/testing.mjs";
import type { ControlName } from "../../../sim/serve/control/client.ts";
import { controlDocument } from "../../../sim/serve/control/document.ts";
import type { Described } from "../../../sim/serve/control/documented-client.ts";
import { openDocumentedClient, valueAs } from "../../../sim/serve/control/documented-client.ts";
import type { ReadyLine } from "../../../sim/serve/served-network.ts";
import { controlOf, openTestServed } from "./test-network.ts";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "ofs-commonjs-"));
const bundle = join(folder, "node/sim/testing.cjs");
let text: string;
beforeAll(async () => {
  text = await testingBundle(root);
  mkdirSync(join(folder, "node/sim"), { recursive: true });
  writeFileSync(bundle, text);
  // The launcher stands where the sources have it.
  symlinkSync(join(root, "node/bin"), join(folder, "node/bin"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the bundle requires Node's own modules and imports none", () => {
  const required = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
  expect(required).toContain("node:child_process");
  expect(required.filter((name) => !builtinModules.includes(name?.replace(/^node:/, "") ?? ""))).toEqual([]);
  expect(text).not.toMatch(/\bimport\s*\(|^\s*(import|export)\s|import\.meta/m);
});

test("the document alone makes the same of every answer as the table does", async () => {
  const network = await openTestServed();
  const typed = controlOf(network);
  const documented = openDocumentedClient({ url: network.ready.control.rpc });
  const { settlement } = await documented.call("sim_seedTrade", { state: "Disputed" });
  const asked: readonly (readonly [ControlName, object])[] = [
    ...(["sim_getStatus", "sim_getTime", "sim_getWallets", "sim_getTopology", "sim_getBlocks"] as const).map(
      (name) => [name, {}] as const,
    ),
    ...[["sim_getEvents", { limit: 50 }] as const, ["sim_getStory", { id: settlement }] as const],
    ...[["sim_getNodes", {}] as const, ["sim_getTables", { node: 0 }] as const, ["sim_getTrace", {}] as const],
  ];
  for (const [name, params] of asked) {
    const [one, other] = [await typed.call(name, params as never), await documented.call(name, params as never)];
    expect(other, name).toEqual(one);
  }
  const refused = documented.call("sim_crash", { node: 9 });
  await expect(refused).rejects.toMatchObject({ name: "ControlRefusal", reason: "UNKNOWN_NODE", code: -33001 });
});

test("no result of control has a form that the document's reader does not know", () => {
  const { methods } = JSON.parse(controlDocument("1")) as {
    readonly methods: readonly { readonly name: string; readonly result: { readonly schema: Described } }[];
  };
  expect(methods.length).toBeGreaterThan(30);
  expect(methods.filter(({ result }) => !isKnown(result.schema)).map(({ name }) => name)).toEqual([]);
  expect(isKnown({ type: "object" })).toBe(false);
  expect(isKnown({ type: "array", items: { type: "number" } })).toBe(false);
  const wrong = parseJson('{"now":"1"}');
  const shape = { type: "object", properties: { now: { type: "integer", format: "uint64" } } };
  expect(wrong.ok && valueAs(shape, wrong.value)).toBeUndefined();
});

function isKnown({ type, items, properties, oneOf }: Described): boolean {
  if (oneOf !== undefined) return oneOf.every(isKnown);
  if (type === "array") return items !== undefined && isKnown(items);
  if (type === "object") return properties !== undefined && Object.values(properties).every(isKnown);
  return ["string", "boolean", "integer", "null"].includes(type ?? "");
}

test("what cannot be served is refused in the words of the command", () => {
  const script = `require(${JSON.stringify(bundle)}).startNetwork({ nodes: 2, gossipOnly: 3 })
    .catch((error) => console.log(error.message))`;
  const ran = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect(ran.stdout.trim()).toBe("--gossip-only 3 is more than --nodes 2.");
});

test("whoever does not close it is not held by it, and the network ends with who started it", async () => {
  const script = `require(${JSON.stringify(bundle)}).startNetwork({ nodes: 1 })
    .then(({ ready }) => console.log(JSON.stringify(ready)))`;
  const left = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect(left.status, left.stderr).toBe(0);
  // A starter that is killed closes nothing.
  const starter = spawn(process.execPath, ["-e", `${script}.then(() => setInterval(() => {}, 1e6))`]);
  const line = await new Promise<string>((told) => void starter.stdout.once("data", (part) => told(String(part))));
  const stream = new WebSocket((JSON.parse(line) as ReadyLine).nodes[0]!.ws);
  await new Promise((opened) => stream.once("open", opened));
  const closed = new Promise((gone) => stream.once("close", gone));
  starter.kill("SIGKILL");
  await closed;
});
