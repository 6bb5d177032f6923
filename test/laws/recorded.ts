/**
 * What each node of a simulated network was told, fact by fact, and how it was configured: a dispute that the chain
 * decides, with providers, people who want to be told, content, and files from which nodes start.
 */
import type { Fact, NodeConfiguration } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { scenarios } from "../../scenarios/index.ts";
import type { Action } from "../../sim/action-kinds.ts";
import { upload } from "../../sim/actions/content.ts";
import type { Publication } from "../../sim/actions/publish.ts";
import { publications, publish } from "../../sim/actions/publish.ts";
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { snapshotPart } from "../suites/slot-stories.ts";

/** Scenarios with a chain, of a few seconds each. */
export const bases = ["case-unreadable-at-first", "decided-before-anyone-sits", "squatted-reservation-number"] as const;

export interface Told {
  readonly now: EpochMillis;
  readonly fact: Fact;
}

export interface RecordedNode {
  readonly configuration: NodeConfiguration;
  readonly told: readonly Told[];
}

export async function record(name: (typeof bases)[number], seed: bigint): Promise<readonly RecordedNode[]> {
  const base = scenarios.find((scenario) => scenario.name === name);
  if (base === undefined) throw new Error(`there is no scenario ${name}`);
  const { openDriver, configure, ...backends } = openBackends();
  const nodes: { configuration: NodeConfiguration; told: Told[] }[] = [];
  const scenario: Scenario = { ...base, actions: [...base.actions, ...more], safety: [] };
  await runScenario(
    scenario,
    { seed, chain: "model" },
    {
      ...backends,
      configure: (seat, chain) => ({ ...configure(seat, chain), ...snapshotPart(seed, seat) }),
      openDriver(options) {
        const driver = openDriver(options);
        const told: Told[] = [];
        nodes.push({ configuration: options.configuration, told });
        return {
          view: driver.view,
          roots: driver.roots,
          ready: driver.ready,
          held: driver.held,
          accept(fact) {
            told.push({ now: options.now(), fact });
            driver.accept(fact);
          },
        };
      },
    },
  );
  return nodes;
}

const more: readonly Action[] = [
  ...[0, 1, 2].flatMap((via) =>
    [0, 1, 2, 3].map((n) => publish(`pro ${via}`, publicationOf("Registration"), { at: 2_000 + 150 * n, via })),
  ),
  ...["mara", "tobi"].map((name) => publish(name, publicationOf("SubscriptionUpdate"), { at: 3_500, via: 0 })),
  ...[0, 1, 2].map((via) => upload(`sam ${via}`, via, { at: 4_000, via })),
];

function publicationOf(name: string): Publication {
  const publication = publications().find(({ type }) => type.name === name);
  if (publication === undefined) throw new Error(`nobody can say ${name}`);
  return publication;
}
