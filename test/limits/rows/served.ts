/**
 * Limits of the served network and of searches. Those of control are tried over its port by the tests that are named;
 * those of a search bound what it costs and change no verdict.
 */
import type { Limit, Untried } from "../limit.ts";

const knob = "bounds what a search costs: of more the rest is left, and no run comes to anything else";

const apart = "the core's own bound, written down apart from it: the core's has a row";

export const limits: readonly Limit[] = [];

export const untried: readonly Untried[] = [
  { of: "sim/guided/marks.ts ACTS_MOST", because: knob },
  { of: "sim/guided/marks.ts COUNTED_MOST", because: "how many acts a mark tells apart: no bound on anything" },
  { of: "sim/guided/marks.ts RECORDS_MOST", because: knob },
  { of: "sim/guided/mutate.ts ITEMS_MOST", because: knob },
  { of: "sim/guided/search.ts KEPT_MOST", because: knob },
  { of: "sim/guided/search.ts EVENTS_MOST", because: knob },
  { of: "sim/checkers/comparisons-go-on.ts NAMED_MOST", because: apart },
  { of: "sim/checkers/messages-are-known.ts FRAME_BYTES_MOST", because: apart },
  { of: "sim/checkers/papers-model/reads.ts COMMENT_POINTS_MOST", because: apart },
  { of: "sim/checkers/papers-model/reads.ts ENTRY_BYTES_MOST", because: apart },
  { of: "sim/checkers/requests-are-answered.ts PREFIXES_MOST", because: apart },
  { of: "sim/checkers/requests-are-answered.ts NAMED_MOST", because: apart },
  { of: "sim/swarm/night.ts NIGHT_LEAST_MS", because: "how long the shortest drawn night is: no bound on anything" },
  {
    of: "sim/checkers/facts-are-weighed.ts READINGS_LEAST",
    because: "the core's own number, written down apart from it, in test/sim/checkers-of-chain.test.ts",
  },
  {
    of: "sim/serve/client-faults.ts CLIENT_FAULTS_MAX",
    because: "over the control port, one more and as many, in test/sim/serve/client-faults.test.ts",
  },
  {
    of: "sim/serve/client-faults.ts REQUESTS_MAX",
    because: "over the control port, one more, in test/sim/serve/client-faults.test.ts",
  },
  {
    of: "sim/serve/client-faults.ts DELAY_MS_MAX",
    because: "over the control port, one more, in test/sim/serve/client-faults.test.ts",
  },
  {
    of: "sim/serve/members.ts SERVED_NODES_MAX",
    because: "over the control port, one more, in test/sim/serve/members.test.ts",
  },
  {
    of: "sim/serve/control/scenario-methods.ts SCENARIO_MS_MAX",
    because: "eight days of a network are not played to see that a ninth is refused",
  },
  {
    of: "sim/serve/page/playground.ts SEED_MAX",
    because: "a word of the page: a larger seed is no seed to the simulator either, which has a row",
  },
  { of: "sim/serve/page/playground.ts NODES_MAX", because: "a word of the page, for what a browser draws well" },
  { of: "sim/travel/why.ts LINKS_MAX", because: "a chain of so many causes ends there, and says so" },
  {
    of: "adapters/recording/compact-sink.ts EXACT_MAX",
    because: "which of two ways writes a number: the bytes are compared in test/sim/byte-sink.test.ts",
  },
  {
    of: "adapters/sqlite/checkpoint-file.ts SECTION_BYTES_MAX",
    because: "more than memory holds: what claims more than the file has is refused as cut short, which is tried",
  },
];
