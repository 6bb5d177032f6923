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
import { arbRateStory, NODES, ratesScenario, SPELL_MS } from "./rate-stories.ts";

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

describe("rate tagging", () => {
  test.each([
    ["bankrun", 6],
    ["model", 15],
  ] as const)("random stories of providers on %s", async (chain, numRuns) => {
    const seen = new Set<string>();
    const faults = new Set<string>();
    await fc.assert(
      fc.asyncProperty(arbRateStory(), fc.bigInt({ min: 0n, max: 1n << 32n }), async (story, seed) => {
        const { tags, watchedScenario } = watched(ratesScenario(story));
        const { report } = await play(watchedScenario, seed, chain);
        expect(report.violations).toEqual([]);
        expect(tags.size).toBe(NODES);
        for (const own of tags.values()) for (const tag of own) seen.add(tag);
        for (const { kind, effective } of report.faults) if (effective > 0) faults.add(kind);
      }),
      { numRuns, seed: 20_261, endOnFailure: true },
    );
    expect(seen).toEqual(new Set(["current", "noData", "stale"]));
    expect(faults).toEqual(new Set(["clock-skew", "crash", "partition"]));
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
        const said = JSON.parse(reply.body ?? "[]") as readonly { readonly result: { readonly status: string } }[];
        byTime.set(input.now, (byTime.get(input.now) ?? new Set()).add(said[0]?.result.status ?? ""));
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
