/** What a move makes of a state. Source: DESIGN section 5.1. */
import type { EpochMillis, Fact, TimerName } from "../../core/index.ts";
import { byUnits, canonicalText } from "./canonical.ts";
import type { Environment, Item } from "./environment.ts";
import { areLinked, failure, linkBit, lostLink, withClient } from "./environment.ts";
import type { Memo, Taken } from "./memo.ts";
import { added, replaced } from "./memo.ts";
import type { Move, WorldState } from "./moves.ts";
import type { Machine, NodeValue } from "./node-machine.ts";
import { answered, fetched, looked, notFetched, started, written } from "./outside.ts";

/** The state after a move that can happen in it. */
export function apply(memo: Memo, state: WorldState, id: number): WorldState {
  const move = memo.moves.at(id);
  switch (move.kind) {
    case "deliver":
      return delivered(memo, state, move.item);
    case "drop":
      return dropped(memo, state, move.item);
    case "copy":
      return copied(memo, state, move.item);
    case "timer":
      return took(memo, state, move.node, [{ type: "timer.fired", timer: move.timer }], `t${move.timer}`);
    case "call":
      return called(memo, state, move.client);
    case "chain":
      return {
        ...state,
        environment: memo.changed(state, STAGED + move.stage, (on) => ({ ...on, chain: move.stage })),
      };
    case "look":
      return looked(memo, state, move.node);
    case "tick":
      return ticked(memo, state);
    case "jump":
      return jumped(memo, state);
    case "crash":
      return crashed(memo, state, move.node);
    case "start":
      return started(memo, state, move.node);
    case "sync":
      return memo.after(state, move.node, memo.syncing(state, move.node));
    case "sync-and-crash":
      return cutShort(memo, state, move.node, memo.syncing(state, move.node), move.performed);
    case "deliver-and-crash":
      return deliveredAndCrashed(memo, state, move);
  }
}

function took(memo: Memo, state: WorldState, node: number, facts: readonly Fact[], text: string): WorldState {
  return memo.after(state, node, memo.taking(state, node, facts, text));
}

function without(memo: Memo, state: WorldState, id: number): WorldState {
  const { to } = memo.items.at(id);
  return { ...state, flights: replaced(state.flights, to, memo.flights.without(state.flights[to] as number, id)) };
}

function delivered(memo: Memo, state: WorldState, id: number): WorldState {
  const item = memo.items.at(id);
  const rest = without(memo, state, id);
  switch (item.kind) {
    case "request":
    case "answer":
    case "notice":
    case "copy":
      return took(memo, rest, item.to, [item.fact], `i${id}`);
    case "ask":
      return answered(memo, rest, id, item);
    case "write":
      return written(memo, rest, id, item);
    case "fetch":
      return took(memo, rest, item.to, [fetched(memo, rest, item)], `f${id} ${memo.environmentOf(rest).files.join()}`);
    case "lost": {
      const failed = requestsTo(memo.nodes.at(rest.nodes[item.to] as number), item.peer);
      return took(memo, rest, item.to, [...failed, { type: "peer.disconnected", peer: item.peer }], `i${id}`);
    }
    case "dial":
      return dialled(memo, rest, item);
  }
}

function dialled(memo: Memo, state: WorldState, { to, other, address }: Extract<Item, { kind: "dial" }>): WorldState {
  const environment = memo.environmentOf(state);
  if (areLinked(environment, to, other)) return state;
  if (!memo.isUp(state, other))
    return took(memo, state, to, [{ type: "peer.unreachable", address, reason: "refused" }], `u${address}`);
  const links = environment.links | linkBit(to, other);
  const linked = { ...state, environment: memo.environmentId({ ...environment, links }) };
  const [mine, theirs] = [memo.options.seats.peers[to], memo.options.seats.peers[other]] as const;
  const first = took(memo, linked, to, [{ type: "peer.connected", peer: theirs as never, address }], `c${other}`);
  return took(memo, first, other, [{ type: "peer.connected", peer: mine as never, address: null }], `a${to}`);
}

function dropped(memo: Memo, state: WorldState, id: number): WorldState {
  const item = memo.items.at(id);
  const environment = memo.changed(state, DROPPED, (before) => ({ ...before, drops: before.drops - 1 }));
  const rest = { ...without(memo, state, id), environment };
  if (item.kind === "fetch") {
    const fact = notFetched(item, "the connection broke");
    return { ...rest, flights: added(rest.flights, [memo.itemId({ kind: "notice", to: item.to, fact })], memo) };
  }
  if (item.kind !== "request" && item.kind !== "answer") return rest;
  const asker = item.kind === "request" ? item.from : item.to;
  const asked = memo.options.seats.peers[item.kind === "request" ? item.to : item.from];
  const failed = memo.itemId(failure(asker, asked as never, item.request, "timeout"));
  return { ...rest, flights: added(rest.flights, [failed], memo) };
}

function copied(memo: Memo, state: WorldState, id: number): WorldState {
  const item = memo.items.at(id);
  if (item.kind !== "request" || item.fact.type !== "message.received") return state;
  const environment = memo.changed(state, COPIED, (before) => ({ ...before, duplicates: before.duplicates - 1 }));
  const copy: Item = { kind: "copy", to: item.to, from: item.from, fact: { ...item.fact, replyTo: "copy" } };
  return {
    ...state,
    flights: added(state.flights, [memo.itemId(copy)], memo),
    environment,
  };
}

/** The process ends: links with it, and every call that it had not answered. */
function crashed(memo: Memo, state: WorldState, node: number): WorldState {
  const environment = memo.environmentOf(state);
  const others = memo.options.machines.flatMap((_, other) => (areLinked(environment, node, other) ? [other] : []));
  let links = environment.links;
  for (const other of others) links &= ~linkBit(node, other);
  let left: Environment = { ...environment, links, crashes: environment.crashes - 1 };
  left.clients.forEach((client, place) => {
    if (client.waiting && memo.clients.list[place]?.[client.next]?.via === node)
      left = withClient(left, place, lostCall(client));
  });
  const kept = state.flights.map((flight) =>
    memo.flights.of(memo.flights.at(flight).filter((id) => !isOfProcess(memo.items.at(id), node))),
  );
  const lost = others.map((other) => memo.itemId(lostLink(other, node, memo.options.seats)));
  const value = memo.nodeId((memo.options.machines[node] as Machine).crash(memo.nodes.at(state.nodes[node] as number)));
  const { endpoint } = memo.endpointOf(state, node) ?? {};
  return {
    nodes: replaced(state.nodes, node, value),
    flights: added(kept, lost, memo),
    endpoints:
      endpoint === undefined
        ? state.endpoints
        : replaced(state.endpoints, node, memo.endpointId({ ...endpoint, watches: [] })),
    environment: memo.environmentId(left),
  };
}

/** A node takes something and ends after so many of the effects left it. */
function cutShort(memo: Memo, state: WorldState, node: number, did: Taken, performed: number): WorldState {
  const some = memo.outId(memo.outs.at(did.out).slice(0, performed));
  return crashed(memo, memo.after(state, node, { node: did.node, out: some }), node);
}

function called(memo: Memo, state: WorldState, place: number): WorldState {
  const client = memo.environmentOf(state).clients[place];
  const call = client && memo.clients.list[place]?.[client.next];
  if (client === undefined || call === undefined) return state;
  const becomes = (change: number, after: typeof client) => ({
    ...state,
    environment: memo.changed(state, change + 2 * place, (before) => withClient(before, place, after)),
  });
  if (!memo.isUp(state, call.via)) return becomes(LOST, lostCall(client));
  const body = memo.bodyOf(place, client);
  const fact: Fact = { type: "rpc.called", replyTo: `c${place}.${client.next}`, body };
  const asked = becomes(ASKED, { ...client, waiting: true });
  return took(memo, asked, call.via, [fact], `b${place}.${client.next} ${body}`);
}

/**
 * Numbers of changes of an environment: the stages of a tale have 30 of them; the last two are of the first client, and
 * each further one has two more.
 */
const [DROPPED, COPIED, STAGED, ASKED, LOST] = [0, 1, 2, 32, 33];

function ticked(memo: Memo, state: WorldState): WorldState {
  const environment = memo.environmentOf(state);
  const at = nextTimer(memo, state);
  if (at === undefined) return state;
  return { ...state, environment: memo.environmentId({ ...environment, now: at, ticks: environment.ticks - 1 }) };
}

function jumped(memo: Memo, state: WorldState): WorldState {
  const environment = memo.environmentOf(state);
  const now = nextJump(memo, environment) ?? environment.now;
  let at = { ...state, environment: memo.environmentId({ ...environment, now, jumps: environment.jumps + 1 }) };
  const later = memo.options.scope.timersAfterJump ?? [];
  for (const [node, id] of state.nodes.entries())
    for (const timer of dueTimers(memo.nodes.at(id), now))
      if (!later.includes(timer)) at = took(memo, at, node, [{ type: "timer.fired", timer }], `t${timer}`);
  return at;
}

/** The timers of a node that are due, by their names. */
export function dueTimers({ timers }: NodeValue, now: EpochMillis): readonly TimerName[] {
  let due: TimerName[] | undefined;
  for (const [timer, at] of timers) if (at <= now) due = [...(due ?? []), timer];
  return due?.sort(byUnits) ?? NONE_DUE;
}

const NONE_DUE: readonly TimerName[] = [];

/** The instant that the clock may jump to next. */
export function nextJump({ options, clients }: Memo, { now, jumps }: Environment): EpochMillis | undefined {
  const after = options.scope.jumpsMs?.[jumps];
  const at = after === undefined ? undefined : ((clients.at + after) as EpochMillis);
  return at !== undefined && at > now ? at : undefined;
}

/** The next instant after the clock's at which a timer is due. */
export function nextTimer(memo: Memo, state: WorldState): EpochMillis | undefined {
  const { now } = memo.environmentOf(state);
  let next: EpochMillis | undefined;
  for (const id of state.nodes)
    for (const at of memo.nodes.at(id).timers.values()) if (at > now && (next === undefined || at < next)) next = at;
  return next;
}

function deliveredAndCrashed(
  memo: Memo,
  state: WorldState,
  { item: id, performed }: Extract<Move, { kind: "deliver-and-crash" }>,
): WorldState {
  const item = memo.items.at(id);
  if (item.kind !== "request" && item.kind !== "answer") return state;
  const rest = without(memo, state, id);
  return cutShort(memo, rest, item.to, memo.taking(rest, item.to, [item.fact], `i${id}`), performed);
}

function lostCall(client: Environment["clients"][number]): Environment["clients"][number] {
  return { next: client.next + 1, waiting: false, outcomes: [...client.outcomes, "lost"], kept: client.kept };
}

/** Whether something under way ends with a node's process. */
function isOfProcess(item: Item, node: number): boolean {
  if (item.to === node) return true;
  return (item.kind === "request" || item.kind === "answer" || item.kind === "copy") && item.from === node;
}

/** Requests that a node still has open at a peer, as failures. */
function requestsTo({ driver }: NodeValue, peer: string): readonly Fact[] {
  const open = driver?.memory.tables.get("requests")?.rows ?? new Map<string, { readonly record: unknown }>();
  const facts: Fact[] = [];
  for (const [request, { record }] of open) {
    if ((record as { readonly peer: string }).peer !== peer) continue;
    facts.push({ type: "message.failed", to: peer as never, request: Number(request), reason: "disconnected" });
  }
  return facts.sort((a, b) => byUnits(canonicalText(a), canonicalText(b)));
}
