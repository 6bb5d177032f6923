/**
 * Puts the actions of a scenario on the stage of a world: each begins at its time, as a script of its actor.
 */
import type { Action } from "./action-kinds.ts";
import { actionScript, actionTitle } from "./action-kinds.ts";
import { createPerson, POLL_MS } from "./person.ts";
import { below, openStream } from "./random.ts";
import type { Scene } from "./scene.ts";
import { runScript, ScriptFailure, sleep } from "./script.ts";
import type { World } from "./world.ts";

/** How long an actor waits to be told something by another. Source: DESIGN "Simulated world". */
const LEARN_MS_MAX = 30 * 60_000;

/** The actions that are not over yet, by name and actor, in the order they were begun. */
export interface Stage {
  unfinished(): readonly string[];
}

export function stageActions(world: World, actions: readonly Action[]): Stage {
  const open = new Set<string>();
  const scene = createScene(world);
  actions.forEach((action, place) => {
    const title = `${action.actor}: ${actionTitle(action)} (${place + 1})`;
    open.add(title);
    // Wallets are made in the order of the actions, before anything happens.
    const person = createPerson(world.person(action.actor), nodeFor(world, action), world.loop);
    world.loop.at(action.at, () =>
      runScript(world.loop, callAs(world, action.actor), actionScript(person, scene, action), (failure) => {
        open.delete(title);
        if (failure instanceof ScriptFailure) world.violate("actions", `${title}: ${failure.message}`);
        else if (failure !== undefined) throw failure;
      }),
    );
  });
  return { unfinished: () => [...open] };
}

function createScene(world: World): Scene {
  const shared = new Map<string, string>();
  return {
    world,
    share: (name, value) => shared.set(name, value),
    *learn(name) {
      for (let waited = 0; waited < LEARN_MS_MAX; waited += POLL_MS) {
        const value = shared.get(name);
        if (value !== undefined) return value;
        yield* sleep(POLL_MS);
      }
      throw new ScriptFailure(`nobody ever said what ${name} is`);
    },
    knows: (name) => shared.has(name),
    tell: world.tell,
  };
}

function callAs(world: World, actor: string): Parameters<typeof runScript>[1] {
  const wallet = world.person(actor);
  return (node, body, done) => world.call(node, wallet, body, done);
}

/** The node an actor's client talks to: the action's own, or one that the seed deals to the actor. */
function nodeFor(world: World, action: Action): number {
  const dealt = below(openStream(world.seed, `actor/${action.actor}/via`), 0, world.nodes.length);
  return action.via === undefined ? dealt : action.via % world.nodes.length;
}
