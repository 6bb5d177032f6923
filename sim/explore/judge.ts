/**
 * What is asked of states: of each one, what its scope and the chain forbid; of those in which nothing but faults can
 * happen, that all comes to what was promised once nothing goes wrong any more. Source: DESIGN section 5.1.
 */
import type { EpochMillis } from "../../core/index.ts";
import { Checkpoints } from "../../core/testing.ts";
import { bodyOf } from "./calls.ts";
import { chainLaws } from "./chain-laws.ts";
import type { ChainTale } from "./chain-tale.ts";
import { runFairly } from "./fair-run.ts";
import type { Broken, Laws } from "./laws.ts";
import { rootsOf } from "./laws.ts";
import type { WorldState } from "./moves.ts";
import type { Machine } from "./node-machine.ts";
import type { Scope } from "./scope.ts";
import type { SmallWorld } from "./small-world.ts";
import type { Judge } from "./walk.ts";

/** Within which all nodes must come to the same once nothing goes wrong any more, in milliseconds. */
export const SETTLES_WITHIN = 180_000n;

/** What a judge looks at. */
interface Judged {
  readonly scope: Scope;
  readonly world: SmallWorld;
  readonly laws: Laws;
  readonly machines: readonly Machine[];
  readonly tale: ChainTale | undefined;
}

/** What is asked of the states of a scope. */
export function openJudge({ scope, world, laws, machines, tale }: Judged): Judge {
  const judged = new Set<number>();
  const chain = chainLaws(tale, machines, world);
  const joining = scope.joining ?? [];
  const problemOf = (at: WorldState) =>
    lacks(world, laws, at) ?? chain.atEnd(at) ?? apart(world, at) ?? withoutFile(world, joining, at);
  return {
    broken: laws.broken,
    ofState(state) {
      const broken = chain.always(state);
      const { environment } = state;
      if (broken !== undefined || scope.forbids === undefined || judged.has(environment)) return broken;
      judged.add(environment);
      return scope.forbids(world.environmentAt(environment).clients.map(({ outcomes }) => outcomes));
    },
    ofFinal(state) {
      const isSettled = (at: WorldState) => problemOf(at) === undefined;
      if (isSettled(state)) return laws.broken();
      const { now } = world.environmentAt(state.environment);
      const { state: last, done } = runFairly(world, state, (now + SETTLES_WITHIN) as EpochMillis, isSettled);
      return laws.broken() ?? (done ? undefined : problemOf(last));
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

/** A node that joined and never took the file that is there for it. */
function withoutFile(world: SmallWorld, joining: readonly number[], { nodes }: WorldState): Broken | undefined {
  for (const node of joining) {
    const { driver } = world.nodeAt(nodes[node] as number);
    if ((driver?.memory.tables.get(Checkpoints.name)?.rows.size ?? 0) > 0) continue;
    return { check: "files-are-taken", message: `node ${node} joined and did not take the file that is there` };
  }
  return undefined;
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
