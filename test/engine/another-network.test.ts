// Goal: the engine runs with another list of domains, none of the marketplace's, and replicates it as well.
// Method: a network of notes and likes (notes-network.ts) over the simulated network, with a partition and a crash; the
// simulator's own checkers; every node answers alike in the end.
import { assert, expect, test } from "vitest";
import { openDriver } from "../../core/index.ts";
import type { Action } from "../../sim/action-kinds.ts";
import { openBackends } from "../../sim/backends.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import { crash, partition } from "../../sim/fault-plans.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import type { Backends } from "../../sim/setup.ts";
import { NoteLike, NoteWrite, notesNetwork } from "./notes-network.ts";

const NODES = 5;
const backends: Backends = {
  ...openBackends(),
  openDriver: (options) => openDriver({ ...options, network: notesNetwork }),
  tables: notesNetwork.tables,
};

const write = (actor: string, id: string, at: number, via: number): Action => ({
  kind: "code",
  ...{ name: `write ${id}`, actor, at, via },
  *run(person) {
    const payload = { id, author: person.wallet.peer, text: `of ${actor}`, timestamp: person.now() };
    expect(yield* person.send("sendNote", NoteWrite, payload)).toBe(id);
  },
});

const like = (actor: string, note: string, at: number, via: number): Action => ({
  kind: "code",
  ...{ name: `like ${note}`, actor, at, via },
  *run(person) {
    yield* person.send("sendLike", NoteLike, { note, reader: person.wallet.peer, timestamp: person.now() });
  },
});

/** What every node answers in the end. */
const reads = Array.from({ length: NODES }, (_, via): Action => {
  return {
    kind: "code",
    ...{ name: "read", actor: "reader", at: seconds(90), via },
    *run(person, scene) {
      const answers = [yield* person.must("getNotes", null), yield* person.must("getPopularity", null)];
      scene.tell(JSON.stringify(answers));
    },
  };
});

const scenario = defineScenario({
  name: "notes",
  description: "People write notes and like them while the network breaks.",
  source: "CONVERGENCE, in another network",
  nodes: NODES,
  chain: "none",
  actions: [
    write("ann", "a", seconds(1), 0),
    write("bob", "b", seconds(2), 3),
    // The like arrives where the note is not known yet, and is said twice.
    like("cat", "a", seconds(8), 3),
    like("cat", "a", seconds(12), 1),
    like("dan", "a", seconds(14), 4),
    like("ann", "b", seconds(15), 2),
    ...reads,
  ],
  faults: [
    partition(
      [
        [0, 1, 2],
        [3, 4],
      ],
      { from: seconds(5), until: seconds(30) },
    ),
    crash(4, { from: seconds(16), until: seconds(26) }),
  ],
  safety: [equalSetsEqualStates],
  liveness: { within: seconds(120), checks: [replicasConverge] },
});

test("a network of notes replicates, through a partition and a crash", async () => {
  const { report, story } = await runScenario(scenario, { seed: 1n }, backends);
  expect(report.violations).toEqual([]);
  const told = story.filter((line) => line.includes("[["));
  expect(told.length).toBe(NODES);
  for (const line of told) {
    const [notes, popularity] = JSON.parse(line.slice(line.indexOf("[["))) as [{ id: string }[], unknown];
    assert.deepEqual(
      notes.map(({ id }) => id),
      ["a", "b"],
    );
    assert.deepEqual(popularity, [
      { id: "a", likes: 2 },
      { id: "b", likes: 1 },
    ]);
  }
});

test("one seed, one run, and methods of the marketplace are unknown", async () => {
  const runs = [
    await runScenario(scenario, { seed: 7n }, backends),
    await runScenario(scenario, { seed: 7n }, backends),
  ];
  expect(runs[0]?.report.trace_hash).toBe(runs[1]?.report.trace_hash);
  expect(Object.keys(notesNetwork.methods)).toEqual(["sendNote", "getNotes", "sendLike", "getPopularity"]);
});
