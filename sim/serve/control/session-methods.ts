/**
 * Control of what a network was asked: its trace so far, and all of it as a file that is played again.
 */
import { list, ok, struct, u64 } from "../../../core/index.ts";
import { plainText, small } from "../../../core/testing.ts";
import { may } from "../../data/optional.ts";
import { Milliseconds, NodeIndex } from "../../data/values.ts";
import { sessionText } from "../session-file.ts";
import { STEPS_KEPT } from "../trace-tail.ts";
import { method, refuse } from "./method.ts";

/** Lines that are told unless said. */
const TOLD = 20;

const Lines = small(32, { least: 0, most: STEPS_KEPT });
const Line = struct("TraceLine", { at: Milliseconds, node: NodeIndex, text: plainText });
const TraceData = struct("Trace", { events: u64, hash: plainText, lines: list(Line) });
const SavedData = struct("SavedState", { file: plainText, bytes: u64 });
const ReproData = struct("SessionRepro", { text: plainText });
const group = "Network";

export const sessionMethods = {
  sim_getTrace: method({
    ...{ group, params: { lines: may(Lines) }, result: TraceData },
    doc:
      "The trace of the network so far: how many steps its nodes made, the hash of all of them, and the last so many " +
      "as lines, 20 unless said, each with its milliseconds since the first day of worlds. Equal hashes: equal lives.",
    run({ host }, { lines = TOLD }) {
      const { trace } = host.world();
      const told = lines === 0 ? [] : host.live().tail.lines(lines);
      return ok({ events: BigInt(trace.events()), hash: trace.head(), lines: told });
    },
  }),
  sim_saveState: method({
    ...{ group, params: {}, result: SavedData, errors: ["NOT_SAVED"] },
    doc:
      "Writes the whole network as it is into the file of serve --state, in the place of what was there, all of it or " +
      "nothing. Snapshots are not part of it.",
    async run({ save }) {
      const saved = await save();
      if (!saved.ok) return refuse("NOT_SAVED", saved.error);
      return ok({ file: saved.value.file, bytes: BigInt(saved.value.bytes) });
    },
  }),
  sim_exportRepro: method({
    ...{ group, params: {}, result: ReproData, errors: ["TOO_MANY", "NOT_REPLAYABLE"] },
    doc:
      "All that the network was asked since it began, each at its instant, as the text of a file that ofs-sim replay " +
      "plays again to the same trace. What a revert took back does not stand in it.",
    run({ host, options }) {
      const text = sessionText(options, host.live());
      return text.ok
        ? ok({ text: text.value })
        : refuse(text.error.name, `there is no session to play again: ${text.error.why}`);
    },
  }),
};
