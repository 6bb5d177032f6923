/**
 * What comes to a node from outside the network: what its endpoint shows of the chain, and files.
 * Source: DESIGN section 5.1; protocol 03 A.10.3, 05 §6.
 */
import type { ChainObservation, Fact } from "../../core/index.ts";
import { nextStage } from "./chain-tale.ts";
import { answersTo, toldBetween } from "./endpoints.ts";
import type { Item } from "./environment.ts";
import type { Memo } from "./memo.ts";
import { added, replaced } from "./memo.ts";
import type { WorldState } from "./moves.ts";

type Of<K extends Item["kind"]> = Extract<Item, { readonly kind: K }>;

/** A process starts; one that has an endpoint hears of a slot. */
export function started(memo: Memo, state: WorldState, node: number): WorldState {
  const after = memo.after(state, node, memo.starting(state, node));
  if (!isConnected(memo, node)) return after;
  const ask = memo.itemId({ kind: "ask", to: node, ask: { about: "slot" } });
  return { ...after, flights: added(after.flights, [ask], memo) };
}

/** Whether a node reads the chain itself. */
export function isConnected({ options }: Memo, node: number): boolean {
  return options.tale !== undefined && options.machines[node]?.configuration.chain === "RpcConnected";
}

/** An endpoint answers what it was asked. */
export function answered(memo: Memo, state: WorldState, id: number, { to, ask }: Of<"ask">): WorldState {
  const at = memo.endpointOf(state, to);
  if (at === undefined) return state;
  const { endpoint, shown } = at;
  const facts = observed(answersTo(ask, endpoint, shown));
  if (facts.length === 0) return state;
  return memo.after(state, to, memo.taking(state, to, facts, `i${id} ${state.endpoints[to]}+${shown.idle}`));
}

/** An endpoint shows the next stage on the way to where the chain is. */
export function looked(memo: Memo, state: WorldState, node: number): WorldState {
  const at = memo.endpointOf(state, node);
  if (at === undefined) return state;
  const { endpoint, shown } = at;
  const next = nextStage(shown.tale, endpoint.stage, memo.environmentOf(state).chain);
  const [before, after] = [shown.tale[endpoint.stage], shown.tale[next]];
  const moved = { ...state, endpoints: replaced(state.endpoints, node, memo.endpointId({ ...endpoint, stage: next })) };
  if (before === undefined || after === undefined) return moved;
  // What is asked for as a whole is told as a whole.
  const unheard = memo.flights.at(state.flights[node] as number).flatMap((id) => historyOf(memo.items.at(id)));
  const facts = observed(toldBetween(endpoint, before, after, unheard));
  if (facts.length === 0) return moved;
  const text = `look ${state.endpoints[node]}>${next} ${unheard.join()}`;
  return memo.after(moved, node, memo.taking(moved, node, facts, text));
}

function historyOf(item: Item): readonly string[] {
  return item.kind === "ask" && item.ask.about === "history" ? [item.ask.address] : [];
}

function observed(observations: readonly ChainObservation[]): readonly Fact[] {
  return observations.map((observation) => ({ type: "chain.observed", observation }));
}

/** A file is on its node's disk, and can be fetched from now on. */
export function written(memo: Memo, state: WorldState, id: number, item: Of<"write">): WorldState {
  const environment = memo.environmentOf(state);
  const files = [...environment.files, id].sort((a, b) => a - b);
  const kept = { ...state, environment: memo.environmentId({ ...environment, files }) };
  const fact: Fact = {
    type: "snapshot.written",
    id: item.id,
    outcome: { ok: true, sizeBytes: item.archive.length },
  };
  return memo.after(kept, item.to, memo.taking(kept, item.to, [fact], `i${id}`));
}

/** A file as it comes, or that it is not there. Nothing compresses here: a file has the size of its archive. */
export function fetched(memo: Memo, state: WorldState, asked: Of<"fetch">): Fact {
  for (const id of memo.environmentOf(state).files) {
    const file = memo.items.at(id);
    if (file.kind !== "write" || file.id !== asked.id || BigInt(file.archive.length) !== asked.sizeBytes) continue;
    const { archive } = file;
    const outcome = { ok: true, sizeBytes: archive.length, archive } as const;
    return { type: "snapshot.fetched", id: asked.id, location: asked.location, outcome };
  }
  return notFetched(asked, "nothing is there");
}

export function notFetched({ id, location }: Of<"fetch">, reason: string): Fact {
  return { type: "snapshot.fetched", id, location, outcome: { ok: false, code: "NETWORK_ERROR", reason } };
}
