/**
 * Goal: the named suite *snapshot slot rules*. A node that never observed a slot makes no file; every other does, of a
 * slot that somebody observed; forged slots are refused by one bound wherever they come in: heard, announced, imported;
 * a checkpoint is the slot of a file that was taken, survives restarts and only grows; no chain fact comes from a file
 * (DESIGN L7; protocol 05 §6.3, §6.4, §6.9, §6.11).
 * Method: random stories on many nodes with a chain, under cuts, crashes, late starts and bad files, watched by a
 * checker that works out what each node can know; and the same stories with bugs planted into the core.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as CoreIndex from "../../core/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { newTally } from "../../sim/checkers/snapshots-keep-slots.ts";
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAllAsync } from "../property/for-all.ts";
import { FACT_FROM_FILE } from "../snapshots/fact-from-file.ts";
import { joinerPart, LATE, lateJoiner, nothingJoined } from "./late-joiner.ts";
import type { SlotStory } from "./slot-stories.ts";
import { arbSlotStory, GOSSIP_ONLY, kindsOf, NODES, SILENT, slotScenario, snapshotPart } from "./slot-stories.ts";

type Core = Pick<typeof CoreIndex, "createDriver">;

async function play(story: SlotStory, seed: bigint, chain: "bankrun" | "model", tally = newTally(), core?: Core) {
  const backends = openBackends();
  const result: RunResult = await runScenario(
    slotScenario(story, tally),
    { seed, chain },
    {
      ...backends,
      ...(core !== undefined && { openDriver: core.createDriver }),
      configure: (seat, choice) => ({ ...backends.configure(seat, choice), ...snapshotPart(seed, seat) }),
    },
  );
  return { report: result.report, tally };
}

const arbSeed = fc.bigInt({ min: 0n, max: 1n << 32n });
const NODE_NUMBERS = Array.from({ length: NODES }, (_, node) => node);

/** What stories are about, each in at least this share. */
const ABOUT = { cut: 0.3, late: 0.3, crash: 0.3, files: 0.3, forged: 0.3, "several liars": 0.2 };

/** What stories come to: every node makes a file, but for the silent one, and takes one; slots are refused. */
const CAME_TO = {
  ...Object.fromEntries(NODE_NUMBERS.filter((node) => node !== SILENT).map((node) => [`${node} wrote`, 0.5])),
  ...Object.fromEntries(NODE_NUMBERS.map((node) => [`${node} took`, 0.8])),
  "three refused": 0.1,
  ...Object.fromEntries(["crash", "partition", "peer", "file-damaged", "file-unwritten"].map((kind) => [kind, 0.05])),
};

async function expectSlotsKept(story: SlotStory, seed: bigint, chain: "bankrun" | "model"): Promise<readonly string[]> {
  const { report, tally } = await play(story, seed, chain);
  expect(report.violations).toEqual([]);
  expect(tally.wrote).not.toContain(SILENT);
  return [
    ...[...tally.wrote].map((node) => `${node} wrote`),
    ...[...tally.took].map((node) => `${node} took`),
    ...(tally.refused.size > 2 ? ["three refused"] : []),
    ...report.faults.filter(({ effective }) => effective > 0).map(({ kind }) => kind),
  ];
}

describe("snapshot slot rules", () => {
  test("random stories on bankrun", async () => {
    await forAllAsync(
      [arbSlotStory(), arbSeed],
      async (story, seed) => void (await expectSlotsKept(story, seed, "bankrun")),
      { runs: 4, nightly: 50, classes: kindsOf, shares: ABOUT, endOnFailure: true },
    );
  });

  test("random stories on model", async () => {
    await forAllAsync([arbSlotStory(), arbSeed], (story, seed) => expectSlotsKept(story, seed, "model"), {
      ...{ runs: 3, nightly: 300, sample: 12, shares: CAME_TO, endOnFailure: true },
    });
  });

  test("a node that is cut off from the first moment makes no file, until it hears a slot", async () => {
    const [lonely] = GOSSIP_ONLY;
    const story: SlotStory = { faults: [{ fault: "cut", node: lonely ?? 2, until: 80_000 }], lies: [], asks: [] };
    const wroteAt = new Map<number, bigint>();
    const tally = newTally();
    const scenario = slotScenario(story, tally);
    const backends = openBackends();
    const { report } = await runScenario(
      {
        ...scenario,
        safety: [
          ...scenario.safety,
          () => ({
            name: "first-files",
            onStep({ node, input, effects }) {
              if (effects.some(({ type }) => type === "snapshot.write") && !wroteAt.has(node))
                wroteAt.set(node, input.now - 1_767_225_600_000n);
            },
          }),
        ],
      },
      { seed: 3n, chain: "bankrun" },
      {
        ...backends,
        configure: (seat, chain) => ({ ...backends.configure(seat, chain), ...snapshotPart(3n, seat) }),
      },
    );
    expect(report.violations).toEqual([]);
    expect(Number(wroteAt.get(0))).toBeLessThan(20_000);
    expect(Number(wroteAt.get(5))).toBeLessThan(35_000);
    expect(wroteAt.get(2) === undefined || Number(wroteAt.get(2)) > 80_000).toBe(true);
  });
});

async function join(chain: "bankrun" | "model", core?: Core) {
  const [backends, joined, tally] = [openBackends(), nothingJoined(), newTally()];
  const { report } = await runScenario(
    lateJoiner(tally, joined),
    { seed: 1n, chain },
    {
      ...backends,
      ...(core !== undefined && { openDriver: core.createDriver }),
      configure: (seat, choice) => ({ ...backends.configure(seat, choice), ...joinerPart(1n, seat) }),
    },
  );
  return { report, joined, tally };
}

test("a node without an endpoint that joins by a file shows no decision of it, and ends like one that heard it all", async () => {
  const { report, joined, tally } = await join("bankrun");
  expect(report.violations).toEqual([]);
  expect(tally.took).toContain(LATE);
  const shown = (method: string) => (JSON.parse(joined.answers.get(method) ?? "{}") as { result?: unknown }).result;
  expect(joined.execution).toMatch(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
  expect(Buffer.from(joined.state ?? new Uint8Array(0)).includes(joined.execution ?? "none")).toBe(true);
  expect(shown("getCheckpointSlot")).toBeGreaterThan(0);
  expect(shown("getDispute")).toMatchObject({ status: "AwaitingChainExecution", resolution: null });
  expect(shown("getSettlement")).toMatchObject({ state: "Disputed", escrow_release_signature: null });
  expect(shown("getSettledVolume")).toMatchObject({ assets: [], settlements_known: 4 });
  expect(joined.roots?.[0]).toBe(joined.roots?.[1]);
});

test("and one that believed the file is caught", async () => {
  const { report } = await withPlantedBug(FACT_FROM_FILE, async (load) =>
    join("model", await load<Core>("core/index.ts")),
  );
  const checks = new Set(report.violations.map(({ check }) => check));
  expect(checks).toContain("snapshots-keep-slots");
});

const quiet: SlotStory = {
  faults: [{ fault: "cut", node: 5, until: 80_000 }],
  lies: [{ at: 50_000, via: 3, slot: 1n << 63n }],
  asks: [{ at: 70_000, via: 3 }],
};

// The texts to find hold template strings of the product.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
const bugs: readonly (readonly [string, SlotStory, PlantedBug])[] = [
  [
    "makes a file without a slot",
    quiet,
    {
      file: "core/domains/snapshots/produce.ts",
      find: "const newest = newestSlot(context.draft);",
      replace:
        'const newest = newestSlot(context.draft) ?? { slot: 7n, taken_at: context.now, by: "one", origin: "" };',
    },
  ],
  [
    "stamps a slot that it worked out",
    quiet,
    {
      file: "core/domains/snapshots/produce.ts",
      find: "const begun = { id: `snap-${newest.slot}-${context.now}`, slot: newest.slot,",
      replace:
        "const slot = newest.slot + (context.now - newest.taken_at) / 7n; const begun = { id: `snap-${slot}-${context.now}`, slot,",
    },
  ],
  [
    "believes the highest slot that it hears",
    { ...quiet, faults: [{ fault: "forged", node: 2, at: 40_000, slot: 1_100n }] },
    {
      file: "core/domains/chain-bridge/newest-slot.ts",
      find: "const newest = secondHighest(untrue ? against : reported);",
      replace: "const newest = (untrue ? against : reported)[0];",
    },
  ],
  [
    "knows no bound",
    quiet,
    {
      file: "core/domains/chain-bridge/newest-slot.ts",
      find: "return isReachable(newest && { slot: newest.slot, observed_at: newest.taken_at }, slot, now);",
      replace: "return isReachable(newest && { slot, observed_at: newest.taken_at }, slot, now);",
    },
  ],
  [
    "takes an announcement of any slot",
    quiet,
    {
      file: "core/domains/snapshots/bounds.ts",
      find: 'return isPlausible(reader, slot, now) ? undefined : "SNAPSHOT_VERIFICATION_FAILED";',
      replace: "return isPlausible(reader, slot, now) ? undefined : undefined;",
    },
  ],
  [
    "sets another checkpoint than the file's",
    quiet,
    {
      file: "core/domains/snapshots/take.ts",
      find: "context.draft.put(Checkpoints, CHECKPOINT, candidate.slot);",
      replace: "context.draft.put(Checkpoints, CHECKPOINT, candidate.slot + 1n);",
    },
  ],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text

const stories = [...new Set(bugs.map(([, story]) => story))];

test.each(stories)("the core as it is breaks no law in story %#", async (story) => {
  expect((await play(story, 5n, "model")).report.violations).toEqual([]);
});

test.each(bugs)("a core that %s is caught", async (_, story, bug) => {
  const found = await withPlantedBug(bug, async (load) => {
    const core = await load<Core>("core/index.ts");
    return play(story, 5n, "model", newTally(), core);
  });
  // What believes any slot is seen where it believes it, before it makes a file of that.
  const laws = ["snapshots-keep-slots", "slots-are-attested"];
  expect(found.report.violations.map(({ check }) => check).filter((check) => laws.includes(check))).not.toEqual([]);
});
