/**
 * Puts the actions of a scenario on the stage of a world: each begins at its time, as a script of its actor. Scripts
 * are generators, so what a stage remembers of one is all that it was granted and saw: a held world's scripts are
 * played again from that, without a word to anybody. Source: DESIGN section 5 "Everything is data".
 */
import type { EpochMillis } from "../core/index.ts";
import type { Action } from "./action-kinds.ts";
import { actionScript, actionTitle } from "./action-kinds.ts";
import type { Part } from "./clock.ts";
import { createPerson, POLL_MS } from "./person.ts";
import { below, openStream } from "./random.ts";
import type { Scene } from "./scene.ts";
import type { Granted, Script, Wish } from "./script.ts";
import { ScriptFailure, sleep } from "./script.ts";
import type { Wallet } from "./wallet.ts";
import type { World } from "./world.ts";
import { WORLD_START } from "./world.ts";

/** How long an actor waits to be told something by another. Source: DESIGN "Simulated world". */
const LEARN_MS_MAX = 30 * 60_000;
/** What scripts ask comes back under this name. */
const STAGE = "stage";
/** Whoever asks so hears no answer. */
const NOBODY = "nobody";

/** The actions that must be over and are not yet, by name and actor, in the order they were begun. */
export interface Stage {
  unfinished(): readonly string[];
}

/** What a script learned: that a wish came true, or what it saw of the world. */
type Learned =
  | { readonly type: "granted"; readonly time: number; readonly granted: Granted }
  | { readonly type: "seen"; readonly value: unknown };

interface HeldScript {
  /** Everything that the script learned while it runs; nothing before and after. */
  learned: Learned[];
  over: boolean;
}

interface HeldStage {
  readonly shared: Map<string, string>;
  readonly scripts: HeldScript[];
}

type StageDue =
  /** A script begins, or its time has come. */
  { readonly kind: "resumes"; readonly place: number } | { readonly kind: "probes"; readonly body: string };

interface Stand {
  readonly world: World;
  readonly part: Part<HeldStage, StageDue>;
  readonly scripts: readonly Running[];
  /** Whether somebody who waits in vain breaks a law. */
  readonly proves: boolean;
}

/** A script, its generator once it began. */
interface Running {
  readonly place: number;
  readonly title: string;
  readonly action: Action;
  readonly wallet: Wallet;
  readonly held: HeldScript;
  script: Script | undefined;
  /** While it is played again: how much of what it learned it was told. */
  again: { told: number; time: number } | undefined;
}

/** Puts actions on the stage, to be proven or not; in a held world they go on where they were. */
export function stageActions(world: World, actions: readonly Action[], provesActions: boolean): Stage {
  const fresh = (): HeldStage => ({ shared: new Map(), scripts: actions.map(() => ({ learned: [], over: false })) });
  const part = world.loop.part(STAGE, fresh, (due: StageDue) => carryOut(stand, due));
  // Wallets are made in the order of the actions, before anything happens.
  const scripts = actions.map((action, place): Running => {
    const title = `${action.actor}: ${actionTitle(action)} (${place + 1})`;
    const held = part.held.scripts[place] ?? { learned: [], over: false };
    return { place, title, action, wallet: world.person(action.actor), held, script: undefined, again: undefined };
  });
  const stand: Stand = { world, part, scripts, proves: provesActions };
  world.recipients.set(STAGE, (place, answer) => {
    const running = scripts[place];
    if (running !== undefined) resume(stand, running, answer);
  });
  for (const running of scripts) {
    if (part.resumed) playAgain(stand, running);
    else part.at(running.action.at, { kind: "resumes", place: running.place });
  }
  const isOpen = ({ held }: Running) => provesActions && !held.over;
  return { unfinished: () => scripts.filter(isOpen).map(({ title }) => title) };
}

function carryOut(stand: Stand, due: StageDue): void {
  if (due.kind === "probes") return probe(stand.world, due.body);
  const running = stand.scripts[due.place];
  if (running !== undefined) resume(stand, running, undefined);
}

/** Goes on with a script, from its beginning at first. */
function resume(stand: Stand, running: Running, granted: Granted): void {
  const { world, part } = stand;
  running.held.learned.push({ type: "granted", time: world.loop.now(), granted });
  const wish = next(stand, running, granted);
  if (wish === undefined) return;
  const { place, wallet } = running;
  if (wish.type === "sleep") part.after(wish.ms, { kind: "resumes", place });
  else if (wish.type === "until") part.at(wish.time, { kind: "resumes", place });
  else world.ask(wish.node, wallet, wish.body, { to: STAGE, number: place });
}

/** What a script wishes next; nothing once it is over. */
function next(stand: Stand, running: Running, granted: Granted): Wish | undefined {
  running.script ??= scriptOf(stand, running);
  try {
    const { value, done } = running.script.next(granted);
    if (done !== true) return value;
  } catch (failure) {
    if (!(failure instanceof ScriptFailure)) throw failure;
    if (stand.proves) stand.world.violate("actions", `${running.title}: ${failure.message}`);
    else stand.world.tell(`in vain: ${running.title}: ${failure.message}`);
  }
  running.held.over = true;
  running.held.learned = [];
  return undefined;
}

/** Tells a script again what it learned; what it wished for last is on its way, or due. */
function playAgain(stand: Stand, running: Running): void {
  const { learned } = running.held;
  running.again = { told: 0, time: 0 };
  for (let one = learned[0]; one !== undefined; one = learned[running.again.told]) {
    running.again.told += 1;
    if (one.type !== "granted") throw new Error(`bug: ${running.title} saw less than it had seen`);
    running.again.time = one.time;
    next(stand, running, one.granted);
  }
  running.again = undefined;
}

function scriptOf(stand: Stand, running: Running): Script {
  const scene = sceneOf(stand, running);
  const person = createPerson(running.wallet, nodeFor(stand.world, running.action), scene.time);
  return actionScript(person, scene, running.action);
}

/** The scene as one script has it: while it is played again it changes nothing, and sees what it saw. */
function sceneOf({ world, part }: Stand, running: Running): Scene {
  const { shared } = part.held;
  const act = (what: () => void) => {
    if (running.again === undefined) what();
  };
  const now = () => running.again?.time ?? world.loop.now();
  const scene: Scene = {
    world,
    time: { now, epoch: () => (WORLD_START + BigInt(now())) as EpochMillis },
    share: (name, value) => act(() => shared.set(name, value)),
    *learn(name) {
      for (let waited = 0; waited < LEARN_MS_MAX; waited += POLL_MS) {
        const value = scene.witness(() => shared.get(name));
        if (value !== undefined) return value;
        yield* sleep(POLL_MS);
      }
      throw new ScriptFailure(`nobody ever said what ${name} is`);
    },
    knows: (name) => scene.witness(() => shared.has(name)),
    tell: (text) => act(() => world.tell(text)),
    violate: (check, message) => act(() => world.violate(check, message)),
    witness: (look) => witnessed(running, look),
    probe(time, body) {
      act(() => (time > world.loop.now() ? part.at(time, { kind: "probes", body }) : probe(world, body)));
    },
  };
  return scene;
}

function probe(world: World, body: string): void {
  for (const node of world.nodes) node.call(body, { to: NOBODY, number: 0 });
}

function witnessed<T>(running: Running, look: () => T): T {
  const { again, held } = running;
  if (again === undefined) {
    const value = look();
    held.learned.push({ type: "seen", value });
    return value;
  }
  const seen = held.learned[again.told];
  again.told += 1;
  if (seen?.type !== "seen") throw new Error(`bug: ${running.title} sees more than it had seen`);
  return seen.value as T;
}

/** The node an actor's client talks to: the action's own, or one that the seed deals to the actor. */
function nodeFor(world: World, action: Action): number {
  const dealt = below(openStream(world.seed, `actor/${action.actor}/via`), 0, world.nodes.length);
  return action.via === undefined ? dealt : action.via % world.nodes.length;
}
