/**
 * `ofs-sim replay FILE` of a session that `sim_exportRepro` of a served network wrote: it is played again, and comes to
 * the same trace or is told apart from it. Source: DESIGN section 6 "serve".
 */
import { replaySession } from "../../sim/serve/replayed-session.ts";
import { sessionOf } from "../../sim/serve/session-file.ts";
import { checkPackages } from "./missing-packages.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

/** Plays a session again; 1 when it comes to something else. */
export async function replaySessionFile(
  file: string,
  content: string,
  { json }: { readonly json: boolean },
  around: Pick<Surroundings, "out" | "scenarios">,
): Promise<number> {
  const read = sessionOf(content);
  if (!read.ok) throw new UsageError(`${file}: ${read.error}.`);
  const { chain, rows } = read.value;
  checkPackages({ chain, faults: [] }, { chain, store: "memory" });
  const { events, trace, differs } = await replaySession(read.value, around.scenarios);
  const verdict = differs === undefined ? "same" : "different";
  if (json)
    around.out(`${JSON.stringify({ verdict, rows: rows.length, events, trace, ...(differs && { differs }) })}\n`);
  else if (differs === undefined) around.out(`OK rows=${rows.length} events=${events} trace=${trace}\n`);
  else around.out(`DIFFERS ${differs}\n`);
  return differs === undefined ? 0 : 1;
}
