/**
 * What a recording says of the run that it holds: figures, story, faults, what was broken.
 */

import { clockText } from "../clock-text.ts";
import { faultText, groupsOf, spanOf } from "../fault-kinds.ts";
import type { FaultPlan } from "../fault-plans.ts";
import type { RunResult } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import type { FaultNote, RunNotes } from "./format.ts";
import { lawTextOf } from "./laws.ts";

export function runNotes(scenario: Scenario, { report, columns, told, ending }: RunResult): RunNotes {
  const figures: RunNotes["figures"] = [
    ["Seed", String(report.seed)],
    ["Nodes", String(report.nodes)],
    ["Chain", report.chain],
    ["Events", String(report.events)],
    ["Messages delivered", String(report.deliveries)],
    ["Simulated time", clockText(report.simulated_ms)],
    ["Real time", `${(report.wall_ms / 1000).toFixed(1)} s`],
    ["Trace", report.trace_hash],
    ["State", report.state_root],
    ["Source", scenario.source],
  ];
  return {
    ...{ title: scenario.name, description: scenario.description, figures, ending, story: told },
    seed: String(report.seed),
    traceHash: report.trace_hash,
    nodes: columns.map(({ node, gossipOnly }) => ({ name: `node ${node}`, gossipOnly })),
    faults: scenario.faults.map(faultNote),
    violations: report.violations.map((broken) => ({ ...broken, law: lawTextOf(broken.check) })),
    faultCounts: report.faults,
  };
}

function faultNote(fault: FaultPlan): FaultNote {
  return { kind: fault.kind, text: faultText(fault), ...spanOf(fault), groups: groupsOf(fault) };
}
