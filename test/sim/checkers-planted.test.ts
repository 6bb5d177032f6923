/**
 * Goal: checkers whose own scenarios and suites plant nothing for them see the bugs that they are there for.
 * Method: a bug is planted into the product, and a story of a suite or a scenario runs on the model. The other checkers
 * meet theirs in durable-planted.test.ts, in part E's planted scenarios, and in the suites of disputes, redaction and
 * snapshots; two of them, by hand, in checkers-of-chain.test.ts.
 */
import { expect, test } from "vitest";
import type * as Lost from "../../scenarios/execution-lost-in-a-fork.ts";
import type * as Usual from "../../sim/backends.ts";
import type * as Tagged from "../../sim/checkers/rates-are-tagged.ts";
import type * as Slots from "../../sim/checkers/snapshots-keep-slots.ts";
import type * as Run from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type * as Swarm from "../../sim/swarm/swarm-scenario.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import type * as RateStories from "../suites/rate-stories.ts";
import type * as SlotStories from "../suites/slot-stories.ts";

type Story = (load: Load) => Promise<Scenario>;

/** One provider after the other says what a pair is worth, the first twice and for a short while. */
const rates: Story = async (load) => {
  const { ratesScenario } = await load<typeof RateStories>("test/suites/rate-stories.ts");
  const { ratesAreTagged } = await load<typeof Tagged>("sim/checkers/rates-are-tagged.ts");
  const told = { act: "publish", pair: 0, via: 0, lifetime: 20_000 } as const;
  const scenario = ratesScenario({
    acts: [
      { act: "register", provider: 0, at: 1_000, via: 0 },
      { act: "register", provider: 1, at: 1_000, via: 1 },
      { ...told, provider: 0, at: 3_000, id: 0, rate: 129.52, version: 1n },
      { ...told, provider: 0, at: 4_000, id: 1, rate: 131.25, version: 1n },
      { ...told, provider: 1, at: 5_000, id: 0, rate: 120.5, version: 1n },
    ],
    asks: [{ at: 10_000, pair: 0 }],
    faults: [],
  });
  return { ...scenario, safety: [...scenario.safety, (context) => ratesAreTagged(context)] };
};

const files: Story = async (load) => {
  const { slotScenario } = await load<typeof SlotStories>("test/suites/slot-stories.ts");
  const { newTally } = await load<typeof Slots>("sim/checkers/snapshots-keep-slots.ts");
  return slotScenario({ faults: [], lies: [], asks: [] }, newTally());
};

/** A world that a seed draws, in which people say of a trade whatever can be said. */
const drawn =
  (seed: bigint): Story =>
  async (load) =>
    (await load<typeof Swarm>("sim/swarm/swarm-scenario.ts")).swarmScenario(seed);

/** A fork drops the execution of a case; nobody executes it again, and nobody looks but the laws. */
const lost: Story = async (load) => {
  const { executionLostInAFork: whole } = await load<typeof Lost>("scenarios/execution-lost-in-a-fork.ts");
  const execution = whole.actions.findIndex(({ kind }) => kind === "execute");
  const actions = whole.actions.slice(0, execution + 1).filter(({ kind }) => !kind.endsWith("show"));
  return { ...whole, actions, liveness: { ...whole.liveness, checks: [{ kind: "decisions-are-seen" }] } };
};

const ignoresAbsence: PlantedBug = {
  file: "core/domains/chain-bridge/follow.ts",
  find: "if (held !== undefined && (held.final ? absent.finalized : absent.confirmed) >= held.slot) drop(context, id);",
  replace: "",
};

interface Row {
  readonly name: string;
  readonly check: string;
  readonly finds: RegExp;
  readonly story: Story;
  readonly bug: PlantedBug | readonly PlantedBug[];
}

const rows: readonly Row[] = [
  {
    ...{ name: "a rate that ran out and still counts", check: "rates-are-tagged", story: rates },
    finds: /reads .*"rate":131.25,.* it is .*"rate":120.5,/,
    bug: {
      file: "core/domains/oracles/queries.ts",
      find: "const current = records.filter((record) => at.now < record.expires_at);",
      replace: "const current = records.filter((record) => at.now <= record.expires_at);",
    },
  },
  {
    ...{ name: "a provider with two votes", check: "rates-are-tagged", story: rates },
    finds: /reads .*"rate":129.52/,
    bug: {
      file: "core/domains/oracles/queries.ts",
      find: "const votes = ruleOf(at, newestOfEach)(current);",
      replace: "const votes = current;",
    },
  },
  {
    ...{ name: "an approval that ends a dispute", check: "records-follow-the-papers", story: drawn(1n) },
    finds: /^node [0-9]+: settlement [0-9a-f]{64} has state Approved, and the papers say Disputed/,
    bug: {
      file: "core/domains/trade/settlements/rules.ts",
      find: 'if (acts.opens.length > 0) return "Disputed";',
      replace: 'if (acts.opens.length > 0 && acts.approves.length === 0) return "Disputed";',
    },
  },
  {
    ...{ name: "a node that looks for the wrong escrow", check: "facts-are-weighed", story: drawn(82n) },
    finds: /^node [0-9]+ does not take what escrow 7000 and its event say alike$/,
    bug: {
      file: "core/domains/trade/settlements/queries.ts",
      find: 'resolution !== "MerchantWins" && resolution !== "Invalid"',
      replace: 'resolution !== "Invalid"',
    },
  },
  {
    // The same where the law that sees it first is not watched.
    ...{ name: "a node that never knows of a closing", check: "decisions-are-seen", story: drawn(82n) },
    finds: /^node\/[0-9]+ does not know how the escrow of 7000 was closed, 480000 ms after everything worked again$/,
    bug: [
      {
        file: "core/domains/trade/settlements/queries.ts",
        find: 'resolution !== "MerchantWins" && resolution !== "Invalid"',
        replace: 'resolution !== "Invalid"',
      },
      { file: "sim/checkers/always-watched.ts", find: "  factsAreWeighed,\n", replace: "" },
    ],
  },
  {
    ...{ name: "a node that keeps what a fork dropped", check: "absences-are-heeded", story: lost },
    finds: /^node 2 is told that the chain does not hold [0-9A-Za-z]+, and keeps what it read from it$/,
    bug: ignoresAbsence,
  },
  {
    // The same where the law that sees it first is not watched.
    ...{ name: "a node that is left with what a fork dropped", check: "decisions-are-seen", story: lost },
    finds:
      /^node\/2 holds a closing of escrow [0-9]+ that the finalized chain did not make, 480000 ms after everything worked again$/,
    bug: [ignoresAbsence, { file: "sim/checkers/always-watched.ts", find: "  absencesAreHeeded,\n", replace: "" }],
  },
  {
    ...{ name: "a node that takes no rates from peers", check: "replicas-converge", story: files },
    finds: /hold different statements/,
    bug: {
      file: "core/network/gossip/receive.ts",
      find: "const admission = admit(context, fold, ingress, statement);",
      replace: `if (statement.type.name === "OraclePublish" && context.configuration.chain === "GossipOnly")
      return "left";
    const admission = admit(context, fold, ingress, statement);`,
    },
  },
];

test.each(rows)("$name is found by $check", async ({ check, finds, story, bug }) => {
  const [first] = await withPlantedBug(bug, async (load) => {
    const { runScenario } = await load<typeof Run>("sim/run.ts");
    const { openBackends } = await load<typeof Usual>("sim/backends.ts");
    const scenario = await story(load);
    return (await runScenario(scenario, { seed: 1n, chain: "model" }, openBackends())).report.violations;
  });
  expect(`${first?.check}: ${first?.message}`).toMatch(new RegExp(`^${check}: `));
  expect(first?.message).toMatch(finds);
});
