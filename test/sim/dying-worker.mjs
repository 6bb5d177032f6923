/**
 * A process that is handed seeds and runs nothing: it dies of seeds 2 and 3, as one does that the system
 * kills, and finds nothing with any other.
 */
import { createInterface } from "node:readline";

for await (const seed of createInterface({ input: process.stdin })) {
  if (["2", "3"].includes(seed) || process.argv.includes("--scenario")) process.kill(process.pid, "SIGKILL");
  process.stdout.write(`${JSON.stringify({ seed, report: { events: 1, violations: [] }, reached: [] })}\n`);
}
