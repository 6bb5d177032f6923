// Goal: a run that broke a law is a file that breaks it again, in words that say what became of it; a held run goes on
// from the command line. Method: a scenario whose nodes cannot agree in time, its file touched in every way.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, describe, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { openBackends } from "../../sim/backends.ts";
import { reproOf } from "../../sim/repro.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A node is cut off for a while, and nobody ever says what everybody must. */
const silent = {
  ...{ name: "silent", description: "Nobody says a word.", source: "DESIGN section 5", nodes: 3 },
  faults: [{ kind: "partition", groups: [[0], [1, 2]], from: "0:02", until: "0:40" }],
  safety: [{ kind: "flagged", event: "a word" }],
};

async function sim(...args: readonly string[]) {
  return await simUntil(new AbortController().signal, ...args);
}

async function simUntil(stop: AbortSignal, ...args: readonly string[]) {
  const around = { ...toySurroundings(false), backends: async () => openBackends(), stop };
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

function written(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

async function broken(): Promise<string> {
  const file = join(folder, "made", "silent.repro.json");
  const { code, out, err } = await sim("run", written("silent.json", silent), "--seed", "7", "--repro", file);
  assert.equal(code, 1, err);
  assert.include(out, `repro: ${file}\n`);
  return file;
}

describe("ofs-sim replay", () => {
  test("breaks the same law at the same event, and says so", async () => {
    const { code, out } = await sim("replay", await broken());
    assert.equal(code, 1);
    assert.match(out, /\nviolation of [\w-]+ at \d\d:\d\d\.\d+ \(event \d+\): /);
    assert.match(out, /\nreplayed: the same violation at the same event \d+\n/);
    const { out: json } = await sim("replay", await broken(), "--json");
    assert.equal((JSON.parse(json) as { readonly verdict: string }).verdict, "same");
  });

  test("tells other code, another law and a mended run apart", async () => {
    const text = readFileSync(await broken(), "utf8");
    const verdictOf = async (changed: string) => {
      const { code, out } = await sim("replay", written("changed.json", changed), "--json");
      return [(JSON.parse(out) as { readonly verdict: string }).verdict, code];
    };
    const [check] = /"check": "([^"]+)"/.exec(text)?.slice(1) ?? [];
    assert.deepEqual(await verdictOf(text.replace(/"event": \d+/, '"event": 1')), ["same-law", 1]);
    assert.deepEqual(await verdictOf(text.replace(`"check": "${check}"`, '"check": "submits-once"')), ["other-law", 1]);
    assert.deepEqual(await verdictOf(text.replace(/"safety": \[[^\]]*\]/, '"safety": []')), ["gone", 0]);
  });

  test("is written only for a run that broke a law", async () => {
    const file = join(folder, "calm.repro.json");
    const { safety: _, ...calm } = silent;
    assert.equal((await sim("run", written("calm.json", calm), "--repro", file)).code, 0);
    assert.isFalse(existsSync(file));
  });

  test("removes no device: that of a run that broke nothing is left", async () => {
    const scenario = written("calm.json", { ...silent, safety: [] });
    const device = join(folder, "device");
    symlinkSync("/dev/null", device);
    assert.equal((await sim("run", scenario, "--repro", device)).code, 0);
    assert.isTrue(existsSync(device));
    assert.equal((await sim("run", scenario, "--hold", device, "--hold-at", "900000")).code, 2);
    assert.isTrue(existsSync(device));
  });

  test("refuses what is no repro with one line that names file and member", async () => {
    const text = readFileSync(await broken(), "utf8");
    const refusal = async (changed: string) => {
      const { code, err } = await sim("replay", written("wrong.json", changed));
      assert.equal(code, 2);
      return err.replace(folder, "");
    };
    assert.equal(await refusal("{"), "/wrong.json: expected a member name at position 1.\n");
    assert.match(
      await refusal(text.replace('"ofs-repro/1"', '"ofs-repro/9"')),
      /^\/wrong\.json: format: .*ofs-repro\/1.*\.\n$/,
    );
    assert.match(
      await refusal(text.replace('"groups"', '"gruops"')),
      /^\/wrong\.json: scenario\.faults\[0\].*gruops.*\.\n$/,
    );
    assert.match(await refusal(text.replace(/"seed": 7/, '"seed": -7')), /^\/wrong\.json: seed: .*\.\n$/);
    const missing = await sim("replay", join(folder, "none.json"));
    assert.equal(missing.code, 2);
    assert.match(missing.err, /none\.json cannot be read: .*\.\n$/);
    const nowhere = await sim("run", written("silent.json", silent), "--repro", "/dev/null/x");
    assert.deepEqual([nowhere.code, /^\/dev\/null\/x cannot be written: /.test(nowhere.err)], [2, true]);
  });

  test("holds the whole scenario: its text is read back as it was", async () => {
    const repro = reproOf(readFileSync(await broken(), "utf8"));
    assert.ok(repro.ok);
    assert.deepEqual([repro.value.seed, repro.value.nodes, repro.value.parity], [7n, 3, false]);
    assert.equal(repro.value.scenario.faults.length, 1);
  });
});

describe("ofs-sim run --hold, and resume", () => {
  const calm = { ...silent, safety: [] };

  test("end as the run that was never held", async () => {
    const file = join(folder, "calm.held");
    const scenario = written("calm.json", calm);
    const held = await sim("run", scenario, "--seed", "3", "--hold", file, "--hold-at", "30");
    assert.equal(held.code, 0, held.err);
    assert.match(
      held.out,
      /^held silent after event 30 at 00:\d\d\.\d{3} in .*calm\.held\non: ofs-sim resume .*calm\.held\n$/,
    );
    const last = (out: string) =>
      out
        .trimEnd()
        .split("\n")
        .at(-1)
        ?.replace(/wall=\S+ /, "");
    const { code, out } = await sim("resume", file);
    assert.equal(code, 0);
    assert.equal(last(out), last((await sim("run", scenario, "--seed", "3")).out));
  });

  test("tell of a law that breaks on the way, and leave no file", async () => {
    const file = join(folder, "broken.held");
    const { code, out, err } = await sim("run", written("silent.json", silent), "--hold", file, "--hold-at", "900000");
    assert.equal(code, 1, err);
    assert.match(out, /^violation of flagged at /m);
    assert.match(out, /^again: ofs-sim run .*silent\.json --seed 1$/m);
    assert.isFalse(existsSync(file));
  });

  test("end where somebody wants that, and say how far they came", async () => {
    const stop = AbortSignal.abort();
    const file = join(folder, "interrupted.held");
    const scenario = written("calm.json", calm);
    const holding = await simUntil(stop, "run", scenario, "--hold", file, "--hold-at", "30");
    assert.deepEqual([holding.code, holding.err], [130, "interrupted: silent of seed 1 after event 0 at 00:00.000\n"]);
    assert.isFalse(existsSync(file));
    await sim("run", scenario, "--hold", file, "--hold-at", "30");
    const resuming = await simUntil(stop, "resume", file);
    assert.equal(resuming.code, 130, resuming.out);
    assert.match(resuming.err, /^interrupted: silent of seed 1 after event 30 at /);
  });

  test("refuse what cannot be with one line", async () => {
    const scenario = written("calm.json", calm);
    const file = join(folder, "never.held");
    for (const [args, line] of [
      [["run", scenario, "--hold", file], /^--hold wants --hold-at: after how many events\.\n$/],
      [["run", scenario, "--hold", file, "--hold-at", "0"], /^--hold-at takes a whole number of events/],
      [["run", scenario, "--hold", file, "--hold-at", "900000"], /^silent ends before event 900000\.\n$/],
      [
        ["run", scenario, "--hold", file, "--hold-at", "9", "--repro", file],
        /^--repro keeps whole runs; --hold ends one/,
      ],
      [["resume", scenario], /calm\.json: this is no held run of this version\.\n$/],
      [["resume", join(folder, "none")], /none cannot be read: /],
      [["verify", "--seeds", "1", "--held", "x"], /^--held takes a whole number from 0 to 1000, not "x"\.\n$/],
    ] as const) {
      const { code, err } = await sim(...args);
      assert.equal(code, 2);
      assert.match(err, line);
    }
  });
});
