/**
 * A process that is handed seeds and runs nothing: it dies of seeds 2 and 3, as one does that the system
 * kills, and finds nothing with any other.
 */
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { name, options } = JSON.parse(line);
  if (["2", "3"].includes(name) || options.scenario !== undefined) process.kill(process.pid, "SIGKILL");
  const result = { seed: name, report: { events: 1, violations: [] }, reached: [] };
  process.stdout.write(`${JSON.stringify({ result })}\n`);
}
