// Goal: a run that broke a law still shows it when code was changed that has nothing to do with it, as long as the bug
// is there: the file holds the whole scenario, and nothing of the code. Method: a bug is planted, the run of a drawn
// world that finds it is made small and written down; then the same bug is planted into sources that were changed
// otherwise, and the file is played again there.
import { assert, describe, test } from "vitest";
import type * as Usual from "../../sim/backends.ts";
import type * as Repros from "../../sim/repro.ts";
import type { ReplayVerdict } from "../../sim/repro.ts";
import type * as Runs from "../../sim/run.ts";
import type { RunBound } from "../../sim/setup.ts";
import type * as Shrinking from "../../sim/shrink.ts";
import type * as Swarm from "../../sim/swarm/swarm-scenario.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";

const SETTLEMENTS = "core/domains/trade/settlements/rules.ts";
const TRIES = 60;

interface Found {
  readonly law: string;
  /** The node that broke it. */
  readonly node: string | undefined;
}

interface Case {
  readonly bug: PlantedBug;
  readonly seed: bigint;
  readonly law: string;
}

const cases: readonly Case[] = [
  {
    bug: {
      file: SETTLEMENTS,
      find: '  if (acts.opens.length > 0) return "Disputed";\n  if (everPaid && acts.approves.length > 0) return "Approved";',
      replace:
        '  if (everPaid && acts.approves.length > 0) return "Approved";\n  if (acts.opens.length > 0) return "Disputed";',
    },
    seed: 1n,
    law: "records-follow-the-papers",
  },
  {
    bug: {
      file: "core/domains/wallet-proofs/queries.ts",
      find: "utf8(`${domain}:${text}:${params.nonce}`)",
      replace: "utf8(`openfiat-my-trades:${text}:${params.nonce}`)",
    },
    seed: 144n,
    law: "proofs-open-once",
  },
];

/** Changes that break nothing. After some the run is the same, event for event. */
const harmless: readonly {
  readonly what: string;
  readonly edits: readonly PlantedBug[];
  readonly isSame: boolean;
}[] = [
  {
    what: "names and an order of statements",
    edits: [
      {
        file: SETTLEMENTS,
        find: `  const decided = facts.find((fact) => fact.kind === "decided");
  const released = facts.find((fact) => fact.kind === "released");
`,
        replace: `  const released = facts.find(({ kind }) => kind === "released");
  const decided = facts.find((each) => each.kind === "decided");
`,
      },
    ],
    isSame: true,
  },
  {
    what: "a member of a row that a node keeps for itself",
    edits: [
      {
        file: "core/network/peers/peers.ts",
        find: "  asked: Asked,\n  sent_at",
        replace: "  asked: Asked,\n  tries: u8,\n  sent_at",
      },
      {
        file: "core/network/peers/peers.ts",
        find: "{ peer, asked, sent_at: context.now,",
        replace: "{ peer, asked, tries: 1, sent_at: context.now,",
      },
    ],
    isSame: false,
  },
  {
    what: "a decision more of streams that worlds are drawn with",
    edits: [
      {
        file: "sim/swarm/talk.ts",
        find: "  const asked = dice.between(0, 3);",
        replace: "  dice.below(7);\n  const asked = dice.between(0, 3);",
      },
    ],
    isSame: true,
  },
  {
    what: "a decision more of the streams of clients' links",
    edits: [
      { file: "sim/world.ts", find: "client/${seat.name}`), sent: 0 }", replace: "client/${seat.name}`), sent: 1 }" },
    ],
    isSame: false,
  },
  {
    what: "what a node waits for before it announces",
    edits: [{ file: "core/network/gossip/news.ts", find: "ANNOUNCE_MS = 1_000;", replace: "ANNOUNCE_MS = 1_100;" }],
    isSame: false,
  },
];

async function productOf(load: Load) {
  const { openBackends } = await load<typeof Usual>("sim/backends.ts");
  const { runScenario } = await load<typeof Runs>("sim/run.ts");
  return {
    ...(await load<typeof Repros>("sim/repro.ts")),
    ...(await load<typeof Shrinking>("sim/shrink.ts")),
    ...(await load<typeof Swarm>("sim/swarm/swarm-scenario.ts")),
    async play(scenario: Runs.Run["scenario"], seed: bigint, until?: RunBound) {
      return (await runScenario(scenario, { seed, nodes: scenario.nodes, until }, openBackends())).report;
    },
  };
}

/** The file of the small run that breaks the law, as the sources with the bug make it. */
function written({ bug, seed }: Case): Promise<string> {
  return withPlantedBug(bug, async (load) => {
    const { swarmScenario, shrink, play, reproText } = await productOf(load);
    const scenario = swarmScenario(seed);
    const { broken } = await shrink(
      { scenario, report: await play(scenario, seed) },
      { play: (smaller, until) => play(smaller, seed, until), tries: TRIES },
    );
    const text = reproText(broken.scenario, broken.report, { store: "memory", parity: false });
    assert.ok(text.ok);
    return text.value;
  });
}

/** What becomes of a file under sources with these edits. */
async function replayed(
  text: string,
  edits: readonly PlantedBug[],
): Promise<Found & { readonly verdict: ReplayVerdict }> {
  return withPlantedBug(edits, async (load) => {
    const { reproOf, play, verdictOn, swarmScenario } = await productOf(load);
    const repro = reproOf(text);
    assert.ok(repro.ok);
    // Whatever draws worlds is loaded too, so that a change of it is there.
    assert.isFunction(swarmScenario);
    const report = await play(repro.value.scenario, repro.value.seed);
    const [violation] = report.violations;
    return { ...foundIn(violation), verdict: verdictOn(repro.value, report) };
  });
}

function foundIn(violation: { readonly check: string; readonly message: string } | undefined): Found {
  return { law: violation?.check ?? "none", node: /^node (\d+)/.exec(violation?.message ?? "")?.[1] };
}

describe.each(cases)("a run that breaks $law, written down", (one) => {
  const kept = written(one);
  const found = async (): Promise<Found> => {
    return foundIn(
      (JSON.parse(await kept) as { readonly found: { readonly check: string; readonly message: string } }).found,
    );
  };

  test("breaks it again at the same event under the same code, and no more without the bug", async () => {
    const { law, node } = await found();
    assert.equal(law, one.law);
    assert.isDefined(node);
    assert.deepEqual(await replayed(await kept, [one.bug]), { law, node, verdict: "same" });
    const [mend] = harmless;
    assert.equal((await replayed(await kept, mend?.edits ?? [])).verdict, "gone");
  });

  test.each(harmless)("breaks it at the same node after a change of $what", async ({ edits, isSame }) => {
    const { law, node, verdict } = await replayed(await kept, [one.bug, ...edits]);
    assert.deepEqual({ law, node }, await found());
    assert.include(isSame ? ["same"] : ["same", "same-law"], verdict);
  });
});
