// Goal: what a broken law does not need is left out by name: nodes anywhere, people, parts of what is said, time.
// Method: scenarios of a few parts, in which a law breaks as long as something named is there; what is left is
// compared.
import { assert, describe, test } from "vitest";
import type { Action } from "../../sim/action-kinds.ts";
import { ActionData } from "../../sim/action-kinds.ts";
import { ask } from "../../sim/actions/ask.ts";
import { comparesDisputes } from "../../sim/actions/compare.ts";
import { initiate, pay, reserve } from "../../sim/actions/trade.ts";
import type { TradeTerms } from "../../sim/actions/trade-terms.ts";
import { renumbered } from "../../sim/data/renumber.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import { badDisk, crash, forkedChain, partition, pause, poorLink, sharedLine } from "../../sim/fault-plans.ts";
import type { RunReport } from "../../sim/report.ts";
import type { Scenario, ScenarioPlan } from "../../sim/scenario.ts";
import { defineScenario, minutes, seconds } from "../../sim/scenario.ts";
import { shrink } from "../../sim/shrink.ts";

/** What is left of a scenario in which a law breaks as long as it is as said. */
async function leftOf(plan: Partial<ScenarioPlan>, isBroken: (scenario: Scenario) => boolean): Promise<Scenario> {
  const scenario = defineScenario({ name: "planted", description: "d", source: "DESIGN section 5", nodes: 1, ...plan });
  const play = async (played: Scenario): Promise<RunReport> => {
    const violation = { check: "law", message: "broken", time: played.lasts, event: 1 };
    return { ...({} as RunReport), violations: isBroken(played) ? [violation] : [] };
  };
  assert.ok(isBroken(scenario));
  const { broken, whole } = await shrink({ scenario, report: await play(scenario) }, { play, tries: 5_000 });
  assert.ok(whole);
  return broken.scenario;
}

const span = { from: seconds(50), until: seconds(80) };

describe("nodes", () => {
  const faults = [
    pause(4, span),
    partition([[0, 3], [4, 5], [1]], { ...span, oneWay: true }),
    crash(2, span),
    poorLink(5, 4, { loss: 1 }, span),
    sharedLine([1, 4], 9, span),
  ];

  test("of which one in the middle is needed leave it alone, under another number", async () => {
    const plan = { nodes: 6, older: [1, 4], confirmed: [0, 5], fileMakers: [5], faults };
    const left = await leftOf(plan, (scenario) => scenario.faults.some(({ kind }) => kind === "pause"));
    assert.equal(left.nodes, 1);
    assert.deepInclude(left, { older: [], confirmed: [], fileMakers: [] });
    assert.deepEqual(left.faults, [pause(0, { from: 1_000, until: 2_000 })]);
  });

  test("that a cut keeps apart are two", async () => {
    const left = await leftOf({ nodes: 6, faults }, (scenario) =>
      scenario.faults.some(({ kind }) => kind === "partition"),
    );
    assert.equal(left.nodes, 2);
    assert.deepEqual(left.faults, [partition([[0], [1]], { from: 1_000, until: 2_000 })]);
  });

  test("are renumbered wherever a kind names them, and what needs one that is gone goes with it", () => {
    const to = (node: number) => (node === 1 ? undefined : node > 1 ? node - 1 : node);
    const comparing = comparesDisputes("ann", [0, 1, 2], { at: 1, via: 2 }, {} as never);
    const moved = renumbered(ActionData, comparing as never, to) as unknown as { nodes: unknown; via: unknown };
    assert.deepEqual([moved.nodes, moved.via], [[0, 1], 1]);
    assert.isUndefined(renumbered(ActionData, ask("ann", "getTrades", { at: 1, via: 1 }) as never, to));
  });
});

const offer = {
  ...({ id: "o", merchant: "mia", direction: "Sell", asset: "tUSDC", fiatCurrency: "EUR" } as const),
  ...{ priceCents: 100n, minTrade: 1n, maxTrade: 9n, liquidity: 9n },
};
const trade: TradeTerms = { offer, reservation: 1n, settlement: "s", buyer: "bob", seller: "mia", amount: 5n };
const deeds: readonly Action[] = [
  reserve(trade, { at: minutes(1), via: 0 }),
  initiate(trade, { at: minutes(2), via: 0 }),
  pay(trade, { at: minutes(9), via: 0 }),
  ask("ann", "getTrades", { at: minutes(4), via: 0 }),
];
const kindsOf = ({ actions }: Scenario) => actions.map(({ kind }) => kind).join();

describe("people", () => {
  test("who are not needed are gone with all that they do", async () => {
    const participants = [{ name: "mia", merchant: true }, { name: "zoe" }];
    const left = await leftOf({ actions: deeds, participants }, (scenario) =>
      scenario.participants.some(({ name }) => name === "mia"),
    );
    assert.deepEqual(left.participants, [{ name: "mia", merchant: true }]);
    assert.deepEqual(left.actions, []);
  });
});

describe("a person", () => {
  test("goes at once where one thing done less would mend the law", async () => {
    const actions = ["zoe", "ann", "zoe", "ann", "zoe"].map((actor, n) => {
      return ask(actor, "getTrades", { at: seconds(1 + n), via: 0 });
    });
    const countOf = (scenario: Scenario, name: string) => scenario.actions.filter(({ actor }) => actor === name).length;
    const left = await leftOf({ actions }, (scenario) => {
      return countOf(scenario, "ann") === 2 && [0, 3].includes(countOf(scenario, "zoe"));
    });
    assert.deepEqual([countOf(left, "ann"), countOf(left, "zoe")], [2, 0]);
    assert.deepEqual(left.participants, []);
  });
});

describe("parts of what is said", () => {
  test("are left out for everybody who says the same", async () => {
    const isTheSame = ({ actions }: Scenario) => {
      const trades = new Set(
        actions.flatMap((action) => ("trade" in action ? [JSON.stringify(action.trade, digits)] : [])),
      );
      return actions.length === deeds.length && trades.size === 1;
    };
    const left = await leftOf({ actions: deeds }, isTheSame);
    const { seller: _, ...less } = trade;
    const { direction: __, ...lesser } = offer;
    const contents = left.actions.flatMap((action) => ("trade" in action ? [action.trade] : []));
    assert.deepEqual(contents, Array(3).fill({ ...less, offer: lesser }));
  });

  test("are conditions and entries of lists as well", async () => {
    const bad = badDisk(0, { lie: 5, full: 7, torn: 9 }, span);
    const fork = forkedChain([0, 1, 2, 3], "main", { ...span, depth: 3 });
    const holds = ({ faults }: Scenario) =>
      faults.some((fault) => fault.kind === "bad-disk" && fault.conditions.full === 7) &&
      faults.some((fault) => fault.kind === "forked-chain" && fault.followers.includes(2));
    const left = await leftOf({ nodes: 4, faults: [bad, fork] }, holds);
    const [disk, forked] = left.faults as readonly (FaultPlan & { conditions: object; followers: unknown })[];
    const given = Object.entries(disk?.conditions ?? {}).filter(([, value]) => value !== null);
    assert.deepEqual(given, [["full", 7]]);
    assert.deepEqual(forked?.followers, [2]);
  });
});

const digits = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);

describe("time", () => {
  test("passes as fast as the order of things allows, and the world ends soon after the last of them", async () => {
    const faults = [pause(0, { from: minutes(3), until: minutes(8) })];
    const left = await leftOf({ actions: deeds, faults }, (scenario) => {
      return kindsOf(scenario) === "reserve,initiate,pay,ask" && scenario.faults.length === 1;
    });
    const { actions, lasts } = left;
    // The pause begins between the second and the third of them, a second long.
    assert.deepEqual(
      actions.map(({ at }) => at),
      [1_000, 2_000, 5_000, 4_000],
    );
    assert.equal(lasts, 10_000);
  });

  test("that something needs is left to it alone", async () => {
    const left = await leftOf({ actions: deeds, lasts: minutes(30) }, ({ actions, lasts }) => {
      const [first, second] = ["reserve", "initiate"].map((kind) => actions.find((action) => action.kind === kind)?.at);
      return first !== undefined && second !== undefined && second - first >= seconds(20) && lasts >= minutes(2);
    });
    const [first, second] = left.actions.map(({ at }) => at);
    assert.equal(first, 1_000);
    assert.isBelow((second ?? 0) - 1_000, seconds(70));
    assert.isBelow(left.lasts, minutes(10));
  });

  test("for tests alone is forgotten: what is left may be shorter than the excerpt", async () => {
    const plan = { actions: deeds, nodes: 2, excerpt: { nodes: 2, lasts: minutes(9) } };
    const left = await leftOf(plan, () => true);
    assert.deepEqual([left.nodes, left.lasts, left.excerpt], [1, 5_000, undefined]);
  });
});
