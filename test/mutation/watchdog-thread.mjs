/**
 * The thread of the watchdog: looks every so often what its process has computed, and ends it when that is too much or,
 * for too long, nothing. Plain JavaScript, because nothing translates what a thread loads. Its limits: watchdog.ts.
 */
import { writeFileSync } from "node:fs";
import { workerData } from "node:worker_threads";

/** Milliseconds between two looks, and of processor time in them from which a process counts as working. */
const LOOK_EVERY_MS = 500;
const WORKING_MS = 25;

const { workMs, idleMs, marker } = workerData;
const atFirst = workedMs();
let worked = atFirst;
let worksAt = performance.now();

setInterval(() => {
  const [now, sum] = [performance.now(), workedMs()];
  if (sum - worked >= WORKING_MS) worksAt = now;
  worked = sum;
  if (sum - atFirst > workMs) end("works on and on");
  if (now - worksAt > idleMs) end("waits");
}, LOOK_EVERY_MS);

/** Milliseconds of processor time of the whole process, all its threads together. */
function workedMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function end(reason) {
  writeFileSync(marker, reason);
  process.kill(process.pid, "SIGKILL");
}
