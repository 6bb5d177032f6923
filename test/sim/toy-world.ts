/**
 * A scenario of toys that uses every kind of fault, and the parts to run it: shared by the tests of the world.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { Action } from "../../sim/action-kinds.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import {
  badDisk,
  clockJump,
  crash,
  halfOpen,
  networkConditions,
  partition,
  pause,
  poorLink,
  slowNode,
  wrongClock,
} from "../../sim/fault-plans.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import type { Backends } from "../../sim/setup.ts";
import { shareCrypto } from "../../sim/verdict-memory.ts";
import type { ToyBugs } from "./toy-driver.ts";
import { toyConfiguration, toyDriver } from "./toy-driver.ts";

export function toyBackends(bugs: ToyBugs = {}): Backends {
  return {
    crypto: shareCrypto(openNativeCrypto()),
    profile: { name: "toy", parity: false, escrowProgram: "escrow", stakingProgram: "staking", mints: [] },
    openDriver: toyDriver(bugs),
    configure: toyConfiguration,
    openRows: async () => () => undefined,
    openChain: () => Promise.reject(new Error("toys have no chain")),
  };
}

/** Says a text at a node, and later reads it back there. */
export function post(actor: string, text: string, at: number, via?: number): Action {
  return {
    kind: "code",
    name: `say ${text}`,
    actor,
    at,
    ...(via !== undefined && { via }),
    *run(person, scene) {
      yield* person.must("sendText", { text });
      scene.tell(`${actor} said ${text}`);
      yield* person.poll(
        "getTexts",
        {},
        (result) => ((result as { texts: string[] }).texts.includes(text) ? true : undefined),
        seconds(30),
      );
    },
  };
}

const posts = Array.from({ length: 40 }, (_, n) => post(`person ${n % 7}`, `word ${n}`, seconds(1 + n)));

/** Everything breaks at some time. */
export const toyTrouble = defineScenario({
  name: "toy-trouble",
  description: "Toys gossip words while everything breaks.",
  source: "ours",
  nodes: 6,
  actions: posts,
  faults: [
    networkConditions({ loss: 100_000, duplication: 100_000 }, { from: seconds(2), until: seconds(30) }),
    networkConditions({ jitter: { chance: 300_000, delay: { type: "heavy", least: 50, most: 2_000 } } }, span(30, 45)),
    partition(
      [
        [0, 1],
        [2, 3, 4, 5],
      ],
      span(5, 15),
    ),
    partition([[3], [0, 1, 2, 4, 5]], { ...span(16, 22), oneWay: true }),
    poorLink(2, 1, { latency: { type: "quantiles", points: [50, 200, 900] } }, span(3, 20)),
    halfOpen(1, 0, { at: seconds(24) }),
    crash(2, span(10, 20)),
    crash(4, span(33, 34)),
    badDisk(4, { lie: 500_000 }, span(20, 33)),
    pause(5, span(25, 28)),
    slowNode(0, 20, span(28, 32)),
    wrongClock(3, 60_000, span(12, 30)),
    clockJump(1, -30_000, { at: seconds(20) }),
  ],
  // Whether a disk's lie is ever found out is chance; those who run this count over seeds.
  provesFaults: false,
  safety: [equalSetsEqualStates, readsChangeNothing],
  liveness: { within: seconds(60), checks: [replicasConverge] },
});

function span(from: number, until: number): { readonly from: number; readonly until: number } {
  return { from: seconds(from), until: seconds(until) };
}
