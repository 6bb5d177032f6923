/**
 * People of a served network who do something at once: scripts of the simulator's own actions, all of them side by
 * side, while the network runs as fast as it goes and nobody else asks. Source: DESIGN section 5 "Everything is data".
 */
import type { EpochMillis } from "../../core/index.ts";
import type { Action } from "../action-kinds.ts";
import { actionScript, actionTitle, prepareActions } from "../action-kinds.ts";
import { createPerson, POLL_MS } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Granted, Script } from "../script.ts";
import { ScriptFailure, sleep } from "../script.ts";
import { WORLD_START } from "../world.ts";
import type { WorldHost } from "./world-host.ts";

/** How long people wait to be told something by another. Source: DESIGN "Simulated world". */
const LEARN_MS = 30 * 60_000;
/** How long the network runs for one answer. Source: protocol 01 §13.3. */
const ANSWER_MS = 30_000;

/** Somebody under way: resumed at an instant, or with an answer. */
export interface Acting {
  readonly title: string;
  readonly script: Script;
  wakes: number | undefined;
  answer: { readonly granted: Granted } | undefined;
}

/**
 * Plays actions, each `at` counted from now, until all are over; answers in one line why one failed. Only within
 * `exclusive`.
 */
export async function act(host: WorldHost, actions: readonly Action[]): Promise<string | undefined> {
  await prepareActions(actions);
  const scene = sceneOf(host);
  const now = () => host.world().loop.now();
  const began = now();
  const acting = new Set(actions.map((action) => begin(host, scene, action, began + action.at)));
  while (acting.size > 0) {
    for (const one of acting) {
      const failed = isDue(one, now()) ? resume(host, one, acting) : undefined;
      if (failed !== undefined) return failed;
    }
    const wakes = Math.min(now() + ANSWER_MS, ...[...acting].flatMap((one) => one.wakes ?? []));
    const isAnswered = () => [...acting].some(({ answer }) => answer !== undefined);
    if (acting.size > 0) await host.advance(wakes, isAnswered);
  }
  return undefined;
}

/** Whether somebody can go on now. */
export const isDue = ({ wakes, answer }: Acting, now: number): boolean =>
  answer !== undefined || (wakes !== undefined && wakes <= now);

/** Somebody who will begin at an instant. */
export function begin(host: WorldHost, scene: Scene, action: Action, wakes: number): Acting {
  const there = host.nodes();
  // Counted over those that are there, round and round: a person always has a node to talk to.
  const via = there[(action.via ?? 0) % there.length]?.index ?? 0;
  const person = createPerson(host.world().person(action.actor), via, scene.time);
  const title = `${action.actor}: ${actionTitle(action)}`;
  return { title, script: actionScript(person, scene, action), wakes, answer: undefined };
}

/**
 * Goes on with a script until it wishes for something; answers why it failed, if it did. Instants that it names are
 * counted from `began`.
 */
export function resume(host: WorldHost, one: Acting, acting: Set<Acting>, began = 0): string | undefined {
  const granted = one.answer?.granted;
  one.answer = undefined;
  one.wakes = undefined;
  try {
    const { value: wish, done } = one.script.next(granted);
    if (done === true) acting.delete(one);
    else if (wish.type === "sleep") one.wakes = host.world().loop.now() + wish.ms;
    else if (wish.type === "until") one.wakes = began + wish.time;
    else
      host.call(wish.node, wish.body, (answer) => {
        one.answer = { granted: answer };
      });
    return undefined;
  } catch (failure) {
    if (failure instanceof ScriptFailure) return `${one.title}: ${failure.message}`;
    throw failure;
  }
}

/** What people of one call share: nothing of it is kept. Their time is counted from `began`. */
export function sceneOf(host: WorldHost, began = 0): Scene {
  const shared = new Map<string, string>();
  const { loop } = host.world();
  return {
    world: host.world(),
    time: { now: () => loop.now() - began, epoch: () => (WORLD_START + BigInt(loop.now())) as EpochMillis },
    share: (name, value) => void shared.set(name, value),
    *learn(name) {
      for (let waited = 0; waited < LEARN_MS; waited += POLL_MS) {
        const value = shared.get(name);
        if (value !== undefined) return value;
        yield* sleep(POLL_MS);
      }
      throw new ScriptFailure(`nobody ever said what ${name} is`);
    },
    knows: (name) => shared.has(name),
    tell: (text) => host.world().tell(text),
    violate: (check, message) => {
      throw new ScriptFailure(`${check}: ${message}`);
    },
    witness: (look) => look(),
    probe: () => undefined,
  };
}
