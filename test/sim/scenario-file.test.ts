// Goal: a scenario is a text that anybody can write: every one of ours is whole after the way through a file, an editor
// is told its shape, and what does not fit is refused in one line that names file, member and what is allowed.
// Method: all scenarios as JSON; a JSON Schema validator; the command line over files.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, assert, describe, expect, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { SCENARIO_BYTES_MAX } from "../../node/sim/scenario-file.ts";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { scenarioOf, scenarioSchema, scenarioText } from "../../sim/scenario-data.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-scenario-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The text of a scenario that is data. */
function textOf(scenario: Scenario): string {
  const text = scenarioText(scenario);
  if (!text.ok) assert.fail(text.error);
  return text.value;
}

describe("every scenario", () => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s is its text", (_, scenario) => {
    const read = scenarioOf(textOf(scenario));
    if (!read.ok) assert.fail(read.error);
    expect(JSON.parse(textOf(read.value))).toEqual(JSON.parse(textOf(scenario)));
  });

  test("fits the schema that editors are given, and a misspelt member does not", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const fits = ajv.compile(scenarioSchema());
    for (const scenario of scenarios) {
      const value = JSON.parse(textOf(scenario)) as object;
      assert.ok(fits(value), `${scenario.name}: ${JSON.stringify(fits.errors)}`);
      assert.isFalse(fits({ ...value, nodez: 4 }), scenario.name);
    }
  });
});

const market = {
  ...{ name: "from-a-file", description: "A cut while nobody trades.", source: "DESIGN section 5", nodes: 3 },
  faults: [{ kind: "partition", groups: [[0], [1, 2]], from: "0:02", until: "0:40" }],
  safety: [{ kind: "equal-sets-equal-states" }],
  liveness: { within: "2:00", checks: [{ kind: "replicas-converge" }] },
};

function written(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

async function run(...args: readonly string[]) {
  const around = { ...toySurroundings(false), backends: async () => openBackends() };
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

describe("ofs-sim with a file", () => {
  test("runs data and a module alike", async () => {
    const data = await run("run", written("market.json", market), "--json");
    assert.equal(data.code, 0, data.err);
    const root = join(import.meta.dirname, "../../sim/scenario-data.ts");
    const text = JSON.stringify(JSON.stringify(market));
    const imported = `import { scenarioOf } from ${JSON.stringify(root)};`;
    const module = `${imported}\nexport const market = scenarioOf(${text}).value;\n`;
    const code = await run("run", written("market.mjs", module), "--json");
    assert.equal(code.code, 0, code.err);
    const hash = (out: string) => (JSON.parse(out) as { readonly trace_hash: string }).trace_hash;
    assert.equal(hash(code.out), hash(data.out));
  });

  test("an excerpt is part of the text, and whole after the way through it", () => {
    const text = JSON.stringify({ ...market, excerpt: { nodes: 2, lasts: "0:30" } });
    const read = scenarioOf(text);
    if (!read.ok) assert.fail(read.error);
    assert.deepEqual(read.value.excerpt, { nodes: 2, lasts: 30_000 });
    const again = scenarioOf(textOf(read.value));
    assert.deepEqual(again.ok && again.value.excerpt, read.value.excerpt);
  });

  test("nodes start within what a text says, or within half a second", () => {
    const startsIn = (more: object) => {
      const read = scenarioOf(JSON.stringify({ ...market, ...more }));
      return read.ok ? read.value.startsWithin : read.error;
    };
    assert.deepEqual([startsIn({}), startsIn({ startsWithin: "1:00" })], [500, 60_000]);
    assert.match(String(startsIn({ startsWithin: -1 })), /^startsWithin: expected milliseconds/);
  });

  test("prints the schema", async () => {
    const { code, out } = await run("schema");
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), JSON.parse(JSON.stringify(scenarioSchema())));
  });

  test("says how to see a violation again by the file's own path", async () => {
    const idle = {
      ...market,
      faults: [{ kind: "bad-disk", node: 0, conditions: { lie: 1_000_000 }, from: 0, until: 0 }],
    };
    const file = written("idle.json", idle);
    const { code, out } = await run("run", file);
    assert.equal(code, 1);
    assert.include(out, `again: ofs-sim run ${file} --seed 1\n`);
  });

  const rows: readonly (readonly [string, string, unknown, RegExp])[] = [
    ["a misspelt member", "a.json", { ...market, nodez: 1 }, /a\.json: there is no member nodez; members are name, /],
    ["a missing one", "b.json", { ...market, name: undefined }, /b\.json: name is missing; members are name, /],
    [
      "a wrong value deep inside",
      "c.json",
      { ...market, faults: [{ ...market.faults[0], until: "soon" }] },
      /c\.json: faults\[0\]\.until: expected milliseconds from 0 to \d+, or a clock such as "1:30", not "soon"\.$/,
    ],
    [
      "an action that nobody knows",
      "d.json",
      { ...market, actions: [{ kind: "dance", actor: "ann", at: 1 }] },
      /d\.json: actions\[0\]: expected an object whose kind is one of advertise, .*, not "dance"\.$/,
    ],
    [
      "a node that is not there",
      "e.json",
      { ...market, gossipOnly: [3] },
      /e\.json: from-a-file: gossipOnly: there is no node 3/,
    ],
    ["a member twice", "f.json", '{"name":"a","name":"b"}', /f\.json: name stands twice\.$/],
    ["no JSON", "g.json", "{", /g\.json: .+\.$/],
    ["no scenario", "h.json", "[]", /h\.json: expected an object with name, /],
    ["another ending", "i.txt", "x", /i\.txt is no scenario: a file ends in \.json, \.ts, \.mts, \.mjs, \.js\.$/],
    ["a module without one", "j.mjs", "export const a = 1;", /j\.mjs exports no scenario; one is run\.$/],
    [
      "a module with what looks like one",
      "l.mjs",
      "export const a = { actions: 1, faults: 2, liveness: 3 };",
      /exports no/,
    ],
    ["a module that is none", "k.mjs", "export const = ;", /k\.mjs cannot be read: .+\.$/],
    [
      "TypeScript that is none",
      "m.ts",
      "export const a = {\n  name: 'm',\n  nodes: = 3,\n};\n",
      /m\.ts cannot be read: \S*m\.ts:3(:10)?: .+\.$/,
    ],
    [
      "a module that throws",
      "n.mjs",
      "export const a = 1;\nthrow new Error('not today\\nnor then');\n",
      /n\.mjs cannot be read: \S*n\.mjs:2:7: not today\.$/,
    ],
  ];
  test.each(rows)("%s is refused in one line", async (_, name, content, expected) => {
    const { code, out, err } = await run("run", written(name, content));
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err.trimEnd(), expected);
    assert.equal(err.trimEnd().split("\n").length, 1);
  });

  test("a file of as many bytes as are read is read, and one of one more is refused", async () => {
    const text = JSON.stringify({ ...market, faults: [] });
    const { code } = await run("run", written("full.json", text.padEnd(SCENARIO_BYTES_MAX)), "--json");
    assert.equal(code, 0);
    const { code: refused, err } = await run("run", written("over.json", text.padEnd(SCENARIO_BYTES_MAX + 1)));
    assert.equal(refused, 2);
    assert.match(err, /over\.json is longer than 16777216 bytes\.$/m);
  });

  test("a file that is not there is refused", async () => {
    const { code, err } = await run("run", join(folder, "none.json"));
    assert.equal(code, 2);
    assert.match(err, /none\.json cannot be read: ENOENT/);
  });
});
