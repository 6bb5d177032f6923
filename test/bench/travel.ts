/**
 * What looking back costs: a recorded market beside one that is not recorded, and a recording of a million events of a
 * hundred nodes, written by hand with the mix of changes that a market has, of which states at drawn events are asked.
 * Source: DESIGN "Budgets": the state of a node at any event of 1,000,000 in 200 ms, of 100 nodes in 2 s.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRecordingFile, withRecording } from "../../node/sim/recording-file.ts";
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import type { RunNotes } from "../../sim/travel/format.ts";
import type { TravelRecording } from "../../sim/travel/recording-reader.ts";
import type { RecordingWriter } from "../../sim/travel/recording-writer.ts";
import { runNotes } from "../../sim/travel/run-notes.ts";
import type { Bench, Figure, Spent } from "./measure.ts";
import { median, rounded, spent, timed } from "./measure.ts";
import { market } from "./sim.ts";

const NODES = 100;
/** Numbers of events, each four times the one before, so that growth shows. */
const EVENTS = [62_500, 250_000, 1_000_000];
/** Rows of a node: statements and what follows from them, which stay, and what changes all the time. */
const KEPT_EVERY = 4;
const CHANGING = 200;
const ASKED = 40;
const WORLDS = 3;
const STATE_MS = 200;
const WORLD_MS = 2_000;

export const travelBench: Bench = {
  long: true,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "ofs-travel-"));
    try {
      const asked = EVENTS.flatMap((events) => {
        const file = join(folder, `${events}.recording`);
        const wrote = timed(() => writeByHand(file, events));
        return [
          { name: `writing ${events} events`, value: rounded((wrote * 1_000) / events), unit: "µs an event" },
          { name: `bytes of ${events} events`, value: rounded(statSync(file).size / events), unit: "bytes an event" },
          ...withRecording(file, statesOf),
        ];
      });
      return [...(await costOfRecording(folder)), ...asked];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** A run with and without a recording, in turns. */
async function costOfRecording(folder: string): Promise<readonly Figure[]> {
  const scenario = market(10, 30, seconds(40), []);
  const file = join(folder, "market.recording");
  const shares: number[] = [];
  let events = 0;
  for (let pair = 0; pair < 3; pair++) {
    const plain = await spent(async () => void (await runScenario(scenario, { seed: 1n }, openBackends())));
    const recorded = await spent(async () => {
      const { writer, close } = createRecordingFile(file);
      const result = await runScenario(scenario, { seed: 1n, record: writer }, openBackends());
      writer.close(runNotes(scenario, result), result.report.events);
      close();
      events = result.report.events;
    });
    shares.push((recorded.cpuMs / plain.cpuMs - 1) * 100);
  }
  return [
    { name: "CPU time that recording adds to a market of 10 nodes", value: rounded(median(shares)), unit: "%" },
    { name: "its recording", value: rounded(statSync(file).size / events), unit: "bytes an event" },
  ];
}

function writeByHand(file: string, events: number): void {
  const { writer, close } = createRecordingFile(file);
  for (let event = 1; event <= events; event++) writeEvent(writer, event);
  const nodes = Array.from({ length: NODES }, (_, node) => ({ name: `node ${node}`, gossipOnly: false }));
  const nothing = { faults: [], violations: [], story: [], figures: [], faultCounts: [] };
  const notes: RunNotes = {
    ...{ ...nothing, nodes, title: "by hand", description: "", ending: { columns: [], rows: [] } },
  };
  writer.close(notes, events);
  close();
}

/** A message: its sender's row and its link's, one that comes and goes, and now and then a statement. */
function writeEvent(writer: RecordingWriter, event: number): void {
  const node = (event * 37) % NODES;
  const changing = (event * 101) % CHANGING;
  const own = Math.floor(event / NODES);
  const text = (what: string) =>
    `{"id":"${what}","peer":"${"12D3KooW".repeat(6)}","seen":${event},"more":"${"x".repeat(120)}"}`;
  writer.changes(node, event, [
    { table: "peers", key: `peer ${changing}`, text: text("peer") },
    { table: "requests", key: `request ${own % 40}`, text: own % 2 === 0 ? text("request") : undefined },
    ...(own % KEPT_EVERY === 0 ? [{ table: "statements", key: `statement ${own}`, text: text(`${own}`) }] : []),
  ]);
  const [label, cause] = ["GossipPush from node 1 · takes AdvertisementCreated", Math.max(0, event - 7)];
  writer.event({ event, time: event * 3, node, kind: "message.received", cause, label, changed: 2 });
}

function statesOf(recording: TravelRecording): readonly Figure[] {
  const { events } = recording;
  const drawn = Array.from({ length: ASKED }, (_, n) => 1 + ((n * 7_919 * 104_729) % events));
  const times = drawn.map((event, n) => cpuOf(() => readAll(recording, n % NODES, event)));
  const worlds = drawn.slice(0, WORLDS).map((event) =>
    cpuOf(() => {
      for (let node = 0; node < NODES; node++) readAll(recording, node, event);
    }),
  );
  const of = `of ${events} events`;
  return [
    figure(`a node at an event ${of}, median`, times, median, STATE_MS),
    figure(`a node at an event ${of}, worst`, times, (all) => Math.max(...all), STATE_MS),
    figure(`${NODES} nodes at an event ${of}, worst`, worlds, (all) => Math.max(...all), WORLD_MS),
    { name: `rows of a node ${of}`, value: recording.stateAt(0, events).rows.size, unit: "rows" },
  ];
}

function figure(name: string, times: readonly Spent[], of: (all: number[]) => number, most: number): Figure {
  const [value, cpu] = [of(times.map(({ wallMs }) => wallMs)), of(times.map(({ cpuMs }) => cpuMs))];
  return { name, value: rounded(value), cpu: rounded(cpu), unit: "ms", bar: { most } };
}

function cpuOf(run: () => void): Spent {
  const before = process.cpuUsage();
  const wallMs = timed(run);
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}

/** The state with every text of it, as a command prints it. */
function readAll(recording: TravelRecording, node: number, event: number): void {
  for (const { key, text } of recording.stateAt(node, event).rows.values()) {
    recording.text(key);
    recording.text(text);
  }
}
