/**
 * A process that judges programs: told a build of the program, it answers which test of the recordings would fail.
 * Started by judges.ts with the folder of the recordings as its argument.
 */
import { readRecordings } from "./recording.ts";
import { firstDifference } from "./replay.ts";

/** What a judge answers to a program. */
export interface Answer {
  /** The test that fails; null when none does. */
  readonly failed: string | null;
  /** What this process holds by now, in bytes. */
  readonly held: number;
}

const [, , folder] = process.argv;
if (folder === undefined || process.send === undefined) throw new Error("judge-child.ts is started by judges.ts");
const recordings = readRecordings(folder);

process.on("message", (program: Uint8Array) => {
  void judge(program);
});

async function judge(program: Uint8Array): Promise<void> {
  const failed = (await firstDifference(program, recordings)) ?? null;
  process.send?.({ failed, held: process.memoryUsage().rss } satisfies Answer);
}
