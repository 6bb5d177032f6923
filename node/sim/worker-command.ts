/**
 * `ofs-sim worker --queue URL`: runs jobs that other commands hand out, so many beside each other, until it is told
 * to stop. 0 when it was. Source: DESIGN sections 6, 8 "work over many machines".
 */
import { codeHere } from "../queue/code.ts";
import { serveJobs } from "../queue/worker.ts";
import type { JobProcess } from "./job-process.ts";
import { openJobProcess } from "./job-process.ts";
import type { Surroundings } from "./surroundings.ts";

export interface WorkerChoices {
  readonly queue: string;
  readonly workers: number;
  /** Ends after so many minutes without a job. */
  readonly idleMinutes?: number;
}

const MINUTE_MS = 60_000;

/** Answers the exit code. */
export async function workerCommand(
  { queue, workers, idleMinutes }: WorkerChoices,
  around: Surroundings,
): Promise<number> {
  const all: JobProcess[] = Array.from({ length: workers }, () => openJobProcess(around));
  const free = [...all];
  await serveJobs(
    {
      ...{ url: queue, code: codeHere(), slots: workers, notice: (line) => around.out(`${line}\n`) },
      ...(idleMinutes !== undefined && { idleMs: idleMinutes * MINUTE_MS }),
      async run(job) {
        const place = free.pop() as JobProcess;
        try {
          return await place.run(job);
        } finally {
          free.push(place);
        }
      },
    },
    around.stop,
  );
  for (const one of all) one.end();
  return 0;
}
