/** Runs by hand, for tests of a history and of its page. */
import type { HistoryRun } from "./history.ts";
import { runOf } from "./history.ts";
import type { Figure } from "./measure.ts";

const calibration = { hashes: 1_000_000, verifications: 16_000, loops: 300_000_000 };

/** The run of a day of November, with figures of one case. */
export function runOn(day: number, figures: readonly Figure[], more: Partial<HistoryRun> = {}): HistoryRun {
  const measured = figures.map((figure) => ({ bench: "scale", figure }));
  const date = `2026-11-${String(day).padStart(2, "0")}T03:04:05.678Z`;
  const around = { commit: "0123456789abcdef0123456789abcdef01234567", changed: false, node: "v20.20.2" };
  return { ...runOf(measured, { date, ...around, cpuModel: "a processor", quick: false, calibration }), ...more };
}
