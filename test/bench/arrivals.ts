/**
 * What it costs that a statement reaches every node: copies of it, events, time until all have it, and CPU time.
 * An arrival is the first time that a node takes a statement. Counts depend on the seed alone; what a network counts
 * begins once every node that people speak to has put something on the wire. Source: DESIGN "Budgets".
 */

import { decodeCompact } from "../../core/kernel/schema.ts";
import { Frame } from "../../core/network/gossip/envelope.ts";
import { Pending, Statements } from "../../core/testing.ts";
import { openBackends } from "../../sim/backends.ts";
import type { MakeChecker } from "../../sim/checker.ts";
import { healthyLink } from "../../sim/links.ts";
import { runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import { calibrated } from "./calibration.ts";
import type { Bench, Figure } from "./measure.ts";
import { medianRun, nothing, perSecond, rounded, spent } from "./measure.ts";
import { checkers, market } from "./sim.ts";

/** Nodes at which people trade; others only carry. */
const DESKS = 8;
const TRADES = 120;
const LASTS = seconds(300);
/** From here on every desk has spoken. */
const QUIET_FROM = seconds(60);
const FIVE_PERCENT = 50_000;
/** Links that are near or far for good: a draw for each message flatters whatever sends a dozen copies. */
const LATENCY = { type: "steady", least: 8, most: 34, jitter: 6 } as const;

/** What a run came to, from `QUIET_FROM` on. */
export interface Carried {
  arrivals: number;
  copies: number;
  steps: number;
  /** Messages and bytes received, by kind. */
  readonly kinds: Record<string, { count: number; bytes: number }>;
  /** By statement: when the first node had it, when the last one came to have it, and how many have it. */
  readonly spread: Map<string, { first: number; last: number; held: number }>;
}

/** Counts what nodes receive. */
export function counting(carried: Carried, from: number): MakeChecker {
  return () => {
    let start: number | undefined;
    const held = new Set<string>();
    return {
      name: "counting",
      onStep({ node, input, changes }) {
        const now = Number(input.now);
        start ??= now;
        if (now - start < from) return;
        carried.steps += 1;
        if (input.type === "message.received") {
          const type = decodeCompact(Frame, input.bytes)?.message_type ?? "?";
          const { count, bytes } = carried.kinds[type] ?? { count: 0, bytes: 0 };
          carried.kinds[type] = { count: count + 1, bytes: bytes + input.bytes.length };
          if (type === "GossipPush") carried.copies += 1;
        }
        for (const { table, key, record } of changes) {
          if ((table !== Statements.name && table !== Pending.name) || record === undefined) continue;
          if (held.has(`${node} ${key}`)) continue;
          held.add(`${node} ${key}`);
          const seen = carried.spread.get(key);
          if (input.type !== "rpc.called") carried.arrivals += 1;
          if (seen === undefined) carried.spread.set(key, { first: now, last: now, held: 1 });
          else carried.spread.set(key, { first: seen.first, last: now, held: seen.held + 1 });
        }
      },
    };
  };
}

/** One run of a market on so many nodes. */
export async function carry(nodes: number, loss: number, seed: bigint): Promise<Carried> {
  const carried: Carried = { arrivals: 0, copies: 0, steps: 0, kinds: {}, spread: new Map() };
  const scenario = market(nodes, TRADES, LASTS, [counting(carried, QUIET_FROM)], DESKS);
  const { report } = await runScenario(
    { ...scenario, conditions: { ...healthyLink, latency: LATENCY, loss } },
    { seed },
    openBackends(),
  );
  if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
  return carried;
}

/** Milliseconds from the first node to the last, of the statement at this share of all. */
export function spreadAt({ spread }: Carried, nodes: number, part: number): number {
  const times = [...spread.values()].filter(({ held }) => held === nodes).map(({ first, last }) => last - first);
  return times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0;
}

async function figuresOf(nodes: number, loss: number): Promise<readonly Figure[]> {
  const of = `${nodes} nodes${loss > 0 ? ", 5 % loss" : ""}`;
  const carried = await carry(nodes, loss, 1n);
  const each = (count: number) => rounded(count / carried.arrivals);
  return [
    { name: `${of}: copies`, value: each(carried.copies), unit: "an arrival", bar: { most: loss > 0 ? 1.7 : 1.2 } },
    { name: `${of}: events`, value: each(carried.steps), unit: "an arrival", ...(loss === 0 && { bar: { most: 5 } }) },
    { name: `${of}: until all have it, median`, value: spreadAt(carried, nodes, 0.5), unit: "virtual ms" },
    {
      ...{ name: `${of}: until all have it, p99`, value: spreadAt(carried, nodes, 0.99), unit: "virtual ms" },
      ...(loss > 0 && { bar: { most: 1000 } }),
    },
  ];
}

/** Arrivals a second, checks on: the median of several runs, or of one, in code that those before it have warmed. */
async function rateOf(nodes: number, of: "several runs" | "one run"): Promise<Figure> {
  const play = async () => {
    const scenario = market(nodes, TRADES, LASTS, checkers, DESKS);
    const { report } = await runScenario(scenario, { seed: 1n }, openBackends());
    if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
  };
  const [took, calibration] = await calibrated(() => (of === "one run" ? spent(play) : medianRun(nothing, play)));
  const rate = perSecond(nodes * (2 * TRADES + 1), took);
  return { name: `${nodes} nodes: arrivals`, ...rate, unit: "/s", bar: { least: 2_000 }, calibration };
}

export const arrivalsBench: Bench = {
  async run() {
    return [
      ...(await figuresOf(40, 0)),
      ...(await figuresOf(40, FIVE_PERCENT)),
      ...(await figuresOf(100, 0)),
      await rateOf(40, "several runs"),
      // Three minutes.
      await rateOf(1_000, "one run"),
    ];
  },
};
