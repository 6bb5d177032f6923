/**
 * Goal: the named suite *rate tagging*. Whatever providers publish, let run out, withdraw and register again, on every
 * node and at every instant a pair reads current, stale or noData as it should, and the last two are a number nowhere:
 * not as a rate, not as a median, not in a quote (DESIGN L8; protocol 05 §3.5).
 * Method: random stories on many nodes with a chain, under cuts, crashes and wrong clocks; every answer is compared
 * with a pure model over what that node holds, at random instants and 1 ms around every expiry.
 */
import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import { openBackends } from "../../sim/backends.ts";
import type { TaggedRate } from "../../sim/checkers/rate-model.ts";
import { ratesAreTagged } from "../../sim/checkers/rates-are-tagged.ts";
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { forAllAsync } from "../property/for-all.ts";
import type { RateStory } from "./rate-stories.ts";
import { arbRateStory, kindsOf, NODES, ratesScenario, SPELL_MS } from "./rate-stories.ts";

/** Tags that answers had, by node. */
type Tags = Map<number, Set<TaggedRate["status"]>>;

function watched(scenario: Scenario): { readonly tags: Tags; readonly watchedScenario: Scenario } {
  const tags: Tags = new Map();
  const safety: Scenario["safety"] = [
    ...scenario.safety,
    (context) => ratesAreTagged(context, (node, tag) => tags.set(node, (tags.get(node) ?? new Set()).add(tag))),
  ];
  return { tags, watchedScenario: { ...scenario, safety } };
}

async function play(scenario: Scenario, seed: bigint, chain: "bankrun" | "model"): Promise<RunResult> {
  return runScenario(scenario, { seed, chain }, openBackends());
}

const arbSeed = fc.bigInt({ min: 0n, max: 1n << 32n });

/** What stories are about, each in at least this share. */
const ABOUT = {
  ...{ "a record runs out": 0.5, "a record that never holds": 0.5, "a provider leaves": 0.3, "one comes back": 0.3 },
  ...{ "two providers of a pair": 0.5, "no multiple of a cent": 0.3, cut: 0.3, crash: 0.3, clock: 0.3 },
};

/** What stories come to, on every node: each tag, and each kind of fault. */
const CAME_TO = {
  ...{ current: 0.5, noData: 0.5, stale: 0.5, "all three": 0.3 },
  ...{ "clock-skew": 0.2, crash: 0.2, partition: 0.2 },
};

async function expectTagged(story: RateStory, seed: bigint, chain: "bankrun" | "model"): Promise<readonly string[]> {
  const { tags, watchedScenario } = watched(ratesScenario(story));
  const { report } = await play(watchedScenario, seed, chain);
  expect(report.violations).toEqual([]);
  expect(tags.size).toBe(NODES);
  const seen = new Set([...tags.values()].flatMap((own) => [...own]));
  const everywhere = [...tags.values()].every((own) => own.size === 3);
  const faults = report.faults.filter(({ effective }) => effective > 0).map(({ kind }) => kind);
  return [...seen, ...(everywhere ? ["all three"] : []), ...faults];
}

describe("rate tagging", () => {
  test("random stories of providers on bankrun", async () => {
    await forAllAsync(
      [arbRateStory(), arbSeed],
      async (story, seed) => void (await expectTagged(story, seed, "bankrun")),
      {
        ...{ runs: 6, nightly: 60, endOnFailure: true, classes: kindsOf, shares: ABOUT },
      },
    );
  });

  test("random stories of providers on model", async () => {
    await forAllAsync([arbRateStory(), arbSeed], async (story, seed) => expectTagged(story, seed, "model"), {
      ...{ runs: 3, nightly: 300, sample: 12, endOnFailure: true, shares: CAME_TO },
    });
  });

  test("every node passes from noData to current to stale in the same millisecond", async () => {
    const story = {
      acts: [
        { act: "register", provider: 0, at: 1_000, via: 0 },
        { act: "publish", provider: 0, at: 2_000, via: 0, id: 0, pair: 0, rate: 129.52, version: 1n, lifetime: 20_000 },
      ],
      asks: [{ at: 500, pair: 0 }],
      faults: [],
    } as const;
    const byTime = new Map<bigint, Set<string>>();
    const scenario = ratesScenario(story);
    const clock: Scenario["safety"][number] = () => ({
      name: "clock",
      onStep({ input, effects }) {
        const reply = effects.find((effect) => effect.type === "rpc.reply");
        if (input.type !== "rpc.called" || reply?.type !== "rpc.reply" || !input.body.startsWith("[")) return;
        const answer = JSON.parse(reply.body ?? "[]") as readonly { readonly result: { readonly status: string } }[];
        byTime.set(input.now, (byTime.get(input.now) ?? new Set()).add(answer[0]?.result.status ?? ""));
      },
    });
    const { report } = await play({ ...scenario, safety: [...scenario.safety, clock] }, 1n, "bankrun");
    expect(report.violations).toEqual([]);
    const start = [...byTime.keys()][0]! - 500n;
    const tagsAt = (ms: number) => [...(byTime.get(start + BigInt(ms)) ?? [])];
    expect([500, 21_999, 22_000, 22_001].map(tagsAt)).toEqual([["noData"], ["current"], ["stale"], ["stale"]]);
    expect(report.simulated_ms).toBeGreaterThanOrEqual(SPELL_MS);
  });

  test.each([
    ["a stale rate that still shows its number", /"status":"stale"/, '"rate":129.52,"status":"stale"'],
    ["a median of what ran out", /"id":2,"result":null/, '"id":2,"result":129.52'],
    ["noData where a rate ran out", /"status":"stale"/, '"status":"noData"'],
    ["a quote from a rate that ran out", /"reason":"StaleOracleData"/, '"mid_rate":129.52,"reason":"StaleOracleData"'],
  ])("a node that shows %s is caught", async (_, right, wrong) => {
    const story = {
      acts: [
        { act: "register", provider: 0, at: 1_000, via: 0 },
        { act: "publish", provider: 0, at: 2_000, via: 0, id: 0, pair: 0, rate: 129.52, version: 1n, lifetime: 5_000 },
      ],
      asks: [],
      faults: [],
    } as const;
    const { openDriver, ...rest } = openBackends();
    const { watchedScenario } = watched(ratesScenario(story));
    const lying = (body: string | null) => body?.replace(right, wrong) ?? null;
    const { report } = await runScenario(
      watchedScenario,
      { seed: 1n, chain: "model" },
      {
        ...rest,
        openDriver: (options) =>
          openDriver({
            ...options,
            observe: (input, changes, effects) =>
              options.observe?.(
                input,
                changes,
                effects.map((effect) =>
                  effect.type === "rpc.reply" ? { ...effect, body: lying(effect.body) } : effect,
                ),
              ),
          }),
      },
    );
    assert.equal(report.violations[0]?.check, "rates-are-tagged");
  });
});
