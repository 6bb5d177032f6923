/**
 * What a run came to, as people and machines read it: one object, or one line that begins with OK or FAILED.
 * Source: DESIGN section 6.
 */
import { fromHex, toHex } from "../core/index.ts";
import type { Violation } from "./checker.ts";
import type { FaultCount } from "./faults.ts";
import { sha256 } from "./runtime.ts";
import type { ChainChoice } from "./scenario.ts";
import type { World } from "./world.ts";

/** What a run came to, as `--json` prints it. */
export interface RunReport {
  readonly scenario: string;
  readonly seed: bigint;
  readonly nodes: number;
  readonly chain: ChainChoice;
  /** Inputs that were stepped. */
  readonly events: number;
  /** Messages that reached a node. */
  readonly deliveries: number;
  readonly simulated_ms: number;
  readonly wall_ms: number;
  readonly events_per_second: number;
  readonly trace_hash: string;
  readonly state_root: string;
  readonly faults: readonly FaultCount[];
  readonly violations: readonly Violation[];
}

/** SHA-256 over (node index u32 BE ‖ state root) in node order. Source: DESIGN section 6. */
export function stateRootOf(world: World): string {
  const parts = world.nodes.map(
    (node) => `${node.index.toString(16).padStart(8, "0")}${world.rootsOf(node.index).state}`,
  );
  return toHex(sha256(fromHex(parts.join("")) ?? new Uint8Array(0)));
}

/** One JSON object on one line. The seed is written in full digits, whatever a double can hold. */
export function reportJson(report: RunReport): string {
  const { scenario, seed, ...rest } = report;
  return `{"scenario":${JSON.stringify(scenario)},"seed":${seed},${JSON.stringify(rest).slice(1)}`;
}

/** The last line of a run. */
export function reportLine(report: RunReport): string {
  const parts = [
    report.violations.length === 0 ? "OK" : "FAILED",
    report.scenario,
    `seed=${report.seed}`,
    `nodes=${report.nodes}`,
    `events=${report.events}`,
    `simulated=${(report.simulated_ms / 1000).toFixed(1)}s`,
    `wall=${(report.wall_ms / 1000).toFixed(1)}s`,
    `trace=${report.trace_hash}`,
    `state=${report.state_root}`,
  ];
  return parts.join(" ");
}
