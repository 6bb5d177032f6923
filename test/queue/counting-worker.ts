/**
 * A worker in a process of its own, for jobs that square a number: what the queue does shows, and nothing else costs
 * time. Its arguments: URL, hash of the code, jobs at once, milliseconds of a lock. It prints a line when it
 * serves, and one for each job that it begins. A job that is named "wait" is never done.
 */
import { serveJobs } from "../../node/queue/worker.ts";

const [url = "", hash = "", slots = "1", lockMs = "1000"] = process.argv.slice(2);
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());

await serveJobs(
  {
    ...{ url, code: { version: "1.0.0", hash }, slots: Number(slots), lockMs: Number(lockMs) },
    notice: (line) => process.stdout.write(`${line}\n`),
    async run({ kind, name }) {
      process.stdout.write(`begins ${name}\n`);
      if (kind === "wait") await new Promise(() => undefined);
      if (kind === "fail") throw new Error("it fails");
      return { square: Number(name) ** 2 };
    },
  },
  stop.signal,
);
