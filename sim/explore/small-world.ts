/**
 * A small world: its state is a handful of numbers, each of a value that was met before, and what happens leads from
 * one to the next. Source: DESIGN section 5.1.
 */
import type { EpochMillis } from "../../core/index.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Environment, Item } from "./environment.ts";
import { apply } from "./happenings.ts";
import type { SmallWorldOptions } from "./memo.ts";
import { openMemo } from "./memo.ts";
import type { Move, WorldState } from "./moves.ts";
import type { NodeValue } from "./node-machine.ts";
import { NEW_NODE } from "./node-machine.ts";
import { openPossibleMoves } from "./possible-moves.ts";
import type { CallSetting, Client } from "./scope.ts";

export interface SmallWorld {
  nodeAt(id: number): NodeValue;
  environmentAt(id: number): Environment;
  itemAt(id: number): Item;
  endpointAt(id: number): Endpoint;
  /** Numbers of what is under way. */
  flightAt(id: number): readonly number[];
  moveAt(id: number): Move;
  /** A state in which no node ever ran; clients are those who call from now on. */
  fresh(clients: readonly Client[], now: EpochMillis, dated?: EpochMillis): WorldState;
  /** A state in which every process ended, and was off until now; nobody calls. */
  off(state: WorldState, now: EpochMillis): WorldState;
  moves(state: WorldState): readonly number[];
  apply(state: WorldState, move: number): WorldState;
  withEnvironment(state: WorldState, environment: Environment): WorldState;
  clients(): readonly Client[];
  setting(): Omit<CallSetting, "last">;
  counts(): { readonly steps: number; readonly nodeValues: number };
}

/** A world of a scope in which nothing has happened. */
export function openSmallWorld(options: SmallWorldOptions): SmallWorld {
  const memo = openMemo(options);
  const { nodes, flights, environmentId } = memo;
  const fresh: SmallWorld["fresh"] = (clients, now, dated = now) => {
    memo.begin(clients, dated);
    const first = clients.map(() => ({ next: 0, waiting: false, outcomes: [], kept: null }));
    const none = { drops: 0, duplicates: 0, crashes: 0, ticks: 0, jumps: 0, chain: 0, files: [] };
    const environment = environmentId({ now, links: 0, clients: first, ...none });
    const seated = options.machines.map(() => memo.nodeId(NEW_NODE));
    const endpoints = options.tale === undefined ? [] : seated.map(() => memo.endpointId({ stage: 0, watches: [] }));
    return { nodes: seated, flights: options.machines.map(() => flights.of([])), endpoints, environment };
  };
  return {
    nodeAt: nodes.at,
    environmentAt: memo.environmentAt,
    itemAt: memo.items.at,
    endpointAt: memo.endpoints.at,
    flightAt: flights.at,
    moveAt: memo.moves.at,
    moves: openPossibleMoves(memo),
    apply: (state, move) => apply(memo, state, move),
    clients: () => memo.clients.list,
    setting: () => ({ ...options.setting, at: memo.clients.at }),
    fresh,
    off(state, now) {
      const ended = options.machines.map((each, node) =>
        memo.nodeId(each.crash(nodes.at(state.nodes[node] as number))),
      );
      return { ...fresh([], now), nodes: ended };
    },
    withEnvironment: (state, environment) => ({ ...state, environment: environmentId(environment) }),
    counts: () => ({ steps: memo.steps(), nodeValues: nodes.size() }),
  };
}
