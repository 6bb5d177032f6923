// Goal: a recording gives the state of any node after any event, alters no run, and is found out where it is damaged.
// Method: drawn scenarios, seeds and events against a second run that stands at the event; damaged bytes.
import fc from "fast-check";
import { assert, beforeAll, describe, test } from "vitest";
import { tables } from "../../../core/index.ts";
import { scenarios } from "../../../scenarios/index.ts";
import { openBackends } from "../../../sim/backends.ts";
import { recordLine } from "../../../sim/record-text.ts";
import type { Run } from "../../../sim/run.ts";
import { openRun, runScenario } from "../../../sim/run.ts";
import type { Scenario } from "../../../sim/scenario.ts";
import { excerptOf } from "../../../sim/scenario.ts";
import type { RunOptions } from "../../../sim/setup.ts";
import { RecordingDefect } from "../../../sim/travel/format.ts";
import { withPlantedBug } from "../../planted/planted-bug.ts";
import type { PlantedBug } from "../../planted/planted-text.ts";
import { forAllAsync } from "../../property/for-all.ts";
import type * as Usual from "./recorded.ts";
import type { Recorded } from "./recorded.ts";
import { memoryRecording, NOTES, readRecording, record, rowsAt } from "./recorded.ts";

const backends = openBackends();
const restarts = scenarios.find(({ name }) => name === "operator-restart-during-settlement")!;

function optionsOf(scenario: Scenario, seed: bigint): RunOptions {
  return { seed, ...(scenario.chain !== "none" && { chain: "model" as const }) };
}

/** What a node of a run holds, by table and key; what lives in memory alone is not recorded. */
function heldBy(run: Run, node: number): ReadonlyMap<string, string> {
  const view = run.world.nodes[node]?.driver()?.view;
  if (view === undefined) return new Map();
  return new Map(
    tables
      .filter(({ record: codec }) => codec.inMemory !== true)
      .flatMap((table) =>
        [...view.keys(table)].map((key) => [`${table.name} ${key}`, recordLine(view.get(table, key))] as const),
      ),
  );
}

function sorted(rows: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Compares every node after some events with a run that stands there. */
async function compare(recorded: Recorded, run: Run, events: readonly number[]): Promise<void> {
  const { recording } = recorded;
  const nodes = recording.notes.nodes.map((_, node) => node);
  for (const event of events) {
    await run.goOn(() => run.world.trace.events() >= event);
    const stands = run.world.trace.events();
    // The end of a process has no number of its own: it follows an event, and the run stands before it.
    const ended = [...recording.eventsFrom(stands, stands)].flatMap((seen) =>
      seen.kind === "crashed" ? seen.node : [],
    );
    for (const node of nodes.filter((each) => !ended.includes(each)))
      assert.deepEqual(
        sorted(rowsAt(recording, node, stands)),
        sorted(heldBy(run, node)),
        `node ${node} after event ${stands}`,
      );
  }
}

/** A recording of a run in which a process ends, and the same run before its first event. */
async function crashed(recorder: typeof record) {
  const options = optionsOf(restarts, 1n);
  const recording = await recorder(restarts, options);
  const seen = recording.recording.eventsFrom(1, recording.recording.events);
  const crash = [...seen].find(({ kind }) => kind === "crashed");
  assert.ok(crash !== undefined, "a process ends in it");
  return { recording, crash, run: await openRun(restarts, options, backends) };
}

/** Rows that come, change and go for thousands of events, and now and then all at once; what a map held after each. */
function byHand(of: Pick<typeof Usual, "memoryRecording" | "readRecording">) {
  const { writer, bytes } = of.memoryRecording();
  const rows = new Map<string, string>();
  const states: (readonly (readonly [string, string])[])[] = [[]];
  let drawn = 7;
  const below = (most: number) => {
    drawn = (drawn * 48_271) % 0x7fff_ffff;
    return drawn % most;
  };
  for (let event = 1; event <= EVENTS; event++) {
    if (below(900) === 0) {
      rows.clear();
      writer.forgotten(0, event, "anew");
    }
    const [key, removed] = [`key ${below(40)}`, below(3) === 0];
    const text = removed ? undefined : `{"what":"${"long ".repeat(9)}","when":${event},"tail":"${below(9)}"}`;
    writer.changes(0, event, [{ table: "rows", key, text }]);
    if (text === undefined) rows.delete(`rows ${key}`);
    else rows.set(`rows ${key}`, text);
    states.push(sorted(rows));
  }
  writer.close(NOTES, EVENTS);
  return { recording: of.readRecording(bytes()), states };
}

/** Changes of several checkpoints. */
const EVENTS = 6_000;
const REMOVED_ROWS_KEPT: PlantedBug = {
  file: "sim/travel/recording-writer.ts",
  find: "  if (text === undefined) held.rows.delete(row);\n",
  replace: "  if (text === undefined) held.rows.has(row);\n",
};

const bugs: Readonly<Record<string, PlantedBug>> = {
  "a reader that keeps what a memory held which was lost": {
    file: "sim/travel/recording-reader.ts",
    find: '    if ("forgotten" in change) rows.clear();\n    else if',
    replace: '    if ("forgotten" in change) rows.has("");\n    else if',
  },
  "a reader that keeps removed rows": {
    file: "sim/travel/recording-reader.ts",
    find: "change.text === undefined) rows.delete(",
    replace: "change.text === undefined) rows.has(",
  },
};

describe("a recording", () => {
  test("gives the state of every node after any event, and leaves the trace as it was", () =>
    forAllAsync(
      [
        fc.constantFrom(...scenarios.map(excerptOf)),
        fc.bigInt({ min: 1n, max: 1_000n }),
        fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 3 }),
      ],
      async (scenario, seed, thousandths) => {
        const options = optionsOf(scenario, seed);
        const recorded = await record(scenario, options, backends);
        const { events, trace_hash: trace } = recorded.result.report;
        assert.equal((await runScenario(scenario, options, backends)).report.trace_hash, trace);
        const at = thousandths.map((part) => Math.max(1, Math.floor((events * part) / 1_000)));
        await compare(
          recorded,
          await openRun(scenario, options, backends),
          at.sort((a, b) => a - b),
        );
      },
      {
        runs: 4,
        sample: 500,
        classes: (_, __, parts) => (parts.length > 1 ? ["several"] : []),
        shares: { several: 0.4 },
      },
    ));

  test("knows what was lost with a process", async () => {
    const { recording, crash, run } = await crashed(record);
    assert.isTrue(recording.recording.stateAt(crash.node, crash.event - 1).up);
    assert.isFalse(recording.recording.stateAt(crash.node, crash.event).up);
    await compare(recording, run, [crash.event + 1, crash.event + 400]);
  });

  for (const [name, bug] of Object.entries(bugs))
    test(`of which ${name} shows another state`, () =>
      withPlantedBug(bug, async (load) => {
        const { record: planted } = await load<typeof Usual>("test/sim/travel/recorded.ts");
        const { recording, crash, run } = await crashed(planted);
        const found = compare(recording, run, [crash.event + 1, recording.recording.events - 1]);
        await found.then(
          () => assert.fail("nobody noticed"),
          (error: Error) => assert.match(error.message, /^node \d/),
        );
      }));

  test("gives over checkpoints what a map would hold", () => {
    const { recording, states } = byHand({ memoryRecording, readRecording });
    for (let event = 0; event < states.length; event += 97)
      assert.deepEqual(sorted(rowsAt(recording, 0, event)), states[event], `event ${event}`);
  });

  test("of which a writer whose checkpoints keep removed rows shows another state", () =>
    withPlantedBug(REMOVED_ROWS_KEPT, async (load) => {
      const { recording, states } = byHand(await load<typeof Usual>("test/sim/travel/recorded.ts"));
      const differ = states.filter(
        (state, event) =>
          event % 97 === 0 && JSON.stringify(sorted(rowsAt(recording, 0, event))) !== JSON.stringify(state),
      );
      assert.isAbove(differ.length, 0);
    }));

  test("takes every kind of event from its place, in order, with a cause that came before", async () => {
    const { recording, result } = await record(restarts, optionsOf(restarts, 2n), backends);
    const seen = [...recording.eventsFrom(1, recording.events)];
    assert.equal(seen.filter(({ kind }) => kind !== "crashed").length, result.report.events);
    for (const [place, { event, time, cause }] of seen.entries()) {
      assert.ok(cause < event && time >= (seen[place - 1]?.time ?? 0));
      assert.ok(event >= (seen[place - 1]?.event ?? 1));
    }
    const middle = Math.floor(recording.events / 2);
    assert.deepEqual(
      [...recording.eventsFrom(middle, middle + 9)],
      seen.filter(({ event }) => event >= middle && event <= middle + 9),
    );
  });
});

describe("a damaged recording", () => {
  let recorded: Recorded;
  beforeAll(async () => {
    recorded = await record(restarts, optionsOf(restarts, 1n), backends);
  });

  /** Everything that a reader can be asked, as one text. */
  function everything(bytes: Uint8Array): string {
    const recording = readRecording(bytes);
    const { events, notes } = recording;
    const seen = [...recording.eventsFrom(1, events)].map((each) => ({ ...each, text: recording.text(each.label) }));
    const states = notes.nodes.map((_, node) => sorted(rowsAt(recording, node, events)));
    return JSON.stringify([notes, seen, states]);
  }

  test("is named in one line, wherever a bit is another, and wherever it is cut", () => {
    const { bytes } = recorded;
    const whole = everything(bytes);
    for (let n = 0; n < 60; n++) {
      const at = Math.floor(((n + 0.5) * bytes.length) / 60);
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << (n % 8));
      for (const damaged of [flipped, bytes.subarray(0, at)]) {
        try {
          assert.equal(everything(damaged), whole, `byte ${at}`);
          assert.fail(`byte ${at} of ${bytes.length} was believed`);
        } catch (error) {
          assert.instanceOf(error, RecordingDefect, `byte ${at}: ${(error as Error).message}`);
          assert.notInclude((error as Error).message, "\n");
        }
      }
    }
  });

  test("is told from one of another version, from another file, and from one that nobody ended", () => {
    const other = Buffer.from(recorded.bytes);
    other.write("ofs-travel/2\n");
    assert.throws(() => readRecording(other), /recorded by another version/);
    assert.throws(() => readRecording(Buffer.from("a letter to nobody")), /is no recording of a run/);
    const { writer, bytes } = memoryRecording();
    for (let n = 1; n < 60_000; n++)
      writer.event({ event: n, time: n, node: 0, kind: "timer.fired", cause: 0, label: `timer ${n}`, changed: 0 });
    assert.throws(() => readRecording(bytes()), /has no end/);
  });
});
