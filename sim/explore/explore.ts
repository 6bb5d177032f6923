/** Exploring a scope: its world is built, brought to where the scope begins, and walked. */
import type { EpochMillis } from "../../core/index.ts";
import { marketplace } from "../../core/index.ts";
import { nodeAddress, nodeBase } from "../node-names.ts";
import { bytes, openStream } from "../random.ts";
import type { Backends } from "../setup.ts";
import { openWallets } from "../wallet.ts";
import { WORLD_START } from "../world.ts";
import { tellChain } from "./chain-tale.ts";
import type { Item, Seats } from "./environment.ts";
import { runFairly } from "./fair-run.ts";
import { openJudge, SETTLES_WITHIN } from "./judge.ts";
import type { Laws } from "./laws.ts";
import { watchLaws } from "./laws.ts";
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

/** A scope's world where its walk begins. */
export interface Opened {
  readonly world: SmallWorld;
  readonly first: WorldState;
  readonly laws: Laws;
  readonly judge: Judge;
  readonly machines: readonly Machine[];
}

/** Builds the world of a scope; `asCounted` as in `MachineOptions`. */
export async function openScope(
  scope: Scope,
  { crypto, profile, configure }: Backends,
  asCounted = false,
): Promise<Opened> {
  const laws = watchLaws(profile);
  const walletOf = openWallets(crypto, SEED);
  const tale = scope.chain && (await tellChain(crypto, scope.chain.trade(walletOf), scope.chain.ways));
  const wallets = Array.from({ length: scope.nodes }, (_, index) => walletOf(`node/${index}`));
  const addresses = wallets.map(({ peer }, index) => nodeAddress(index, peer));
  const machines: readonly Machine[] = wallets.map((wallet, index) => {
    const seat = { index, wallet, address: addresses[index] as string, base: nodeBase(index) };
    return openMachine({
      ...{ network: marketplace, crypto, disk: scope.disk, asCounted },
      configuration: {
        ...configure({ ...seat, entrypoints: addresses.slice(0, index) }, "none"),
        ...scope.configured?.(index, walletOf),
      },
      bootSeed: (start) => bytes(openStream(SEED, `node/${index}/boot`), start, 32),
    });
  });
  const seats: Seats = {
    ...{ peers: wallets.map(({ peer }) => peer), addresses },
    keeps: (client, call) => world.clients()[client]?.[call]?.keep === true,
  };
  const world: SmallWorld = openSmallWorld({
    ...{ scope, machines, seats, tale, setting: { walletOf, wallets, sha256: crypto.sha256 } },
    onStep: laws.stepped,
    onThrow: (node, error) => laws.break({ check: "no-bugs", message: `node ${node}: ${String(error)}` }),
  });
  const first = firstOf(scope, world);
  return { world, first, laws, judge: openJudge({ scope, world, laws, machines, tale }), machines };
}

/** The state in which a scope's walk begins. */
function firstOf(scope: Scope, world: SmallWorld): WorldState {
  const told = (WORLD_START + BEGINS_AFTER) as EpochMillis;
  const isJoining = (node: number) => scope.joining?.includes(node) === true;
  const begun = world.fresh([scope.before], WORLD_START, told);
  const before = runFairly(world, begun, told, () => false, isJoining).state;
  const { clients } = world.environmentAt(before.environment);
  const waiting = clients.some(({ next, outcomes }) => next < scope.before.length || outcomes.some((o) => o !== "ok"));
  if (waiting) throw new Error(`${scope.name} does not begin: ${JSON.stringify(clients)}`);
  const met = scope.offMs === undefined ? before : startedAgain(world, before, told + scope.offMs);
  const ready = scope.beginsWith === undefined ? met : untilUnderWay(world, met, scope.beginsWith);
  const { links, now, files } = world.environmentAt(ready.environment);
  const { drops = 0, duplicates = 0, crashes = 0 } = scope.faults;
  const fresh = world.fresh(scope.clients, now);
  const given = { links, files, drops, duplicates, crashes, ticks: scope.ticks };
  const environment = { ...world.environmentAt(fresh.environment), ...given };
  const { nodes, flights, endpoints } = ready;
  return world.withEnvironment({ ...fresh, nodes, flights, endpoints }, environment);
}

/** Nobody calls, and all goes well, until something of a kind is under way. */
function untilUnderWay(world: SmallWorld, state: WorldState, kind: Item["kind"]): WorldState {
  const { now } = world.environmentAt(state.environment);
  const isUnderWay = ({ flights }: WorldState) =>
    flights.some((flight) => world.flightAt(flight).some((id) => world.itemAt(id).kind === kind));
  const { state: at, done } = runFairly(world, state, (now + SETTLES_WITHIN) as EpochMillis, isUnderWay);
  if (!done) throw new Error(`no ${kind} is ever under way`);
  return at;
}

/** Processes were off until an instant, start then, and meet. */
function startedAgain(world: SmallWorld, state: WorldState, at: bigint): WorldState {
  return runFairly(world, world.off(state, at as EpochMillis), (at + BEGINS_AFTER) as EpochMillis).state;
}

/** Walks a scope. */
export async function explore(
  scope: Scope,
  backends: Backends,
  options: WalkOptions,
): Promise<WalkSeen & { readonly opened: Opened }> {
  const opened = await openScope(scope, backends);
  return { ...(await walk(opened.world, opened.first, opened.judge, options)), opened };
}
