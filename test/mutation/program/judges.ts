/**
 * Judges programs in a process of their own. LiteSVM keeps every program it ever loaded, so that a process is replaced
 * after some programs, or when it holds much. No clock ends a judgement: what a program may compute is bounded by the
 * machine's compute budget.
 */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { TYPESCRIPT } from "../../typescript.ts";
import type { Answer } from "./judge-child.ts";

const CHILD = join(import.meta.dirname, "judge-child.ts");

/** Programs that one process judges, and bytes it may hold before the next. */
const PROGRAMS_MAX = 20;
const HELD_MAX = 1_500_000_000;

export interface Judges {
  /** The test that fails on the program; null when none does. Fails when the process ends without an answer. */
  judge(program: Uint8Array): Promise<string | null>;
  close(): void;
}

/** Judges by the recordings of this folder. */
export function openJudges(recordings: string): Judges {
  let child: ChildProcess | undefined;
  let judged = 0;
  const close = () => {
    child?.kill();
    child = undefined;
    judged = 0;
  };
  return {
    judge: async (program) => {
      child ??= started(recordings);
      const { failed, held } = await asked(child, program);
      judged += 1;
      if (judged >= PROGRAMS_MAX || held > HELD_MAX) close();
      return failed;
    },
    close,
  };
}

function started(recordings: string): ChildProcess {
  return fork(CHILD, [recordings], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    execArgv: [...TYPESCRIPT],
    serialization: "advanced",
    env: { ...process.env, RUST_LOG: "off" },
  });
}

/** A process that ends is no verdict: a program that ends the machine itself is worth a look. */
async function asked(child: ChildProcess, program: Uint8Array): Promise<Answer> {
  const done = new AbortController();
  const { signal } = done;
  let output = "";
  const collect = (text: Buffer) => {
    output += text;
  };
  child.stderr?.on("data", collect);
  child.send(program);
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([answer]) => answer as Answer),
      once(child, "close", { signal }).then(([code, by]) => {
        throw new Error(`a judge ended with ${by ?? code} before it answered: ${output}`);
      }),
    ]);
  } finally {
    done.abort();
    child.stderr?.off("data", collect);
  }
}
