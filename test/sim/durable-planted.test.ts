/**
 * Goal: a node that lets something go before it is durable, or that forgets what its disk had kept, is found in every
 * scenario in which nodes crash, by the check of law L9, which no scenario has to ask for.
 * Method: bugs are source transformations while loading; every scenario with a crash in it runs on the model.
 */
import { describe, expect, test } from "vitest";
import { scenarios } from "../../scenarios/index.ts";
import type * as Usual from "../../sim/backends.ts";
import type { Violation } from "../../sim/checker.ts";
import type * as Slots from "../../sim/checkers/snapshots-keep-slots.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import type * as Run from "../../sim/run.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { violationsIn } from "../scenarios/loaded.ts";
import type * as SlotStories from "../suites/slot-stories.ts";

/** Two are enough: each is played once for every bug. */
const NAMES = ["tag-of-another-case", "restart-before-finality"];
const crashing = scenarios.filter(({ name, faults }) => NAMES.includes(name) && faults.some(isCrash));

function isCrash({ kind }: FaultPlan): boolean {
  return kind === "crash";
}

interface Row {
  readonly name: string;
  readonly bug: PlantedBug | readonly PlantedBug[];
  readonly finds: RegExp;
}

const bugs: readonly Row[] = [
  {
    name: "an effect released before its batch is durable",
    bug: {
      file: "core/engine/driver.ts",
      find: "    flying = batch;\n",
      replace: "    flying = batch;\n    for (const effect of batch.effects.splice(0)) perform(effect);\n",
    },
    finds: /^node \d lets [a-z.]+ go before \w+\/.+ is on its disk$/,
  },
  {
    name: "an effect released by the node's process, whatever the driver waits for",
    bug: {
      file: "sim/sim-node.ts",
      find: "observe: (input, changes, effects) => options.watch.stepped(node, input, changes, effects),",
      replace: `observe(input, changes, effects) {
        options.watch.stepped(node, input, changes, effects);
        for (const effect of effects.filter(({ type }) => type === "message.reply")) {
          options.watch.performed(node, effect);
          route(life, effect);
        }
      },`,
    },
    finds: /^node \d lets message.reply go before \w+\/.+ is on its disk$/,
  },
  {
    name: "an acknowledged statement lost at a crash",
    bug: {
      file: "adapters/memory/store.ts",
      find: 'return outcome.type === "unsynced" ? { ok: true, value: null } : this.#sync();',
      replace: "return { ok: true, value: null };",
    },
    finds: /^node \d (loads roots that it never had since its disk kept some|loads another \w+\/\w+|lost \w+\/)/,
  },
  {
    name: "statements that are never written",
    bug: {
      file: "core/engine/step.ts",
      find: "if (table === undefined || !table.durable) return [];",
      replace: 'if (table === undefined || !table.durable || name === "statements") return [];',
    },
    finds: /^node \d lets [a-z.]+ go before statements\/[0-9a-f]+ is on its disk$/,
  },
  {
    name: "a table of statements that is not durable",
    bug: {
      file: "core/engine/statements/table.ts",
      find: '  root: "statements",\n  durable: true,\n',
      replace: '  root: "statements",\n',
    },
    finds: /^node \d (loads roots that it never had|lost statements\/)/,
  },
];

describe("durable before visible", () => {
  test("there are scenarios in which nodes crash", () => {
    expect(crashing.map(({ name }) => name)).toEqual(NAMES);
  });

  test.each(bugs)("$name is found", async ({ bug, finds }) => {
    await withPlantedBug(bug, async (load: Load) => {
      for (const { name } of crashing) {
        const [first] = await violationsIn(load, name);
        expect(first?.check, name).toBe("durable-before-visible");
        expect(first?.message, name).toMatch(finds);
      }
    });
  });

  test("a checkpoint table that is not durable is found where a node that took a file crashes", async () => {
    const found = await withPlantedBug(CHECKPOINT_FORGOTTEN, (load) => crashOfWhoTookAFile(load));
    expect(found.map(({ check, message }) => `${check}: ${message}`)).toEqual([
      "durable-before-visible: node 3 lost snapshot_checkpoint/local",
    ]);
  });
});

const CHECKPOINT_FORGOTTEN: PlantedBug = {
  file: "core/domains/snapshots/tables.ts",
  find: 'table<bigint>("snapshot_checkpoint", slotCodec, { root: "local", durable: true })',
  replace: 'table<bigint>("snapshot_checkpoint", slotCodec, { root: "local" })',
};

/** Nodes start from files; one that has taken one loses power. */
async function crashOfWhoTookAFile(load: Load): Promise<readonly Violation[]> {
  const { slotScenario, snapshotPart } = await load<typeof SlotStories>("test/suites/slot-stories.ts");
  const { newTally } = await load<typeof Slots>("sim/checkers/snapshots-keep-slots.ts");
  const { runScenario } = await load<typeof Run>("sim/run.ts");
  const { openBackends } = await load<typeof Usual>("sim/backends.ts");
  const backends = openBackends();
  const story = { faults: [{ fault: "crash", node: 3, from: 60_000, until: 62_000 }], lies: [], asks: [] } as const;
  const { report } = await runScenario(
    slotScenario(story, newTally()),
    { seed: 5n, chain: "model" },
    { ...backends, configure: (seat, chain) => ({ ...backends.configure(seat, chain), ...snapshotPart(5n, seat) }) },
  );
  return report.violations;
}
