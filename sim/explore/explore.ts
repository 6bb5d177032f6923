/** Exploring a scope: its world is built, brought to where the scope begins, and walked. */
import type { EpochMillis } from "../../core/index.ts";
import { marketplace } from "../../core/index.ts";
import { nodeAddress, nodeBase } from "../node-names.ts";
import { bytes, openStream } from "../random.ts";
import type { Backends } from "../setup.ts";
import { openWallets } from "../wallet.ts";
import { WORLD_START } from "../world.ts";
import { bodyOf } from "./calls.ts";
import type { Seats } from "./environment.ts";
import { runFairly } from "./fair-run.ts";
import type { Broken, Laws } from "./laws.ts";
import { rootsOf, watchLaws } from "./laws.ts";
import type { WorldState } from "./moves.ts";
import type { Machine } from "./node-machine.ts";
import { openMachine } from "./node-machine.ts";
import type { Scope } from "./scope.ts";
import type { SmallWorld } from "./small-world.ts";
import { openSmallWorld } from "./small-world.ts";
import type { Judge, WalkOptions, WalkSeen } from "./walk.ts";
import { walk } from "./walk.ts";

/** Keys, and everything else that is drawn, come of this. */
const SEED = 1n;
/** From the start of the world to where a scope begins, in milliseconds: nodes have met, and what was said is known. */
const BEGINS_AFTER = 60_000n;
/** Within which all nodes must come to the same once nothing goes wrong any more, in milliseconds. */
const SETTLES_WITHIN = 180_000n;

/** A scope's world where its walk begins. */
export interface Opened {
  readonly world: SmallWorld;
  readonly first: WorldState;
  readonly laws: Laws;
  readonly judge: Judge;
  readonly machines: readonly Machine[];
}

/** Builds the world of a scope; `asCounted` as in `MachineOptions`. */
export function openScope(scope: Scope, { crypto, profile, configure }: Backends, asCounted = false): Opened {
  const laws = watchLaws(profile);
  const walletOf = openWallets(crypto, SEED);
  const wallets = Array.from({ length: scope.nodes }, (_, index) => walletOf(`node/${index}`));
  const addresses = wallets.map(({ peer }, index) => nodeAddress(index, peer));
  const machines: readonly Machine[] = wallets.map((wallet, index) => {
    const seat = { index, wallet, address: addresses[index] as string, base: nodeBase(index) };
    return openMachine({
      ...{ network: marketplace, crypto, disk: scope.disk, asCounted },
      configuration: configure({ ...seat, entrypoints: addresses.slice(0, index) }, "none"),
      bootSeed: (start) => bytes(openStream(SEED, `node/${index}/boot`), start, 32),
    });
  });
  const seats: Seats = {
    ...{ peers: wallets.map(({ peer }) => peer), addresses },
    keeps: (client, call) => world.clients()[client]?.[call]?.keep === true,
  };
  const world: SmallWorld = openSmallWorld({
    ...{ scope, machines, seats, setting: { walletOf, wallets, sha256: crypto.sha256 } },
    onStep: laws.stepped,
    onThrow: (node, error) => laws.break({ check: "no-bugs", message: `node ${node}: ${String(error)}` }),
  });
  return { world, first: firstOf(scope, world), laws, judge: judgeOf(scope, world, laws), machines };
}

/** The state in which a scope's walk begins. */
function firstOf(scope: Scope, world: SmallWorld): WorldState {
  const told = (WORLD_START + BEGINS_AFTER) as EpochMillis;
  const before = runFairly(world, world.fresh([scope.before], WORLD_START, told), told).state;
  const { clients } = world.environmentAt(before.environment);
  const waiting = clients.some(({ next, outcomes }) => next < scope.before.length || outcomes.some((o) => o !== "ok"));
  if (waiting) throw new Error(`${scope.name} does not begin: ${JSON.stringify(clients)}`);
  const met = scope.offMs === undefined ? before : startedAgain(world, before, told + scope.offMs);
  const { links, now } = world.environmentAt(met.environment);
  const { drops = 0, duplicates = 0, crashes = 0 } = scope.faults;
  const fresh = world.fresh(scope.clients, now);
  const given = { links, drops, duplicates, crashes, ticks: scope.ticks };
  const environment = { ...world.environmentAt(fresh.environment), ...given };
  return world.withEnvironment({ ...fresh, nodes: met.nodes, flights: met.flights }, environment);
}

/** Processes were off until an instant, start then, and meet. */
function startedAgain(world: SmallWorld, state: WorldState, at: bigint): WorldState {
  return runFairly(world, world.off(state, at as EpochMillis), (at + BEGINS_AFTER) as EpochMillis).state;
}

/** Walks a scope. */
export function explore(
  scope: Scope,
  backends: Backends,
  options: WalkOptions,
): WalkSeen & { readonly opened: Opened } {
  const opened = openScope(scope, backends);
  return { ...walk(opened.world, opened.first, opened.judge, options), opened };
}

function judgeOf(scope: Scope, world: SmallWorld, laws: Laws): Judge {
  const judged = new Set<number>();
  return {
    broken: laws.broken,
    ofState({ environment }) {
      if (scope.forbids === undefined || judged.has(environment)) return undefined;
      judged.add(environment);
      return scope.forbids(world.environmentAt(environment).clients.map(({ outcomes }) => outcomes));
    },
    ofFinal(state) {
      const isSettled = (at: WorldState) => apart(world, at) === undefined && lacks(world, laws, at) === undefined;
      if (isSettled(state)) return laws.broken();
      const { now } = world.environmentAt(state.environment);
      const { state: last, done } = runFairly(world, state, (now + SETTLES_WITHIN) as EpochMillis, isSettled);
      return laws.broken() ?? (done ? undefined : (lacks(world, laws, last) ?? apart(world, last)));
    },
  };
}

/** What nodes still differ in, if they do. */
function apart(world: SmallWorld, { nodes }: WorldState): Broken | undefined {
  const roots = nodes.map((id) => rootsOf(world.nodeAt(id)));
  const [first] = roots;
  const names = ["statements", "state", "archive"] as const;
  const other = roots.findIndex((each) => names.some((name) => each[name] !== first?.[name]));
  if (other < 0) return undefined;
  return { check: "replicas-converge", message: `nodes 0 and ${other} do not come to hold the same` };
}

/** A statement that somebody was told is kept, and that a node does not have. */
function lacks(world: SmallWorld, laws: Laws, state: WorldState): Broken | undefined {
  const { clients } = world.environmentAt(state.environment);
  for (const [client, { outcomes }] of clients.entries()) {
    for (const [place, outcome] of outcomes.entries()) {
      const call = world.clients()[client]?.[place];
      if (outcome !== "ok" || call === undefined || !call.method.startsWith("send")) continue;
      const identities = laws.identitiesOf(
        bodyOf(place, call.method, call.params({ ...world.setting(), last: undefined })),
      );
      for (const [node, id] of state.nodes.entries()) {
        const { driver } = world.nodeAt(id);
        if (driver === undefined) return { check: "nothing-acknowledged-is-lost", message: `node ${node} is down` };
        const held = driver.memory.tables.get("statements")?.rows;
        if (identities.some((identity) => held?.has(identity) !== true))
          return {
            check: "nothing-acknowledged-is-lost",
            message: `node ${node} lacks what ${call.method} was told is kept`,
          };
      }
    }
  }
  return undefined;
}
