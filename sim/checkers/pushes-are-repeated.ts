/**
 * A push of a statement that no acknowledgement followed, within 150 ms and three round trips, is sent again when news
 * is next announced, four times at most, as long as the statement is held and its receiver connected. The next
 * comparison of sets would bring it all the same, so nothing else sees it.
 * Source: DESIGN "Gossip and sync"; protocol 01 §7.2, W3.
 */
import type { Effect, Reader } from "../../core/index.ts";
import { Events, Peers } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { pushedIn } from "./frames.ts";

/** Written down apart from the core. Source: DESIGN "Gossip and sync". */
const ACKNOWLEDGED_WITHIN_MS = 150n;
const ROUND_TRIPS = 3n;
const REPEATS = 4;
/** Of more to one peer only some are repeated at once. Source: DESIGN "Work at once". */
const REPEATED_AT_ONCE = 64;

/** A push on its way, or lost. */
interface Push {
  readonly event: string;
  readonly at: bigint;
  readonly repeats: number;
  /** The same at least: of two pushes of one statement it cannot be seen which one is repeated. */
  readonly repeatsLeast: number;
}

/** What a node pushed and nobody acknowledged, by peer and by the number of the request. */
type Pushes = Map<string, Map<bigint | number, Push>>;

/** What is lost is pushed again. */
export function pushesAreRepeated({ violate, keep, profile }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Pushes>());
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "pushes-are-repeated",
    onStep(step) {
      if (profile.parity) return;
      const { node, input, view } = step;
      const pushes = nodes.get(node) ?? new Map<string, Map<bigint | number, Push>>();
      nodes.set(node, pushes);
      if (input.type === "message.answered") settle(pushes, input.from, input.request);
      if (input.type === "message.failed") settle(pushes, input.to, input.request);
      const isAnnouncing = input.type === "timer.fired" && input.timer === "announce";
      const repeated = isAnnouncing ? takeDue(pushes, step) : [];
      const sent = pushesIn(step);
      const left = repeated.find(({ peer, event }) => !sent.some((one) => one.peer === peer && one.event === event));
      if (left !== undefined && view.get(Events, left.event) !== undefined)
        violate(`node ${node} does not repeat the push of ${left.event} to ${left.peer}, who did not acknowledge it`);
      for (const { peer, request, event } of sent) {
        const own = pushes.get(peer) ?? new Map<bigint | number, Push>();
        const least = isAnnouncing
          ? leastRepeated([...repeated.filter(isOf(peer)), ...own.values()], event)
          : undefined;
        if (least !== undefined && least >= REPEATS)
          violate(`node ${node} repeats the push of ${event} to ${peer} more than ${REPEATS} times`);
        const before = mostRepeated(repeated.filter((one) => one.peer === peer && one.event === event));
        const again = before ?? (isAnnouncing ? takeOldest(own, event) : undefined);
        pushes.set(
          peer,
          own.set(request, {
            ...{ event, at: input.now, repeats: again === undefined ? 0 : again.repeats + 1 },
            repeatsLeast: least === undefined ? 0 : least + 1,
          }),
        );
      }
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

function settle(pushes: Pushes, peer: string, request: bigint | number): void {
  const own = pushes.get(peer);
  own?.delete(request);
  if (own?.size === 0) pushes.delete(peer);
}

/** Takes out what has to be pushed again now. */
function takeDue(pushes: Pushes, { view, input }: StepSeen): readonly (Push & { readonly peer: string })[] {
  return [...pushes].flatMap(([peer, own]) => {
    const wait = waitFor(view, peer);
    const open = [...own].filter(([, { repeats }]) => repeats < REPEATS);
    if (wait === undefined || open.length > REPEATED_AT_ONCE) return [];
    const due = open.filter(([, { at }]) => at + wait <= input.now);
    for (const [request] of due) own.delete(request);
    return due.map(([, push]) => ({ peer, ...push }));
  });
}

/**
 * Of one statement that was pushed twice to one peer, as when he asked for it meanwhile, two may be due at once: which
 * of them a push repeats cannot be seen, and none is expected more often than it may be.
 */
function mostRepeated<P extends Push>(pushes: readonly P[]): P | undefined {
  return pushes.toSorted((a, b) => b.repeats - a.repeats)[0];
}

/** How often at least whichever push of a statement it is was repeated before; nothing where none is on its way. */
function leastRepeated(pushes: readonly Push[], event: string): number | undefined {
  const same = pushes.flatMap((push) => (push.event === event ? [push.repeatsLeast] : []));
  return same.length === 0 ? undefined : Math.min(...same);
}

function isOf(peer: string): (push: { readonly peer: string }) => boolean {
  return (push) => push.peer === peer;
}

/** Of more than are repeated at once some were all the same: that one is not on its way any more. */
function takeOldest(own: Map<bigint | number, Push>, event: string): Push | undefined {
  for (const [request, push] of own) {
    if (push.event !== event) continue;
    own.delete(request);
    return push;
  }
  return undefined;
}

/** How long a peer may take to acknowledge; nothing of one that is not connected, or compares no sets. */
function waitFor(view: Reader, key: string): bigint | undefined {
  const peer = view.get(Peers, key);
  if (peer === undefined || !peer.connected || !peer.announces) return undefined;
  const trips = (peer.latency_ms ?? 0n) * ROUND_TRIPS;
  return trips > ACKNOWLEDGED_WITHIN_MS ? trips : ACKNOWLEDGED_WITHIN_MS;
}

/** Statements that a step pushes, and to whom. */
function pushesIn({ effects, view }: StepSeen) {
  return effects.flatMap((effect: Effect) => {
    const event = effect.type === "message.send" ? pushedIn(effect.bytes)?.key : undefined;
    if (effect.type !== "message.send" || event === undefined) return [];
    const { statement = null } = view.get(Events, event) ?? {};
    return statement === null ? [] : [{ peer: effect.to as string, request: effect.request, event }];
  });
}
