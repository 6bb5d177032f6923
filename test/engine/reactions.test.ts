// Goal: a domain that says which tables it looks at has nothing to do after a step that wrote into none of them (fast
// path equals slow path). Method: drawn scenarios and seeds, as they are and with every domain asked after every step;
// the traces are the same. A planted bug: a domain that says too little.
import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import type { Network } from "../../core/engine/domain.ts";
import { openDriver } from "../../core/engine/driver.ts";
import { scenarios } from "../../scenarios/index.ts";
import type * as Usual from "../../sim/backends.ts";
import { openBackends } from "../../sim/backends.ts";
import type * as Runs from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { excerptOf } from "../../sim/scenario.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAllAsync } from "../property/for-all.ts";

/** Of trades and disputes on chain, of attachments, notifications, snapshots and refusals. */
const NAMES = [
  "session-race",
  "squatted-reservation-number",
  "copied-commitment",
  "fresh-node-by-snapshot",
  "orphan-storm",
  "governance-vote",
];
const drawn = scenarios.filter(({ name }) => NAMES.includes(name)).map(excerptOf);

const asked: Network = {
  ...marketplace,
  reactions: marketplace.reactions.map(({ act }) => ({ to: "anything", act })),
};

async function hashOf(scenario: Scenario, seed: bigint, network: Network): Promise<string> {
  const chain = scenario.chain === "none" ? {} : ({ chain: "model" } as const);
  const backends = { ...openBackends(), openDriver: (options: object) => openDriver({ ...options, network } as never) };
  const { report } = await runScenario(scenario, { seed, ...chain }, backends);
  return report.trace_hash;
}

describe("domains that say which tables they look at", () => {
  test("do after each step what they would do if they were always asked", () =>
    forAllAsync(
      [fc.constantFrom(...drawn), fc.bigInt({ min: 1n, max: 1_000n })],
      async (scenario, seed) => {
        assert.equal(await hashOf(scenario, seed, marketplace), await hashOf(scenario, seed, asked));
      },
      {
        ...{ runs: 3, nightly: 60 },
        classes: ({ name }) => [name],
        shares: { [NAMES[0] as string]: 0.02 },
      },
    ));

  test("are found out where they say too little", async () => {
    const bug = {
      file: "core/engine/statements/domain.ts",
      find: "onChangeOf([Statements, Pending, Seals], countSpace)",
      replace: "onChangeOf([Pending, Seals], countSpace)",
    };
    const scenario = drawn[0] as Scenario;
    const found = await withPlantedBug(bug, async (load) => {
      const planted = await load<typeof Runs>("sim/run.ts");
      const usual = await load<typeof Usual>("sim/backends.ts");
      return (await planted.runScenario(scenario, { seed: 1n, chain: "model" }, usual.openBackends())).report;
    });
    expect(found.trace_hash).not.toBe(await hashOf(scenario, 1n, asked));
  });
});
