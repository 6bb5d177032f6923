/**
 * What was met and made so far: values by number, and what each step and each order came to, so that a fact which comes
 * to a node in many states of the others is stepped once. Source: DESIGN section 5.1.
 */
import type { Effect, EpochMillis, Fact } from "../../core/index.ts";
import { SLOT_MS } from "../chain/slots.ts";
import { bodyOf, resultOf } from "./calls.ts";
import { canonicalText } from "./canonical.ts";
import type { ChainTale } from "./chain-tale.ts";
import type { Endpoint, Shown } from "./endpoints.ts";
import { ordered } from "./endpoints.ts";
import type { ClientState, Environment, Item, Seats } from "./environment.ts";
import { carryOut } from "./environment.ts";
import type { Flights } from "./flights.ts";
import { openFlights } from "./flights.ts";
import type { Interner } from "./interner.ts";
import { createInterner } from "./interner.ts";
import type { Move, WorldState } from "./moves.ts";
import type { Machine, NodeValue, Outcome } from "./node-machine.ts";
import { nodeText } from "./node-machine.ts";
import type { CallSetting, Client, Scope } from "./scope.ts";

/** Hears of each real step. */
export type StepListener = (node: number, before: NodeValue, outcome: Outcome, now: EpochMillis) => void;

export interface SmallWorldOptions {
  readonly scope: Scope;
  readonly machines: readonly Machine[];
  readonly seats: Seats;
  /** What the chain may come to; nothing where there is none. */
  readonly tale: ChainTale | undefined;
  readonly setting: Omit<CallSetting, "last" | "at">;
  readonly onStep: StepListener;
  /** The core threw: a bug. */
  readonly onThrow: (node: number, error: unknown) => void;
}

/** A node's next value and the list of its orders, by number. */
export interface Taken {
  readonly node: number;
  readonly out: number;
}

export interface Memo {
  readonly options: SmallWorldOptions;
  readonly nodes: Interner<NodeValue>;
  readonly items: Interner<Item>;
  readonly outs: Interner<readonly Effect[]>;
  readonly moves: Interner<Move>;
  readonly flights: Flights;
  readonly endpoints: Interner<Endpoint>;
  /** Who calls, and the instant at which they say that they speak. */
  readonly clients: { readonly list: readonly Client[]; readonly at: EpochMillis };
  /** Others call from now on. */
  begin(clients: readonly Client[], at: EpochMillis): void;
  nodeId(value: NodeValue): number;
  itemId(item: Item): number;
  endpointId(endpoint: Endpoint): number;
  /** The endpoint of a node, and what it shows; nothing where it has none. */
  endpointOf(state: WorldState, node: number): { readonly endpoint: Endpoint; readonly shown: Shown } | undefined;
  outId(effects: readonly Effect[]): number;
  moveId(move: Move): number;
  environmentId(value: Environment): number;
  environmentAt(id: number): Environment;
  environmentOf(state: WorldState): Environment;
  /** The environment of a state after a change, by number; made once for each environment. */
  changed(state: WorldState, change: number, make: (before: Environment) => Environment): number;
  /** The body of a client's next call; written once for each call and each answer that it is written from. */
  bodyOf(client: number, state: ClientState): string;
  isUp(state: WorldState, node: number): boolean;
  /** What a node does with facts that this text tells from all others; made once for each of its values. */
  taking(state: WorldState, node: number, facts: readonly Fact[], text: string): Taken;
  starting(state: WorldState, node: number): Taken;
  syncing(state: WorldState, node: number): Taken;
  /** The state after a node did something. */
  after(state: WorldState, node: number, did: Taken): WorldState;
  steps(): number;
}

/** Distinct inputs, and lists of effects, have numbers below this. */
const WIDTH = 2 ** 24;
/** Nodes that a scope may have: links are bits of one number. */
const NODES = 5;
/** Changes of an environment have numbers below this: two of their own, and two of each client. */
const CHANGES = 64;

/** Nothing was met yet. */
export function openMemo(options: SmallWorldOptions): Memo {
  const { machines, seats } = options;
  const nodes: Interner<NodeValue> = createInterner();
  const environments: Interner<Environment> = createInterner();
  const items: Interner<Item> = createInterner();
  const outs: Interner<readonly Effect[]> = createInterner();
  const endpoints: Interner<Endpoint> = createInterner();
  const moves: Interner<Move> = createInterner();
  const inputs: Interner<null> = createInterner();
  const taken = new Map<number, Taken>();
  const emitted = new Map<number, { readonly environment: number; readonly items: readonly number[] }>();
  const changes = new Map<number, number>();
  const bodies = new Map<string, string>();
  const clients: { list: readonly Client[]; at: EpochMillis } = { list: [], at: 0n as EpochMillis };
  const asked = new Map<number, { readonly endpoint: number; readonly items: readonly number[] }>();
  const flights = openFlights();
  let steps = 0;

  const nodeId = (value: NodeValue) => nodes.of(nodeText(value), () => value);
  const environmentId = (value: Environment) => environments.of(canonicalText(value), () => value);
  const endpointId = (endpoint: Endpoint) => endpoints.of(canonicalText(endpoint), () => endpoint);
  const itemId = (item: Item) => items.of(canonicalText(item), () => item);
  const environmentOf = (state: WorldState) => environments.at(state.environment);
  const outId = (effects: readonly Effect[]) => {
    const outward = effects.filter(isOutward);
    return outs.of(canonicalText(outward), () => outward);
  };

  function stepped(state: WorldState, node: number, text: string, make: Make): Taken {
    const { now } = environmentOf(state);
    const value = state.nodes[node] as number;
    const key = (value * NODES + node) * WIDTH + inputs.of(`${text}@${now}`, () => null);
    const known = taken.get(key);
    if (known !== undefined) return known;
    const before = nodes.at(value);
    steps += 1;
    const outcome = madeBy(node, before, now, make);
    const made = { node: nodeId(outcome.value), out: outId(outcome.effects) };
    taken.set(key, made);
    return made;
  }

  function madeBy(node: number, before: NodeValue, now: EpochMillis, make: Make): Outcome {
    const machine = machines[node] as Machine;
    try {
      const outcome = make(machine, before, now);
      options.onStep(node, before, outcome, now);
      return outcome;
    } catch (error) {
      options.onThrow(node, error);
      return { value: machine.crash(before), effects: [], steps: [], view: undefined, roots: undefined };
    }
  }

  function changed(state: WorldState, change: number, make: (before: Environment) => Environment): number {
    const key = state.environment * CHANGES + change;
    const known = changes.get(key);
    if (known !== undefined) return known;
    const made = environmentId(make(environments.at(state.environment)));
    changes.set(key, made);
    return made;
  }

  function bodyFor(client: number, { next, kept }: ClientState): string {
    const key = `${client}.${next} ${kept}`;
    const known = bodies.get(key);
    if (known !== undefined) return known;
    const call = clients.list[client]?.[next];
    if (call === undefined) throw new RangeError(`client ${client} has no call ${next}`);
    const last = kept === null ? undefined : resultOf(kept);
    const body = bodyOf(next, call.method, call.params({ ...options.setting, at: clients.at, last }));
    bodies.set(key, body);
    return body;
  }

  function emits(environment: number, node: number, out: number) {
    const key = (environment * NODES + node) * WIDTH + out;
    const known = emitted.get(key);
    if (known !== undefined) return known;
    const come = carryOut(environments.at(environment), node, outs.at(out), seats);
    const made = { environment: environmentId(come.environment), items: come.items.map(itemId) };
    emitted.set(key, made);
    return made;
  }

  /** The endpoints after a node ordered something of its own, and what is asked of that. */
  function asks(state: WorldState, node: number, out: number) {
    const before = state.endpoints[node];
    if (before === undefined) return undefined;
    const key = (before * NODES + node) * WIDTH + out;
    const known = asked.get(key);
    if (known !== undefined) return known;
    let endpoint = endpoints.at(before);
    const items: number[] = [];
    for (const effect of outs.at(out)) {
      const after = ordered(endpoint, effect);
      endpoint = after.endpoint;
      if (after.ask !== undefined) items.push(itemId({ kind: "ask", to: node, ask: after.ask }));
    }
    const made = { endpoint: endpointId(endpoint), items };
    asked.set(key, made);
    return made;
  }

  return {
    ...{ options, nodes, items, outs, moves, flights, nodeId, itemId, outId, environmentId, environmentOf },
    ...{ endpoints, endpointId },
    endpointOf(state, node) {
      const id = state.endpoints[node];
      if (id === undefined || options.tale === undefined) return undefined;
      const endpoint = endpoints.at(id);
      return {
        endpoint,
        shown: { tale: options.tale, stage: endpoint.stage, idle: idleSlots(environmentOf(state).now, clients.at) },
      };
    },
    ...{ clients, changed, bodyOf: bodyFor },
    begin(list, at) {
      Object.assign(clients, { list, at });
      bodies.clear();
    },
    environmentAt: environments.at,
    moveId: (move) => moves.of(canonicalText(move), () => move),
    isUp: (state, node) => nodes.at(state.nodes[node] as number).driver !== undefined,
    taking: (state, node, facts, text) =>
      stepped(state, node, text, (machine, before, now) => machine.take(before, now, facts)),
    starting: (state, node) => stepped(state, node, "start", (machine, before, now) => machine.start(before, now)),
    syncing: (state, node) => stepped(state, node, "sync", (machine, before, now) => machine.sync(before, now)),
    after(state, node, did) {
      const { environment, items: more } = emits(state.environment, node, did.out);
      const asking = asks(state, node, did.out);
      const under = added(state.flights, more, { flights, items });
      return {
        nodes: replaced(state.nodes, node, did.node),
        flights: asking === undefined ? under : added(under, asking.items, { flights, items }),
        endpoints: asking === undefined ? state.endpoints : replaced(state.endpoints, node, asking.endpoint),
        environment,
      };
    },
    steps: () => steps,
  };
}

/** Blocks in which nothing happened to the trade since the walk began. */
function idleSlots(now: EpochMillis, since: EpochMillis): bigint {
  return now > since ? (now - since) / SLOT_MS : 0n;
}

type Make = (machine: Machine, before: NodeValue, now: EpochMillis) => Outcome;

/** Lists of what is under way, with more of it. */
export function added(
  before: readonly number[],
  more: readonly number[],
  { flights, items }: Pick<Memo, "flights" | "items">,
): readonly number[] {
  if (more.length === 0) return before;
  const made = [...before];
  for (const id of more) {
    const { to } = items.at(id);
    made[to] = flights.with(made[to] as number, id);
  }
  return made;
}

/** A list with one place filled anew. */
export function replaced(list: readonly number[], place: number, value: number): readonly number[] {
  return list.map((each, at) => (at === place ? value : each));
}

/** Whether an effect reaches anybody: what is logged, streamed or waited for stays with the node. */
function isOutward({ type }: Effect): boolean {
  return type !== "log" && type !== "ws.publish" && type !== "timer.set" && type !== "notification.deliver";
}
