/**
 * `ofs-sim fuzz --guided`: drawn worlds, and worlds that go on from copies of those which reached something new, with
 * other actions and faults. What broke a law before is played first; every violation that is unlike the others is made
 * small and written down, a scenario like any other. One process: what is found follows from the seeds.
 * Source: DESIGN section 6.
 */
import { guidedSearch } from "../../sim/guided/search.ts";
import { wallMs } from "../../sim/wall-clock.ts";
import type { Finding, FuzzChoices } from "./fuzz-command.ts";
import { note, playKept, seedsOf, writeAll } from "./fuzz-command.ts";
import { backendsOf } from "./run-command.ts";
import type { Surroundings } from "./surroundings.ts";
import { INTERRUPTED, UsageError } from "./usage.ts";

const MINUTE_MS = 60_000;

/** Answers the exit code: 1 when a law was broken, else 130 for an interruption, or 0. */
export async function guidedCommand(choices: FuzzChoices, around: Surroundings): Promise<number> {
  const { seeds, minutes, scenario, chain, json } = choices;
  if (seeds === undefined && minutes === undefined)
    throw new UsageError("fuzz wants --seeds A..B, or --minutes M to go on from seed 1 for so long.");
  if (scenario !== undefined) throw new UsageError("fuzz --guided goes on from drawn worlds: it takes no --scenario.");
  if (chain !== undefined)
    throw new UsageError("fuzz --guided copies worlds of the chain's model: it takes no --chain.");
  const print = (line: string) => (json ? undefined : around.out(`${line}\n`));
  print(`fuzz: worlds that seeds draw, and copies of those that reached something new`);
  const broken = await playKept(choices, around, print);
  const findings = new Map<string, Finding>();
  const began = wallMs();
  const isLate = () => minutes !== undefined && wallMs() - began >= minutes * MINUTE_MS;
  const searched = await guidedSearch({
    seeds: seedsOf(choices, began),
    backends: await backendsOf(choices, around),
    stop: () => around.stop.aborted || isLate(),
    broken(found) {
      note(findings, found, print);
      return false;
    },
  });
  const unwritten = await writeAll([...findings.values()], choices, around, print);
  const failed = findings.size > 0 || broken.length > 0;
  const { worlds, continued, events, unreplayed } = searched;
  const violations = [...findings.values()].map(({ law, seeds: of, first, file }) => {
    return { law, seeds: of.map(String), message: first.message, file: file ?? null };
  });
  const counts = { worlds, continued, events, marks: searched.marks.size, unreplayed };
  if (json) around.out(`${JSON.stringify({ ...counts, violations, still_broken: broken })}\n`);
  const verdict = failed ? "FAILED" : around.stop.aborted ? "STOPPED" : "OK";
  const figures = Object.entries(counts).map(([name, count]) => `${name}=${count}`);
  print(`${verdict} fuzz ${figures.join(" ")} violations=${findings.size} still-broken=${broken.length}`);
  if (unwritten !== undefined) throw unwritten;
  if (failed) return 1;
  return around.stop.aborted ? INTERRUPTED : 0;
}
