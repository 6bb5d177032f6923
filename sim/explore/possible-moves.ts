/** What can happen next in a state. Source: DESIGN section 5.1. */
import { stagesAfter } from "./chain-tale.ts";
import { canAnswer } from "./endpoints.ts";
import type { Item } from "./environment.ts";
import { dueTimers, nextJump, nextTimer } from "./happenings.ts";
import { rootsOf } from "./laws.ts";
import type { Memo } from "./memo.ts";
import type { WorldState } from "./moves.ts";
import { isConnected } from "./outside.ts";

/** Tells what can happen in a state, as numbers of moves. */
export type PossibleMoves = (state: WorldState) => readonly number[];

type ItemMove = "deliver" | "drop" | "copy";

interface Known {
  readonly memo: Memo;
  /** Numbers of the moves that an item allows. */
  readonly ofItems: Readonly<Record<ItemMove, number[]>>;
}

/** The moves of a world. */
export function openPossibleMoves(memo: Memo): PossibleMoves {
  const known: Known = { memo, ofItems: { deliver: [], drop: [], copy: [] } };
  return (state) => {
    const found: number[] = [];
    addItemMoves(known, state, found);
    const isDue = addNodeMoves(memo, state, found);
    addChainMoves(memo, state, found);
    const { clients, ticks } = memo.environmentOf(state);
    clients.forEach(({ next, waiting }, client) => {
      if (!waiting && next < (memo.clients.list[client]?.length ?? 0))
        found.push(memo.moveId({ kind: "call", client }));
    });
    if (ticks > 0 && !isDue && nextTimer(memo, state) !== undefined) found.push(memo.moveId({ kind: "tick" }));
    if (!isDue && mayJump(memo, state)) found.push(memo.moveId({ kind: "jump" }));
    return found;
  };
}

/**
 * Days pass where nothing is under way and all nodes hold the same: of what was compared with nobody for 2H, sealing
 * promises nothing.
 */
function mayJump(memo: Memo, state: WorldState): boolean {
  if (nextJump(memo, memo.environmentOf(state)) === undefined) return false;
  if (state.flights.some((flight) => memo.flights.at(flight).length > 0)) return false;
  const values = state.nodes.map((id) => memo.nodes.at(id));
  if (values.some(({ driver }) => driver === undefined || driver.flying !== undefined)) return false;
  const sets = values.map((value) => setsText(rootsOf(value)));
  return sets.every((each) => each === sets[0]);
}

/** What a node holds, as one text. */
function setsText({ statements, facts, archive }: ReturnType<typeof rootsOf>): string {
  return `${statements} ${facts} ${archive}`;
}

function addItemMoves(known: Known, state: WorldState, found: number[]): void {
  const { memo } = known;
  const { drops, duplicates, crashes } = memo.environmentOf(state);
  const { scope } = memo.options;
  for (const flight of state.flights) {
    let before = -1;
    for (const id of memo.flights.at(flight)) {
      if (id === before) continue;
      before = id;
      const item = memo.items.at(id);
      if (!mayCome(memo, state, item)) continue;
      found.push(itemMove(known, "deliver", id));
      if (item.kind === "fetch" && drops > 0) found.push(itemMove(known, "drop", id));
      if (item.kind !== "request" && item.kind !== "answer") continue;
      if (drops > 0) found.push(itemMove(known, "drop", id));
      if (duplicates > 0 && item.kind === "request") found.push(itemMove(known, "copy", id));
      if (crashes === 0 || scope.disk === "later" || !mayCrash(memo, item.to)) continue;
      const { out } = memo.taking(state, item.to, [item.fact], `i${id}`);
      for (let performed = 0; performed < memo.outs.at(out).length; performed++)
        found.push(memo.moveId({ kind: "deliver-and-crash", item: id, performed }));
    }
  }
}

function mayCome(memo: Memo, state: WorldState, item: Item): boolean {
  if (!memo.isUp(state, item.to)) return false;
  if (item.kind === "dial") return !awaitsLoss(memo, state, item);
  if (item.kind !== "ask") return true;
  const at = memo.endpointOf(state, item.to);
  return at !== undefined && canAnswer(item.ask, at.shown);
}

/** Adds what the chain can come to, and who may see more of it. */
function addChainMoves(memo: Memo, state: WorldState, found: number[]): void {
  const { tale } = memo.options;
  if (tale === undefined) return;
  const { chain } = memo.environmentOf(state);
  for (const stage of stagesAfter(tale, chain)) found.push(memo.moveId({ kind: "chain", stage }));
  for (const node of state.nodes.keys()) {
    if (!isConnected(memo, node) || !memo.isUp(state, node)) continue;
    if (memo.endpointOf(state, node)?.endpoint.stage !== chain) found.push(memo.moveId({ kind: "look", node }));
  }
}

/** Adds what nodes can do by themselves; whether any timer is due. */
function addNodeMoves(memo: Memo, state: WorldState, found: number[]): boolean {
  const { now, crashes } = memo.environmentOf(state);
  let isDue = false;
  state.nodes.forEach((value, node) => {
    const { driver } = memo.nodes.at(value);
    if (driver === undefined) {
      found.push(memo.moveId({ kind: "start", node }));
      return;
    }
    const timers = dueTimers(memo.nodes.at(value), now);
    if (timers.length > 0) isDue = true;
    for (const timer of timers) found.push(memo.moveId({ kind: "timer", node, timer }));
    if (driver.flying !== undefined) found.push(memo.moveId({ kind: "sync", node }));
    if (crashes === 0 || !mayCrash(memo, node)) return;
    found.push(memo.moveId({ kind: "crash", node }));
    if (driver.flying === undefined) return;
    const { out } = memo.syncing(state, node);
    for (let performed = 0; performed < memo.outs.at(out).length; performed++)
      found.push(memo.moveId({ kind: "sync-and-crash", node, performed }));
  });
  return isDue;
}

function itemMove({ memo, ofItems }: Known, kind: ItemMove, item: number): number {
  const known = ofItems[kind][item];
  if (known !== undefined) return known;
  const made = memo.moveId({ kind, item });
  ofItems[kind][item] = made;
  return made;
}

function mayCrash({ options: { scope } }: Memo, node: number): boolean {
  return scope.crashing === undefined || scope.crashing.includes(node);
}

/** A node hears that a link is over before it hears of the next one. */
function awaitsLoss(memo: Memo, state: WorldState, { to, other }: Extract<Item, { kind: "dial" }>): boolean {
  const { peers } = memo.options.seats;
  return [to, other]
    .flatMap((node) => memo.flights.at(state.flights[node] as number))
    .some((id) => {
      const item = memo.items.at(id);
      if (item.kind !== "lost") return false;
      return (item.to === to && item.peer === peers[other]) || (item.to === other && item.peer === peers[to]);
    });
}
