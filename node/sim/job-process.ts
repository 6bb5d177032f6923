/**
 * Processes that run jobs, one after the other each: what a job does to its process ends that process alone. Jobs and
 * results are lines of JSON. Source: DESIGN section 5 "Speed".
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Job } from "../queue/job.ts";
import type { Surroundings } from "./surroundings.ts";

/** A process that ended in the middle of a job; what became of it, in words. */
export class LostProcess extends Error {
  override readonly name = "LostProcess";
}

/** A job that was run and came to nothing; why, in words. */
export class FailedJob extends Error {
  override readonly name = "FailedJob";
}

/** Where one job after the other is run. */
export interface JobProcess {
  /** What comes of a job; a process is started where there is none. Fails with `LostProcess` or `FailedJob`. */
  run(job: Job): Promise<unknown>;
  /** Lets it end: nothing more will be run. */
  end(): void;
}

/** A process while it lives. */
interface Living {
  ask(line: string): Promise<string>;
  end(): void;
}

export function openJobProcess(around: Surroundings): JobProcess {
  let living: Living | undefined;
  return {
    async run(job) {
      living ??= started(around, () => {
        living = undefined;
      });
      const told = JSON.parse(await living.ask(`${JSON.stringify(job)}\n`)) as {
        readonly result?: unknown;
        readonly failed?: string;
      };
      if (told.failed !== undefined) throw new FailedJob(told.failed);
      return told.result;
    },
    end: () => living?.end(),
  };
}

function started(around: Surroundings, ended: () => void): Living {
  // In a group of its own: what interrupts this command at a terminal lets the jobs that are running end.
  const child = spawn(process.execPath, [around.launcher, "job-worker"], { detached: true });
  const complaints: Buffer[] = [];
  let waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void } | undefined;
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  // Who is gone cannot be written to; its end says the rest.
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { resolve } = waiting ?? {};
    waiting = undefined;
    resolve?.(line);
  });
  const lost = (cause: string) => {
    ended();
    waiting?.reject(new LostProcess(cause));
    waiting = undefined;
  };
  child.on("error", (error) => lost(`its process does not start: ${error.message}`));
  child.on("close", (code, signal) => {
    const complaint = Buffer.concat(complaints).toString().trim();
    lost(`its process ended with ${signal ?? code}${complaint === "" ? "" : `: ${complaint}`}`);
  });
  return {
    ask(line) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        child.stdin.write(line);
      });
    },
    end: () => child.stdin.end(),
  };
}
