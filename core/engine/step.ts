/**
 * The step: what one fact does to a node. Total and pure: writes nothing, never throws on input, never
 * awaits, reads no clock. Source: DESIGN section 3.
 */

import type { Effect, Input, ReplyHandle } from "../inputs.ts";
import { known } from "../kernel/assert.ts";
import type { Store } from "../kernel/state.ts";
import type { Change } from "../kernel/table.ts";
import { bytesOfRecord, firstOf } from "../kernel/table.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import type { SharingPort } from "../ports/sharing.ts";
import type { StoreWrite } from "../ports/store.ts";
import type { CallAhead } from "./admission/payload.ts";
import type { Network } from "./domain.ts";
import { takeRows } from "./loaded-rows.ts";
import type { ResolvedConfiguration } from "./overrides.ts";
import { answerBody, subjectOf } from "./rpc.ts";
import type { Sources } from "./sources.ts";
import { Attaching } from "./statements/attaching.ts";
import type { HeldCall } from "./statements/held-calls.ts";
import { ANSWERED_AT_ONCE, HeldCalls, isAnswerable, lastSliceFor } from "./statements/held-calls.ts";
import { goOnAttaching } from "./statements/slices.ts";
import type { StepContext } from "./step-context.ts";
import { stepContextOf } from "./step-context.ts";

/** What a step needs beside its input: the memory it reads, and what the node was told at its start. */
export interface NodeContext {
  readonly store: Store;
  readonly crypto: CryptoPort;
  readonly configuration: ResolvedConfiguration;
  readonly bootSeed: Uint8Array;
  readonly network: Network;
}

export interface Step {
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
}

/** Decides what one fact does. `sources` note what the answer to a call rests on, `ahead` was read of it before. */
export function step(
  { store, crypto, configuration, bootSeed, network }: NodeContext,
  input: Input,
  sources?: Sources,
  ahead?: CallAhead,
): Step {
  const { now, number } = input;
  const told = { now, number, bootSeed, identities: store.identities, crypto, configuration, registry: network, ahead };
  const context = stepContextOf(store, told, sources);
  handle(network, context, input);
  // A read changes nothing, and there is nothing to react to.
  const isRead = input.type === "rpc.called" && context.draft.changes().length === 0;
  if (input.type !== "store.loaded" && !isRead) react(network, context);
  return { changes: context.draft.changes(), effects: context.effects };
}

/** What the step has changed so far makes domains do more, those alone that look at a table it wrote into. */
function react({ reactions }: Network, context: StepContext): void {
  const { draft } = context;
  for (const { to, act } of reactions) if (to === "anything" || to.some(draft.wrote)) act(context);
}

/** The durable writes behind changes. */
export function writesOf(
  { tablesByName }: Network,
  changes: readonly Change[],
  sharing?: SharingPort,
): readonly StoreWrite[] {
  return changes.flatMap(({ table: name, key, record, bytes }): readonly StoreWrite[] => {
    const table = tablesByName.get(name);
    if (table === undefined || !table.durable) return [];
    if (record === undefined) return [{ table: name, key, bytes: null }];
    return [{ table: name, key, bytes: bytes ?? bytesOfRecord(table, record, sharing) }];
  });
}

function handle(network: Network, context: StepContext, input: Input): void {
  switch (input.type) {
    case "started":
      return network.starts.forEach((start) => void start(context));
    case "store.loaded":
      return takeRows(network, context, input.rows);
    case "rpc.called":
      // A read changes nothing: what it rests on is attached by the queue's next slices, and the call waits for them.
      if (context.draft.size(Attaching) > 0 && hold(network, context, input.replyTo, input.body)) return;
      return answer(network, context, input.replyTo, input.body);
    case "timer.fired":
      if (input.timer === "attach" && answerHeld(network, context)) return goOnAttaching(context);
      return known(network.timers.get(input.timer), "the domain of a timer")(context);
    default:
      for (const take of network.inputs.get(input.type) ?? []) take(context, input as never);
  }
}

function answer({ methods }: Network, context: StepContext, replyTo: ReplyHandle, body: string): void {
  context.emit({ type: "rpc.reply", replyTo, body: answerBody(context, methods, body) });
}

/** Keeps a call that the queue may still change the answer of; whether it is such a one. */
function hold({ methods }: Network, context: StepContext, replyTo: ReplyHandle, body: string): boolean {
  const { draft, number } = context;
  const call: HeldCall = { body, number, about: subjectOf(context, methods, body), last: lastSliceFor(draft) };
  const waits = !isAnswerable(draft, call);
  if (waits) draft.put(HeldCalls, replyTo, call);
  return waits;
}

/** Answers a few of what waited, each as of the input that brought it; a step that answers takes no slice. */
function answerHeld(network: Network, context: StepContext): boolean {
  const { draft } = context;
  let answered = 0;
  for (const replyTo of firstOf(draft.keys(HeldCalls), ANSWERED_AT_ONCE)) {
    const call = known(draft.get(HeldCalls, replyTo), "a held call");
    if (!isAnswerable(draft, call)) continue;
    draft.put(HeldCalls, replyTo, undefined);
    answer(network, { ...context, number: call.number }, replyTo, call.body);
    answered += 1;
  }
  return answered > 0;
}
